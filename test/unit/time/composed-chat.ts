/** What people type in chat and copy from elsewhere: offsets, four digits, dates with dots and slashes, arrows, nights, events. */
import type { SeededRandom } from '../../support/seeded-random.ts';
import {
  type Asked,
  at,
  type ClockPart,
  clamp,
  clockPart,
  type Family,
  isBefore,
  latestBegun,
  MIDNIGHT,
  MONTHS,
  minus,
  namedDate,
  type PlainDate,
  relativePart,
  timesOn,
  two,
  WEEKDAYS,
  weekdayPart,
} from './composed-parts.ts';

const NOBODY = { expected: null };
const time = (hour: number, minute = 0): Temporal.PlainTime => new Temporal.PlainTime(hour, minute);
const past = (random: SeededRandom, { today }: Asked, most = 300): PlainDate =>
  today.subtract({ days: 1 + random.below(most) });
const isLeapDay = ({ month, day }: PlainDate): boolean => month === 2 && day === 29;

/** `14:05` or `2:05pm`, never midnight. */
function plainClock(random: SeededRandom): ClockPart {
  const on = time(1 + random.below(22), random.pick([0, 10, 15, 30, 45]));
  const twelve = `${on.hour % 12 || 12}:${two(on.minute)}${on.hour < 12 ? 'am' : 'pm'}`;
  return { text: random.pick([`${two(on.hour)}:${two(on.minute)}`, twelve]), time: on };
}

const OFFSETS: readonly (readonly [text: string, zone: string])[] = [
  ['-0500', '-05:00'],
  ['-0700', '-07:00'],
  ['-0330', '-03:30'],
  ['+0200', '+02:00'],
  ['+05:30', '+05:30'],
  ['Z', 'UTC'],
];

/** An offset after a blank is no end of a range. */
const offsetAfterBlank: Family = (random, { now }) => {
  const [offset, zone] = random.pick(OFFSETS);
  const asked: Asked = { now, zone, today: now.toZonedDateTimeISO(zone).toPlainDate() };
  const [day, clock] = [relativePart(random, asked), plainClock(random)];
  const from = at(day.dayFor(clock.time), clock.time, zone);
  const [text, to] = random.pick([
    [`since ${day.text} ${clock.text} ${offset}`, now],
    [`since ${clock.text} ${offset} ${day.text}`, now],
    [`${day.text} ${clock.text} ${offset} to now`, now],
    [`${day.text} ${clock.text} ${offset} for 30m`, from.add({ minutes: 30 })],
  ] as const);
  return { text, expected: clamp(asked, from, to) };
};

const dottedDay = (random: SeededRandom, { month, day }: PlainDate): string =>
  random.pick([`${day}.${month}.`, `${two(day)}.${two(month)}.`, `${day}.${two(month)}.`]);

/** `9.10.` with its last dot is a day. */
const dottedDates: Family = (random, asked) => {
  const from = past(random, asked);
  const to = from.add({ days: random.below(9) });
  if (isLeapDay(from) || isLeapDay(to) || Temporal.PlainDate.compare(asked.today, to) <= 0)
    return dottedDates(random, asked);
  const [start, end] = [dottedDay(random, from), dottedDay(random, to)];
  const next = (date: PlainDate) => at(date.add({ days: 1 }), MIDNIGHT, asked.zone);
  const begin = at(from, MIDNIGHT, asked.zone);
  const [text, range] = random.pick([
    [start, [begin, next(from)]],
    [`since ${start}`, [begin, asked.now]],
    [`${start} - ${end}`, [begin, next(to)]],
    [`${start} to ${end}`, [begin, next(to)]],
    [`${start}-${end}`, [begin, next(to)]],
    [`${start} 14:00-16:00`, [at(from, time(14), asked.zone), at(from, time(16), asked.zone)]],
    [`14:00-16:00 on ${start}`, [at(from, time(14), asked.zone), at(from, time(16), asked.zone)]],
  ] as const);
  return { text, expected: clamp(asked, range[0], range[1]) };
};

/** Without it, two of them are days or times. */
const dayOrTime: Family = (random) => {
  const [from, to] = [1 + random.below(11), 12 + random.below(11)];
  const month = two(1 + random.below(12));
  return { text: random.pick([`${from}.${month} - ${to}.${month}`, `${from}.${month}-${to}.${month}`]), ...NOBODY };
};

/** `13/10`: a day over 12 comes first, in every date of the phrase. */
const slashedDates: Family = (random, asked) => {
  const to = past(random, asked);
  const from = to.subtract({ days: random.below(12) });
  const isMixed = to.day > 12 && from.day <= 12 && from.month === to.month && from.year === to.year;
  if (to.day <= 12 || isLeapDay(from) || from.year !== to.year) return slashedDates(random, asked);
  const [start, end] = [`${from.day}/${from.month}`, `${to.day}/${to.month}`];
  const [begin, stop] = [at(to, MIDNIGHT, asked.zone), at(to.add({ days: 1 }), MIDNIGHT, asked.zone)];
  const [text, range] = random.pick([
    [end, [begin, stop]],
    [`${two(to.day)}/${two(to.month)}/${to.year}`, [begin, stop]],
    [`since ${end}`, [begin, asked.now]],
    [`${end} 9:00-11:00`, [at(to, time(9), asked.zone), at(to, time(11), asked.zone)]],
    [isMixed ? `${start} to ${end}` : end, [isMixed ? at(from, MIDNIGHT, asked.zone) : begin, stop]],
  ] as const);
  return { text, expected: clamp(asked, range[0], range[1]) };
};

const compact = (random: SeededRandom): ClockPart => {
  const on = time(random.below(24), random.pick([0, 5, 15, 20, 30, 45]));
  return { text: `${two(on.hour)}${two(on.minute)}`, time: on };
};

/** Four digits next to a duration, a day or `around` are a time. */
const fourDigitsBeside: Family = (random, asked) => {
  const [day, clock] = [random.pick([relativePart, weekdayPart])(random, asked), compact(random)];
  const moment = at(day.dayFor(clock.time), clock.time, asked.zone);
  const [text, from, to] = random.pick([
    [`${day.text} ${clock.text} for 20 min`, moment, moment.add({ minutes: 20 })],
    [`around ${clock.text} ${day.text}`, moment.subtract({ minutes: 30 }), moment.add({ minutes: 30 })],
    [`2h before ${clock.text} ${day.text}`, moment.subtract({ hours: 2 }), moment],
    [`${clock.text} ${day.text} until now`, moment, asked.now],
    [`since ${clock.text} ${day.text}`, moment, asked.now],
  ] as const);
  return { text, expected: clamp(asked, from, to) };
};

const fourDigitsPair: Family = (random, asked) => {
  const [from, to] = [compact(random), compact(random)];
  const day = asked.today.subtract({ days: 2 });
  const range = timesOn(asked, day, from.time, to.time);
  return {
    text: `${from.text} day before yesterday to ${to.text}`,
    expected: range && clamp(asked, range.from, range.to),
  };
};

/** Today by its date with a time that is still ahead is not a year ago. */
const todayByDate: Family = (random, asked) => {
  const clock = plainClock(random);
  const name = namedDate(random, asked.today);
  const start = at(asked.today, clock.time, asked.zone);
  const text = random.pick([
    `since ${name} ${clock.text}`,
    `${name} ${clock.text} to now`,
    `since ${clock.text} ${name}`,
  ]);
  return { text, expected: clamp(asked, start, asked.now) };
};

const yearOrClock: Family = (random) => ({
  text: `${random.pick(['since', 'from', 'after', 'starting'])} ${random.pick(['1900', '1930', '2000', '2015', '2030', '1945'])}`,
  ...NOBODY,
});

/** Minutes to an hour, or two hours. */
const minutesTo: Family = (random) => ({
  text: `since ${random.pick(['10', '5', '20', 'ten', 'five'])} to ${1 + random.below(12)}`,
  ...NOBODY,
});

const upToClock: Family = (random, asked) => {
  const [day, clock] = [relativePart(random, asked), plainClock(random)];
  if (day.text.endsWith('ago')) return upToClock(random, asked);
  const on = day.dayFor(clock.time);
  const text = random.pick([
    `up to ${clock.text} ${day.text}`,
    `until ${clock.text} ${day.text}`,
    `${day.text} up to ${clock.text}`,
  ]);
  return { text, expected: clamp(asked, at(on, MIDNIGHT, asked.zone), at(on, clock.time, asked.zone)) };
};

const soFar: Family = (random, asked) => {
  const first = asked.today.with({ day: 1 });
  const isNow = random.below(3) > 0;
  const month = isNow ? first : first.subtract({ months: 1 });
  const text = `${MONTHS[month.month - 1]} so far`;
  return { text, expected: isNow ? clamp(asked, at(month, MIDNIGHT, asked.zone), asked.now) : null };
};

const shortDurations: Family = (random, asked) => {
  const [hours, minutes] = [1 + random.below(20), random.pick([10, 15, 30, 45])];
  const [text, total] = random.pick([
    [`last ${hours}h${minutes}`, hours * 60 + minutes],
    [`past ${hours}h${minutes}`, hours * 60 + minutes],
    [`${minutes} last minutes`, minutes],
    [`${hours} last hours`, hours * 60],
    [`last ${hours}h rn`, hours * 60],
  ] as const);
  return { text, expected: clamp(asked, minus(asked, total, 'minutes'), asked.now) };
};

/** A night is one night, whenever it is asked about. */
const nights: Family = (random, asked) => {
  const { today, zone, now } = asked;
  const { hour } = now.toZonedDateTimeISO(zone);
  const night = (day: PlainDate) => clamp(asked, at(day, time(18), zone), at(day.add({ days: 1 }), time(8), zone));
  const yesterday = today.subtract({ days: 1 });
  const weekday = weekdayPart(random, asked);
  return random.pick([
    { text: 'last night', expected: night(yesterday) },
    { text: 'overnight', expected: hour >= 18 ? null : night(yesterday) },
    { text: 'tonight', expected: night(hour < 8 ? yesterday : today) },
    { text: 'yesterday night', expected: night(yesterday) },
    { text: `${weekday.text} night`, expected: night(weekday.dayFor(time(18))) },
    { text: 'since last night', expected: clamp(asked, at(yesterday, time(18), zone), now) },
  ]);
};

/** Since a time: an arrow. */
const openEnds: Family = (random, asked) => {
  const clock = clockPart(random, 'am or pm');
  const day = latestBegun(asked, clock.time, (days) => asked.today.subtract({ days }));
  const text = random.pick([`${clock.text}->`, `${clock.text} →`]);
  return { text, expected: clamp(asked, at(day, clock.time, asked.zone), asked.now) };
};

const thisTime: Family = (random, asked) => {
  const [words, unit] = random.pick([
    ['yesterday', 'days'],
    ['last week', 'weeks'],
    ['last month', 'months'],
  ] as const);
  const text = random.pick([
    `since this time ${words}`,
    `this time ${words} until now`,
    `since the same time ${words}`,
  ]);
  return { text, expected: clamp(asked, minus(asked, 1, unit), asked.now) };
};

const plusDuration: Family = (random, asked) => {
  const [clock, minutes] = [plainClock(random), random.pick([20, 30, 90])];
  const day = relativePart(random, asked);
  const from = at(day.dayFor(clock.time), clock.time, asked.zone);
  const text = random.pick([`${day.text} ${clock.text} + ${minutes}m`, `${day.text} ${clock.text}+${minutes}min`]);
  return { text, expected: clamp(asked, from, from.add({ minutes })) };
};

/** `last mon-fri`: the latest that are over. */
const lastWeekdays: Family = (random, asked) => {
  const [first, days] = [random.below(7), 1 + random.below(4)];
  const name = (index: number) => (WEEKDAYS[index % 7] ?? '').slice(0, 3);
  const back = (asked.today.dayOfWeek - 1 - first + 7) % 7 || 7;
  const start = asked.today.subtract({ days: back });
  const end = start.add({ days });
  if (end.equals(asked.today)) return { text: `last ${name(first)}-${name(first + days)}`, ...NOBODY };
  const from = isBefore(at(asked.today, MIDNIGHT, asked.zone), at(end, MIDNIGHT, asked.zone))
    ? start.subtract({ days: 7 })
    : start;
  const stop = at(from.add({ days: days + 1 }), MIDNIGHT, asked.zone);
  const text = random.pick([
    `last ${name(first)}-${name(first + days)}`,
    `last ${name(first)} to ${name(first + days)}`,
  ]);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), stop) };
};

const twoWeekdays: Family = (random, asked) => {
  const first = random.below(7);
  const [from, to] = [WEEKDAYS[first] ?? '', WEEKDAYS[(first + 1) % 7] ?? ''];
  const back = (asked.today.dayOfWeek - 1 - ((first + 1) % 7) + 7) % 7;
  const last = asked.today.subtract({ days: back });
  // Whether `mon/tue` on a Monday is today and tomorrow is a matter of taste.
  if (back === 6 || back === 0) return twoWeekdays(random, asked);
  const text = random.pick([
    `${from.slice(0, 3)}/${to.slice(0, 3)}`,
    `${from.slice(0, 3)}+${to.slice(0, 3)}`,
    `${from} & ${to}`,
  ]);
  const range = [
    at(last.subtract({ days: 1 }), MIDNIGHT, asked.zone),
    at(last.add({ days: 1 }), MIDNIGHT, asked.zone),
  ] as const;
  return { text, expected: clamp(asked, range[0], range[1]) };
};

/** `early october to late october`: thirds, on either end. */
const thirds: Family = (random, asked) => {
  const first = asked.today.with({ day: 1 }).subtract({ months: 1 + random.below(10) });
  const name = MONTHS[first.month - 1];
  const end = first.add({ months: 1 });
  const day = (days: number) => at(first.add({ days }), MIDNIGHT, asked.zone);
  const [text, from, to] = random.pick([
    [`since late ${name}`, day(20), asked.now],
    [`since early ${name}`, day(0), asked.now],
    [`since mid ${name}`, day(10), asked.now],
    [`early ${name} to mid ${name}`, day(0), day(20)],
    [`${name} 2 to late ${name}`, day(1), at(end, MIDNIGHT, asked.zone)],
  ] as const);
  return { text, expected: clamp(asked, from, to) };
};

const slackDates: Family = (random, asked) => {
  const from = minus(asked, 120 + random.below(5000), 'minutes').round({
    smallestUnit: 'second',
    roundingMode: 'floor',
  });
  const stamp = (instant: Temporal.Instant) => `<!date^${instant.epochMilliseconds / 1000}^{date_num}|then>`;
  const to = from.add({ minutes: 45 });
  return random.pick([
    { text: `since ${stamp(from)}`, expected: clamp(asked, from, asked.now) },
    { text: `${stamp(from)} to ${stamp(to)}`, expected: clamp(asked, from, to) },
    { text: `${stamp(from)} - ${stamp(to)}`, expected: clamp(asked, from, to) },
  ]);
};

/** In backticks, with tildes, with the part of the day first. */
const decorated: Family = (random, asked) => {
  const hour = 7 + random.below(3);
  const day = latestBegun(asked, time(hour), (days) => asked.today.subtract({ days }));
  const text = random.pick([
    `\`${two(hour)}:00-${two(hour + 2)}:00\``,
    `~${two(hour)}:00 to ~${two(hour + 2)}:00`,
    `in the morning between ${hour} and ${hour + 2}`,
    `in the morning from ${hour} to ${hour + 2}`,
    `morning between ${hour} and ${hour + 2}`,
    `\`${hour}am to ${hour + 2}am\``,
  ]);
  return { text, expected: clamp(asked, at(day, time(hour), asked.zone), at(day, time(hour + 2), asked.zone)) };
};

export const CHAT_FAMILIES: Readonly<Record<string, Family>> = {
  offsetAfterBlank,
  dottedDates,
  dayOrTime,
  slashedDates,
  fourDigitsBeside,
  fourDigitsPair,
  todayByDate,
  yearOrClock,
  minutesTo,
  upToClock,
  soFar,
  shortDurations,
  nights,
  openEnds,
  thisTime,
  plusDuration,
  lastWeekdays,
  twoWeekdaysJoined: twoWeekdays,
  thirds,
  slackDates,
  decorated,
};
