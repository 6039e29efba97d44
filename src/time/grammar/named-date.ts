/** Dates by name: `Jan 3`, `3rd of January 2024`, `dec-2018`, `Q1`, `week 27`, `monday`, `2024`, and those in digits. */
import { spanOfMonths } from '../calendar.ts';
import type { TokenReader } from '../lexer/lexer.ts';
import { MONTHS, UNITS, WEEKDAYS } from '../lexer/words.ts';
import type { DateExpr, DateFields, RuleGroup } from '../model.ts';
import { isDecade } from './duration.ts';

export const NAMED_DATES: RuleGroup = {
  title: 'Dates and periods by name',
  about: `Without a year or month: the latest one that has started. Weeks are ISO weeks. Slashes and hyphens are month/day/year
    unless a day over 12 comes first, dots are day.month.year, four digits in front are year-month-day.`,
  examples: `
january                                  => 2025-01-01 .. 2025-02-01
march 2024                               => 2024-03-01 .. 2024-04-01
Q1                                       => 2025-01-01 .. 2025-04-01
2023-Q4                                  => 2023-10-01 .. 2024-01-01
H2 2024                                  => 2024-07-01 .. 2025-01-01
2024                                     => 2024-01-01 .. 2025-01-01
week 23                                  => 2025-06-02 .. 2025-06-09
2024-W27                                 => 2024-07-01 .. 2024-07-08
monday                                   => 2025-06-16 .. 2025-06-17
june 5                                   => 2025-06-05 .. 2025-06-06
5 June 2024                              => 2024-06-05 .. 2024-06-06
the 5th                                  => 2025-06-05 .. 2025-06-06
fifth of june                            => 2025-06-05 .. 2025-06-06
Mon, June 16                             => 2025-06-16 .. 2025-06-17
05-Jun-25                                => 2025-06-05 .. 2025-06-06
2025-06-05                               => 2025-06-05 .. 2025-06-06
20250605                                 => 2025-06-05 .. 2025-06-06
6/5/2025                                 => 2025-06-05 .. 2025-06-06
5.6.2025                                 => 2025-06-05 .. 2025-06-06
13/06                                    => 2025-06-13 .. 2025-06-14
june so far                              => 2025-06-01 .. now
13.06.                                   => 2025-06-13 .. 2025-06-14
1990s                                    => 1990-01-01 .. 2000-01-01
`,
};

export function readNamedDate(r: TokenReader): DateExpr | null {
  const decade = readDecade(r);
  if (decade) return decade;
  const fields =
    readDigits(r) ?? r.first(readMonthFirst, readDayFirst, readWeekday, readYearFirst, readNumbered, readYearWord);
  return fields && { fields };
}

function readDigits(r: TokenReader): DateFields | null {
  const token = r.peek();
  if (token?.type !== 'date') return null;
  r.at += 1;
  return token.date;
}

function readMonthName(r: TokenReader): number | null {
  const month = r.takeFrom(MONTHS);
  if (month && r.isTight()) r.take('.');
  return month ?? null;
}

/** `Jan`, `Jan 3`, `Jan 3rd, 2024`, `Jan 2024`, `Jan of 2024`, `dec-2018`. */
function readMonthFirst(r: TokenReader): DateFields | null {
  const month = readMonthName(r);
  if (month === null) return null;
  const joined = r.attempt(readJoinedYear);
  if (joined !== null) return { month, year: joined };
  const day = r.attempt(readDayAfterMonth);
  const year = r.attempt(readLaterYear);
  return { month, ...(day === null ? {} : { day }), ...yearField(year) };
}

const yearField = (year: number | null): DateFields => (year === null ? {} : { year });

/** `-2018` right after a name. */
function readJoinedYear(r: TokenReader): number | null {
  const mark = r.textAt();
  if ((mark !== '-' && mark !== '/') || !r.isTight() || !r.isTight(1)) return null;
  r.at += 1;
  return r.readYear();
}

/** `, 2018`, ` of 2018`, ` in 2018`, ` '18`. */
function readLaterYear(r: TokenReader): number | null {
  r.take(',');
  if (!r.take('of')) r.take('in');
  const token = r.peek(1);
  if (r.textAt() === "'" && token?.type === 'number' && token.text.length === 2 && !token.spaced) {
    r.at += 2;
    return 2000 + token.value;
  }
  return r.readYear();
}

/** Not a day if it turns out to be an hour. */
function readDayAfterMonth(r: TokenReader): number | null {
  r.take('the');
  const day = r.readDayNumber();
  if (day === null) return null;
  const next = r.textAt();
  const isHour = next === 'am' || next === 'pm' || ((next === 'a' || next === 'p' || next === 'h') && r.isTight());
  return isHour || (next === 'o' && r.textAt(1) === "'") ? null : day;
}

/** `3 Jan`, `3rd of January`, `22-jan-2019`, `22/jan/2019`. */
function readDayFirst(r: TokenReader): DateFields | null {
  r.take('the');
  const day = r.readDayNumber();
  if (day === null) return null;
  r.take(r.isTight() ? '-|/|.' : 'of');
  const month = readMonthName(r);
  if (month === null || isDayAhead(r)) return null;
  // `5-jun-25`
  const [mark, year] = [r.peek(), r.peek(1)];
  const isMarked = /^[-/]$/.test(r.textAt(-2)) && mark?.text === r.textAt(-2);
  if (isMarked && year?.type === 'number' && /^\d\d$/.test(year.text)) {
    r.at += 2;
    return { day, month, year: year.value, shortYear: true };
  }
  return { day, month, ...yearField(r.first(readJoinedYear, readLaterYear)) };
}

/** `9 november 14, 2026`: the day follows the month, so the number before it is an hour. */
function isDayAhead(r: TokenReader): boolean {
  const mark = r.at;
  const isOrdinal = r.peek()?.type === 'number' && r.readNumber()?.ordinal === true;
  r.at = mark;
  const day = readDayAfterMonth(r);
  const year = day === null ? null : readLaterYear(r);
  r.at = mark;
  return year !== null || (day !== null && isOrdinal);
}

function readWeekday(r: TokenReader): DateFields | null {
  const weekday = r.takeFrom(WEEKDAYS);
  if (weekday && r.isTight()) r.take('.');
  return weekday ? { weekday } : null;
}

/** `2024`, `2024 april`, `2019-aug-01`, `2001-Q1`. */
function readYearFirst(r: TokenReader): DateFields | null {
  const year = r.readYear();
  if (year === null) return null;
  const mark = r.textAt();
  const joined = (mark === '-' || mark === '/') && r.isTight() && r.isTight(1);
  const rest = r.attempt(() => {
    if (joined) r.at += 1;
    return readNumbered(r) ?? readMonthOfYear(r, joined ? mark : '');
  });
  return { year, ...rest };
}

function readMonthOfYear(r: TokenReader, mark: string): DateFields | null {
  const month = readMonthName(r);
  if (month === null) return null;
  const day = mark === '' || r.take(mark) ? r.attempt(readDayAfterMonth) : null;
  return { month, ...(day === null ? {} : { day }) };
}

/** `Q1`, `H2`, `quarter 1`, `week 27`, `W27`. */
function readNumbered(r: TokenReader): DateFields | null {
  const word = r.textAt();
  const isWeek = UNITS.get(word) === 'week' || word === 'kw';
  if (word === 'calendar' && r.textAt(1) === 'week') r.at += 1;
  else if (word !== 'h' && UNITS.get(word) !== 'quarter' && !isWeek) return null;
  r.at += 1;
  const number = r.peek();
  if (number?.type !== 'number' || !/^\d{1,2}$/.test(number.text)) return null;
  if (word.length === 1 && number.spaced) return null;
  r.at += 1;
  const fields = numbered(word, number.value);
  return fields && { ...fields, ...yearField(r.first(readJoinedYear, readLaterYear)) };
}

function numbered(word: string, value: number): DateFields | null {
  if (UNITS.get(word) === 'quarter') return value >= 1 && value <= 4 ? { quarter: value } : null;
  if (word === 'h') return value === 1 || value === 2 ? { half: value } : null;
  return { week: value };
}

/** `year 2008`, `calendar year 2008`. */
function readYearWord(r: TokenReader): DateFields | null {
  r.take('calendar');
  const year = r.take('year') ? r.readYear() : null;
  return year === null ? null : { year };
}

/** `1990s`, `the 90s`. */
function readDecade(r: TokenReader): DateExpr | null {
  const number = r.peek();
  if (number?.type !== 'number' || !isDecade(r)) return null;
  r.at += 2;
  const { value } = number;
  const yearFor = (latest: number): number => {
    if (value >= 100) return value;
    const inThis = Math.floor(latest / 100) * 100 + value;
    return inThis > latest ? inThis - 100 : inThis;
  };
  return { fixed: { unit: 'decade', at: ({ today }) => spanOfMonths(yearFor(today.year), 1, 120) } };
}
