/**
 * Finds categories that are unusual by their own history: those with enough events in half a day, and half as many again as on
 * all whole days of the last four weeks but one; and those that take over from the others.
 */
import { countOf, maxCountOf, REST, totalOf } from '../../statistics/categories.ts';
import type { Distribution } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import { BARS, CATEGORY, MIX, TAKEOVER } from './rule.ts';
import { deviation } from './site.ts';

export interface UnusualCategory {
  readonly category: string;
  /** So many events in half a day are unusual: more than on all days but one. */
  readonly enough: number;
  /** The number of events from which it has its strength; with fewer, only answers and sensitive watches report it. */
  readonly alertsFrom: number;
  readonly strength: number;
}

/** Those with so many times the events of an average day of the four weeks before: days are counted only for these. */
export function suspectCategories(block: Distribution, month: Distribution): string[] {
  const days = Math.max(1, (month.toMs - Math.max(month.fromMs, keptSince(month))) / DAY_MS);
  return block.counts
    .filter(({ category, count }) => {
      const before = maxCountOf(month, category);
      const isMore = before !== null && count > (CATEGORY.timesBusiest * before) / days;
      return category !== REST && count >= CATEGORY.minEvents && isMore;
    })
    .map(({ category }) => category);
}

/** Where the service's data begins. */
const keptSince = ({ fromMs, gaps = [] }: Distribution): number =>
  Math.max(fromMs, ...gaps.map(({ toMs, reason }) => (reason === 'retention' ? toMs : fromMs)));

/** Those since the first with traffic: before it the site wasn't there. A day that is unknown says nothing. The latest is first. */
export function knownDays(days: readonly (Distribution | null)[]): readonly Distribution[] {
  const known = days.filter((day) => day !== null);
  return known.slice(0, known.findLastIndex((day) => totalOf(day) > 0) + 1);
}

/** Which of the suspects have enough, by their busiest days. */
export function unusualCategories(
  block: Distribution,
  suspects: readonly string[],
  days: readonly Distribution[],
): UnusualCategory[] {
  if (days.length < CATEGORY.minDays) return [];
  const hours = 24 * days.length;
  const anHour = days.reduce((sum, day) => sum + totalOf(day), 0) / hours;
  return suspects.flatMap((category): UnusualCategory[] => {
    const counts = days.map((day) => maxCountOf(day, category)).filter((each) => each !== null);
    if (counts.length < days.length) return [];
    const busiest = counts.toSorted((a, b) => b - a);
    // One attack must not hide another, but what has gone on since yesterday is the same.
    const oneLess = Math.max(busiest[Math.round(days.length / CATEGORY.days)] ?? 0, counts[0] ?? 0);
    const enough = Math.max(CATEGORY.minEvents, CATEGORY.timesBusiest * oneLess + 1);
    if ((countOf(block, category) ?? 0) < enough) return [];
    const asBusy = counts.filter((count) => CATEGORY.timesBusiest * count >= enough).length;
    const alertsFrom = Math.max(enough, CATEGORY.hourShare * anHour);
    const strength = Math.log10(hours / (asBusy + 1));
    return [{ category, enough, alertsFrom, strength }];
  });
}

/** What is usual of a category in an hour, by the times that are known. */
export function usualPerHour(category: string, known: readonly (Distribution | null)[]): number {
  const times = known.filter((each) => each !== null);
  const events = times.reduce((sum, each) => sum + (maxCountOf(each, category) ?? 0), 0);
  const ms = times.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return ms === 0 ? 0 : (events * HOUR_MS) / ms;
}

/** A piece of time, and how many events of a category it has. */
export interface CountedTime {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** How many events of a category a time has. */
export const countedTime =
  (category: string) =>
  (time: Distribution): CountedTime => ({ fromMs: time.fromMs, toMs: time.toMs, count: countOf(time, category) ?? 0 });

/** Whether a piece of time has so many times the usual, and enough of what is unusual in half a day. */
export const isBusy = ({ fromMs, toMs, count }: CountedTime, perHour: number, enough: number): boolean =>
  count > Math.max((CATEGORY.times * perHour * (toMs - fromMs)) / HOUR_MS, CATEGORY.inPiece * enough);

/** Busy pieces of time that belong together, and how many events the earlier ones of the block have. */
export interface UnusualTime {
  readonly times: CountedTime[];
  readonly before: number;
}

const sumOf = (times: readonly CountedTime[]): number => times.reduce((sum, { count }) => sum + count, 0);

/** How long it may pause: half an hour, or longer if it's slow. */
export const pauseOf = (ms: number, count: number): number =>
  Math.min(MIX.longestPauseMs, Math.max(MIX.pauseMs, (MIX.pauseEvents * ms) / Math.max(1, count)));

/** They begin with the latest pieces in a row if these are half of enough, otherwise with the latest that are enough. */
export function unusualTimes(busy: readonly CountedTime[], enough: number): UnusualTime[] {
  const found: UnusualTime[] = [];
  let earlier: CountedTime[] = [];
  let total = 0;
  const isNear = (time: CountedTime, last: CountedTime | undefined, pauseMs: number = MIX.pauseMs): boolean =>
    last !== undefined && time.fromMs - last.toMs < pauseMs;
  for (const time of busy) {
    total += time.count;
    const open = found.at(-1)?.times ?? [];
    const pauseMs = pauseOf((open.at(-1)?.toMs ?? 0) - (open[0]?.fromMs ?? 0), sumOf(open));
    if (isNear(time, open.at(-1), pauseMs)) {
      open.push(time);
      continue;
    }
    earlier.push(time);
    if (sumOf(earlier) < enough) continue;
    let sum = 0;
    let runs = 0;
    const first = earlier.findLastIndex((each, at) => {
      sum += each.count;
      if (isNear(each, earlier[at - 1])) return false;
      runs += 1;
      return sum >= enough || (runs === 1 && 2 * sum >= enough);
    });
    found.push({ times: earlier.slice(first), before: total - sum });
    earlier = [];
  }
  return found;
}

/** A category's parts of all events, the largest first; none of times that are unknown. */
const sharesOf = (category: string, reference: readonly Distribution[]): number[] =>
  reference
    .flatMap((each) => {
      const count = maxCountOf(each, category);
      return count === null || totalOf(each) === 0 ? [] : [count / totalOf(each)];
    })
    .sort((a, b) => b - a);

/** Its usual part at its largest, on the whole and at that hour: what came on one day only isn't usual. `null` if unknown. */
export function usualShare(
  category: string,
  usually: readonly Distribution[],
  sameHours: readonly (readonly Distribution[])[],
): number | null {
  const [onTheWhole] = sharesOf(category, usually);
  const atThatHour = sameHours.flatMap((hours) => {
    const [most, second = most] = sharesOf(category, hours);
    return second ?? [];
  });
  return onTheWhole === undefined ? null : Math.max(onTheWhole, ...atThatHour);
}

/**
 * Those so far above their usual share that they may have taken over for a while. The limit grows neither with the time counted nor
 * with a flood beside it. `usual`: how many attacks an hour are.
 */
export function categoriesAboveTheirShare(counted: Distribution, past: Distribution, usual?: number): string[] {
  const total = totalOf(counted);
  const anHour = (total * HOUR_MS) / (counted.toMs - counted.fromMs);
  const enough = Math.max(TAKEOVER.excess, TAKEOVER.hourShare * Math.min(anHour, usual ?? anHour));
  return counted.counts
    .filter(({ category, count }) => {
      // What is among the rest differs from time to time.
      const [share = 1] = category === REST ? [] : sharesOf(category, [past]);
      return count - share * total >= enough;
    })
    .map(({ category }) => category);
}

/** The events of all other categories. */
export const othersOf = (category: string, counted: Distribution): number =>
  totalOf(counted) - (countOf(counted, category) ?? 0);

/** How many times its usual ratio to all others a category has; 0 unless its own number has grown enough. */
export function ratioGrowth(
  category: string,
  counted: Distribution,
  { expected, others }: Readonly<Record<'expected' | 'others', number>>,
): number {
  const count = countOf(counted, category) ?? 0;
  const isMore = count > 0 && count >= CATEGORY.times * expected;
  return isMore ? (count / Math.max(1, expected)) * (others / Math.max(1, othersOf(category, counted))) : 0;
}

/**
 * How rare it is that the others fall so far while a category takes over; 0 if it doesn't. A scanner comes on top of the
 * others, so they don't fall. `expected` is of the category.
 */
export function takeoverStrength(
  category: string,
  counted: Distribution,
  usual: Readonly<Record<'expected' | 'others' | 'spread', number>>,
): number {
  const fallen = -deviation(othersOf(category, counted), usual.others, usual.spread);
  if (ratioGrowth(category, counted, usual) < TAKEOVER.times || fallen < 1) return 0;
  const strength = (fallen ** 2 / 2 + Math.log(fallen * Math.sqrt(2 * Math.PI))) / Math.LN10;
  if (strength >= TAKEOVER.strength) return strength;
  return strength >= BARS.sensitive ? BARS.sensitive : 0;
}
