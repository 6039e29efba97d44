/**
 * Parses the sentence of a schedule, such as `weekdays at 8:30 in Europe/Berlin`: a zone anywhere, then the days or an
 * interval, then times of day. A word without a meaning is refused with its place, never skipped.
 */
import { UsageError } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import {
  EVERY_DAY,
  MINUTES_A_DAY,
  normalSchedule,
  type Schedule,
  SHORTEST_INTERVAL_MINUTES,
  tooCloseTimes,
  WEEKEND,
  type Weekday,
  WORKING_DAYS,
} from './schedule.ts';
import { type Fault, looksLikeTime, readCount, readTime, type ScheduleWord, wordsOf } from './schedule-words.ts';

const EXAMPLE = 'weekdays at 08:30';

/** `zone` applies where the sentence names none. Throws a UsageError that points at the fault. */
export function parseSchedule(text: string, zone: string): Schedule {
  const fault: Fault = (message, span, example = EXAMPLE) =>
    new UsageError(message, { text, span: span ?? { start: 0, end: text.length }, example });
  const all = wordsOf(text);
  if (all.length === 0) throw fault('Say when the digest should come.');
  const { named, rest } = takeZone(text, all, fault);
  const { frequency, left } = readFrequency(rest, fault);
  const minutes = readTimes(left, fault);
  const inZone = named ?? zone;
  if (frequency.kind === 'interval') {
    const stray = left[0];
    if (stray) throw fault('An interval runs around the clock, so it takes no time of day.', stray, 'every 4 hours');
    return normalSchedule({ ...frequency, zone: inZone });
  }
  if (minutes.length === 0)
    throw fault('Say at what time of day the digest should come.', undefined, frequency.example);
  const { example: _, ...days } = frequency;
  const schedule = normalSchedule({ ...days, minutes, zone: inZone });
  const tooClose = tooCloseTimes(schedule);
  if (tooClose !== null) {
    const message = `A digest can come every ${SHORTEST_INTERVAL_MINUTES} minutes at most, and ${tooClose.join(' and ')} are closer.`;
    throw fault(message, { start: left[0]?.start ?? 0, end: left.at(-1)?.end ?? text.length }, 'every 15 minutes');
  }
  return schedule;
}

/** Takes `in <zone>` out, wherever it stands; the name of a zone may be several words, as that of a city. */
function takeZone(text: string, words: readonly ScheduleWord[], fault: Fault) {
  const at = words.findIndex((word) => word.text === 'in');
  if (at < 0) return { named: undefined, rest: words };
  for (let last = words.length - 1; last > at; last -= 1) {
    const start = words[at + 1]?.start ?? 0;
    const named = resolveZone(text.slice(start, words[last]?.end));
    if (named !== null) return { named, rest: [...words.slice(0, at), ...words.slice(last + 1)] };
  }
  const span = { start: words[at + 1]?.start ?? words[at]?.start ?? 0, end: text.trimEnd().length };
  throw fault('That is not a time zone I know.', span, `${EXAMPLE} in Europe/Berlin`);
}

/** What is left after the days are read: `at 9:00, 13:00 and 5pm`, with or without the small words. */
function readTimes(words: readonly ScheduleWord[], fault: Fault): number[] {
  const minutes: number[] = [];
  for (const word of words) {
    if (['at', 'and', '&', '@'].includes(word.text)) continue;
    const minute = readTime(word.text);
    if (minute === undefined) {
      const message = looksLikeTime(word.text) ? 'That is not a time of day.' : 'I do not understand this part.';
      throw fault(message, word);
    }
    minutes.push(minute);
  }
  return minutes;
}

/** Days come with an example of the same kind, for the person who forgot the time. */
type Frequency =
  | { readonly kind: 'interval'; readonly everyMinutes: number }
  | { readonly kind: 'weekly'; readonly weekdays: readonly Weekday[]; readonly example: string }
  | { readonly kind: 'monthly'; readonly day: number; readonly example: string };

interface ReadFrequency {
  readonly frequency: Frequency;
  readonly left: readonly ScheduleWord[];
}

// Maps, not objects: a person may well write `constructor`.
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
const UNITS = new Map<string, number>([
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
  if (!first) throw fault('Say on which days or how often the digest should come.');
  if (first.text === 'hourly') return { frequency: { kind: 'interval', everyMinutes: 60 }, left: words.slice(1) };
  if (first.text === 'monthly') return readMonthly(words, 1, fault);
  if (first.text === 'weekly') return readWeekdays(words, 1, fault);
  if (first.text === 'every' && second?.text === 'month') return readMonthly(words, 2, fault);
  if (first.text === 'every' && second?.text === 'week') return readWeekdays(words, 2, fault);
  if (first.text === 'every' || first.text === 'each')
    return readInterval(words, fault) ?? readWeekdays(words, 1, fault);
  return readWeekdays(words, 0, fault);
}

/** `every 4 hours`, `every 30min`, `every hour`; undefined when what follows `every` is neither number nor unit. */
function readInterval(words: readonly ScheduleWord[], fault: Fault): ReadFrequency | undefined {
  const [every, second, third] = words;
  if (!every || !second) throw fault('Say how often the digest should come.', every, 'every 4 hours');
  const glued = /^(\d+)([a-z]+)$/.exec(second.text);
  const count = glued ? Number(glued[1]) : readCount(second.text);
  const unit = glued ? glued[2] : count === undefined ? second.text : third?.text;
  const used = glued || count === undefined ? 2 : 3;
  const minutesEach = UNITS.get(unit ?? '');
  if (count === undefined && minutesEach === undefined) return undefined;
  const span = { start: every.start, end: words[used - 1]?.end ?? second.end };
  if (minutesEach === undefined) {
    throw fault('I know intervals of minutes and of hours.', span, LONGER.get(unit ?? '') ?? 'every 4 hours');
  }
  const everyMinutes = (count ?? 1) * minutesEach;
  if (everyMinutes < SHORTEST_INTERVAL_MINUTES) {
    throw fault('A digest can come every 15 minutes at most.', span, 'every 15 minutes');
  }
  if (everyMinutes >= MINUTES_A_DAY) {
    throw fault('An interval is shorter than a day; for longer ones name the days.', span, 'daily at 09:00');
  }
  return { frequency: { kind: 'interval', everyMinutes }, left: words.slice(used) };
}

function readWeekdays(words: readonly ScheduleWord[], from: number, fault: Fault): ReadFrequency {
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
    const message = from > 0 && at >= words.length ? 'Say on which day of the week.' : 'I do not understand this part.';
    throw fault(message, word, from > 0 ? 'weekly on friday at 17:00' : undefined);
  }
  const example = weekdays.length === 7 ? 'daily at 09:00' : 'mondays at 09:00';
  return { frequency: { kind: 'weekly', weekdays, example }, left: words.slice(at) };
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
  if (!isDay) throw fault('Say on which day of the month.', word ?? words[0], example);
  const day = word.text === 'last' ? 31 : word.text === 'first' ? 1 : Number.parseInt(word.text, 10);
  if (day < 1 || day > 31) throw fault('A month has no such day.', word, example);
  const left = words.slice(at + 1);
  return { frequency: { kind: 'monthly', day, example }, left: left[0]?.text === 'day' ? left.slice(1) : left };
}
