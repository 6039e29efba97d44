/**
 * What is relative to another window, the one compared with or the last one in a conversation: `the week before`, `the 2h before`,
 * `the night before`; `same time last week`.
 */
import { plusDays, unitSpan } from '../calendar.ts';
import { attempt, refuse, spanSince, type TokenReader, take, takeOne, textAt } from '../lexer/lexer.ts';
import { type CalendarUnit, LAST_WORDS, SINGULAR_UNITS, UNITS, YESTERDAY_WORDS } from '../lexer/words.ts';
import type { Env, ParsedDuration, Range } from '../model.ts';
import { isMidnight } from '../zones/zones.ts';
import { addDuration, durationOf, type EndParts, isCalendar, readDuration } from './duration.ts';

export const readBeforeThat = (r: TokenReader): EndParts | null => attempt(r, readBefore) ?? attempt(r, readSameTime);

/** Only at the end: `the week before last`, `2 hours before 14:30` say what they are before. */
function readBefore(r: TokenReader): EndParts | null {
  const first = r.at;
  take(r, 'the');
  const isNight = take(r, 'night');
  const unit = isNight ? undefined : SINGULAR_UNITS.has(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
  if (unit) r.at += 1;
  const duration = isNight ? null : unit ? durationOf(1, unit) : readDuration(r);
  if ((!isNight && !duration) || !take(r, 'before') || r.at < r.tokens.length) return null;
  const span = spanSince(r, first);
  const at = (env: Env): Range => {
    const { previous, zone } = env;
    if (!previous || duration?.fault)
      return refuse(r.text, span, 'Before what? Name that window first, such as last week.');
    if (isNight || !duration)
      return nightBefore(previous, zone) ?? refuse(r.text, span, "I can't tell which night you mean.");
    if (unit && isCalendar(unit)) return unitBefore(unit, duration, previous, env);
    return { from: addDuration(previous.from, duration, zone, -1), to: previous.from };
  };
  return { instants: { kind: 'between', at } };
}

/** Of a whole week the week before it, of anything shorter the same hours a week earlier. */
function unitBefore(unit: CalendarUnit, duration: ParsedDuration, previous: Range, { now, zone }: Env): Range {
  const day = previous.from.toZonedDateTimeISO(zone).toPlainDate();
  const startOf = (date: Temporal.PlainDate): Temporal.Instant => date.toZonedDateTime(zone).toInstant();
  const [own, before] = [unitSpan(unit, day, 0), unitSpan(unit, day, -1)];
  const end = startOf(own.end);
  const isCut = previous.to.equals(now) && Temporal.Instant.compare(now, end) < 0;
  const isWhole = startOf(own.start).equals(previous.from) && (previous.to.equals(end) || isCut);
  if (isWhole) return { from: startOf(before.start), to: startOf(before.end) };
  const from = addDuration(previous.from, duration, zone, -1);
  const isLonger = Temporal.Instant.compare(addDuration(previous.from, duration, zone, 1), previous.to) < 0;
  return isLonger ? { from, to: previous.from } : shifted(previous, duration, zone);
}

const shifted = ({ from, to }: Range, duration: ParsedDuration, zone: string): Range => ({
  from: addDuration(from, duration, zone, -1),
  to: addDuration(to, duration, zone, -1),
});

/** The night that ended on the day of the window; of something at night nobody can tell. */
function nightBefore({ from }: Range, zone: string): Range | null {
  const start = from.toZonedDateTimeISO(zone);
  if (start.hour < 8 && !isMidnight(start)) return null;
  const day = start.toPlainDate();
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone: zone, plainTime: time }).toInstant();
  return { from: at(plusDays(day, -1), '18:00'), to: at(day, '08:00') };
}

const SAME_WORDS: ReadonlySet<string> = new Set('time times hour hours period window'.split(' '));

/** `same time last week`, `this time yesterday`: that window; without one, or next to `since`, that moment. */
function readSameTime(r: TokenReader): EndParts | null {
  const first = r.at;
  take(r, 'the');
  const isSame = take(r, 'same');
  if (!(isSame ? takeOne(r, SAME_WORDS) : take(r, 'this', 'time'))) return null;
  const duration = readDistance(r);
  if (!duration) return null;
  const isAlone = first === 0 && r.at === r.tokens.length;
  const at = ({ now, zone, previous }: Env): Range =>
    shifted(isAlone && previous ? previous : { from: now, to: now }, duration, zone);
  return { instants: { kind: 'between', at } };
}

/** `yesterday`, `last week`, `the day before`, `2 days ago`. */
function readDistance(r: TokenReader): ParsedDuration | null {
  if (takeOne(r, YESTERDAY_WORDS)) return durationOf(1, 'day');
  take(r, 'the');
  const isLastUnit = takeOne(r, LAST_WORDS) !== null;
  const unit = SINGULAR_UNITS.has(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
  if (unit && isCalendar(unit) && unit !== 'weekend') {
    r.at += 1;
    return isLastUnit || take(r, 'before') ? durationOf(1, unit) : null;
  }
  const duration = isLastUnit ? null : readDuration(r);
  return duration && !duration.fault && (take(r, 'ago') || take(r, 'before') || take(r, 'earlier')) ? duration : null;
}
