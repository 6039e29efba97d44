/** Resolves named dates: which days the given fields mean, relative to now. */
import {
  dateIfReal,
  isBefore,
  isoWeek,
  type PlainDate,
  plusDays,
  spanOfDays,
  spanOfMonths,
  unitSpan,
  weekdayBy,
  weekdayFrom,
} from '../calendar.ts';
import type { CalendarUnit, CivilSpan, DateExpr, DateFields, Env } from '../model.ts';

/** A date without a year means the latest one starting by `by`, or the first one starting on or after `from`. */
export type DateBound = { readonly by: PlainDate } | { readonly from: PlainDate };

/** February 29 may be eight years away. */
const YEARS_TO_TRY = 9;
const MONTHS_TO_TRY = 30;

/** `null` if there are no such days. */
export function resolveDate(date: DateExpr, env: Env, bound: DateBound): CivilSpan | null {
  const { fields, fixed, inside } = date;
  const within = fixed?.at(env);
  const apply = (span: CivilSpan | null): CivilSpan | null => (span && inside ? inside(span) : span);
  if (!fields || within === null) return apply(within ?? null);
  if (within) return apply(resolveWithin(fields, within));
  if (date.which === 'this') return apply(resolveThis(fields, env));
  return resolveFields(fields, env, date.which === 'last' ? beforeCurrent(date, env) : bound, apply);
}

/** `last march` in March is not the current one. */
function beforeCurrent({ fields = {}, inside }: DateExpr, { today }: Env): DateBound {
  const unit = inside ? 'day' : grainOf(fields);
  return { by: plusDays(unitSpan(unit, today, 0).start, -1) };
}

export function grainOf({ day, weekday, month, quarter, half, week }: DateFields): CalendarUnit {
  if (day !== undefined || weekday !== undefined) return 'day';
  if (month !== undefined) return 'month';
  if (quarter !== undefined) return 'quarter';
  return half !== undefined ? 'half' : week !== undefined ? 'week' : 'year';
}

function resolveThis(fields: DateFields, { today }: Env): CivilSpan | null {
  if (fields.weekday !== undefined && fields.day === undefined)
    return resolveWithin(fields, unitSpan('week', today, 0));
  const month = fields.month ?? (fields.day === undefined ? undefined : today.month);
  return exact({ ...fields, year: today.year, month });
}

/** `monday of last week`, `Q2 this year`, `the 4th of this month`. */
function resolveWithin(fields: DateFields, { start, end }: CivilSpan): CivilSpan | null {
  if (fields.weekday !== undefined && fields.day === undefined) {
    const date = weekdayFrom(start, fields.weekday);
    return isBefore(date, end) ? spanOfDays(date) : null;
  }
  const month = fields.month ?? (fields.day === undefined ? undefined : start.month);
  const span = exact({ ...fields, year: start.year, month });
  const isWithin = span && !isBefore(span.start, start) && !isBefore(end, span.end);
  return isWithin || fields.week !== undefined ? span : null;
}

/** Resolves fields that include the year. */
function exact({ year = 0, month, day, weekday, quarter, half, week }: DateFields): CivilSpan | null {
  if (week !== undefined) {
    const whole = isoWeek(year, week);
    return whole && weekday !== undefined ? spanOfDays(plusDays(whole.start, weekday - 1)) : whole;
  }
  if (quarter !== undefined) return spanOfMonths(year, quarter * 3 - 2, 3);
  if (half !== undefined) return spanOfMonths(year, half * 6 - 5, 6);
  if (month === undefined) return spanOfMonths(year, 1, 12);
  if (month < 1 || month > 12) return null;
  if (day === undefined) return spanOfMonths(year, month, 1);
  const date = dateIfReal(year, month, day);
  return date && (weekday === undefined || date.dayOfWeek === weekday) ? spanOfDays(date) : null;
}

const fits = (span: CivilSpan, bound: DateBound): boolean =>
  'by' in bound ? !isBefore(bound.by, span.start) : !isBefore(span.start, bound.from);

type Apply = (span: CivilSpan | null) => CivilSpan | null;

function resolveFields(fields: DateFields, env: Env, bound: DateBound, apply: Apply): CivilSpan | null {
  const { year, month, day, weekday } = fields;
  if (year !== undefined) return apply(exact({ ...fields, year: fields.shortYear ? longYear(year, env) : year }));
  if (weekday !== undefined && day === undefined && month === undefined)
    return apply(spanOfDays('by' in bound ? weekdayBy(bound.by, weekday) : weekdayFrom(bound.from, weekday)));
  const isMonthly = day !== undefined && month === undefined && fields.week === undefined;
  const candidates = isMonthly ? overMonths(fields, bound) : overYears(fields, bound);
  for (const span of candidates) {
    // A weekday that doesn't match the latest such date is a mistake, not a hint at another year.
    if (month !== undefined && weekday !== undefined && span.start.dayOfWeek !== weekday && fits(span, bound))
      return null;
    const resolved = apply(span);
    // No fifth Monday this May is not a hint at another year either.
    if (!resolved && fits(span, bound)) return null;
    if (resolved && fits(resolved, bound)) return resolved;
  }
  return null;
}

/** `'95` is past, `'30` may be soon. */
const longYear = (year: number, { today }: Env): number => (2000 + year > today.year + 10 ? 1900 + year : 2000 + year);

function* overYears(fields: DateFields, bound: DateBound): Generator<CivilSpan> {
  // Week 1 of next year may start in this one.
  const over = fields.week === undefined ? 0 : 1;
  const [start, step] = 'by' in bound ? [bound.by.year + over, -1] : [bound.from.year - over, 1];
  for (let tries = 0; tries <= YEARS_TO_TRY; tries++) {
    const { weekday: _, ...rest } = fields;
    const span = exact({ ...rest, year: start + tries * step });
    if (span) yield span;
  }
}

function* overMonths(fields: DateFields, bound: DateBound): Generator<CivilSpan> {
  const [anchor, step] = 'by' in bound ? [bound.by, -1] : [bound.from, 1];
  for (let tries = 0; tries < MONTHS_TO_TRY; tries++) {
    const index = anchor.year * 12 + anchor.month - 1 + tries * step;
    const span = exact({ ...fields, year: Math.floor(index / 12), month: (index % 12) + 1 });
    if (span) yield span;
  }
}
