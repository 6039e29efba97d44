/**
 * Finds categories that are unusual by their own history: enough events in half a day, and half as many again as on their
 * busiest whole day of the last four weeks.
 */

import { countOf, maxCountOf, totalOf } from '../../statistics/categories.ts';
import type { Distribution } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import { BARS, CATEGORY, TAKEOVER } from './rule.ts';
import { deviation } from './site.ts';

/** A category and how many events it must have to be unusual. */
export interface UnusualCategory {
  readonly category: string;
  readonly count: number;
  /** From this many events on. */
  readonly from: number;
}

/** Those with so many times the events of an average day of the weeks before: only these can have enough. */
export function suspectCategories(block: Distribution, weeks: Distribution): string[] {
  const days = Math.max(1, (weeks.toMs - Math.max(weeks.fromMs, keptSince(weeks))) / DAY_MS);
  return block.counts
    .filter(({ category, count }) => {
      const before = maxCountOf(weeks, category);
      return count >= CATEGORY.minEvents && before !== null && count > (CATEGORY.timesBusiest * before) / days;
    })
    .map(({ category }) => category);
}

/** Where the service's data begins. */
const keptSince = ({ fromMs, gaps = [] }: Distribution): number =>
  Math.max(fromMs, ...gaps.map(({ toMs, reason }) => (reason === 'retention' ? toMs : fromMs)));

/** Which of the suspects have enough, by their busiest day; a day that is unknown says nothing. */
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
    const from = Math.max(CATEGORY.minEvents, ...counts.map((each) => CATEGORY.timesBusiest * (each ?? 0) + 1));
    return count >= from ? [{ category, count, from }] : [];
  });
}

/** From how many events on it is how rare: first it's only named, then it hadn't happened on any of the days. */
export function busiestSteps(
  days: readonly (Distribution | null)[],
  from: number,
): [enough: number, strength: number][] {
  const known = days.filter((day) => day !== null);
  const anHour = known.reduce((sum, day) => sum + totalOf(day), 0) / Math.max(1, 24 * known.length);
  return [
    [from, BARS.sensitive],
    [Math.max(from, CATEGORY.hourShare * anHour), Math.log10(24 * Math.max(1, known.length))],
  ];
}

/** What is usual of a category in an hour, by the times that are known. */
export function usualPerHour(category: string, known: readonly (Distribution | null)[]): number {
  const times = known.filter((each) => each !== null);
  const events = times.reduce((sum, each) => sum + (maxCountOf(each, category) ?? 0), 0);
  const ms = times.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return ms === 0 ? 0 : (events * HOUR_MS) / ms;
}

/** A quarter of an hour belongs to it with more events than this. */
export const minInQuarter = (perHour: number, enough: number): number =>
  Math.max((CATEGORY.times * perHour) / 4, CATEGORY.inQuarter * enough - 1);

export interface CountedHour {
  readonly startMs: number;
  readonly count: number;
}

/** Hours in a row, and how many events of them are enough. */
export interface UnusualTime {
  readonly hours: readonly CountedHour[];
  readonly least: number;
}

/** The hours in a row that stand out, and in which the events since the start of the block, or their own, are enough. */
export function unusualTimes(hours: readonly CountedHour[], perHour: number, enough: number): UnusualTime[] {
  const found: { hours: CountedHour[]; before: number; isEnding: boolean }[] = [];
  let isOpen = false;
  let before = 0;
  for (const hour of hours) {
    const open: (typeof found)[number] | undefined = isOpen ? found.at(-1) : undefined;
    const isPart = hour.count > CATEGORY.times * perHour;
    const standsOut = isPart && hour.count >= CATEGORY.inHour * enough;
    // The hour in which it ends may have little of it.
    const isEnding: boolean = isPart && !standsOut && open?.isEnding === false;
    if (standsOut && open === undefined) found.push({ hours: [hour], before, isEnding });
    else if (open !== undefined && (standsOut || isEnding)) {
      open.hours.push(hour);
      open.isEnding ||= isEnding;
    }
    isOpen = standsOut || isEnding;
    before += hour.count;
  }
  return found
    .map((time) => ({ hours: time.hours, least: time.before < enough ? enough - time.before : enough }))
    .filter((time) => time.hours.reduce((sum, { count }) => sum + count, 0) >= time.least);
}

/** A category's part of all events, at its largest; `null` if unknown. */
function shareOf(category: string, reference: readonly Distribution[]): number | null {
  const shares = reference.flatMap((each) => {
    const count = maxCountOf(each, category);
    return count === null || totalOf(each) === 0 ? [] : [count / totalOf(each)];
  });
  return shares.length === 0 ? null : Math.max(...shares);
}

/** Those with more than their usual share, `by` so much: only these can have taken over for a part of the time. */
export function grownCategories(
  counted: Distribution,
  reference: readonly Distribution[],
  by: number = TAKEOVER.hourShare,
): string[] {
  const total = totalOf(counted);
  const perHour = (total * HOUR_MS) / (counted.toMs - counted.fromMs);
  const enough = Math.max(TAKEOVER.excess, by * perHour);
  return counted.counts
    .filter(({ category, count }) => count - (shareOf(category, reference) ?? 1) * total >= enough)
    .map(({ category }) => category);
}

/** What was to be expected of all categories in a time and in the hour before, and how far it strays. */
export interface UsualTime {
  readonly due: number;
  readonly dueBefore: number;
  readonly spread: number;
}

/**
 * How rare it is that the others fall so far while a category takes over; 0 if it doesn't. A scanner comes on top of the
 * others, so they don't fall.
 */
export function takeoverStrength(
  category: string,
  counted: Distribution,
  reference: readonly Distribution[],
  { due, dueBefore, spread }: UsualTime,
): number {
  const count = countOf(counted, category);
  const share = shareOf(category, reference);
  if (count === null || share === null) return 0;
  const expected = share * due;
  if (count < TAKEOVER.times * expected || count - expected < TAKEOVER.excess) return 0;
  // A scan that comes every week is of one category, and expected: the hour before is without it.
  const fallen = -deviation(totalOf(counted) - count, (1 - share) * Math.min(due, dueBefore), spread);
  return fallen < 1 ? 0 : (fallen ** 2 / 2 + Math.log(fallen * Math.sqrt(2 * Math.PI))) / Math.LN10;
}
