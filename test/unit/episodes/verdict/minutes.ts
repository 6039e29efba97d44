/** Timelines from plain numbers a minute, for tests that must know every count. */

import { type JudgeInput, judge, type Verdict } from '../../../../src/episodes/verdict/index.ts';
import type { Distribution, Timeline } from '../../../../src/statistics/timeline.ts';

/** All parts of the work, one after the other. */
export function judged(input: JudgeInput): Verdict {
  const work = judge(input);
  let part = work.next();
  while (part.done !== true) part = work.next();
  return part.value;
}

export const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
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

/** Attacks in a minute; minute 0 is the start of the window, what comes before it is negative. */
type ByMinute = (minute: number) => number | null | undefined;

export interface HourOptions {
  readonly attacks: ByMinute;
  readonly requests?: (minute: number) => number | null;
  /** The same minutes so many days earlier; usual unless given. */
  readonly past?: (daysBack: number) => ByMinute;
  readonly pastRequests?: (daysBack: number) => (minute: number) => number | null;
  /** Days of history; 28 unless given. */
  readonly days?: number;
  readonly now?: Readonly<Record<string, number>>;
  readonly before?: Readonly<Record<string, number>>;
  readonly sameHours?: readonly Readonly<Record<string, number>>[];
  readonly latest?: Readonly<Record<string, number>>;
  readonly parts?: readonly Readonly<Record<string, number>>[];
  /** In the last ten minutes, and in all of the weeks before. */
  readonly lastTen?: Readonly<Record<string, number>>;
  readonly weeks?: Readonly<Record<string, number>>;
  readonly unsettledMinutes?: number;
}

export const LAGS = {
  days: [1, 2, 3].map((days) => days * DAY_MS),
  weeks: [1, 2, 3, 4].map((weeks) => 7 * weeks * DAY_MS),
};

const HOUR = 60;
const HOUR_MS = HOUR * MINUTE_MS;
const DAY = 24 * HOUR;
const WINDOW_MS = NOON_MS - HOUR * MINUTE_MS;

/** The hour up to noon, six hours before it, and the weeks before that. */
export function hourInput(options: HourOptions): JudgeInput {
  const fromMs = WINDOW_MS;
  const startMs = fromMs - 360 * MINUTE_MS;
  const { requests = () => 1000 } = options;
  const recent = minutes({
    fromMs: startMs,
    minutes: 420,
    attacks: (minute) => options.attacks(minute - 360),
    requests: (minute) => requests(minute - 360),
    settledUntilMs: NOON_MS - (options.unsettledMinutes ?? 0) * MINUTE_MS,
  });
  const counts = options.now === undefined ? null : categories(fromMs, NOON_MS, options.now);
  return {
    fromMs,
    toMs: NOON_MS,
    recent,
    history: [historyOf(options)],
    lags: LAGS,
    categories:
      counts === null
        ? null
        : {
            window: counts,
            latest: options.latest === undefined ? null : categories(NOON_MS - 30 * MINUTE_MS, NOON_MS, options.latest),
            before: options.before === undefined ? null : categories(startMs, fromMs, options.before),
            sameHours: (options.sameHours ?? []).map((each) => categories(fromMs - DAY_MS, NOON_MS - DAY_MS, each)),
            parts: (options.parts ?? []).map((each, at, all) =>
              categories(fromMs + (HOUR_MS * at) / all.length, fromMs + (HOUR_MS * (at + 1)) / all.length, each),
            ),
            stretch:
              options.lastTen === undefined ? null : categories(NOON_MS - 10 * MINUTE_MS, NOON_MS, options.lastTen),
            weeks: options.weeks === undefined ? [] : [categories(fromMs - 28 * DAY_MS, fromMs, options.weeks)],
            bursts: null,
          },
  };
}

/** In intervals of ten minutes up to six hours before the window. */
function historyOf({ past, pastRequests, days = 28 }: HourOptions): Timeline {
  const usual: ByMinute = (minute) => uneven(10, minute);
  const fromMs = WINDOW_MS - days * DAY_MS;
  const toMs = WINDOW_MS - 5 * HOUR * MINUTE_MS;
  const points = [];
  for (let endMs = fromMs + 10 * MINUTE_MS; endMs <= toMs; endMs += 10 * MINUTE_MS) {
    let attacks: number | null = 0;
    let requests: number | null = 0;
    for (let ms = endMs - 10 * MINUTE_MS; ms < endMs; ms += MINUTE_MS) {
      const before = (ms - WINDOW_MS) / MINUTE_MS;
      const daysBack = Math.max(1, Math.round(-before / DAY));
      const minute = before + daysBack * DAY;
      const count: number | null = (past?.(daysBack) ?? usual)(minute) ?? null;
      const asked: number | null = (pastRequests?.(daysBack) ?? (() => 1000))(minute);
      attacks = attacks === null || count === null ? null : attacks + count;
      requests = requests === null || asked === null ? null : requests + asked;
    }
    if (attacks !== null) points.push({ endMs, requests, attacks });
  }
  return { fromMs, toMs, intervalMs: 10 * MINUTE_MS, points, settledUntilMs: toMs, asOfMs: toMs, stale: false };
}

/** The same with the bursts of the past counted that would tell more, each of the kind that is given for its place. */
export function withBursts(input: JudgeInput, kindAt: (place: number) => string): JudgeInput {
  const { wanted = [] } = judged(input);
  if (input.categories === null || wanted.length === 0) return input;
  const [usual] = input.categories.weeks;
  const bursts = wanted.map(({ fromMs, toMs }, place) => {
    const inside = input.history.flatMap(({ points }) =>
      points.filter(({ endMs }) => endMs > fromMs && endMs <= toMs).map(({ attacks }) => attacks ?? 0),
    );
    const total = inside.reduce((sum, count) => sum + count, 0);
    const rest = (usual?.counts ?? []).map(({ category }) => [category, 0] as const);
    return categories(fromMs, toMs, { ...Object.fromEntries(rest), [kindAt(place)]: total });
  });
  return { ...input, categories: { ...input.categories, bursts } };
}
