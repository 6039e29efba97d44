/** The parts of composed phrases, each with what it means reckoned with Temporal alone. */
import type { SeededRandom } from '../../support/seeded-random.ts';

export type Instant = Temporal.Instant;
export type PlainDate = Temporal.PlainDate;

/** `expected` is null where the phrase must be refused. */
export interface ComposedPhrase {
  readonly family: string;
  readonly phrase: string;
  readonly now: Instant;
  readonly zone: string;
  readonly expected: { readonly from: Instant; readonly to: Instant } | null;
}

/** Asked from somewhere at some time; `zone` is the one the phrase is read in. */
export interface Asked {
  readonly now: Instant;
  readonly zone: string;
  readonly today: PlainDate;
}

/** A day in words. Some hang on when on that day something begins: `friday 6pm` has not begun at noon. */
export interface DayPart {
  readonly text: string;
  readonly dayFor: (clock: Temporal.PlainTime) => PlainDate;
  /** Neither a weekday nor a date without its year. */
  readonly isFull: boolean;
  readonly isToday?: boolean;
}

export interface ClockPart {
  readonly text: string;
  readonly time: Temporal.PlainTime;
}

export const ASKING_ZONES =
  'UTC Europe/Berlin Europe/London America/New_York America/St_Johns America/Los_Angeles Asia/Kolkata Asia/Tokyo Australia/Sydney Australia/Lord_Howe Pacific/Auckland Africa/Cairo'.split(
    ' ',
  );

/** Ordinary days, the first hours of a year, the days around clock changes in both hemispheres, a leap day. */
export const MOMENTS = [
  '2024-02-29T10:11:12Z',
  '2024-03-31T00:45:00Z',
  '2024-10-27T01:30:30Z',
  '2024-11-03T09:05:00Z',
  '2025-01-01T02:20:00Z',
  '2025-04-06T03:50:00Z',
  '2025-06-18T14:25:40Z',
  '2025-08-04T23:59:00Z',
  '2026-03-08T19:15:00Z',
  '2026-07-17T06:07:08Z',
  '2026-11-18T14:37:20Z',
  '2027-01-04T00:10:00Z',
].map((text) => Temporal.Instant.from(text));

/** As a suffix of the phrase: what it is read in instead of the asker's own zone. */
export const NAMED_ZONES: readonly (readonly [suffix: string, zone: string])[] = [
  ['UTC', 'UTC'],
  ['CET', '+01:00'],
  ['PST', '-08:00'],
  ['in Europe/Berlin', 'Europe/Berlin'],
  ['Tokyo time', 'Asia/Tokyo'],
  ['UTC+2', '+02:00'],
  ['(EST)', '-05:00'],
];
export const OWN_ZONE = ['my time', 'local time'];

export const MIDNIGHT = new Temporal.PlainTime();
const NOON = new Temporal.PlainTime(12);
const DAWN = new Temporal.PlainTime(6);
export const at = (day: PlainDate, plainTime: Temporal.PlainTime, zone: string): Instant =>
  day.toZonedDateTime({ timeZone: zone, plainTime }).toInstant();
export const isBefore = (a: Instant, b: Instant): boolean => Temporal.Instant.compare(a, b) < 0;
export const isEarlier = (a: Temporal.PlainTime, b: Temporal.PlainTime): boolean =>
  Temporal.PlainTime.compare(a, b) < 0;
export const clamp = ({ now }: Asked, from: Instant, to: Instant): ComposedPhrase['expected'] =>
  isBefore(from, now) && isBefore(from, to) ? { from, to: isBefore(to, now) ? to : now } : null;

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
export const two = (value: number): string => String(value).padStart(2, '0');
export const ordinal = (day: number): string =>
  `${day}${['th', 'st', 'nd', 'rd'][day > 10 && day < 20 ? 0 : day % 10] ?? 'th'}`;

/** Spellings of one date with its year. */
export function fullDate(random: SeededRandom, date: PlainDate): string {
  const { year, month, day } = date;
  const name = MONTHS[month - 1] ?? '';
  const short = name.slice(0, 3);
  const weekday = (WEEKDAYS[date.dayOfWeek - 1] ?? '').slice(0, 3);
  return random.pick([
    date.toString(),
    `${year}/${two(month)}/${two(day)}`,
    `${month}/${day}/${year}`,
    `${two(day)}.${two(month)}.${year}`,
    `${name} ${day}, ${year}`,
    `${short} ${ordinal(day)} ${year}`,
    `${day} ${short} ${year}`,
    `${ordinal(day)} of ${name} ${year}`,
    `${two(day)}-${short}-${year}`,
    `${two(day)}/${short}/${year}`,
    `${weekday}, ${day} ${short} ${year}`,
    `${weekday} ${short} ${day} ${year}`,
    `${year}${two(month)}${two(day)}`,
  ]);
}

export function namedDate(random: SeededRandom, { month, day }: PlainDate): string {
  const name = MONTHS[month - 1] ?? '';
  return random.pick([
    `${name} ${day}`,
    `${name.slice(0, 3)} ${day}`,
    `${name.slice(0, 3)} ${ordinal(day)}`,
    `${day} ${name.slice(0, 3)}`,
    `${ordinal(day)} of ${name}`,
    `the ${ordinal(day)} of ${name}`,
    `${month}/${day}`,
  ]);
}

/** The latest day by the calendar on which something at that time has begun. */
export function latestBegun(
  asked: Asked,
  clock: Temporal.PlainTime,
  days: (back: number) => PlainDate | null,
): PlainDate {
  for (let back = 0; back < 12; back++) {
    const day = days(back);
    if (day && isBefore(at(day, clock, asked.zone), asked.now)) return day;
  }
  throw new Error('no such day');
}

export function weekdayPart(random: SeededRandom, asked: Asked): DayPart {
  const index = random.below(7);
  const name = WEEKDAYS[index] ?? '';
  const back = (asked.today.dayOfWeek - 1 - index + 7) % 7;
  const text = random.pick([name, name.toLowerCase(), name.slice(0, 3)]);
  const dayFor: DayPart['dayFor'] = (clock) =>
    latestBegun(asked, clock, (weeks) => asked.today.subtract({ days: back + 7 * weeks }));
  return { text, dayFor, isFull: false };
}

export function datePart(random: SeededRandom, asked: Asked): DayPart {
  const date = asked.today.subtract({ days: random.below(360) });
  if (date.month === 2 && date.day === 29) return datePart(random, asked);
  // Today's date is today, even if the time is still ahead.
  return { text: namedDate(random, date), dayFor: () => date, isFull: false };
}

export function relativePart(random: SeededRandom, { today }: Asked): DayPart {
  const days = random.below(6);
  const words = [['today', 'tdy'], ['yesterday', 'yday'], ['the day before yesterday']];
  const text = random.pick(words[days] ?? [`${days} days ago`]);
  return { text, dayFor: () => today.subtract({ days }), isFull: true, ...(days === 0 ? { isToday: true } : {}) };
}

function lastWeekdayPart(random: SeededRandom, { today }: Asked): DayPart {
  const index = random.below(7);
  const back = (today.dayOfWeek - 1 - index + 7) % 7 || 7;
  return { text: `last ${WEEKDAYS[index]}`, dayFor: () => today.subtract({ days: back }), isFull: true };
}

export function fullDatePart(random: SeededRandom, { today }: Asked): DayPart {
  const date = today.subtract({ days: random.below(900) });
  return { text: fullDate(random, date), dayFor: () => date, isFull: true };
}

export const dayPart = (random: SeededRandom, asked: Asked): DayPart =>
  random.pick([weekdayPart, datePart, relativePart, lastWeekdayPart, fullDatePart, fullDatePart])(random, asked);

const HOUR_WORDS = 'twelve one two three four five six seven eight nine ten eleven'.split(' ');

/** Both times of a pair are written in one way: what `10pm to 11:00` means is a matter of taste. */
export type ClockStyle = 'of 24' | 'am or pm';

export function clockPair(random: SeededRandom): readonly [from: ClockPart, to: ClockPart] {
  const style = random.pick<ClockStyle>(['of 24', 'am or pm']);
  return [clockPart(random, style), clockPart(random, style)];
}

/** One time of day in a spelling that says am or pm, or needs neither. */
function clockText(random: SeededRandom, time: Temporal.PlainTime, style: ClockStyle): string {
  const { hour, minute, second } = time;
  const half = hour < 12 ? 'am' : 'pm';
  const twelve = hour % 12 || 12;
  if (style === 'of 24') return `${two(hour)}:${two(minute)}${second > 0 ? `:${two(second)}` : ''}`;
  if (second > 0) return `${twelve}:${two(minute)}:${two(second)} ${half}`;
  const written = [`${twelve}:${two(minute)}${half}`, `${twelve}:${two(minute)} ${half}`];
  if (minute > 0)
    return random.pick([...written, `${twelve} ${two(minute)} ${half}`, `${twelve}.${two(minute)}${half}`]);
  if (hour === 12) written.push('noon');
  if (hour === 0) written.push('midnight');
  return random.pick([
    ...written,
    `${twelve}${half}`,
    `${twelve} ${half}`,
    `${twelve}${half.charAt(0)}`,
    `${twelve} ${half.charAt(0)}.m.`,
    `${HOUR_WORDS[hour % 12]} ${half}`,
  ]);
}

export function clockPart(random: SeededRandom, style: ClockStyle = random.pick(['of 24', 'am or pm'])): ClockPart {
  const minute = random.pick([0, 0, 0, 15, 30, 45, random.below(60)]);
  const second = random.below(12) === 0 ? random.below(60) : 0;
  const time = new Temporal.PlainTime(random.below(24), minute, second);
  return { text: clockText(random, time, style), time };
}

export const DURATIONS: readonly (readonly [text: string, duration: Temporal.DurationLike])[] = [
  ['30m', { minutes: 30 }],
  ['15 min', { minutes: 15 }],
  ['90 minutes', { minutes: 90 }],
  ['2h', { hours: 2 }],
  ['an hour', { hours: 1 }],
  ['1h 30m', { minutes: 90 }],
  ['half an hour', { minutes: 30 }],
  ['45 mins', { minutes: 45 }],
  ['PT20M', { minutes: 20 }],
];

/** Elapsed time below a day, the calendar of the zone from a day on. */
export const UNITS: readonly (readonly [
  name: string,
  unit: 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months',
])[] = [
  ['s', 'seconds'],
  ['minutes', 'minutes'],
  ['m', 'minutes'],
  ['hours', 'hours'],
  ['h', 'hours'],
  ['hrs', 'hours'],
  ['days', 'days'],
  ['d', 'days'],
  ['weeks', 'weeks'],
  ['w', 'weeks'],
  ['months', 'months'],
];

export const minus = ({ now, zone }: Asked, count: number, unit: string): Instant =>
  now
    .toZonedDateTimeISO(zone)
    .subtract({ [unit]: count })
    .toInstant();

export type Family = (random: SeededRandom, asked: Asked) => { text: string; expected: ComposedPhrase['expected'] };

export const JOINS = [' to ', '-', ' - ', ' – ', ' until ', ' till ', '..', ' -> '];

/** Two times of day on a day, in order or over midnight. What else runs backwards must be refused. */
export function timesOn(asked: Asked, day: PlainDate, from: Temporal.PlainTime, to: Temporal.PlainTime) {
  if (isEarlier(from, to)) return { from: at(day, from, asked.zone), to: at(day, to, asked.zone) };
  // Into the small hours from before noon too, unless that's longer than 16 hours.
  const isLate = isEarlier(to, DAWN) && from.until(to).total('hours') + 24 <= 16;
  const isOvernight = to.equals(MIDNIGHT) || isLate || (!isEarlier(from, NOON) && !isEarlier(NOON, to));
  if (!isOvernight || (from.equals(to) && !to.equals(MIDNIGHT))) return null;
  return { from: at(day, from, asked.zone), to: at(day.add({ days: 1 }), to, asked.zone) };
}
