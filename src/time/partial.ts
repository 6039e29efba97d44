/** Early, mid, late: which days of a period that is. A third of a month; of a week Monday to Wednesday, and so on. */
import { plusDays, spanOfMonths } from './calendar.ts';
import type { CivilSpan } from './model.ts';

type Part = 'start' | 'middle' | 'end';

const daysBetween = ({ start, end }: CivilSpan): number => start.until(end, { largestUnit: 'days' }).days;

export function partOf(span: CivilSpan, part: Part): CivilSpan | null {
  const days = daysBetween(span);
  const { start, end } = span;
  if (days === 7) return slice(start, part === 'start' ? [0, 3] : part === 'middle' ? [2, 5] : [4, 7]);
  if (days >= 28 && days <= 31) {
    const last = part === 'end' ? end : plusDays(start, part === 'start' ? 10 : 20);
    return { start: plusDays(start, part === 'start' ? 0 : part === 'middle' ? 10 : 20), end: last };
  }
  if (days >= 365 && days <= 366) {
    const [month, months] = part === 'start' ? [1, 3] : part === 'middle' ? [5, 4] : [9, 4];
    return spanOfMonths(start.year, month, months);
  }
  if (days >= 90 && days <= 92) {
    const month = start.month + (part === 'start' ? 0 : part === 'middle' ? 1 : 2);
    return spanOfMonths(start.year, month, 1);
  }
  return null;
}

const slice = (start: Temporal.PlainDate, [from, to]: readonly [number, number]): CivilSpan => ({
  start: plusDays(start, from),
  end: plusDays(start, to),
});
