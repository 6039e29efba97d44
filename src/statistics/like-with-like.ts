/**
 * What a window is compared with. Data that is still filling in is excluded from both sides, and part of a day is compared
 * with the same hours of a day of the same kind (weekday or weekend). Only the window and its zone decide, not the words
 * that were typed, so that a button below an answer makes the same comparison.
 */

import { isMidnight, monthsBetween, type Range, type Zoned } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { completePart } from './settled.ts';

export interface Comparison {
  /** The requested window without what is still filling in. */
  readonly counted: Range;
  readonly against: Range;
  /** Describes `against`, such as `the same hours the day before`; `null` if the asker named it. */
  readonly words: string | null;
}

/** A window, and whether it was cut at now. */
type AskedWindow = Range & { readonly cut?: boolean };

interface ComparisonQuery {
  readonly range: AskedWindow;
  /** What the asker wants to compare with; `previous` is the period just before. */
  readonly versus?: AskedWindow | 'previous' | null;
  readonly now: Temporal.Instant;
  readonly zone: string;
}

/** `null` if no part of a window is complete yet. */
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

export function periodBefore({ from, to }: Range): Range {
  return { from: from.subtract(from.until(to)), to: from };
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
/** A shorter window is called a time, not hours. */
const MIN_HOURS_MS = 2 * HOUR_MS;

type Alike = Pick<Comparison, 'against'> & { readonly words: string };

/** The day before if it is a day of the same kind, otherwise a week before; months are compared with the months before. */
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
  // If the clocks went forward, the same wall-clock weeks before would reach into the window.
  const weeks = isBefore(range.from, earlier(from, to, { weeks: least }).to) ? least + 1 : least;
  const name = weeks === 1 ? 'week' : `${weeks} weeks`;
  const words = from.add({ weeks }).equals(to)
    ? `the ${name} before`
    : `the same days ${weeks === 1 ? 'a week' : name} before`;
  return { against: earlier(from, to, { days: 7 * weeks }), words };
}

/** `null` if that time was skipped by a clock change. */
function sameHours(from: Zoned, to: Zoned, isWholeDay: boolean): Alike | null {
  const days = isOfOtherKind(from, to) ? 7 : 1;
  const against = earlier(from, to, { days });
  if (!isBefore(against.from, against.to)) return null;
  const oneDay = isWholeDay || from.toPlainDate().equals(to.toPlainDate());
  const day = days === 1 ? 'the day before' : oneDay ? `the ${WEEKDAYS[from.dayOfWeek - 1]} before` : 'a week before';
  if (isWholeDay) return { against, words: day };
  const isShort = to.epochMilliseconds - from.epochMilliseconds < MIN_HOURS_MS;
  return { against, words: `the same ${isShort ? 'time' : 'hours'} ${day}` };
}

/** Whether the window has a weekday after a weekend day, or the other way around. */
function isOfOtherKind(from: Zoned, to: Zoned): boolean {
  const isWeekend = (date: Temporal.PlainDate): boolean => date.dayOfWeek > 5;
  const differs = (date: Temporal.PlainDate): boolean => isWeekend(date) !== isWeekend(date.subtract({ days: 1 }));
  return differs(from.toPlainDate()) || differs(lastDay(to));
}

/**
 * Two named windows: if one is not over yet (`today vs yesterday`), the other is cut to the part that has passed of it.
 * Otherwise each keeps what is complete.
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

/** Whether a window is still running and the other one must be cut to match it. */
function isUnfinished({ range, counted }: NamedWindow, other: NamedWindow): boolean {
  if (range.cut === true) return true;
  return isBefore(counted.to, range.to) && lengthMs(range) === lengthMs(other.range);
}

/** The first part of a window, as long in wall-clock time as another one's elapsed part. */
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

/** Wall-clock or elapsed time, whichever is less: a day of 25 hours is one day. */
function lengthInDays(from: Zoned, to: Zoned): number {
  const onWall = from.toPlainDateTime().until(to.toPlainDateTime()).total({ unit: 'days' });
  return Math.min(onWall, (to.epochMilliseconds - from.epochMilliseconds) / DAY_MS);
}

const earlier = (from: Zoned, to: Zoned, by: Temporal.DurationLike): Range => ({
  from: from.subtract(by).toInstant(),
  to: to.subtract(by).toInstant(),
});
