/** A period that something else is part of: after `of`, after `early`, `mid`, `end of`; and the weeks named by a day. */
import { mondayOf, plusDays, spanOfDays } from './calendar.ts';
import { readNamedDate } from './date.ts';
import { readHoliday } from './holidays.ts';
import { mergeDates } from './merge.ts';
import type { CivilSpan, DateExpr } from './model.ts';
import { readNumber } from './number.ts';
import { attempt, peek, type Reader, take, takeOne, textAt } from './reader.ts';
import { readRelative, thisUnit } from './relative.ts';
import { isSpelledUnit, UNITS } from './vocabulary.ts';

/** `march`, `the year`, `last month`, `Q1 of last year`; `bare` where `month` alone is the running one. */
export function readPeriod(r: Reader, bare = false): DateExpr | null {
  return attempt(r, () => {
    const the = take(r, 'the') || bare;
    const unit = the && isSpelledUnit(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
    const isCalendar = unit === 'day' || unit === 'week' || unit === 'month' || unit === 'quarter' || unit === 'year';
    if (isCalendar && peek(r, 1)?.type !== 'number') {
      r.at += 1;
      return thisUnit(unit).date ?? null;
    }
    const date = readRelative(r)?.date ?? readNamedDate(r);
    return date && withMore(r, date);
  });
}

/** `march of last year`, `last year's march`. */
function withMore(r: Reader, date: DateExpr): DateExpr {
  const merged = attempt(r, () => {
    take(r, 'of') || take(r, ',') || take(r, 'in');
    const more = readRelative(r)?.date ?? readNamedDate(r);
    return more ? mergeDates(date, more) : null;
  });
  return merged ?? date;
}

const EDGES: readonly (readonly [words: readonly string[], part: 'start' | 'middle' | 'end'])[] = [
  [['beginning', 'of'], 'start'],
  [['start', 'of'], 'start'],
  [['early', 'in'], 'start'],
  [['early'], 'start'],
  [['middle', 'of'], 'middle'],
  [['mid', '-'], 'middle'],
  [['mid'], 'middle'],
  [['end', 'of'], 'end'],
  [['late', 'in'], 'end'],
  [['late'], 'end'],
];

const SHORT_EDGES = new Map([
  ['bom', ['month', 'start'] as const],
  ['boy', ['year', 'start'] as const],
  ['eom', ['month', 'end'] as const],
  ['eoy', ['year', 'end'] as const],
]);

/** The words either of these begins with. */
export const EDGE_STARTS: ReadonlySet<string> = new Set([
  ...EDGES.map(([words]) => words[0] ?? ''),
  ...SHORT_EDGES.keys(),
]);

/** `early march`, `mid-2024`, `end of last week`. */
export function readPartial(r: Reader): DateExpr | null {
  const short = SHORT_EDGES.get(textAt(r));
  if (short) {
    r.at += 1;
    return { ...thisUnit(short[0]).date, part: short[1] };
  }
  const ahead = textAt(r) === 'the' ? 1 : 0;
  if (!EDGE_STARTS.has(textAt(r, ahead))) return null;
  return attempt(r, () => {
    r.at += ahead;
    const edge = EDGES.find(([words]) => take(r, ...words));
    const period = edge && readPeriod(r, edge[0].at(-1) === 'of');
    return period && edge && !period.part ? { ...period, part: edge[1] } : null;
  });
}

const WEEK_STARTS: ReadonlySet<string> = new Set('beginning starting commencing from'.split(' '));

/** `week of march 3`, `w/c feb 4`, `week ending 2024-03-10`, `weekend of june 7`. */
export function readWeekOf(r: Reader): DateExpr | null {
  const word = textAt(r, textAt(r) === 'the' ? 1 : 0);
  if (word !== 'week' && word !== 'weekend' && word !== 'w' && word !== 'wc') return null;
  return attempt(r, () => {
    take(r, 'the');
    const inside = readWeekWords(r);
    if (!inside) return null;
    take(r, 'on');
    const date = readDay(r);
    return date && !date.inside ? { ...date, inside } : null;
  });
}

function readWeekWords(r: Reader): ((span: CivilSpan) => CivilSpan | null) | null {
  const containing = ({ start }: CivilSpan) => spanOfDays(mondayOf(start), 7);
  const starting = ({ start }: CivilSpan) => spanOfDays(start, 7);
  const ending = ({ end }: CivilSpan) => spanOfDays(plusDays(end, -7), 7);
  // Of a day in between nobody knows which weekend is meant.
  const weekend = ({ start }: CivilSpan) => (start.dayOfWeek > 5 ? spanOfDays(plusDays(mondayOf(start), 5), 2) : null);
  if (take(r, 'weekend', 'of')) return weekend;
  if (take(r, 'w', '/', 'c') || take(r, 'w', '/', 'b') || take(r, 'wc')) return starting;
  if (take(r, 'w', '/', 'e')) return ending;
  if (!take(r, 'week')) return null;
  if (take(r, 'of') || take(r, 'containing')) return containing;
  if (takeOne(r, WEEK_STARTS)) return starting;
  return take(r, 'ending') ? ending : null;
}

/** One day, however said; a month or a year has more than one week. */
export function readDay(r: Reader): DateExpr | null {
  take(r, 'the');
  const date = readRelative(r)?.date ?? readNamedDate(r) ?? readHoliday(r);
  if (date) {
    const isDay = date.fixed?.unit === 'day' || date.fields?.day !== undefined || date.fields?.weekday !== undefined;
    return isDay ? date : null;
  }
  const number = readNumber(r);
  return number?.ordinal ? { fields: { day: number.value } } : null;
}
