/** Timelines from plain numbers a minute, for tests that must know every count. */
import type { Distribution, Timeline } from '../../../../src/insight/timeline.ts';
import type { JudgeInput } from '../../../../src/insight/verdict/index.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 1440 * MINUTE_MS;
/** A Wednesday, 12:00 UTC. */
export const NOON_MS = Date.UTC(2026, 2, 4, 12);

export interface MinutesOptions {
  readonly fromMs: number;
  readonly minutes: number;
  /** `null`: the service gave no number; `undefined`: it left the interval out. */
  readonly attacks: (minute: number) => number | null | undefined;
  readonly requests?: (minute: number) => number | null;
  readonly settledUntilMs?: number;
}

/** A fixed unevenness around a level, the same every time, so that there is some spread to measure. */
export function uneven(level: number, minute: number): number {
  return Math.max(0, Math.round(level * (1 + 0.3 * Math.sin(minute * 2.4))));
}

export function minutes(options: MinutesOptions): Timeline {
  const { fromMs, attacks, requests = () => 1000 } = options;
  const toMs = fromMs + options.minutes * MINUTE_MS;
  const points = Array.from({ length: options.minutes }, (_, minute) => {
    const count = attacks(minute);
    const all = count === undefined ? null : requests(minute);
    return count === undefined ? [] : [{ endMs: fromMs + (minute + 1) * MINUTE_MS, requests: all, attacks: count }];
  }).flat();
  return {
    fromMs,
    toMs,
    intervalMs: MINUTE_MS,
    points,
    settledUntilMs: options.settledUntilMs ?? toMs,
    asOfMs: toMs,
    stale: false,
  };
}

export function categories(fromMs: number, toMs: number, counts: Readonly<Record<string, number>>): Distribution {
  return {
    fromMs,
    toMs,
    counts: Object.entries(counts).map(([category, count]) => ({ category, count })),
    settledUntilMs: toMs,
    asOfMs: toMs,
    stale: false,
  };
}

export interface HourOptions {
  /** Attacks in a minute; minute 0 is the start of the window, the six hours before it are negative. */
  readonly attacks: (minute: number) => number | null | undefined;
  readonly requests?: (minute: number) => number | null;
  readonly day?: (minute: number) => number | null | undefined;
  readonly week?: (minute: number) => number | null | undefined;
  readonly now?: Readonly<Record<string, number>>;
  readonly before?: Readonly<Record<string, number>>;
  readonly unsettledMinutes?: number;
}

/** The hour up to noon, six hours before it, and the same on the two earlier days. */
export function hourInput(options: HourOptions): JudgeInput {
  const fromMs = NOON_MS - 60 * MINUTE_MS;
  const startMs = fromMs - 360 * MINUTE_MS;
  const usual = (minute: number): number => uneven(10, minute);
  const timelineAt = (shiftMs: number, attacks: (minute: number) => number | null | undefined): Timeline =>
    minutes({ fromMs: startMs - shiftMs, minutes: 420, attacks: (minute) => attacks(minute - 360) });
  const { requests = () => 1000 } = options;
  const recent = minutes({
    fromMs: startMs,
    minutes: 420,
    attacks: (minute) => options.attacks(minute - 360),
    requests: (minute) => requests(minute - 360),
    settledUntilMs: NOON_MS - (options.unsettledMinutes ?? 0) * MINUTE_MS,
  });
  return {
    fromMs,
    toMs: NOON_MS,
    recent,
    dayBefore: { timeline: timelineAt(DAY_MS, options.day ?? usual), shiftMs: DAY_MS },
    weekBefore: { timeline: timelineAt(7 * DAY_MS, options.week ?? usual), shiftMs: 7 * DAY_MS },
    categories: options.now === undefined ? null : categories(fromMs, NOON_MS, options.now),
    categoriesBefore: options.before === undefined ? null : categories(startMs, fromMs, options.before),
  };
}
