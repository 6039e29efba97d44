/** Holidays with one meaning: fixed dates, weekdays of a month, and days relative to Easter or Thanksgiving. */
import { dateOf, type PlainDate, plusDays, spanOfDays, weekdayFrom } from '../calendar.ts';
import type { TokenReader } from '../lexer/lexer.ts';
import type { DateExpr, DateFields, RuleGroup } from '../model.ts';

export const NAMED_DAYS: RuleGroup = {
  title: 'Holidays',
  about: 'Easter is Western Easter; Labor Day is the American one.',
  examples: `
christmas                                => 2024-12-25 .. 2024-12-26
christmas eve to boxing day              => 2024-12-24 .. 2024-12-27
new year's day                           => 2025-01-01 .. 2025-01-02
valentine's day                          => 2025-02-14 .. 2025-02-15
good friday                              => 2025-04-18 .. 2025-04-19
easter monday 2024                       => 2024-04-01 .. 2024-04-02
labor day                                => 2024-09-02 .. 2024-09-03
black friday                             => 2024-11-29 .. 2024-11-30
black friday to cyber monday last year   => 2024-11-29 .. 2024-12-03
since halloween                          => 2024-10-31 .. now
`,
};

const on = (month: number, day: number): DateExpr => ({ fields: { month, day } });

/** `fields`: the part of the year it always falls in. */
const movable = (fields: DateFields, dayIn: (year: number) => PlainDate): DateExpr => ({
  fields,
  inside: ({ start }) => spanOfDays(dayIn(start.year)),
});

const MONDAY = 1;
const THURSDAY = 4;

const firstWeekday = (year: number, month: number, weekday: number): PlainDate =>
  weekdayFrom(dateOf(year, month, 1), weekday);

/** Days from the fourth Thursday of November. */
const thanksgiving = (offset: number): DateExpr =>
  movable({ half: 2 }, (year) => plusDays(firstWeekday(year, 11, THURSDAY), 21 + offset));

/** Days from Western Easter Sunday (anonymous Gregorian algorithm). */
const easter = (offset: number): DateExpr =>
  movable({ half: 1 }, (year) => {
    const [golden, century, inCentury] = [year % 19, Math.floor(year / 100), year % 100];
    const skipped = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25);
    const moon = (19 * golden + skipped + 15) % 30;
    const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(inCentury / 4) - moon - (inCentury % 4)) % 7;
    const late = Math.floor((golden + 11 * moon + 19 * weekday) / 433);
    const days = moon + weekday - 7 * late;
    return plusDays(dateOf(year, 3, 22), days + offset);
  });

/** Names without apostrophes. */
const NAMES: readonly (readonly [names: string, holiday: DateExpr])[] = [
  ['new years eve|new year eve', on(12, 31)],
  ['new years day|new year day|new years|new year', on(1, 1)],
  ['valentines day|valentine day|valentines', on(2, 14)],
  ['april fools day|april fools|april fool day', on(4, 1)],
  ['good friday', easter(-2)],
  ['easter monday', easter(1)],
  ['easter sunday|easter day|easter', easter(0)],
  ['labor day', movable({ month: 9 }, (year) => firstWeekday(year, 9, MONDAY))],
  ['halloween', on(10, 31)],
  ['thanksgiving day|thanksgiving', thanksgiving(0)],
  ['black friday', thanksgiving(1)],
  ['cyber monday', thanksgiving(4)],
  ['christmas eve', on(12, 24)],
  ['christmas day|christmas', on(12, 25)],
  ['boxing day', on(12, 26)],
];

/** `valentine's day`, `valentines' day` and `valentines day` are one. */
const spellings = (name: string): string[] => [" ' s", "s '", 's'].map((ending) => name.replace(/s(?= |$)/, ending));

const HOLIDAYS = NAMES.map(([names, holiday]) => [names.split('|').flatMap(spellings).join('|'), holiday] as const);

export const readHoliday = (r: TokenReader): DateExpr | null => HOLIDAYS.find(([names]) => r.take(names))?.[1] ?? null;
