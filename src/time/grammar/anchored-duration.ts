/**
 * A duration next to a moment: starting at it (`90m from 14:00`, `4pm for 30 mins`), up to it (`2 hours before 14:30`), or on both
 * sides (`14:00 ± 30m`, `30 min either side of 14:00`); and two durations back from now (`2-4 hours ago`).
 */
import { attempt, readNumber, spanSince, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import { SPELLED_UNITS, UNITS } from '../lexer/words.ts';
import type { RangeEnd, RangeShape, RuleGroup } from '../model.ts';
import { PLAIN_SEPARATOR, readSeparator } from './connectives.ts';
import { durationOf, readDuration } from './duration.ts';
import { readEnd } from './end.ts';
import { readDayOffset } from './period.ts';
import { agoParts } from './rolling.ts';

export const DURATIONS_NEXT_TO_A_MOMENT: RuleGroup = {
  title: 'A duration next to a moment',
  about: '`around` alone means half an hour on each side.',
  examples: `
around 14:30                             => 2025-06-18 14:00 .. 2025-06-18 15:00
yesterday around 2pm                     => 2025-06-17 13:30 .. 2025-06-17 14:30
14:00 ± 20m                              => 2025-06-18 13:40 .. 2025-06-18 14:20
10 min either side of 9:15               => 2025-06-18 09:05 .. 2025-06-18 09:25
3pm for 40 mins                          => 2025-06-18 15:00 .. 2025-06-18 15:40
yesterday at 9:40am, for 25 mins         => 2025-06-17 09:40 .. 2025-06-17 10:05
90m from 14:00                           => 2025-06-18 14:00 .. 2025-06-18 15:30
2 hours before 14:30                     => 2025-06-18 12:30 .. 2025-06-18 14:30
the hour after noon                      => 2025-06-18 12:00 .. 2025-06-18 13:00
30 minutes after 2pm                     => 2025-06-18 14:00 .. 2025-06-18 14:30
2 weeks starting may 20th                => 2025-05-20 .. 2025-06-03
7 days ending june 5                     => 2025-05-30 .. 2025-06-06
2-4 hours ago                            => 2025-06-18 12:25:40 .. 2025-06-18 14:25:40
`,
};

export const readAnchoredDuration = (r: TokenReader): RangeShape | null =>
  attempt(r, readForFirst) ?? attempt(r, readDurationOf) ?? attempt(r, readMarginFirst) ?? attempt(r, readAgoPair);

/** `for 3 hours from 10 am`. */
const readForFirst = (r: TokenReader): RangeShape | null => (take(r, 'for') ? readDurationOf(r) : null);

const FROM_WORDS: ReadonlySet<string> = new Set('from starting since'.split(' '));
const UNTIL_WORDS: ReadonlySet<string> = new Set('before until till ending'.split(' '));

/** `2 weeks starting may 20th`, `90m from 14:00`, `2 hours before 14:30`, `the hour after noon`, `7 days ending june 5`. */
function readDurationOf(r: TokenReader): RangeShape | null {
  const the = take(r, 'the');
  const unit = the ? UNITS.get(textAt(r)) : undefined;
  // `the day before yesterday 2pm to 4pm` names a day.
  if (unit === 'day' && attempt(r, readDayOffset)) return null;
  const one = unit && SPELLED_UNITS.has(textAt(r)) ? durationOf(1, unit) : null;
  if (one) r.at += 1;
  const duration = one ?? readDuration(r);
  if (!duration || textAt(r, 1) === 'now') return null;
  const after = !duration.calendar && take(r, 'after');
  const from = after || takeOne(r, FROM_WORDS) !== null;
  const wholeDays = duration.calendar && textAt(r) === 'ending';
  if (!from && takeOne(r, UNTIL_WORDS) === null && !take(r, 'up', 'to')) return null;
  take(r, 'from') || take(r, 'at') || take(r, 'on');
  const end = readEnd(r, false);
  if (!end || end.duration || (after && !end.clock)) return null;
  if (!from && !end.clock && !end.dateMath && !end.ago && !(wholeDays && end.date)) return null;
  return { shape: from ? 'for' : 'until', duration, end, ...(wholeDays && !end.clock ? { wholeDays } : {}) };
}

/** `30 min either side of 14:00`, `10m before and after 2pm`, `±15m around 14:00`, `within 10m of 14:00`. */
function readMarginFirst(r: TokenReader): RangeShape | null {
  const isSigned = takePlusMinus(r);
  const isWithin = !isSigned && take(r, 'within');
  const margin = readDuration(r);
  if (!margin || (isWithin && textAt(r) !== 'of')) return null;
  const isBoth = isSigned || isWithin || take(r, 'either', 'side') || take(r, 'before', 'and', 'after');
  if (!isBoth) return null;
  take(r, 'around') || take(r, 'of');
  const end = readEnd(r, false);
  return end && (end.clock || end.instants) && !end.duration ? { shape: 'around', end, margin } : null;
}

/** `14:00 ± 30m`, `14:00 +/- 30m`. */
export function readMarginAfter(r: TokenReader, end: RangeEnd): RangeShape | null {
  if (!(end.clock || (end.instants && !end.duration)) || !takePlusMinus(r)) return null;
  const margin = readDuration(r);
  return margin && { shape: 'around', end, margin };
}

const takePlusMinus = (r: TokenReader): boolean => take(r, '±') || take(r, '+', '/', '-');

/** `between 12 and 24 hours ago`, `2-4 hours ago`. */
function readAgoPair(r: TokenReader): RangeShape | null {
  const first = r.at;
  take(r, 'from') || take(r, 'between');
  const near = readNumber(r);
  if (!near || near.ordinal || !(take(r, 'and') || readSeparator(r))) return null;
  const duration = readDuration(r);
  const { unit, count } = duration ?? {};
  if (!unit || count === undefined || !(take(r, 'ago') || take(r, 'back'))) return null;
  const span = spanSince(r, first);
  const ago = (value: number): RangeEnd => ({ ...agoParts(durationOf(value, unit)), span });
  const [from, to] = [ago(Math.max(near.value, count)), ago(Math.min(near.value, count))];
  return { shape: 'pair', from, to, ...PLAIN_SEPARATOR, after: false, back: false, since: false };
}

/** `4pm for 30 mins`, and `14th feb for 7 hours from 9:30am`. */
export function readForDuration(r: TokenReader, end: RangeEnd): RangeShape | null {
  take(r, ',');
  if (!take(r, 'for')) return null;
  const duration = readDuration(r);
  if (!duration) return null;
  const start = attempt(r, () => {
    if (!take(r, 'from') && !take(r, 'starting', 'at') && !take(r, 'at')) return null;
    const clock = readEnd(r, false);
    return clock?.clock ? clock : null;
  });
  return start ? { shape: 'for', end: start, duration, shared: end } : { shape: 'for', end, duration };
}
