/** Two ends on the time line. The first is the latest that fits before now, the second the first that follows it. */
import { isBefore, plusDays } from '../calendar.ts';
import { refuse } from '../lexer/reader.ts';
import type { DateFields, Env, Range, RangeEnd, RangePhrase } from '../model.ts';
import { completePair } from './complete-pair.ts';
import {
  compareInstants,
  dayOf,
  type EndOptions,
  envOf,
  instantOf,
  isEarlier,
  isPossible,
  isSameInstant,
  latestDay,
  type ResolvedEnd,
  resolveEnd,
  settleInPart,
  settlePair,
} from './end.ts';

type PairPhrase = Extract<RangePhrase, { shape: 'pair' }>;

export interface ZonedRange extends Range {
  readonly zone: string;
}

export function resolvePair(pair: PairPhrase, text: string, now: Temporal.Instant, zone: string): ZonedRange {
  // `7d to 1d ago`: one `ago` serves both.
  const back = pair.back || (pair.from.duration && pair.to.ago && !pair.to.clock);
  const [from0, to0] = back ? [asBack(pair.from), asBack(pair.to)] : [pair.from, pair.to];
  const [first, last] = settleClocks(...completePair(from0, to0, pair.shared), text);
  for (const end of [first, last]) {
    if (end.number) refuse(text, end.span, 'I cannot tell whether that is an hour, a day or something else.');
    if (end.future) refuse(text, end.span, 'That lies in the future.');
  }
  if (pair.before && first.instants?.kind === 'rolling' && !first.dateMath && !first.duration) {
    refuse(text, first.span, 'That ends now, not before something else.');
  }
  if (last.duration) refuse(text, last.span, 'I cannot tell when that is.');
  if (first.duration && !isMoment(last)) refuse(text, first.span, 'I cannot tell when that is.');
  if (pair.dashed && isBareHours(pair)) {
    refuse(text, pair.span, 'I cannot tell whether these are hours or days.', suggestHours(first, last));
  }
  const fromEnv = envOf(now, first.zone ?? zone);
  const toEnv = first.zone === last.zone ? fromEnv : envOf(now, last.zone ?? zone);
  const moment = isMoment(last) || isMoment(first);
  const to = isAnchor(last)
    ? resolveEnd(last, { text, env: toEnv, edge: 'to', moment: moment && isMoment(first) })
    : null;
  const from = resolveFrom(first, last, to, { text, env: fromEnv, edge: 'from', moment: isMoment(last) && moment });
  if (isBackwards(first, last)) refuse(text, pair.span, 'That ends before it begins.');
  const end =
    to ?? resolveTo(first, last, from, pair.before, { text, env: toEnv, edge: 'to', moment: isMoment(first) });
  // `yesterday to monday` runs backwards; only a weekday after a weekday may lie ahead and be cut.
  const ahead = !to && first.date?.fixed !== undefined && compareInstants(end.from, now) > 0 && last.date !== undefined;
  if (ahead && first.date !== last.date) refuse(text, last.span, 'That lies in the future.');
  if (pair.joined && !isSameInstant(from.to, end.from)) refuse(text, pair.span, 'That is more than one range.');
  return { ...ends(pair, first, from, end), zone: fromEnv.zone };
}

/** A duration becomes the moment that long ago. */
function asBack(end: RangeEnd): RangeEnd {
  const { duration, instants: _, ...rest } = end;
  return duration ? { ...rest, ago: duration } : end;
}

function ends(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, to: ResolvedEnd): Range {
  const start = pair.after ? from.to : from.from;
  const stop = pair.before ? to.from : to.to;
  return first.duration && to.from === to.to ? { from: from.from, to: stop } : { from: start, to: stop };
}

/** `june 20 to june 10` would be nearly a year: days of one month do not wrap around. */
function isBackwards({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [a?.fields ?? {}, b?.fields ?? {}];
  if (from.month === undefined || from.month !== to.month || from.day === undefined || to.day === undefined)
    return false;
  return from.day > to.day && (from.year === undefined || to.year === undefined);
}

/** Two naked numbers and a dash could be anything. */
function isBareHours({ from, to, shared }: PairPhrase): boolean {
  const bare = (end: RangeEnd): boolean => end.number !== undefined && !end.date && !end.clock && !end.part;
  return !shared && bare(from) && bare(to) && [from, to].every(({ number }) => (number?.digits.length ?? 0) <= 2);
}

function suggestHours(first: RangeEnd, last: RangeEnd) {
  const [a, b] = [first.clock?.hour, last.clock?.hour];
  return a === undefined || b === undefined ? {} : { suggestion: `${a}:00-${b}:00` };
}

function settleClocks(from: RangeEnd, to: RangeEnd, text: string): readonly [RangeEnd, RangeEnd] {
  for (const { clock } of [from, to]) {
    if (clock && !isPossible(clock)) refuse(text, clock.span, 'There is no such time of day.');
  }
  if (!from.clock || !to.clock) return [from, to];
  // Two days have each their own clock: no am or pm goes from one to the other.
  if (from.date && to.date && from.date !== to.date) return [from, to];
  if (from.part || to.part) {
    const part = from.part ?? to.part;
    const [a, b] = [settleInPart(from.clock, part), settleInPart(to.clock, to.part ?? part)];
    return [
      { ...from, clock: a },
      { ...to, clock: b },
    ];
  }
  const [a, b] = settlePair(from.clock, to.clock);
  return [
    { ...from, clock: a },
    { ...to, clock: b },
  ];
}

/** An instant rather than a calendar unit: now, an epoch, `2 hours ago`. */
const isMoment = (end: RangeEnd): boolean =>
  (end.instants !== undefined && !end.duration) || (end.ago !== undefined && !end.clock);

/** Fully said: does not hang on the other end. */
function isAnchor({ date, instants, ago }: RangeEnd): boolean {
  if (instants || ago) return true;
  if (!date) return false;
  if (date.fixed || date.which) return true;
  return date.fields?.year !== undefined;
}

function resolveFrom(first: RangeEnd, last: RangeEnd, to: ResolvedEnd | null, options: EndOptions): ResolvedEnd {
  const { env } = options;
  const fields = first.date?.fields;
  const year = last.date?.fields?.year;
  if (fields && year !== undefined && fields.year === undefined && !first.date?.fixed && !first.date?.which) {
    return resolveEnd(withYear(first, fields, last, year), options);
  }
  if (!to || isAnchor(first)) return resolveEnd(first, options);
  // Both hang on one day said once: `11pm to 3am today` ends today.
  if (first.date === last.date && first.clock && to.clock && isEarlier(to.clock, first.clock)) {
    const resolved = resolveEnd(first, options);
    const late = compareInstants(resolved.from, env.now) >= 0;
    return late ? resolveEnd({ ...first, date: dayBefore(dayOf(resolved, env)) }, options) : resolved;
  }
  const latest = latestDay(env, first.clock);
  const toDay = dayOf(to, env);
  const by = isBefore(toDay, latest) ? toDay : latest;
  return resolveEnd(first, { ...options, bound: { by } });
}

const dayBefore = (day: Temporal.PlainDate) => ({
  fixed: { unit: 'day' as const, at: () => ({ start: plusDays(day, -1), end: day }) },
});

/** `December to May 2022` begins in 2021. */
function withYear(first: RangeEnd, fields: DateFields, last: RangeEnd, year: number): RangeEnd {
  const order = ({ month, quarter, half, day = 0 }: DateFields): number =>
    (month ?? (quarter ? quarter * 3 - 2 : half ? half * 6 - 5 : 0)) * 32 + day;
  const long = last.date?.fields?.shortYear ? { shortYear: true } : {};
  const isLater = order(fields) > order(last.date?.fields ?? {}) && last.date?.fields?.month !== undefined;
  const { weekday: _, ...rest } = fields;
  const own = order(fields) === 0 ? fields : rest;
  return { ...first, date: { ...first.date, fields: { ...own, ...long, year: isLater ? year - 1 : year } } };
}

function resolveTo(
  first: RangeEnd,
  last: RangeEnd,
  from: ResolvedEnd,
  before: boolean,
  options: EndOptions,
): ResolvedEnd {
  if (!last.date && last.clock) return resolveClockAfter(first, last, from, before, options.env);
  if (!last.date) return resolveEnd(last, { ...options, bound: { from: dayOf(from, options.env) } });
  const { weekday, day, ...rest } = last.date.fields ?? {};
  // The weekday beside a date cannot choose the year once the first end has.
  const date = weekday !== undefined && day !== undefined ? { ...last.date, fields: { ...rest, day } } : last.date;
  const sameWeekday = weekday !== undefined && day === undefined && weekday === first.date?.fields?.weekday;
  const again = sameWeekday && !(first.clock && last.clock && isEarlier(first.clock, last.clock));
  return resolveEnd(
    { ...last, date },
    { ...options, bound: { from: plusDays(dayOf(from, options.env), again ? 1 : 0) } },
  );
}

/**
 * Same day, or the next if the clock runs backwards; after a whole day it is a time of today, but `yesterday before
 * noon` is over that noon.
 */
function resolveClockAfter(first: RangeEnd, last: RangeEnd, from: ResolvedEnd, before: boolean, env: Env): ResolvedEnd {
  const { clock } = last;
  if (!clock) return from;
  const whole = first.clock === undefined && first.part === undefined && first.instants === undefined;
  const day = whole && !before ? env.today : dayOf(from, env);
  const overnight = from.clock !== undefined && !isEarlier(from.clock, clock);
  const at = instantOf(plusDays(day, overnight ? 1 : 0), clock, env.zone);
  return { from: at, to: at, day, clock };
}
