/** Merges two parts of one date: `friday` + `last week`, `Q2` + `this year`, `Mon` + `Nov 13`, `july` + `2024`. */
import type { CalendarUnit, DateExpr, DateFields } from '../model.ts';

type Field = keyof DateFields;

/** Fields allowed inside a unit relative to now. */
const INSIDE: Partial<Record<CalendarUnit, readonly Field[]>> = {
  week: ['weekday'],
  month: ['day', 'weekday'],
  quarter: ['month'],
  year: ['month', 'quarter', 'half', 'week'],
};

/** Fields that make sense together, in any order. */
const TOGETHER: readonly (readonly [one: Field, other: Field])[] = [
  ['weekday', 'day'],
  ['month', 'year'],
  ['quarter', 'year'],
  ['half', 'year'],
  ['week', 'year'],
  ['day', 'month'],
];

export function mergeDates(a: DateExpr, b: DateExpr): DateExpr | null {
  if (a.part || b.part || (a.inside && b.inside)) return null;
  const inside = a.inside ?? b.inside;
  const rest = inside ? { inside } : {};
  if (a.fixed && b.fixed) return null;
  const fixed = a.fixed ?? b.fixed;
  if (!fixed) {
    const fields = a.which || b.which ? null : mergeFields(a.fields ?? {}, b.fields ?? {});
    return fields && { fields, ...rest };
  }
  const fields = (a.fixed ? b : a).fields;
  const which = a.which ?? b.which;
  if (!fields || which || fields.year !== undefined || (a.fields && b.fields)) return null;
  const allowed = INSIDE[fixed.unit] ?? [];
  return allowed.some((field) => fields[field] !== undefined) ? { fixed, fields, ...rest } : null;
}

function mergeFields(a: DateFields, b: DateFields): DateFields | null {
  if (Object.keys(a).some((key) => key in b)) return null;
  const fits = TOGETHER.some(([one, other]) => (one in a && other in b) || (other in a && one in b));
  return fits ? { ...a, ...b } : null;
}
