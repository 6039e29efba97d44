/**
 * Finds categories that are unusual by their own history: enough events in half a day, and more than on their busiest whole
 * day of the last four weeks.
 */
import { type Distribution, maxCountOf } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import { CATEGORY } from './rule.ts';

/** A category and how many events it must have to be unusual. */
export interface UnusualCategory {
  readonly category: string;
  readonly count: number;
  /** From this many events on. */
  readonly from: number;
}

/** Those with more events than on an average day of the weeks before: only these can have had their busiest day. */
export function suspectCategories(block: Distribution, weeks: Distribution): string[] {
  const days = Math.max(1, (weeks.toMs - Math.max(weeks.fromMs, keptSince(weeks))) / DAY_MS);
  return block.counts
    .filter(({ category, count }) => {
      const before = maxCountOf(weeks, category);
      return count >= CATEGORY.minEvents && before !== null && count > before / days;
    })
    .map(({ category }) => category);
}

/** Where the service's data begins. */
const keptSince = ({ fromMs, gaps = [] }: Distribution): number =>
  Math.max(fromMs, ...gaps.map(({ toMs, reason }) => (reason === 'retention' ? toMs : fromMs)));

/** Which of the suspects have more events than on their busiest day; a day that is unknown says nothing. */
export function unusualCategories(
  block: Distribution,
  suspects: readonly string[],
  days: readonly (Distribution | null)[],
): UnusualCategory[] {
  const known = days.filter((day) => day !== null).filter(({ counts }) => counts.some(({ count }) => count > 0));
  if (known.length < CATEGORY.minDays) return [];
  return suspects.flatMap((category): UnusualCategory[] => {
    const counts = known.map((day) => maxCountOf(day, category));
    const count = block.counts.find((each) => each.category === category)?.count ?? 0;
    if (counts.some((each) => each === null)) return [];
    const from = Math.max(CATEGORY.minEvents, ...counts.map((each) => (each ?? 0) + 1));
    return count >= from ? [{ category, count, from }] : [];
  });
}

/** How rare it is: it hadn't happened on any of the days. */
export const mixStrength = (days: readonly (Distribution | null)[]): number =>
  Math.log10(24 * Math.max(1, days.filter((day) => day !== null).length));
