/** Resolves a pair of dates: which years, months and weeks they mean together. */
import { isBefore, plusDays, unitSpan } from '../calendar.ts';
import { refuse, refuseFuture } from '../lexer/lexer.ts';
import type { DateFields, RangeEnd } from '../model.ts';
import { isWeekdayOnly, type PairPhrase } from './complete-pair.ts';
import { grainOf } from './date.ts';
import {
  compareInstants,
  dayOf,
  type EndOptions,
  isSameInstant,
  latestFor,
  type ResolvedEnd,
  resolveEnd,
} from './end.ts';
import { isEarlier } from './time-of-day.ts';

export type ResolvedPair = readonly [from: ResolvedEnd, to: ResolvedEnd];

export const BACKWARDS = 'That range ends before it starts.';

/** Complete by itself, independent of the other end. */
function isAnchor({ date, instants, ago }: RangeEnd): boolean {
  if (instants || ago) return true;
  if (!date) return false;
  if (date.fixed || date.which) return true;
  return date.fields?.year !== undefined;
}

function anchorOf(first: RangeEnd, last: RangeEnd, options: EndOptions): ResolvedEnd | null {
  if (isAnchor(last)) return resolveEnd(last, options);
  // `the 27th to april 1`: the month decides, and it may end later today.
  const isNamed = isNth(first.date?.fields) && last.date?.fields?.month !== undefined;
  return isNamed ? resolveEnd(last, { ...options, bound: { by: options.env.today } }) : null;
}

/** `the 27th`, of a month that the other end decides. */
const isNth = (fields: DateFields | undefined): boolean => fields?.day !== undefined && fields.month === undefined;

/** Two dates or moments: the first is the latest one before now, the second the next one after it. */
export function resolveDates(
  pair: PairPhrase,
  first: RangeEnd,
  last: RangeEnd,
  fromOptions: EndOptions,
  toOptions: EndOptions,
): ResolvedPair {
  const { text, env } = toOptions;
  const anchor = anchorOf(first, last, toOptions);
  const from = resolveFrom(first, last, anchor, fromOptions);
  if (isBackwards(first, last)) refuse(text, pair.span, BACKWARDS);
  const to = anchor ?? resolveTo(first, last, from, toOptions);
  if (first.date?.which === 'last' && last.date && isWeekdayOnly(last.date) && !isBefore(dayOf(to, env), env.today))
    return resolveLastWeekdays(first, last, from, to, fromOptions, toOptions);
  // `yesterday to monday` runs backwards; only a weekday after a weekday, or a date after a date, may be cut at now.
  const isLater = !anchor && isBefore(env.today, dayOf(to, env));
  const isAhead = isLater && compareInstants(begins(first, last, from, to, toOptions), env.now) > 0;
  if (isAhead && first.date?.fixed) refuseFuture(text, last.span);
  if (isAhead && (!first.date || isLoneWeekday(first, last) || isReversed(first, last)))
    refuse(text, pair.span, BACKWARDS);
  if (pair.joined && isSameInstant(from.from, to.to)) return [to, from];
  if (pair.joined && !isSameInstant(from.to, to.from)) refuse(text, pair.span, "That's more than one range.");
  return [from, to];
}

/** `last mon-fri` on a Wednesday was last week; `last mon-wed` could be either. */
function resolveLastWeekdays(
  first: RangeEnd,
  last: RangeEnd,
  from: ResolvedEnd,
  to: ResolvedEnd,
  fromOptions: EndOptions,
  toOptions: EndOptions,
): ResolvedPair {
  const { text, env } = toOptions;
  if (dayOf(to, env).equals(env.today)) refuse(text, last.span, "I can't tell which week you mean.");
  const { which: _, ...date } = first.date ?? {};
  const by = plusDays(dayOf(from, env), -7);
  const earlier = resolveEnd({ ...first, date }, { ...fromOptions, bound: { by } });
  return [earlier, resolveTo({ ...first, date }, last, earlier, toOptions)];
}

/** Where the unit of the last end begins, even if it is named by its end: `to the end of june`. */
function begins(
  first: RangeEnd,
  last: RangeEnd,
  from: ResolvedEnd,
  to: ResolvedEnd,
  options: EndOptions,
): Temporal.Instant {
  if (last.date?.part === undefined) return to.from;
  const { part: _, ...date } = last.date;
  return resolveTo(first, { ...last, date }, from, options).from;
}

/** `june 20 to june 10` would be nearly a year: days of one month do not wrap around. */
function isBackwards({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [a?.fields ?? {}, b?.fields ?? {}];
  if (from.month === undefined || from.month !== to.month || from.day === undefined || to.day === undefined)
    return false;
  return from.day > to.day && (from.year === undefined || to.year === undefined);
}

/** `nov 17 to monday`: the latest Monday was before. */
const isLoneWeekday = (first: RangeEnd, last: RangeEnd): boolean =>
  last.date !== undefined && isWeekdayOnly(last.date) && first.date?.fields?.weekday === undefined;

const orderInYear = ({ month, quarter, half, day = 0 }: DateFields): number =>
  (month ?? (quarter ? quarter * 3 - 2 : half ? half * 6 - 5 : 0)) * 32 + day;

/** `november 10 to october 5` crosses new year only if both dates are in the past. */
function isReversed({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [orderInYear(a?.fields ?? {}), orderInYear(b?.fields ?? {})];
  return from > 0 && to > 0 && from > to;
}

function resolveFrom(first: RangeEnd, last: RangeEnd, to: ResolvedEnd | null, options: EndOptions): ResolvedEnd {
  const { env } = options;
  const fields = first.date?.fields;
  const year = last.date?.fields?.year;
  const lacksYear = fields && fields.year === undefined && !first.date?.fixed && !first.date?.which;
  if (lacksYear && year !== undefined && !isNth(fields) && !isWeekdayOnly(first.date ?? {})) {
    return notLongBefore(resolveEnd(withYear(first, fields, last, year), options), to, options, first, last);
  }
  if (!to || isAnchor(first)) return resolveEnd(first, options);
  const latest = latestFor(first, first.clock, env);
  const toDay = dayOf(to, env);
  // `sunday 3am to 4am today` on a Sunday names one day twice.
  const isSameDay = fields?.weekday === toDay.dayOfWeek && first.clock && last.clock && fields.day === undefined;
  const by = isBefore(toDay, latest) || (isSameDay && isEarlier(first.clock, last.clock)) ? toDay : latest;
  const from = resolveEnd(first, { ...options, bound: { by } });
  return isBefore(toDay, latest) ? notLongBefore(from, to, options, first, last) : from;
}

/** Half a year and a month: `december to may 2022` runs over new year, `nov 3 to oct 31 2026` runs backwards. */
const MAX_WRAP = 214;

/** Refuses a date that was moved to the year before just to come before the other end. */
function notLongBefore(
  from: ResolvedEnd,
  to: ResolvedEnd | null,
  options: EndOptions,
  first: RangeEnd,
  last: RangeEnd,
): ResolvedEnd {
  const { text, env } = options;
  if (!to || first.date?.fields?.month === undefined) return from;
  const toDay = dayOf(to, env);
  if (!isBefore(dayOf(from, env), plusDays(toDay, -MAX_WRAP))) return from;
  // On its own it would come after the other end.
  const isMoved = isBefore(toDay, dayOf(resolveEnd(first, options), env));
  if (isMoved) refuse(text, { start: first.span.start, end: last.span.end }, BACKWARDS);
  return from;
}

/** `December to May 2022` begins in 2021. */
function withYear(first: RangeEnd, fields: DateFields, last: RangeEnd, year: number): RangeEnd {
  const short = last.date?.fields?.shortYear ? { shortYear: true } : {};
  const isLater = orderInYear(fields) > orderInYear(last.date?.fields ?? {}) && last.date?.fields?.month !== undefined;
  const { weekday: _, ...rest } = fields;
  const own = orderInYear(fields) === 0 ? fields : rest;
  return { ...first, date: { ...first.date, fields: { ...own, ...short, year: isLater ? year - 1 : year } } };
}

function resolveTo(first: RangeEnd, last: RangeEnd, from: ResolvedEnd, options: EndOptions): ResolvedEnd {
  const { env } = options;
  const { weekday, day, ...rest } = last.date?.fields ?? {};
  const fromDay = dayOf(from, env);
  if (last.date && isWeekdayOnly(last.date) && first.date?.fields?.weekday === undefined) {
    // After a date, the latest such weekday, or the next one if that comes before the date.
    const latest = resolveEnd(last, options);
    return isBefore(dayOf(latest, env), fromDay) ? resolveEnd(last, { ...options, bound: { from: fromDay } }) : latest;
  }
  // The weekday next to a date must not choose the year once the first end has.
  const date = weekday !== undefined && day !== undefined ? { ...last.date, fields: { ...rest, day } } : last.date;
  const sameWeekday = weekday !== undefined && day === undefined && weekday === first.date?.fields?.weekday;
  const again = sameWeekday && !(first.clock && last.clock && isEarlier(first.clock, last.clock));
  const end = date ? { ...last, date } : last;
  // `march 4 to end of march`: the unit that contains the first day counts.
  const earliest = again ? plusDays(fromDay, 1) : unitSpan(grainOf(last.date?.fields ?? {}), fromDay, 0).start;
  const to = resolveEnd(end, { ...options, bound: { from: earliest } });
  // `march 25 to the 22nd` in June could be April 22 or the latest one.
  if (isNth(date?.fields) && first.date?.fields?.month !== undefined) {
    const latest = resolveEnd(end, { ...options, bound: { by: env.today } });
    if (isBefore(dayOf(to, env), dayOf(latest, env)))
      refuse(options.text, last.span, "I can't tell which month you mean.");
  }
  return to;
}
