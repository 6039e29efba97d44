/** Times within one day: infers a missing am or pm, and which of two comes first. */
import type { ClockTime, PartOfDay } from '../model.ts';

export function isPossible({ hour, minute, second, meridian, settled }: ClockTime): boolean {
  if (settled) return true;
  if (minute > 59 || second > 59) return false;
  if (meridian !== undefined) return hour >= 1 && hour <= 12;
  return hour < 24 || (hour === 24 && minute === 0 && second === 0);
}

function withMeridian(clock: ClockTime, meridian: 'am' | 'pm'): ClockTime {
  const { meridian: _, ...rest } = clock;
  if (clock.hour > 12 || clock.hour === 0) return { ...rest, sure: true, settled: true };
  return { ...rest, hour: (clock.hour % 12) + (meridian === 'pm' ? 12 : 0), sure: true, settled: true };
}

const settle = (clock: ClockTime): ClockTime =>
  clock.meridian && !clock.settled ? withMeridian(clock, clock.meridian) : clock;

type TimeOfDay = Pick<ClockTime, 'hour' | 'minute' | 'second' | 'ns'>;
const secondsOf = ({ hour, minute, second, ns }: TimeOfDay): number => hour * 3600 + minute * 60 + second + ns / 1e9;
export const isEarlier = (a: TimeOfDay, b: TimeOfDay): boolean => secondsOf(a) < secondsOf(b);

const NOON_SECONDS = 12 * 3600;
const DAWN_SECONDS = 6 * 3600;
/** Longer pairs past midnight are typos. */
const MAX_OVERNIGHT_SECONDS = 16 * 3600;

/** A pair that ends at midnight or runs past it: from an afternoon into a morning, or into the small hours (`11am to 1am`). */
export function isOvernight(from: ClockTime, to: ClockTime): boolean {
  const [start, end] = [secondsOf(from), secondsOf(to)];
  const isNightly = start >= NOON_SECONDS && end <= NOON_SECONDS;
  const isLate = end < DAWN_SECONDS && start > end && end + 2 * NOON_SECONDS - start <= MAX_OVERNIGHT_SECONDS;
  return end === 0 || (start !== end && (isNightly || isLate));
}

/** `between 7 and 9 last night`: the part of the day says which half of the clock. */
export function settleInPart(clock: ClockTime, part: PartOfDay | undefined): ClockTime {
  if (!part || clock.settled) return settle(clock);
  // Last night includes the hours after midnight.
  const isSmall = clock.hour < (clock.meridian || clock.sure ? 9 : 6);
  const small = isSmall || (clock.hour === 12 && !clock.sure);
  if (part.name === 'night' && clock.meridian !== 'pm' && small) {
    const { meridian: _, ...rest } = clock;
    return { ...rest, hour: 24 + (clock.hour % 12), sure: true, settled: true };
  }
  if (clock.meridian || clock.sure) return settle(clock);
  return withMeridian(clock, part.name === 'morning' ? 'am' : 'pm');
}

/** First hour of each part of the day, and the hour it ends before. */
const HOURS_OF: Readonly<Record<PartOfDay['name'], readonly [from: number, before: number]>> = {
  morning: [0, 12],
  afternoon: [12, 20],
  evening: [15, 30],
  night: [15, 32],
};

/** `yesterday morning 3pm`; an evening goes on after midnight. */
export function isOutsidePart({ hour, named }: ClockTime, { name }: PartOfDay): boolean {
  const [from, before] = HOURS_OF[name];
  if (named && hour === before) return false;
  return hour < from || hour >= before;
}

const other = (meridian: 'am' | 'pm'): 'am' | 'pm' => (meridian === 'am' ? 'pm' : 'am');

/**
 * One am or pm applies to both if that keeps them in order (`3:30 to 6 PM`), otherwise the other end gets the opposite
 * one (`9.30-4.30pm`, `11 am to 3`). Without any, they're read on the 24-hour clock unless that runs backwards before
 * noon (`10-4`).
 */
export function settlePair(from: ClockTime, to: ClockTime): readonly [from: ClockTime, to: ClockTime] {
  if (from.meridian && to.meridian) return [settle(from), settle(to)];
  if (to.meridian && !to.named && !from.sure) {
    const end = settle(to);
    const same = withMeridian(from, to.meridian);
    return [isEarlier(same, end) ? same : withMeridian(from, other(to.meridian)), end];
  }
  if (from.meridian && !to.sure && !(from.named && to.twoDigits)) {
    const start = settle(from);
    const same = withMeridian(to, from.meridian);
    return [start, isEarlier(start, same) ? same : withMeridian(to, other(from.meridian))];
  }
  const [start, end] = [settle(from), settle(to)];
  const backwards = isEarlier(end, start) && !end.sure && !end.twoDigits && !start.sure && end.hour > 0;
  const later = { ...end, hour: end.hour + 12 };
  return [start, backwards && end.hour < 12 && isEarlier(start, later) ? later : end];
}
