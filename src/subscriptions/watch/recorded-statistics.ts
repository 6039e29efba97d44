/**
 * Statistics read from numbers that are already here, as the service would have given them at an earlier moment: to
 * replay the looks of a watch without asking again for what does not change.
 */
import type { Statistics, StatisticsQuery } from '../../commands/ports.ts';
import { BotError } from '../../errors.ts';
import type { CategoryCount, Distribution, Timeline, TimelinePoint } from '../../insight/timeline.ts';

/** Equal intervals from `startMs` on; `null` is a number that is not known. */
export interface RecordedNumbers {
  readonly startMs: number;
  readonly intervalMs: number;
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
  /** `null` where categories were not recorded. */
  readonly categories: Readonly<Record<string, readonly (number | null)[]>> | null;
}

/** Attacks take two to three minutes to be logged. */
const FILLING_MS = 3 * 60_000;

export function recordedStatistics(numbers: RecordedNumbers): (nowMs: number) => Statistics {
  const { startMs, intervalMs, requests, attacks } = numbers;
  const all = attacks.map((count, at): TimelinePoint => {
    return { endMs: startMs + (at + 1) * intervalMs, requests: requests[at] ?? null, attacks: count };
  });
  const sums = Object.entries(numbers.categories ?? {}).map(([category, counts]) => ({
    category,
    upTo: runningSums(counts),
  }));
  /** How many intervals have ended by then. */
  const endedBy = (ms: number): number => Math.min(all.length, Math.max(0, Math.floor((ms - startMs) / intervalMs)));

  return (nowMs) => {
    const common = { settledUntilMs: nowMs - FILLING_MS, asOfMs: nowMs, stale: false };
    const reach = ({ range }: StatisticsQuery) => {
      const fromMs = range.from.epochMilliseconds;
      const toMs = range.to.epochMilliseconds;
      return { fromMs, toMs, first: endedBy(fromMs), last: endedBy(Math.min(toMs, nowMs)) };
    };
    return {
      async timeline(query): Promise<Timeline> {
        const { fromMs, toMs, first, last } = reach(query);
        const points = all.slice(first, last).filter((point) => point.requests !== null || point.attacks !== null);
        return { ...common, fromMs, toMs, intervalMs, points };
      },
      async distribution(query): Promise<Distribution> {
        if (numbers.categories === null) throw new BotError('upstream_unavailable', 'No categories were recorded.');
        const { fromMs, toMs, first, last } = reach(query);
        const counts = sums.map(({ category, upTo }): CategoryCount => {
          return { category, count: (upTo[last] ?? 0) - (upTo[first] ?? 0) };
        });
        return { ...common, fromMs, toMs, counts };
      },
    };
  };
}

/** At `n` the sum of the first `n` counts. */
function runningSums(counts: readonly (number | null)[]): Float64Array {
  const sums = new Float64Array(counts.length + 1);
  counts.forEach((count, at) => {
    sums[at + 1] = (sums[at] ?? 0) + (count ?? 0);
  });
  return sums;
}
