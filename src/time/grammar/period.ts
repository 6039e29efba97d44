/** Parts of periods (`early march`, `second monday of last month`), and weeks or days named by another day. */
import { isBefore, plusDays, spanOfDays, spanOfMonths, unitSpan, weekdayBy, weekdayFrom } from '../calendar.ts';
import type { TokenReader } from '../lexer/lexer.ts';
import { SINGULAR_UNITS, SPELLED_UNITS, WEEKDAYS } from '../lexer/words.ts';
import type { CivilSpan, DateExpr, Env, RuleGroup, Unit } from '../model.ts';
import { grainOf } from '../resolve/date.ts';
import { isCalendar, readDuration } from './duration.ts';
import { readHoliday } from './holidays.ts';
import { mergeDates } from './merge-dates.ts';
import { readNamedDate } from './named-date.ts';
import { readRelativeDays, thisUnit } from './relative-date.ts';

export const PERIODS: RuleGroup = {
  title: 'Early, mid and late; weeks and days relative to another day',
  about: `Early, mid and late are thirds of a month, and of a week Monday to Wednesday, Wednesday to Friday, Friday to
    Sunday.`,
  examples: `
early may                                => 2025-05-01 .. 2025-05-11
mid-2024                                 => 2024-05-01 .. 2024-09-01
end of last week                         => 2025-06-13 .. 2025-06-16
since start of week                      => 2025-06-16 .. now
week of june 3                           => 2025-06-02 .. 2025-06-09
w/c june 2                               => 2025-06-02 .. 2025-06-09
week ending june 8                       => 2025-06-02 .. 2025-06-09
the day before june 5                    => 2025-06-04 .. 2025-06-05
3 days before yesterday                  => 2025-06-14 .. 2025-06-15
2 weeks after may 5                      => 2025-05-19 .. 2025-05-20
`,
};

/** `march`, `the year`, `last month`, `Q1 of last year`; `bare` if `month` alone means this month. */
function readPeriod(r: TokenReader, bare = false): DateExpr | null {
  return r.attempt(() => {
    const the = r.take('the') || bare;
    const unit = the ? SPELLED_UNITS.get(r.textAt()) : undefined;
    const isCalendar = unit === 'day' || unit === 'week' || unit === 'month' || unit === 'quarter' || unit === 'year';
    if (isCalendar && r.peek(1)?.type !== 'number') {
      r.at += 1;
      return thisUnit(unit).date ?? null;
    }
    const date = readRelativeDays(r) ?? r.attempt(readNamedDate);
    return date && withMore(r, date);
  });
}

/** `march of last year`, `last year's march`. */
function withMore(r: TokenReader, date: DateExpr): DateExpr {
  const merged = r.attempt(() => {
    r.take('of|,|in');
    const more = readRelativeDays(r) ?? r.attempt(readNamedDate);
    return more ? mergeDates(date, more) : null;
  });
  return merged ?? date;
}

const EDGES: readonly (readonly [words: string, part: NonNullable<DateExpr['part']>])[] = [
  ['beginning of|start of', 'start'],
  ['middle of|mid -|mid', 'middle'],
  ['end of', 'end'],
  ['early', 'early'],
  ['late', 'late'],
];

/** Words before `day` in `end of day`. */
const DAY_ARTICLES: ReadonlySet<string> = new Set(['of', 'the']);

/** `early march`, `mid-2024`, `end of last week`, `EOD`. */
export function readPartOfPeriod(r: TokenReader): DateExpr | null {
  if (r.take('eod')) return { ...thisUnit('day').date, part: 'end', dayEnd: true };
  r.take('the');
  const edge = EDGES.find(([words]) => r.take(words));
  const period = edge && readPeriod(r, r.textAt(-1) === 'of');
  if (!period || !edge || period.part) return null;
  const isDayEnd = edge[1] === 'end' && r.textAt(-1) === 'day' && DAY_ARTICLES.has(r.textAt(-2));
  return { ...period, part: edge[1], ...(isDayEnd ? { dayEnd: true } : {}) };
}

/** `week of march 3`, `w/c feb 4`, `week ending 2024-03-10`. */
export function readWeekOf(r: TokenReader): DateExpr | null {
  r.take('the');
  const inside = readWeekWords(r);
  if (!inside) return null;
  r.take('on');
  const date = readDay(r);
  return date && !date.inside ? { ...date, inside } : null;
}

function readWeekWords(r: TokenReader): ((span: CivilSpan) => CivilSpan | null) | null {
  const containing = ({ start }: CivilSpan) => unitSpan('week', start, 0);
  const starting = ({ start }: CivilSpan) => spanOfDays(start, 7);
  const ending = ({ end }: CivilSpan) => spanOfDays(plusDays(end, -7), 7);
  if (r.take('w / c')) return starting;
  if (!r.take('week')) return null;
  if (r.take('of')) return containing;
  if (r.take('beginning|starting|commencing')) return starting;
  return r.take('ending') ? ending : null;
}

function readDay(r: TokenReader): DateExpr | null {
  r.take('the');
  const date = readRelativeDays(r) ?? r.first(readNamedDate, readHoliday);
  if (date) {
    const isDay = date.fixed?.unit === 'day' || date.fields?.day !== undefined || date.fields?.weekday !== undefined;
    return isDay ? date : null;
  }
  const number = r.readNumber();
  return number?.ordinal ? { fields: { day: number.value } } : null;
}

/** A day counted from another: `3 days before yesterday`. Hours before a clock time are a range, see `phrase.ts`. */
export function readDayOffset(r: TokenReader): DateExpr | null {
  const days = r.attempt(() => readDuration(r)?.wholeDays ?? null) ?? readOneDay(r);
  if (days === null) return null;
  const sign = r.take('before') ? -1 : r.take('after') ? 1 : 0;
  const date = sign === 0 ? null : (r.attempt(readDayOffset) ?? readDay(r));
  if (!date) return null;
  const at = (env: Env): CivilSpan | null => {
    const span = env.daysOf(date);
    return span && spanOfDays(plusDays(span.start, sign * days));
  };
  return { fixed: { unit: 'day', at } };
}

/** `the day before …`; `the week before …` could be any seven days. */
function readOneDay(r: TokenReader): number | null {
  r.take('the');
  return r.take('day') ? 1 : null;
}

export const PARTS_OF_A_PERIOD: RuleGroup = {
  title: 'Parts of a period',
  about: 'As in ISO 8601, a week belongs to the month or year that contains its Thursday.',
  examples: `
second monday of last month              => 2025-05-12 .. 2025-05-13
last day of may                          => 2025-05-31 .. 2025-06-01
first ten days of 2024                   => 2024-01-01 .. 2024-01-11
last 2 days of last week                 => 2025-06-14 .. 2025-06-16
first half of 2024                       => 2024-01-01 .. 2024-07-01
third quarter of 2024                    => 2024-07-01 .. 2024-10-01
last week of may                         => 2025-05-26 .. 2025-06-02
first quarter                            => 2025-01-01 .. 2025-04-01
`,
};

/** Index from 1; -1 is the last. */
interface Which {
  readonly index: number;
  readonly count: number;
}
type What = { readonly unit: Unit } | { readonly weekday: number };

export function readNthOfPeriod(r: TokenReader): DateExpr | null {
  r.take('the');
  const isLast = r.take('last');
  const ordinal = isLast ? null : r.readNumber();
  if (!isLast && !ordinal?.ordinal) return null;
  const count = r.readNumber();
  if (count?.ordinal) return null;
  const isCounted = count !== null && count.value !== 1;
  const what = readWhat(r, isCounted);
  // Refuses `first 5 half of october` and `last days of june`.
  if (what === null || (isCounted && ('weekday' in what || what.unit === 'half' || what.unit === 'weekend')))
    return null;
  // `last march` and `last week april` mean something else: only `of` makes them parts of a whole.
  const joined = r.take('of|in|from');
  if (!joined && isLast) return null;
  const period = readPeriod(r);
  if (!period && !joined && !count && ordinal && 'unit' in what) return numbered(what.unit, ordinal.value);
  // `last week from tuesday to friday` is not a week of a tuesday, and `last year in june` is june of last year.
  const size = 'unit' in what && what.unit !== 'half' ? sizeOf(what.unit) : 0;
  if (!period || period.part || period.inside || sizeOfPeriod(period) <= size) return null;
  const which = { index: isLast ? -1 : (ordinal?.value ?? 1), count: count?.value ?? 1 };
  return { ...period, inside: (span) => pick(span, which, what) };
}

const SIZES: readonly Unit[] = ['day', 'weekend', 'week', 'fortnight', 'month', 'quarter', 'half', 'year', 'decade'];
const sizeOf = (unit: Unit): number => SIZES.indexOf(unit);
const sizeOfPeriod = ({ fields, fixed }: DateExpr): number => sizeOf(fields ? grainOf(fields) : (fixed?.unit ?? 'day'));

/** `first quarter` alone is Q1; `first month` alone means nothing. */
function numbered(unit: Unit, value: number): DateExpr | null {
  if (unit === 'quarter' && value <= 4) return { fields: { quarter: value } };
  return unit === 'half' && value <= 2 ? { fields: { half: value } } : null;
}

function readWhat(r: TokenReader, isCounted: boolean): What | null {
  const word = r.textAt();
  const weekday = WEEKDAYS.get(word);
  const units = isCounted ? SPELLED_UNITS : SINGULAR_UNITS;
  const unit = word === 'half' ? word : units.get(word);
  const what = weekday ? { weekday } : unit ? { unit } : null;
  if (what) r.at += 1;
  return what;
}

function pick(span: CivilSpan, { index, count }: Which, what: What): CivilSpan | null {
  if ('weekday' in what) return count === 1 ? within(span, pickWeekday(span, index, what.weekday)) : null;
  const { unit } = what;
  if (unit === 'week') return pickWeeks(span, index, count);
  if (unit === 'weekend') {
    const saturday = pickWeekday(span, index, 6).start;
    return within(span, spanOfDays(saturday)) && spanOfDays(saturday, 2);
  }
  if (unit === 'half') return pickHalf(span, index);
  if (!isCalendar(unit)) return null;
  const anchor = index > 0 ? span.start : plusDays(span.end, -1);
  const offset = index > 0 ? (index - 1) * count : 1 - count;
  return within(span, unitSpan(unit, anchor, offset, count));
}

function within(whole: CivilSpan, part: CivilSpan): CivilSpan | null {
  return isBefore(part.start, whole.start) || isBefore(whole.end, part.end) ? null : part;
}

function pickWeekday({ start, end }: CivilSpan, index: number, weekday: number): CivilSpan {
  if (index > 0) return spanOfDays(plusDays(weekdayFrom(start, weekday), 7 * (index - 1)));
  return spanOfDays(weekdayBy(plusDays(end, -1), weekday));
}

/** As in ISO 8601, a week belongs to the month or year that has its Thursday. */
function pickWeeks(span: CivilSpan, index: number, count: number): CivilSpan | null {
  const thursday = pickWeekday(span, index, 4);
  return within(span, thursday) && unitSpan('week', thursday.start, index > 0 ? 0 : 1 - count, count);
}

function pickHalf({ start, end }: CivilSpan, index: number): CivilSpan | null {
  const months = (end.year - start.year) * 12 + end.month - start.month;
  if (months === 12 && start.month === 1) return spanOfMonths(start.year, index === 1 ? 1 : 7, 6);
  const middle = start.with({ day: 16 });
  if (months !== 1) return null;
  return index === 1 ? { start, end: middle } : { start: middle, end };
}
