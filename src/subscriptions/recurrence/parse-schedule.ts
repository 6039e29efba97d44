/**
 * Parses a schedule such as `weekdays at 8:30 in Europe/Berlin`: a zone anywhere, then days or an interval, then times of
 * day. Unknown words are refused with their position, never skipped.
 */
import { UsageError } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import {
  EVERY_DAY,
  MIN_INTERVAL_MINUTES,
  MINUTES_A_DAY,
  normalSchedule,
  type Schedule,
  tooCloseTimes,
  WEEKEND,
  type Weekday,
  WORKING_DAYS,
} from './schedule.ts';
import { type Fault, looksLikeTime, readCount, readTime, type ScheduleWord, wordsOf } from './schedule-words.ts';

const EXAMPLE = 'weekdays at 08:30';

/** `zone` applies if the sentence names none. Throws a UsageError that points at the mistake. */
export function parseSchedule(text: string, zone: string): Schedule {
  const fault: Fault = (message, span, example = EXAMPLE) =>
    new UsageError(message, { text, span: span ?? { start: 0, end: text.length }, example });
  const all = wordsOf(text);
  if (all.length === 0) throw fault('When should the digest be sent?');
  const { named, rest } = takeZone(text, all, fault);
  const { frequency, left } = readFrequency(rest, fault);
  const minutes = readTimes(left, fault);
  const inZone = named ?? zone;
  if (frequency.kind === 'interval') {
    const stray = left[0];
    if (stray)
      throw fault('An interval runs around the clock, so it can’t have a time of day.', stray, 'every 4 hours');
    return normalSchedule({ ...frequency, zone: inZone });
  }
  if (minutes.length === 0) throw fault('At what time of day should the digest be sent?', undefined, frequency.example);
  const { example: _, ...days } = frequency;
  const schedule = normalSchedule({ ...days, minutes, zone: inZone });
  const tooClose = tooCloseTimes(schedule);
  if (tooClose !== null) {
    const message = `Digests must be at least ${MIN_INTERVAL_MINUTES} minutes apart; ${tooClose.join(' and ')} are closer.`;
    throw fault(message, { start: left[0]?.start ?? 0, end: left.at(-1)?.end ?? text.length }, 'every 15 minutes');
  }
  return schedule;
}

/** Removes `in <zone>` from anywhere in the sentence; a zone may be several words, such as a city. */
function takeZone(text: string, words: readonly ScheduleWord[], fault: Fault) {
  const at = words.findIndex((word) => word.text === 'in');
  // `daily at 15:30 UTC`
  const atEnd = at < 0 ? resolveZone(words.at(-1)?.text ?? '') : null;
  if (at < 0) return { named: atEnd ?? undefined, rest: atEnd === null ? words : words.slice(0, -1) };
  for (let last = words.length - 1; last > at; last -= 1) {
    const start = words[at + 1]?.start ?? 0;
    const named = resolveZone(text.slice(start, words[last]?.end));
    if (named !== null) return { named, rest: [...words.slice(0, at), ...words.slice(last + 1)] };
  }
  const span = { start: words[at + 1]?.start ?? words[at]?.start ?? 0, end: text.trimEnd().length };
  throw fault('I don’t know that time zone.', span, `${EXAMPLE} in Europe/Berlin`);
}

/** What's left after the days: `at 9:00, 13:00 and 5pm`, with or without the small words. */
function readTimes(words: readonly ScheduleWord[], fault: Fault): number[] {
  const minutes: number[] = [];
  for (const word of words) {
    if (['at', 'and', '&', '@'].includes(word.text)) continue;
    const minute = readTime(word.text);
    if (minute === undefined) {
      const message = looksLikeTime(word.text) ? 'That isn’t a time of day.' : 'I don’t understand this part.';
      throw fault(message, word);
    }
    minutes.push(minute);
  }
  return minutes;
}

/** Days include an example of the same kind, for somebody who forgot the time. */
type Frequency =
  | { readonly kind: 'interval'; readonly everyMinutes: number }
  | { readonly kind: 'weekly'; readonly weekdays: readonly Weekday[]; readonly example: string }
  | { readonly kind: 'monthly'; readonly day: number; readonly example: string };

interface ReadFrequency {
  readonly frequency: Frequency;
  readonly left: readonly ScheduleWord[];
}

// Maps, not objects: somebody may well type `constructor`.
const DAYS = new Map<string, Weekday>(
  [
    ['mon', 'monday'],
    ['tue', 'tues', 'tuesday'],
    ['wed', 'weds', 'wednesday'],
    ['thu', 'thur', 'thurs', 'thursday'],
    ['fri', 'friday'],
    ['sat', 'saturday'],
    ['sun', 'sunday'],
  ].flatMap((names, index) => names.map((name) => [name, EVERY_DAY[index] ?? 1] as const)),
);
const GROUPS = new Map<string, readonly Weekday[]>([
  ...['daily', 'day', 'days', 'everyday'].map((name) => [name, EVERY_DAY] as const),
  ...['weekday', 'weekdays', 'workday', 'workdays'].map((name) => [name, WORKING_DAYS] as const),
  ...['weekend', 'weekends'].map((name) => [name, WEEKEND] as const),
]);
/** In minutes. */
export const UNITS: ReadonlyMap<string, number> = new Map<string, number>([
  ...['h', 'hr', 'hrs', 'hour', 'hours'].map((name) => [name, 60] as const),
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((name) => [name, 1] as const),
]);
const LONGER = new Map<string, string>([
  ...['d', 'days'].map((name) => [name, 'daily at 09:00'] as const),
  ...['w', 'weeks'].map((name) => [name, 'mondays at 09:00'] as const),
  ['months', 'monthly on the 1st at 09:00'],
]);

function readFrequency(words: readonly ScheduleWord[], fault: Fault): ReadFrequency {
  const [first, second] = words;
  if (!first) throw fault('On which days, or how often, should the digest be sent?');
  if (first.text === 'hourly') return { frequency: { kind: 'interval', everyMinutes: 60 }, left: words.slice(1) };
  if (first.text === 'monthly') return readMonthly(words, 1, fault);
  if (first.text === 'weekly') return readWeekdays(words, 1, fault);
  if (first.text === 'every' && second?.text === 'month') return readMonthly(words, 2, fault);
  if (first.text === 'every' && second?.text === 'week') return readWeekdays(words, 2, fault);
  if (first.text === 'every' || first.text === 'each')
    return readInterval(words, fault) ?? readWeekdays(words, 1, fault);
  return readWeekdays(words, 0, fault);
}

/** `every 4 hours`, `every 30min`, `every hour`; undefined if `every` isn't followed by a number or a unit. */
function readInterval(words: readonly ScheduleWord[], fault: Fault): ReadFrequency | undefined {
  const [every, second, third] = words;
  if (!every || !second) throw fault('How often should the digest be sent?', every, 'every 4 hours');
  const glued = /^(\d+)([a-z]+)$/.exec(second.text);
  const count = glued ? Number(glued[1]) : readCount(second.text);
  const unit = glued ? glued[2] : count === undefined ? second.text : third?.text;
  const used = glued || count === undefined ? 2 : 3;
  const minutesEach = UNITS.get(unit ?? '');
  if (count === undefined && minutesEach === undefined) return undefined;
  const span = { start: every.start, end: words[used - 1]?.end ?? second.end };
  if (minutesEach === undefined) {
    throw fault('Intervals must be in minutes or hours.', span, LONGER.get(unit ?? '') ?? 'every 4 hours');
  }
  const everyMinutes = (count ?? 1) * minutesEach;
  if (everyMinutes < MIN_INTERVAL_MINUTES) {
    throw fault('The shortest interval is 15 minutes.', span, 'every 15 minutes');
  }
  if (everyMinutes >= MINUTES_A_DAY) {
    throw fault('Intervals must be shorter than a day. For longer ones, name the days.', span, 'daily at 09:00');
  }
  return { frequency: { kind: 'interval', everyMinutes }, left: words.slice(used) };
}

/** Days of the week and groups of them, from a position on. */
export function readWeekdays(words: readonly ScheduleWord[], from: number, fault: Fault) {
  const weekdays: Weekday[] = [];
  let at = from;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    const days = GROUPS.get(text) ?? dayOf(text);
    if (days) weekdays.push(...days);
    else if (!['on', 'and', '&', 'every'].includes(text)) break;
  }
  if (weekdays.length === 0) {
    const word = words[at] ?? words[0];
    const message = from > 0 && at >= words.length ? 'On which day of the week?' : 'I don’t understand this part.';
    throw fault(message, word, from > 0 ? 'weekly on friday at 17:00' : undefined);
  }
  const example = weekdays.length === 7 ? 'daily at 09:00' : 'mondays at 09:00';
  return { frequency: { kind: 'weekly', weekdays, example } as const, left: words.slice(at) };
}

function dayOf(text: string): readonly Weekday[] | undefined {
  const day = DAYS.get(text) ?? DAYS.get(text.replace(/s$/, ''));
  return day && [day];
}

/** `monthly on the 1st`, `monthly on the last day`, `monthly on day 15`. */
function readMonthly(words: readonly ScheduleWord[], from: number, fault: Fault): ReadFrequency {
  const example = 'monthly on the 1st at 07:00';
  let at = from;
  while (['on', 'the', 'day'].includes(words[at]?.text ?? '')) at += 1;
  const word = words[at];
  const isDay = word && at > from && /^(\d{1,2}(st|nd|rd|th)?|first|last)$/.test(word.text);
  if (!isDay) throw fault('On which day of the month?', word ?? words[0], example);
  const day = word.text === 'last' ? 31 : word.text === 'first' ? 1 : Number.parseInt(word.text, 10);
  if (day < 1 || day > 31) throw fault('A month has no such day.', word, example);
  const left = words.slice(at + 1);
  return { frequency: { kind: 'monthly', day, example }, left: left[0]?.text === 'day' ? left.slice(1) : left };
}
