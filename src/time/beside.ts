/**
 * A day counted from another: `the day before june 5`, `3 days before yesterday`, `2 weeks after may 5`. As with
 * `3 days ago` one day is meant. Hours beside a clock time are a stretch instead, and read elsewhere.
 */
import { plusDays, spanOfDays } from './calendar.ts';
import { LENGTH_STARTS, type Length, readLength } from './length.ts';
import type { DateExpr } from './model.ts';
import { readDay } from './period.ts';
import { placeDate } from './place-date.ts';
import { attempt, peek, type Reader, take, textAt } from './reader.ts';

const DAYS_OF: ReadonlyMap<string | undefined, number> = new Map([
  ['day', 1],
  ['week', 7],
]);

export function readBeside(r: Reader): DateExpr | null {
  const isCounted = peek(r)?.type === 'number' || LENGTH_STARTS.has(textAt(r));
  if (!isCounted && textAt(r) !== 'day' && !(textAt(r) === 'the' && textAt(r, 1) === 'day')) return null;
  return attempt(r, () => {
    const days = isCounted ? daysOf(readLength(r)) : readOneDay(r);
    if (days === null) return null;
    const sign = take(r, 'before') ? -1 : take(r, 'after') ? 1 : 0;
    const date = sign === 0 ? null : (readBeside(r) ?? readDay(r));
    if (!date) return null;
    return {
      fixed: {
        unit: 'day',
        at: (env) => {
          const span = placeDate(date, env, { by: env.today });
          return span && spanOfDays(plusDays(span.start, sign * days));
        },
      },
    };
  });
}

/** A week before a day may be any seven days; with a number it is a distance. */
function readOneDay(r: Reader): number | null {
  take(r, 'the');
  return take(r, 'day') ? 1 : null;
}

function daysOf(length: Length | null): number | null {
  const days = DAYS_OF.get(length?.unit);
  const many = (length?.count ?? 0) * (days ?? 0);
  return !length?.fault && many > 0 && Number.isInteger(many) ? many : null;
}
