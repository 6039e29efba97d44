/** Four digits from 1900 on are parsed as a year, but `yesterday 2000-2100` are times. Only both ends together show which. */
import { asTime, bareYear, isCompact } from '../grammar/clock-time.ts';
import { refuse } from '../lexer/lexer.ts';
import type { PairShape, RangeEnd } from '../model.ts';

type TwoEnds = readonly [from: RangeEnd, to: RangeEnd];

const MIN_YEAR = 1970;
const YEARS_AHEAD = 10;

export function yearsOrClocks({ from, to, shared }: PairShape, now: Temporal.Instant): TwoEnds {
  const [first, last] = [bareYear(from), bareYear(to)];
  if (first === null && last === null) return [from, to];
  const clocks: TwoEnds = [first === null ? from : asTime(from, first), last === null ? to : asTime(to, last)];
  if ((first !== null && clocks[0] === from) || (last !== null && clocks[1] === to)) return [from, to];
  if (first === null || last === null) {
    // `june 5 1900 to 2015`: a day and a year, up to a year.
    if (last !== null && isDayOfYear(from)) refuse(to.span, UNCLEAR, suggestion(to));
    if (isTime(first === null ? from : to)) return clocks;
    if (to.instants) refuseClockLikeYear(from, true, now);
    return [from, to];
  }
  const thisYear = Number(now.toString().slice(0, 4));
  const isTimes = shared || from.zone || to.zone || first < MIN_YEAR || last > thisYear + YEARS_AHEAD;
  if (!isTimes && isQuarterHour(first) && isQuarterHour(last))
    refuse({ start: from.span.start, end: to.span.end }, UNCLEAR, suggestion(from, to));
  return isTimes ? clocks : [from, to];
}

const RECENT_YEARS = 5;

/** `since 2015` could begin at 20:15, and no service has numbers from 2010. */
export function refuseClockLikeYear(end: RangeEnd, isSince: boolean, now: Temporal.Instant): void {
  const year = bareYear(end);
  if (year === null || end.zone || year % 100 > 59 || year > 2359) return;
  const isOld = isSince && year % 5 === 0 && year < Number(now.toString().slice(0, 4)) - RECENT_YEARS;
  if (isQuarterHour(year) || isOld) refuse(end.span, UNCLEAR, suggestion(end));
}

const UNCLEAR = "I can't tell whether that's a year or a time.";

const suggestion = (...ends: readonly RangeEnd[]): { suggestion: string } => ({
  suggestion: ends.map(({ typed = '' }) => typed.replace(/(?=\d\d$)/, ':')).join('-'),
});

const isTime = ({ clock, number }: RangeEnd): boolean =>
  clock !== undefined || (number !== undefined && isCompact(number.digits));

const isDayOfYear = ({ date }: RangeEnd): boolean => date?.fields?.day !== undefined && date.fields.year !== undefined;

const isQuarterHour = (year: number): boolean => year % 100 < 60 && (year % 100) % 15 === 0;
