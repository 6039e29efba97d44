/** Something inside a period: `second monday of last month`, `first ten days of 2024`, `last week of july`, `H1 of …`. */
import { isBefore, mondayOf, plusDays, spanOfDays, spanOfMonths, unitSpan } from '../calendar.ts';
import { readNumber, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import { SINGULAR_UNITS, SPELLED_UNITS, UNITS, type Unit, WEEKDAYS } from '../lexer/words.ts';
import type { CivilSpan, DateExpr, RuleGroup } from '../model.ts';
import { readPeriod } from './period.ts';

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

const FINAL_WORDS: ReadonlySet<string> = new Set(['last']);

/** Index from 1; -1 is the last. */
interface Which {
  readonly index: number;
  readonly count: number;
}
type What = { readonly unit: Unit } | { readonly weekday: number };

export function readNthOfPeriod(r: TokenReader): DateExpr | null {
  take(r, 'the');
  const isLast = takeOne(r, FINAL_WORDS) !== null;
  const ordinal = isLast ? null : readNumber(r);
  if (!isLast && !ordinal?.ordinal) return null;
  const count = readNumber(r);
  if (count?.ordinal) return null;
  const isCounted = count !== null && count.value !== 1;
  const what = readWhat(r, isCounted);
  // Refuses `first 5 half of october` and `last days of june`.
  if (what === null || (isCounted && ('weekday' in what || what.unit === 'half' || what.unit === 'weekend')))
    return null;
  // `last march` and `last week april` mean something else: only `of` makes them parts of a whole.
  const joined = take(r, 'of') || take(r, 'in') || take(r, 'from');
  if (!joined && isLast) return null;
  const period = readPeriod(r);
  if (!period && !joined && !count && ordinal && 'unit' in what) return numbered(what.unit, ordinal.value);
  // `last week from tuesday to friday` is not a week of a tuesday.
  if (!period || period.part || period.inside || namesDay(period)) return null;
  // `last year in june` is june of last year.
  if ('unit' in what && what.unit !== 'half' && sizeOf(what.unit) >= sizeOfPeriod(period)) return null;
  const which = { index: isLast ? -1 : (ordinal?.value ?? 1), count: count?.value ?? 1 };
  return { ...period, inside: (span) => pick(span, which, what) };
}

const SIZES: readonly Unit[] = ['day', 'weekend', 'week', 'fortnight', 'month', 'quarter', 'half', 'year', 'decade'];
const sizeOf = (unit: Unit): number => SIZES.indexOf(unit);

function sizeOfPeriod({ fields, fixed }: DateExpr): number {
  if (!fields) return sizeOf(fixed?.unit ?? 'day');
  const unit = (['week', 'month', 'quarter', 'half'] as const).find((each) => fields[each] !== undefined);
  return sizeOf(unit ?? 'year');
}

const namesDay = ({ fields, fixed }: DateExpr): boolean =>
  fixed?.unit === 'day' || fields?.day !== undefined || fields?.weekday !== undefined;

/** `first quarter` alone is Q1; `first month` alone means nothing. */
function numbered(unit: Unit, value: number): DateExpr | null {
  if (unit === 'quarter' && value <= 4) return { fields: { quarter: value } };
  return unit === 'half' && value <= 2 ? { fields: { half: value } } : null;
}

function readWhat(r: TokenReader, isCounted: boolean): What | null {
  const word = textAt(r);
  const weekday = WEEKDAYS.get(word);
  const units = isCounted ? SPELLED_UNITS : SINGULAR_UNITS;
  const unit = word === 'half' ? 'half' : units.has(word) ? UNITS.get(word) : undefined;
  if (weekday === undefined && unit === undefined) return null;
  r.at += 1;
  return weekday === undefined ? (unit ? { unit } : null) : { weekday };
}

function pick(span: CivilSpan, { index, count }: Which, what: What): CivilSpan | null {
  if ('weekday' in what) return count === 1 ? within(span, pickWeekday(span, index, what.weekday)) : null;
  const { unit } = what;
  if (unit === 'week') return pickWeeks(span, index, count);
  if (unit === 'weekend') {
    const saturday = pickWeekday(span, index, 6).start;
    return within(span, spanOfDays(saturday)) && spanOfDays(saturday, 2);
  }
  if (unit === 'day') {
    const start = index > 0 ? plusDays(span.start, (index - 1) * count) : plusDays(span.end, -count);
    return within(span, spanOfDays(start, count));
  }
  if (unit === 'half') return pickHalf(span, index);
  if (unit !== 'month' && unit !== 'quarter' && unit !== 'year') return null;
  const anchor = index > 0 ? span.start : plusDays(span.end, -1);
  const offset = index > 0 ? (index - 1) * count : 1 - count;
  return within(span, unitSpan(unit, anchor, offset, count));
}

function within(whole: CivilSpan, part: CivilSpan): CivilSpan | null {
  return isBefore(part.start, whole.start) || isBefore(whole.end, part.end) ? null : part;
}

function pickWeekday({ start, end }: CivilSpan, index: number, weekday: number): CivilSpan {
  const first = plusDays(start, (weekday - start.dayOfWeek + 7) % 7);
  if (index > 0) return spanOfDays(plusDays(first, 7 * (index - 1)));
  const lastDay = plusDays(end, -1);
  return spanOfDays(plusDays(lastDay, -((lastDay.dayOfWeek - weekday + 7) % 7)));
}

/** As in ISO 8601, a week belongs to the month or year that has its Thursday. */
function pickWeeks(span: CivilSpan, index: number, count: number): CivilSpan | null {
  const thursday = pickWeekday(span, index, 4);
  if (!within(span, thursday)) return null;
  const monday = mondayOf(thursday.start);
  return spanOfDays(index > 0 ? monday : plusDays(monday, -7 * (count - 1)), 7 * count);
}

function pickHalf({ start, end }: CivilSpan, index: number): CivilSpan | null {
  const months = (end.year - start.year) * 12 + end.month - start.month;
  if (months === 12 && start.month === 1) return spanOfMonths(start.year, index === 1 ? 1 : 7, 6);
  const middle = start.with({ day: 16 });
  if (months !== 1) return null;
  return index === 1 ? { start, end: middle } : { start: middle, end };
}
