/**
 * Like with like: what of a window is counted, and what that is compared with. What is still filling is in neither side,
 * and a part of a day is compared with the same hours of a day of the same kind, by the clock on the wall. Only the window
 * and its zone decide, not the words it was asked in, so that a button below an answer compares with the same.
 */

import { isMidnight, monthsBetween, type Range, type Zoned } from '../time/index.ts';
import { DAY_MS } from '../time-units.ts';
import { completePart } from './settled.ts';

export interface Comparison {
  /** What is counted of the window that was asked for: all but what is still filling. */
  readonly counted: Range;
  readonly against: Range;
  /** What that is, such as `the same hours the day before`; `null` where somebody named it. */
  readonly words: string | null;
}

/** A window, and whether its words reached past now. */
type AskedWindow = Range & { readonly cut?: boolean };

interface ComparisonQuery {
  readonly range: AskedWindow;
  /** What somebody wants it compared with; `previous` is the time just before. */
  readonly versus?: AskedWindow | 'previous' | null;
  readonly now: Temporal.Instant;
  readonly zone: string;
}

/** `null` where nothing of a window is complete yet. */
export function compareLikeWithLike({ range, versus = null, now, zone }: ComparisonQuery): Comparison | null {
  const counted = completePart(range, now);
  if (counted === null) return null;
  if (versus === null) return { counted, ...alike(counted, zone) };
  if (versus === 'previous') return { counted, against: periodBefore(counted), words: 'the time just before' };
  const other = completePart(versus, now);
  return other === null
    ? null
    : { ...elapsedAlike({ range, counted }, { range: versus, counted: other }, zone), words: null };
}

/** The period of equal length that ends where this one begins. */
export function periodBefore({ from, to }: Range): Range {
  return { from: from.subtract(from.until(to)), to: from };
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
/** Of a shorter window nobody would speak of its hours. */
const LEAST_HOURS_MS = 2 * 3_600_000;

type Alike = Pick<Comparison, 'against'> & { readonly words: string };

/** The day before where it is a day of the same kind, else a week before; of months, the months before. */
function alike(range: Range, zone: string): Alike {
  const [from, to] = [range.from.toZonedDateTimeISO(zone), range.to.toZonedDateTimeISO(zone)];
  const wholeDays = isMidnight(from) && isMidnight(to);
  const days = lengthInDays(from, to);
  if (days <= 1)
    return sameHours(from, to, wholeDays) ?? { against: periodBefore(range), words: 'the time just before' };
  const months = isMidnight(from) && from.day === 1 && days > 7 ? monthsBetween(from.toPlainDate(), lastDay(to)) : 0;
  if (months > 0) {
    const isWhole = isMidnight(to) && to.day === 1;
    const name = months === 1 ? 'month' : `${months} months`;
    const words = isWhole ? `the ${name} before` : `the same part of the ${name} before`;
    return { against: earlier(from, to, { months }), words };
  }
  const least = Math.ceil(days / 7);
  // Where clocks went forward, the wall shows more time than passed, and the weeks before would reach into the window.
  const weeks = isBefore(range.from, earlier(from, to, { weeks: least }).to) ? least + 1 : least;
  const name = weeks === 1 ? 'week' : `${weeks} weeks`;
  const words = from.add({ weeks }).equals(to)
    ? `the ${name} before`
    : `the same days ${weeks === 1 ? 'a week' : name} before`;
  return { against: earlier(from, to, { days: 7 * weeks }), words };
}

/** `null` where that time never was: clocks went forward over it. */
function sameHours(from: Zoned, to: Zoned, isWholeDay: boolean): Alike | null {
  const days = isOfOtherKind(from, to) ? 7 : 1;
  const against = earlier(from, to, { days });
  if (!isBefore(against.from, against.to)) return null;
  const oneDay = isWholeDay || from.toPlainDate().equals(to.toPlainDate());
  const day = days === 1 ? 'the day before' : oneDay ? `the ${WEEKDAYS[from.dayOfWeek - 1]} before` : 'a week before';
  if (isWholeDay) return { against, words: day };
  const isShort = to.epochMilliseconds - from.epochMilliseconds < LEAST_HOURS_MS;
  return { against, words: `the same ${isShort ? 'time' : 'hours'} ${day}` };
}

/** Whether a day of the window is a working day and the one before it is not, or the other way round. */
function isOfOtherKind(from: Zoned, to: Zoned): boolean {
  const isWeekend = (date: Temporal.PlainDate): boolean => date.dayOfWeek > 5;
  const differs = (date: Temporal.PlainDate): boolean => isWeekend(date) !== isWeekend(date.subtract({ days: 1 }));
  return differs(from.toPlainDate()) || differs(lastDay(to));
}

/**
 * Two windows that somebody named, of which one is not over yet (`today vs yesterday`): of the other only as much as has
 * passed of it. Windows of the same length stay so; of others, each keeps what is complete.
 */
function elapsedAlike(a: NamedWindow, b: NamedWindow, zone: string): Pick<Comparison, 'counted' | 'against'> {
  if (!overlap(a.range, b.range)) {
    if (isUnfinished(a, b)) return { counted: a.counted, against: firstPart(b.counted, a.counted, zone) };
    if (isUnfinished(b, a)) return { counted: firstPart(a.counted, b.counted, zone), against: b.counted };
  }
  return { counted: a.counted, against: b.counted };
}

interface NamedWindow {
  readonly range: AskedWindow;
  readonly counted: Range;
}

/** Whether there is less of a window than there will be, and the other one is to be cut like it. */
function isUnfinished({ range, counted }: NamedWindow, other: NamedWindow): boolean {
  if (range.cut === true) return true;
  return isBefore(counted.to, range.to) && lengthMs(range) === lengthMs(other.range);
}

/** As much of a window as has passed of another one by the clock on the wall, and never more than there is. */
function firstPart(range: Range, elapsed: Range, zone: string): Range {
  const local = (instant: Temporal.Instant) => instant.toZonedDateTimeISO(zone).toPlainDateTime();
  const passed = local(elapsed.from).until(local(elapsed.to), { largestUnit: 'days' });
  const end = local(range.from).add(passed).toZonedDateTime(zone).toInstant();
  return { from: range.from, to: isBefore(end, range.to) && isBefore(range.from, end) ? end : range.to };
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean => Temporal.Instant.compare(a, b) < 0;

const overlap = (a: Range, b: Range): boolean => isBefore(a.from, b.to) && isBefore(b.from, a.to);

const lengthMs = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;

/** The day of the last moment before the end. */
const lastDay = (to: Zoned): Temporal.PlainDate => to.subtract({ nanoseconds: 1 }).toPlainDate();

/** By the clock on the wall or by the one in the hand, whichever says less: a day of 25 hours is one day. */
function lengthInDays(from: Zoned, to: Zoned): number {
  const onWall = from.toPlainDateTime().until(to.toPlainDateTime()).total({ unit: 'days' });
  return Math.min(onWall, (to.epochMilliseconds - from.epochMilliseconds) / DAY_MS);
}

const earlier = (from: Zoned, to: Zoned, by: Temporal.DurationLike): Range => ({
  from: from.subtract(by).toInstant(),
  to: to.subtract(by).toInstant(),
});
