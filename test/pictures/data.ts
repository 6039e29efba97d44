/** Made-up traffic that is the same on every run: a day's rhythm, some noise, and whatever a chart has to cope with. */
import { CATEGORIES } from '../../src/statistics/categories.ts';
import type { Distribution, Timeline, TimelinePoint } from '../../src/statistics/timeline.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Numbers in [0, 1) that depend on nothing but the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface TrafficOptions {
  readonly from: string;
  readonly intervalMs: number;
  readonly count: number;
  readonly seed?: number;
  /** Requests and attacks of an average hour. */
  readonly requestsPerHour?: number;
  readonly attacksPerHour?: number;
  readonly unsettled?: number;
  readonly change?: (point: TimelinePoint, index: number) => TimelinePoint | null;
}

export function traffic(options: TrafficOptions): Timeline {
  const { intervalMs, count, seed = 7, requestsPerHour = 52_000, attacksPerHour = 240, unsettled = 0 } = options;
  const random = seeded(seed);
  const fromMs = Date.parse(options.from);
  const toMs = fromMs + count * intervalMs;
  const perInterval = intervalMs / HOUR_MS;
  const points: TimelinePoint[] = [];
  // Neighbours resemble each other, as in real traffic.
  let mood = 0.5;
  for (let index = 0; index < count; index += 1) {
    const endMs = fromMs + (index + 1) * intervalMs;
    const rhythm = 1 + 0.55 * Math.sin(((endMs % DAY_MS) / DAY_MS) * 2 * Math.PI - 2.2);
    const requests = Math.round(requestsPerHour * perInterval * rhythm * (0.93 + 0.14 * random()));
    mood += (random() - mood) * 0.45;
    const attacks = Math.round(attacksPerHour * perInterval * (0.4 + 1.2 * mood) * (0.7 + 0.3 * rhythm));
    const plain = { endMs, requests, attacks };
    const point = options.change === undefined ? plain : options.change(plain, index);
    if (point !== null) points.push(point);
  }
  return {
    fromMs,
    toMs,
    intervalMs,
    points,
    settledUntilMs: toMs - unsettled * intervalMs,
    asOfMs: toMs,
    stale: false,
  };
}

/** A wave of attacks on top of what was there: quickly up, slowly down. */
export function surge(point: TimelinePoint, index: number, at: number, height: number, width: number): TimelinePoint {
  const age = (index - at) / width;
  if (age < 0 || point.attacks === null) return point;
  return { ...point, attacks: point.attacks + Math.round(height * Math.min(1, age * 4 + 0.3) * Math.exp(-age)) };
}

export function categories(counts: Readonly<Record<string, number>>, from = '2026-11-14T13:00:00Z'): Distribution {
  const fromMs = Date.parse(from);
  const known = CATEGORIES.map(({ field }) => ({ category: field, count: counts[field] ?? 0 }));
  const unknown = Object.entries(counts)
    .filter(([field]) => !CATEGORIES.some((category) => category.field === field))
    .map(([category, count]) => ({ category, count }));
  const toMs = fromMs + DAY_MS;
  return { fromMs, toMs, counts: [...known, ...unknown], settledUntilMs: toMs, asOfMs: toMs, stale: false };
}
