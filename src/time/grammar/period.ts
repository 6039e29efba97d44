/** Periods that contain something else (`early march`, `end of last week`), and weeks or days named by another day. */
import { mondayOf, plusDays, spanOfDays } from '../calendar.ts';
import { attempt, peek, readNumber, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import { SPELLED_UNITS, UNITS } from '../lexer/words.ts';
import type { CivilSpan, DateExpr, ParsedDuration, RuleGroup } from '../model.ts';
import { readDuration } from './duration.ts';
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
export function readPeriod(r: TokenReader, bare = false): DateExpr | null {
  return attempt(r, () => {
    const the = take(r, 'the') || bare;
    const unit = the && SPELLED_UNITS.has(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
    const isCalendar = unit === 'day' || unit === 'week' || unit === 'month' || unit === 'quarter' || unit === 'year';
    if (isCalendar && peek(r, 1)?.type !== 'number') {
      r.at += 1;
      return thisUnit(unit).date ?? null;
    }
    const date = readRelativeDays(r) ?? attempt(r, readNamedDate);
    return date && withMore(r, date);
  });
}

/** `march of last year`, `last year's march`. */
function withMore(r: TokenReader, date: DateExpr): DateExpr {
  const merged = attempt(r, () => {
    take(r, 'of') || take(r, ',') || take(r, 'in');
    const more = readRelativeDays(r) ?? attempt(r, readNamedDate);
    return more ? mergeDates(date, more) : null;
  });
  return merged ?? date;
}

const EDGES: readonly (readonly [words: readonly string[], part: 'start' | 'middle' | 'end'])[] = [
  [['beginning', 'of'], 'start'],
  [['start', 'of'], 'start'],
  [['early'], 'start'],
  [['middle', 'of'], 'middle'],
  [['mid', '-'], 'middle'],
  [['mid'], 'middle'],
  [['end', 'of'], 'end'],
  [['late'], 'end'],
];

/** Words before `day` in `end of day`. */
const DAY_ARTICLES: ReadonlySet<string> = new Set(['of', 'the']);

/** `early march`, `mid-2024`, `end of last week`, `EOD`. */
export function readPartOfPeriod(r: TokenReader): DateExpr | null {
  if (take(r, 'eod')) return { ...thisUnit('day').date, part: 'end', dayEnd: true };
  take(r, 'the');
  const edge = EDGES.find(([words]) => take(r, ...words));
  const period = edge && readPeriod(r, edge[0].at(-1) === 'of');
  if (!period || !edge || period.part) return null;
  const isDayEnd = edge[1] === 'end' && textAt(r, -1) === 'day' && DAY_ARTICLES.has(textAt(r, -2));
  return { ...period, part: edge[1], ...(isDayEnd ? { dayEnd: true } : {}) };
}

const WEEK_STARTS: ReadonlySet<string> = new Set(['beginning', 'starting', 'commencing']);

/** `week of march 3`, `w/c feb 4`, `week ending 2024-03-10`. */
export function readWeekOf(r: TokenReader): DateExpr | null {
  take(r, 'the');
  const inside = readWeekWords(r);
  if (!inside) return null;
  take(r, 'on');
  const date = readDay(r);
  return date && !date.inside ? { ...date, inside } : null;
}

function readWeekWords(r: TokenReader): ((span: CivilSpan) => CivilSpan | null) | null {
  const containing = ({ start }: CivilSpan) => spanOfDays(mondayOf(start), 7);
  const starting = ({ start }: CivilSpan) => spanOfDays(start, 7);
  const ending = ({ end }: CivilSpan) => spanOfDays(plusDays(end, -7), 7);
  if (take(r, 'w', '/', 'c')) return starting;
  if (!take(r, 'week')) return null;
  if (take(r, 'of')) return containing;
  if (takeOne(r, WEEK_STARTS)) return starting;
  return take(r, 'ending') ? ending : null;
}

/** A single day. */
function readDay(r: TokenReader): DateExpr | null {
  take(r, 'the');
  const date = readRelativeDays(r) ?? attempt(r, readNamedDate) ?? attempt(r, readHoliday);
  if (date) {
    const isDay = date.fixed?.unit === 'day' || date.fields?.day !== undefined || date.fields?.weekday !== undefined;
    return isDay ? date : null;
  }
  const number = readNumber(r);
  return number?.ordinal ? { fields: { day: number.value } } : null;
}

const DAYS_OF: ReadonlyMap<string | undefined, number> = new Map([
  ['day', 1],
  ['week', 7],
]);

/**
 * A day counted from another: `the day before june 5`, `3 days before yesterday`, `2 weeks after may 5`. As with
 * `3 days ago`, one day is meant. Hours before a clock time are a range, see `anchored-duration.ts`.
 */
export function readDayOffset(r: TokenReader): DateExpr | null {
  const days = attempt(r, () => daysOf(readDuration(r))) ?? readOneDay(r);
  if (days === null) return null;
  const sign = take(r, 'before') ? -1 : take(r, 'after') ? 1 : 0;
  const date = sign === 0 ? null : (attempt(r, readDayOffset) ?? readDay(r));
  if (!date) return null;
  return {
    fixed: {
      unit: 'day',
      at: (env) => {
        const span = env.daysOf(date);
        return span && spanOfDays(plusDays(span.start, sign * days));
      },
    },
  };
}

/** `the day before …`; `the week before …` could be any seven days. */
function readOneDay(r: TokenReader): number | null {
  take(r, 'the');
  return take(r, 'day') ? 1 : null;
}

function daysOf(duration: ParsedDuration | null): number | null {
  const days = DAYS_OF.get(duration?.unit);
  const many = (duration?.count ?? 0) * (days ?? 0);
  return !duration?.fault && many > 0 && Number.isInteger(many) ? many : null;
}
