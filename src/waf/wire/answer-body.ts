/** The bodies of the two statistics queries, checked against what the interface promises and made uniform. */
import { z } from 'zod';
import { CATEGORIES } from '../../insight/categories.ts';
import type { CategoryCount } from '../../insight/timeline.ts';
import { badAnswer, type HttpReply } from '../client/failure.ts';
import type { PointSeries } from './series.ts';

/** Throws a `BotError` when the body is not JSON. */
export function parseBody(reply: HttpReply): unknown {
  try {
    return JSON.parse(reply.body);
  } catch {
    throw badAnswer('statistics', 'a body that is not JSON', reply.headers.get('x-request-id'));
  }
}

/** A time below this is in seconds: in milliseconds it would lie before March 1973. */
const SECONDS_BELOW = 1e11;

// The points are checked by hand below: a day has 2,880 of them, and zod would take most of the time of an answer.
const list = z.custom<readonly unknown[]>(Array.isArray, 'not a list').nullish();
const timelineSchema = z.object({ requests: list, attacks: list });

/** A month of single minutes has fewer. */
const MAX_POINTS = 50_000;

interface PointColumn {
  readonly ends: number[];
  readonly numbers: (number | null)[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readPoint(point: unknown, where: string): { endMs: number; num: number | null } {
  const { time, num } = (typeof point === 'object' && point !== null ? point : {}) as Record<string, unknown>;
  if (!isCount(time)) throw badAnswer('statistics', `timeline: a time in ${where} that is no whole number`);
  if (num !== null && !isCount(num)) throw badAnswer('statistics', `timeline: a number in ${where} that is none`);
  return { endMs: time < SECONDS_BELOW ? time * 1000 : time, num };
}

/** Sorted, without duplicates. The same point twice is accepted, two different numbers for one interval are not. */
function readColumn(points: readonly unknown[] | null | undefined, where: string, fromMs: number): PointColumn {
  const read = (points ?? []).map((point) => readPoint(point, where)).filter(({ endMs }) => endMs > fromMs);
  const sorted = read.every(({ endMs }, i) => i === 0 || endMs > (read[i - 1]?.endMs ?? 0));
  if (!sorted) read.sort((a, b) => a.endMs - b.endMs);
  const ends: number[] = [];
  const numbers: (number | null)[] = [];
  for (const { endMs, num } of read) {
    if (ends.at(-1) !== endMs) {
      ends.push(endMs);
      numbers.push(num);
    } else if (numbers.at(-1) !== num) {
      throw badAnswer('statistics', `timeline: two numbers for one interval in ${where}`);
    }
  }
  return { ends, numbers };
}

/** Two sorted columns side by side; a missing point becomes `null`. */
function mergeColumns(requests: PointColumn, attacks: PointColumn): Omit<PointSeries, 'intervalMs'> {
  const same = requests.ends.length === attacks.ends.length && requests.ends.every((end, i) => end === attacks.ends[i]);
  if (same) return { ends: requests.ends, requests: requests.numbers, attacks: attacks.numbers };
  const asked = new Map(requests.ends.map((end, i) => [end, requests.numbers[i] ?? null]));
  const attacked = new Map(attacks.ends.map((end, i) => [end, attacks.numbers[i] ?? null]));
  const ends = [...new Set([...requests.ends, ...attacks.ends])].sort((a, b) => a - b);
  return {
    ends,
    requests: ends.map((end) => asked.get(end) ?? null),
    attacks: ends.map((end) => attacked.get(end) ?? null),
  };
}

/** The most frequent gap; a single point covers the window up to its end. */
function inferInterval(ends: readonly number[], fromMs: number, toMs: number): number {
  const times = new Map<number, number>();
  for (let i = 1; i < ends.length; i++) {
    const gap = (ends[i] ?? 0) - (ends[i - 1] ?? 0);
    times.set(gap, (times.get(gap) ?? 0) + 1);
  }
  let best = 0;
  for (const [gap, n] of times) {
    const most = times.get(best) ?? 0;
    if (n > most || (n === most && gap < best)) best = gap;
  }
  if (best > 0) return best;
  const lone = (ends[0] ?? toMs) - fromMs;
  return lone > 0 && lone < toMs - fromMs ? lone : toMs - fromMs;
}

/** Throws a `BotError` when the body cannot be trusted. */
export function readTimeline(body: unknown, window: { fromMs: number; toMs: number }): PointSeries {
  const parsed = timelineSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw badAnswer('statistics', `timeline: ${issue?.code} at ${issue?.path.join('.')}`);
  }
  const { requests, attacks } = parsed.data;
  if (Math.max(requests?.length ?? 0, attacks?.length ?? 0) > MAX_POINTS) {
    throw badAnswer('statistics', `timeline: more than ${MAX_POINTS} points`);
  }
  if (requests == null && attacks == null) throw badAnswer('statistics', 'timeline: neither requests nor attacks');
  const merged = mergeColumns(
    readColumn(requests, 'requests', window.fromMs),
    readColumn(attacks, 'attacks', window.fromMs),
  );
  const intervalMs = inferInterval(merged.ends, window.fromMs, window.toMs);
  // How far past the end of the window a point may end depends on the interval, so this is checked last.
  const past = merged.ends.findIndex((endMs) => endMs - intervalMs >= window.toMs);
  const count = past === -1 ? merged.ends.length : past;
  const given = (requests?.length ?? 0) + (attacks?.length ?? 0);
  if (given > 0 && count === 0) throw badAnswer('statistics', 'timeline: all points lie outside the window');
  return {
    intervalMs,
    ends: merged.ends.slice(0, count),
    requests: merged.requests.slice(0, count),
    attacks: merged.attacks.slice(0, count),
  };
}

/** The vendor knows some forty. */
const MAX_CATEGORIES = 200;
const MAX_CATEGORY_LENGTH = 100;

const distributionSchema = z.record(z.string(), z.int().nonnegative().nullable());
const KNOWN = CATEGORIES.map((category) => category.field);

/** Throws a `BotError` when the body cannot be trusted. */
export function readDistribution(body: unknown): readonly CategoryCount[] {
  // Before the schema, which would look at every one of a million.
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (names.length > MAX_CATEGORIES || names.some((name) => name.length > MAX_CATEGORY_LENGTH)) {
    throw badAnswer('statistics', 'distribution: more than categories can be');
  }
  const parsed = distributionSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw badAnswer('statistics', `distribution: ${issue?.code} at ${issue?.path.join('.')}`);
  }
  return inOrder(parsed.data);
}

/** All known categories, zero where none was given, then unknown ones by name. */
function inOrder(counts: Readonly<Record<string, number | null>>): readonly CategoryCount[] {
  const unknown = Object.keys(counts)
    .filter((field) => !KNOWN.includes(field))
    .sort();
  return [...KNOWN, ...unknown].map((category) => ({ category, count: counts[category] ?? 0 }));
}

/** The counts of several parts of a window, or of the hosts, added up. */
export function joinCounts(parts: readonly (readonly CategoryCount[])[]): readonly CategoryCount[] {
  // Without a prototype, because a category may be called toString.
  const totals: Record<string, number> = Object.create(null);
  for (const { category, count } of parts.flat()) totals[category] = (totals[category] ?? 0) + count;
  return inOrder(totals);
}
