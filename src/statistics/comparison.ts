/**
 * What a window is compared with, and how much of both can be compared.
 *
 * Data that is still filling in is excluded from both sides, and part of a day is compared with the same hours of a day of
 * the same kind (weekday or weekend). Only the window and its zone decide, not the words that were typed, so that a button
 * below an answer makes the same comparison. What a service can't report of one window is left out of both, and where too
 * little remains there is a reason instead of a comparison: unknown numbers are never compared as if they were zero.
 */

import { isMidnight, monthsBetween, type Range, type Zoned } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { countOf, REST } from './categories.ts';
import {
  type AnswerLimit,
  type CategoryCount,
  completePart,
  type Distribution,
  type Gap,
  type Timeline,
} from './timeline.ts';

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

/** Why two windows can't be compared. `categories`: the service names other categories in the one than in the other. */
export type Incomparable = Gap['reason'] | 'categories';

/** Less than this share of a window says too little about it. */
const MIN_SHARE = 0.5;

interface Windows {
  readonly counted: Range;
  readonly against: Range;
}

export interface ComparableTimelines extends Windows {
  readonly now: Timeline;
  readonly before: Timeline;
  /** Whether a part of the windows had to be left out. */
  readonly isCut: boolean;
}

interface Offsets {
  readonly startMs: number;
  readonly endMs: number;
}

/** The part of a window that has numbers, as distances from its start. Gaps lie at its edges. */
function knownPart({ gaps = [] }: Timeline, { from, to }: Range): Offsets {
  const [fromMs, toMs] = [from.epochMilliseconds, to.epochMilliseconds];
  const startMs = Math.max(fromMs, ...gaps.filter((gap) => gap.fromMs <= fromMs).map((gap) => gap.toMs));
  const endMs = Math.min(toMs, ...gaps.filter((gap) => gap.toMs >= toMs).map((gap) => gap.fromMs));
  return { startMs: startMs - fromMs, endMs: Math.max(startMs, endMs) - fromMs };
}

const inBoth = (a: Offsets, b: Offsets): Offsets => ({
  startMs: Math.max(a.startMs, b.startMs),
  endMs: Math.min(a.endMs, b.endMs),
});

/** Moved inward to where intervals of the timeline begin and end. */
function onIntervals({ points, intervalMs }: Timeline, { from }: Range, { startMs, endMs }: Offsets): Offsets {
  const fromMs = from.epochMilliseconds;
  const inside = points.filter(
    (point) => point.endMs - intervalMs >= fromMs + startMs && point.endMs <= fromMs + endMs,
  );
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined) return { startMs, endMs: startMs };
  return { startMs: first.endMs - intervalMs - fromMs, endMs: last.endMs - fromMs };
}

interface ComparedParts {
  readonly now: Offsets;
  readonly before: Offsets;
}

/**
 * The common part at the same distance from the start. Each side can only be cut where its own intervals end, which may
 * remove a bit more from the other. `null` if their intervals never end together.
 */
function samePart(
  now: Timeline,
  before: Timeline,
  { counted, against }: Windows,
  known: Offsets,
): ComparedParts | null {
  let part = known;
  for (let last = { startMs: -1, endMs: -1 }; part.startMs !== last.startMs || part.endMs !== last.endMs; ) {
    last = part;
    part = onIntervals(before, against, onIntervals(now, counted, part));
  }
  return part.endMs > part.startMs ? { now: part, before: part } : null;
}

/** As many intervals of both, less than one interval apart; none if their intervals differ in length. */
function equalParts(now: Timeline, before: Timeline, { counted, against }: Windows, known: Offsets): ComparedParts {
  const [a, b] = [onIntervals(now, counted, known), onIntervals(before, against, known)];
  const isAlike = now.intervalMs === before.intervalMs;
  const lengthMs = isAlike ? Math.min(a.endMs - a.startMs, b.endMs - b.startMs) : 0;
  return { now: { ...a, endMs: a.startMs + lengthMs }, before: { ...b, endMs: b.startMs + lengthMs } };
}

function cut(timeline: Timeline, window: Range): Timeline {
  const [fromMs, toMs] = [window.from.epochMilliseconds, window.to.epochMilliseconds];
  const { intervalMs, points } = timeline;
  const inside = points.filter((point) => point.endMs - intervalMs >= fromMs && point.endMs <= toMs);
  return { ...timeline, fromMs, toMs, points: inside, gaps: [] };
}

/** Both timelines over the parts of their windows, as far as possible at the same distance from the start, for which both have numbers. */
export function comparableTimelines(
  now: Timeline,
  before: Timeline,
  { counted, against }: Windows,
): ComparableTimelines | Incomparable {
  const gaps = [...(now.gaps ?? []), ...(before.gaps ?? [])];
  if (gaps.length === 0) return { now, before, counted, against, isCut: false };
  // Most of a window may be gone, and the rest may be from another part of the week.
  if (gaps.some(({ reason }) => reason === 'retention')) return 'retention';
  const lengthMs = counted.to.epochMilliseconds - counted.from.epochMilliseconds;
  const known = inBoth(knownPart(now, counted), knownPart(before, against));
  const parts =
    samePart(now, before, { counted, against }, known) ?? equalParts(now, before, { counted, against }, known);
  if (parts.now.endMs - parts.now.startMs < MIN_SHARE * lengthMs) {
    return 'steps';
  }
  const partOf = ({ from }: Range, { startMs, endMs }: Offsets): Range => ({
    from: from.add({ milliseconds: startMs }),
    to: from.add({ milliseconds: endMs }),
  });
  const windows = { counted: partOf(counted, parts.now), against: partOf(against, parts.before) };
  return { now: cut(now, windows.counted), before: cut(before, windows.against), ...windows, isCut: true };
}

export interface ComparableDistributions {
  readonly now: Distribution;
  readonly before: Distribution;
}

const hasLimit = ({ limits = [] }: Distribution, limit: AnswerLimit): boolean => limits.includes(limit);

/** Both with the categories that are known in both, and everything else together. */
export function comparableDistributions(
  now: Distribution,
  before: Distribution,
): ComparableDistributions | Incomparable {
  const gap = [...(now.gaps ?? []), ...(before.gaps ?? [])][0];
  if (gap !== undefined) return gap.reason;
  if (hasLimit(now, 'groups') !== hasLimit(before, 'groups')) return 'categories';
  const unknown = new Set([...(now.unknownCategories ?? []), ...(before.unknownCategories ?? [])]);
  if (unknown.size === 0 && hasLimit(now, 'largest') === hasLimit(before, 'largest')) return { now, before };
  const names = [...new Set([...now.counts, ...before.counts].map(({ category }) => category))].filter(
    (category) => category !== REST && !unknown.has(category) && isKnown(now, category) && isKnown(before, category),
  );
  return { now: reduced(now, names, unknown), before: reduced(before, names, unknown) };
}

const isKnown = (distribution: Distribution, category: string): boolean => countOf(distribution, category) !== null;

/** The named categories, and the rest as one. What one side doesn't know at all is in neither. */
function reduced(distribution: Distribution, names: readonly string[], unknown: ReadonlySet<string>): Distribution {
  const counts: CategoryCount[] = names.map((category) => ({ category, count: countOf(distribution, category) ?? 0 }));
  const others = distribution.counts.filter(({ category }) => !names.includes(category) && !unknown.has(category));
  const rest = others.reduce((sum, { count }) => sum + count, 0);
  return { ...distribution, counts: rest > 0 ? [...counts, { category: REST, count: rest }] : counts };
}
