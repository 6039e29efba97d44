/** Where days and pairs end: the end of a day, midnight, ends before their beginnings, ordinals and four digits alone. */
import type { SeededRandom } from '../../support/seeded-random.ts';
import {
  type Asked,
  at,
  type ClockPart,
  clamp,
  clockPart,
  type DayPart,
  datePart,
  dayPart,
  type Family,
  fullDate,
  isBefore,
  latestBegun,
  MIDNIGHT,
  minus,
  namedDate,
  relativePart,
  timesOn,
  two,
  WEEKDAYS,
  weekdayPart,
} from './composed-parts.ts';

const endOf = (asked: Asked, day: Temporal.PlainDate) => at(day.add({ days: 1 }), MIDNIGHT, asked.zone);

/** Up to the end of the day that is named, which need not be today. */
const untilDayEnd: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  const end = random.pick(['end of day', 'eod', 'the end of the day', 'EOD']);
  const [isWhole, text] = random.pick([
    [false, `${day.text} ${clock.text} until ${end}`],
    [false, `${day.text} from ${clock.text} to ${end}`],
    [false, `${day.text} ${clock.text} - ${end}`],
    [true, `${day.text} until ${end}`],
  ] as const);
  // `3 days ago until 1pm` ends today, and so it does at the end of the day.
  if (isWhole && day.text.endsWith('ago')) return untilDayEnd(random, asked);
  const time = isWhole ? MIDNIGHT : clock.time;
  const on = day.dayFor(time);
  return { text, expected: clamp(asked, at(on, time, asked.zone), endOf(asked, on)) };
};

/** Midnight leaves a time of the 24-hour clock as it is, and ends the day it is said of. */
const untilMidnight: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), plainClock(random)];
  const text = random.pick([
    `${day.text} ${clock.text} to midnight`,
    `${day.text} ${clock.text} until midnight`,
    `${day.text} from ${clock.text} till midnight`,
    `${day.text} between ${clock.text} and midnight`,
  ]);
  const on = day.dayFor(clock.time);
  return { text, expected: clamp(asked, at(on, clock.time, asked.zone), endOf(asked, on)) };
};

/** `6:15`, `06:15`, `10:00:00` or with am and pm; never midnight itself. */
function plainClock(random: SeededRandom): ClockPart {
  const clock = clockPart(random);
  if (clock.time.equals(MIDNIGHT)) return plainClock(random);
  return { ...clock, text: random.pick([clock.text, clock.text.replace(/^0(?=\d:\d\d(?::\d\d)?$)/, '')]) };
}

/** A moment some hours ago up to a day and time: the latest of that name, and what lies before the moment is refused. */
const agoToDay: Family = (random, asked) => {
  const hours = 1 + random.below(60);
  const from = minus(asked, hours, 'hours');
  const [day, clock] = [random.pick([weekdayPart, datePart])(random, asked), clockPart(random)];
  // Today is meant even where the time is still to come; then the range is cut at now.
  const isToday = day.dayFor(MIDNIGHT).equals(asked.today);
  const to = at(isToday ? asked.today : day.dayFor(clock.time), clock.time, asked.zone);
  const text = random.pick([
    `from ${hours}h ago to ${day.text} ${clock.text}`,
    `${hours} hours ago until ${day.text} ${clock.text}`,
    `now-${hours}h to ${day.text} ${clock.text}`,
  ]);
  return { text, expected: clamp(asked, from, to) };
};

/** Up to a time of day: the first after the moment, unless that is of the next day and still to come. */
const agoToClock: Family = (random, asked) => {
  const hours = 1 + random.below(11);
  const from = minus(asked, hours, 'hours');
  const clock = clockPart(random);
  const day = from.toZonedDateTimeISO(asked.zone).toPlainDate();
  const on = [day, day.add({ days: 1 })].find((each) => isBefore(from, at(each, clock.time, asked.zone)));
  const text = random.pick([`from ${hours}h ago to ${clock.text}`, `${hours} hours ago until ${clock.text}`]);
  const to = on && at(on, clock.time, asked.zone);
  const isPossible = to && (on.equals(day) || !isBefore(asked.now, to));
  return { text, expected: isPossible ? clamp(asked, from, to) : null };
};

/** A date without its year that lies after the other end of the same year is not one of the year before. */
const backwards: Family = (random, asked) => {
  const back = 1 + random.below(60);
  const from = asked.today.subtract({ days: 1 + random.below(90) });
  const to = from.subtract({ days: back });
  if (from.year !== to.year || (from.month === 2 && from.day === 29)) return backwards(random, asked);
  const days = to.until(asked.today, { largestUnit: 'days' }).days;
  const end = random.pick([fullDate(random, to), `${days} days ago`]);
  const text = random.pick([`${namedDate(random, from)} to ${end}`, `from ${namedDate(random, from)} until ${end}`]);
  return { text, expected: null };
};

/** The first of what, or the second Monday of which month, nobody said. */
const ordinalAlone: Family = (random) => {
  const word = random.pick(['first', 'second', 'third', 'fourth']);
  const [from, to] = [clockPart(random).text, clockPart(random).text];
  const weekday = random.pick(WEEKDAYS);
  const text = random.pick([
    `${word} ${weekday}`,
    `${random.pick(['1st', '2nd', '3rd'])} ${weekday}`,
    `since ${word} ${weekday}`,
    `${word} ${weekday} ${from} to ${to}`,
    `${word} ${from} to ${to}`,
    `${from} to ${to} ${word}`,
    `${from} to ${word} ${to}`,
    `since ${from} ${word}`,
    `${word} since ${from}`,
  ]);
  return { text, expected: null };
};

/** `1915`, of any hour: beside a day or each other they are no years. */
function compactClock(random: SeededRandom): ClockPart {
  const hour = random.pick([19, 20, 21, random.below(24)]);
  const time = new Temporal.PlainTime(hour, random.pick([0, 0, 15, 30, 45, random.below(60)]));
  return { text: `${two(time.hour)}${two(time.minute)}`, time };
}

const fourDigits: Family = (random, asked) => {
  const [from, to] = [compactClock(random), compactClock(random)];
  const day: DayPart = random.pick([relativePart, weekdayPart])(random, asked);
  const text = random.pick([
    `${day.text} ${from.text}-${to.text}`,
    `${day.text} from ${from.text} to ${to.text}`,
    `${day.text} between ${from.text} and ${to.text}`,
    `${from.text}-${to.text} ${day.text}`,
    `${from.text} to ${to.text} on ${day.text}`,
  ]);
  // Whether `2pm to 2am today` began yesterday is asked elsewhere.
  const on = day.dayFor(from.time);
  const range = timesOn(asked, on, from.time, to.time);
  if (day.isToday && range && !isBefore(range.from, asked.now)) return fourDigits(random, asked);
  return { text, expected: range && clamp(asked, range.from, range.to) };
};

/** Alone, they are times where they cannot be years; a year of this century stays one. */
const fourDigitsAlone: Family = (random, asked) => {
  const [from, to] = [compactClock(random), compactClock(random)];
  const couldBeYears = [from, to].every(({ text }) => Number(text) >= 1970 && Number(text) <= asked.today.year + 10);
  if (couldBeYears) return fourDigitsAlone(random, asked);
  const on = latestBegun(asked, from.time, (days) => asked.today.subtract({ days }));
  const range = timesOn(asked, on, from.time, to.time);
  const text = random.pick([
    `${from.text}-${to.text}`,
    `${from.text} to ${to.text}`,
    `from ${from.text} to ${to.text}`,
  ]);
  return { text, expected: range && clamp(asked, range.from, range.to) };
};

const CONTRARY: readonly (readonly [part: string, clocks: readonly string[]])[] = [
  ['morning', ['3pm', '17:30', '8 pm']],
  ['afternoon', ['9am', '10:15 am', '07:00']],
  ['evening', ['9am', '08:30', '11 am']],
];

const contraryPart: Family = (random, asked) => {
  const [part, clocks] = random.pick(CONTRARY);
  const [day, clock] = [dayPart(random, asked).text, random.pick(clocks)];
  const text = random.pick([
    `${day} ${part} ${clock} for 20m`,
    `since ${day} ${part} ${clock}`,
    `${day} ${part} ${clock} to now`,
    `${day} ${part} from ${clock} to ${clock.replace(/^(\d+)(?=:| ?[ap]m)/, (hour) => two(Number(hour) + 1))}`,
  ]);
  return { text, expected: null };
};

export const EDGE_FAMILIES: Readonly<Record<string, Family>> = {
  untilDayEnd,
  untilMidnight,
  agoToDay,
  agoToClock,
  backwards,
  ordinalAlone,
  fourDigits,
  fourDigitsAlone,
  contraryPart,
};
