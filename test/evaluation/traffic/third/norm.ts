/** What is normal at a site at a time of the week, by many weeks that it might have had. */
import { WEEK } from '../world.ts';
import type { Column } from './columns.ts';
import type { Traffic } from './normal-traffic.ts';

/** All attacks, all requests, or the attacks of a category. */
export type Measured = 'attacks' | 'requests' | { readonly category: string };

export interface Usual {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface Norm {
  /** Counts in windows of this length that end within an hour of a minute; `times`: by what's so many times as rare. */
  usualAt(of: Measured, end: number, length: number, times?: number): Usual;
  /** A minute, in the hour around a minute. */
  meanAt(of: Measured, minute: number): number;
}

/** Once in so many windows there is more than `high`, or less than `low`: rarer in short ones, which are more. */
const onceIn = (length: number): number => (length === 60 ? 40 : length === 30 ? 80 : 160);

export function columnIn({ attacks, requests, categories }: Omit<Traffic, 'crowds'>, of: Measured): Column | undefined {
  if (of === 'attacks') return attacks;
  return of === 'requests' ? requests : categories.get(of.category);
}

/** Sums from the first minute of a week on; a column may have weeks before it. */
export function runningSums(column: Column | undefined, from = 0): Float64Array {
  const sums = new Float64Array(WEEK + 1);
  for (let at = 0; at < WEEK; at++) sums[at + 1] = (sums[at] ?? 0) + (column?.[from + at] ?? 0);
  return sums;
}

export const between = (sums: Float64Array, from: number, to: number): number => (sums[to] ?? 0) - (sums[from] ?? 0);

export function createNorm(weeks: readonly Traffic[]): Norm {
  const known = new Map<string, readonly Float64Array[]>();
  const sumsOf = (of: Measured): readonly Float64Array[] => {
    const key = typeof of === 'string' ? of : of.category;
    const sums = known.get(key) ?? weeks.map((week) => runningSums(columnIn(week, of)));
    known.set(key, sums);
    return sums;
  };
  return {
    usualAt(of, end, length, times = 1) {
      const counts: number[] = [];
      for (let to = end - 60; to <= end + 60; to += 10) {
        for (const sums of sumsOf(of)) counts.push(between(sums, to - length, to));
      }
      const sorted = Float64Array.from(counts).sort();
      const tail = 1 / (times * onceIn(length));
      return {
        low: sorted[Math.floor(tail * sorted.length)] ?? 0,
        median: sorted[Math.floor(sorted.length / 2)] ?? 0,
        high: sorted[Math.ceil((1 - tail) * sorted.length) - 1] ?? 0,
      };
    },
    meanAt(of, minute) {
      let sum = 0;
      for (const sums of sumsOf(of)) sum += between(sums, minute - 30, minute + 30);
      return sum / weeks.length / 60;
    },
  };
}
