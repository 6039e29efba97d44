/**
 * Phrases put together from parts of known meaning: days, times of day, words between them, zones. What a phrase must mean
 * is reckoned from its parts with Temporal alone; nothing here asks the parser or shares code with it.
 */
import type { SeededRandom } from '../../support/seeded-random.ts';
import { CHAT_FAMILIES } from './composed-chat.ts';
import { EDGE_FAMILIES } from './composed-edges.ts';
import { GERMAN_FAMILIES } from './composed-german.ts';
import {
  ASKING_ZONES,
  type Asked,
  at,
  type ComposedPhrase,
  clamp,
  clockPair,
  clockPart,
  type DayPart,
  DURATIONS,
  dayPart,
  type Family,
  fullDate,
  fullDatePart,
  isBefore,
  isEarlier,
  JOINS,
  latestBegun,
  MIDNIGHT,
  MOMENTS,
  MONTHS,
  minus,
  NAMED_ZONES,
  namedDate,
  OWN_ZONE,
  ordinal,
  relativePart,
  timesOn,
  UNITS,
  WEEKDAYS,
} from './composed-parts.ts';

const dayWithTimes: Family = (random, asked) => {
  const day = dayPart(random, asked);
  const [from, to] = clockPair(random);
  const join = random.pick(JOINS);
  const text = random.pick([
    `${day.text} ${from.text}${join}${to.text}`,
    `${day.text}, ${from.text}${join}${to.text}`,
    `${day.text} from ${from.text} to ${to.text}`,
    `${day.text} between ${from.text} and ${to.text}`,
    `${day.text} (${from.text} to ${to.text})`,
    `${from.text}${join}${to.text} on ${day.text}`,
    `${from.text}${join}${to.text} ${day.text}`,
    `from ${from.text} to ${to.text} on ${day.text}`,
    `between ${from.text} and ${to.text} on ${day.text}`,
  ]);
  const on = day.dayFor(from.time);
  const range = timesOn(asked, on, from.time, to.time);
  const isOver = range !== null && !isEarlier(from.time, to.time);
  // `11pm to 3am today` before eleven began yesterday; `today 11pm to 3am` and all up to midnight lies ahead.
  const isSaidLast = text.endsWith(day.text) && !to.time.equals(MIDNIGHT);
  const isYesterday = isOver && isSaidLast && day.isToday && !isBefore(range.from, asked.now);
  const moved = isYesterday ? timesOn(asked, on.subtract({ days: 1 }), from.time, to.time) : range;
  return { text, expected: moved && clamp(asked, moved.from, moved.to) };
};

const timesOnly: Family = (random, asked) => {
  const [from, to] = clockPair(random);
  const join = random.pick(JOINS);
  const text = random.pick([
    `${from.text}${join}${to.text}`,
    `from ${from.text} to ${to.text}`,
    `between ${from.text} and ${to.text}`,
    `btwn ${from.text} & ${to.text}`,
  ]);
  const day = latestBegun(asked, from.time, (days) => asked.today.subtract({ days }));
  const range = timesOn(asked, day, from.time, to.time);
  return { text, expected: range && clamp(asked, range.from, range.to) };
};

const wholeDay: Family = (random, asked) => {
  const day = dayPart(random, asked);
  const start = day.dayFor(MIDNIGHT);
  const text = random.pick([day.text, `on ${day.text}`, `all day ${day.text}`, `"${day.text}"`, `*${day.text}*`]);
  const to = at(start.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(start, MIDNIGHT, asked.zone), to) };
};

const sinceDay: Family = (random, asked) => {
  const day = dayPart(random, asked);
  const start = day.dayFor(MIDNIGHT);
  const [isAfter, text] = random.pick([
    [false, `since ${day.text}`],
    [false, `from ${day.text} to now`],
    [false, `${day.text} onwards`],
    [false, `starting ${day.text}`],
    [true, `after ${day.text}`],
  ] as const);
  // `since 3 days ago` counts back to the minute.
  if (day.text.endsWith('ago')) return sinceDay(random, asked);
  const from = at(start.add({ days: isAfter ? 1 : 0 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, from, asked.now) };
};

const sinceTime: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  const text = random.pick([
    `since ${day.text} ${clock.text}`,
    `since ${clock.text} ${day.text}`,
    `since ${day.text} at ${clock.text}`,
    `${day.text} ${clock.text} onwards`,
    `${day.text} ${clock.text} to now`,
    `from ${day.text} at ${clock.text}`,
  ]);
  return { text, expected: clamp(asked, at(day.dayFor(clock.time), clock.time, asked.zone), asked.now) };
};

const sinceClock: Family = (random, asked) => {
  const clock = clockPart(random);
  const day = latestBegun(asked, clock.time, (days) => asked.today.subtract({ days }));
  const text = random.pick([
    `since ${clock.text}`,
    `since ~${clock.text}`,
    `since like ${clock.text}`,
    `${clock.text} to now`,
  ]);
  return { text, expected: clamp(asked, at(day, clock.time, asked.zone), asked.now) };
};

/** A day up to a time of day: that of the same day, or of today after `since` and `from`. */
const dayUntilClock: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  if (day.text.endsWith('ago')) return dayUntilClock(random, asked);
  const start = day.dayFor(MIDNIGHT);
  const isOpen = random.below(3) === 0;
  const word = random.pick(['until', 'till', 'to']);
  const text = isOpen
    ? `${random.pick(['since', 'from'])} ${day.text} ${word} ${clock.text}`
    : `${day.text} ${random.pick([word, 'before'])} ${clock.text}`;
  const from = at(start, MIDNIGHT, asked.zone);
  const last = isOpen ? asked.today : start;
  const same = at(last, clock.time, asked.zone);
  const to = isBefore(from, same) ? same : at(last.add({ days: 1 }), clock.time, asked.zone);
  return { text, expected: clamp(asked, from, to) };
};

const restOfDay: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  const start = day.dayFor(clock.time);
  const text = `${day.text} ${random.pick(['after', 'from'])} ${clock.text}`;
  const to = at(start.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(start, clock.time, asked.zone), to) };
};

/** From one day to another, each with its year or counted from today. */
const twoFullDays: Family = (random, asked) => {
  const [first, last] = [fullOrRelative(random, asked), fullOrRelative(random, asked)];
  const [from, to] = [first.dayFor(MIDNIGHT), last.dayFor(MIDNIGHT)];
  const text = random.pick([
    `${first.text} to ${last.text}`,
    `${first.text} - ${last.text}`,
    `from ${first.text} until ${last.text}`,
    `between ${first.text} and ${last.text}`,
    `${first.text} through ${last.text}`,
  ]);
  const end = at(to.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

function fullOrRelative(random: SeededRandom, asked: Asked): DayPart {
  const part = random.pick([fullDatePart, fullDatePart, relativePart])(random, asked);
  return part.text.endsWith('ago') ? fullOrRelative(random, asked) : part;
}

const twoFullTimes: Family = (random, asked) => {
  const [first, last] = [fullOrRelative(random, asked), fullOrRelative(random, asked)];
  const [from, to] = clockPair(random);
  const [start, end] = [
    at(first.dayFor(from.time), from.time, asked.zone),
    at(last.dayFor(to.time), to.time, asked.zone),
  ];
  const text = random.pick([
    `${first.text} ${from.text} to ${last.text} ${to.text}`,
    `${first.text} ${from.text} - ${last.text} ${to.text}`,
    `from ${first.text} at ${from.text} until ${last.text} at ${to.text}`,
    `between ${from.text} ${first.text} and ${to.text} ${last.text}`,
  ]);
  return { text, expected: clamp(asked, start, end) };
};

/** Two weekdays: the first is the latest, the second follows it. */
const twoWeekdays: Family = (random, asked) => {
  const [first, last] = [random.below(7), random.below(7)];
  const from = asked.today.subtract({ days: (asked.today.dayOfWeek - 1 - first + 7) % 7 });
  const begun = isBefore(at(from, MIDNIGHT, asked.zone), asked.now) ? from : from.subtract({ days: 7 });
  const to = begun.add({ days: (last - first + 7) % 7 || 7 });
  const text = `${WEEKDAYS[first]} ${random.pick(['to', '-', 'through', 'until'])} ${WEEKDAYS[last]}`;
  const end = at(to.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(begun, MIDNIGHT, asked.zone), end) };
};

/** `friday to november 15, 2026`: the latest friday up to then. */
const weekdayToDate: Family = (random, asked) => {
  const index = random.below(7);
  const to = asked.today.subtract({ days: 1 + random.below(400) });
  const from = to.subtract({ days: (to.dayOfWeek - 1 - index + 7) % 7 });
  const text = `${random.pick(['', 'from '])}${WEEKDAYS[index]} ${random.pick(['to', 'until', '-'])} ${fullDate(random, to)}`;
  const end = at(to.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

/** Two days or months of the year, neither with its year: the first is the latest that has begun. */
const twoNamedDates: Family = (random, asked) => {
  const from = asked.today.subtract({ days: 1 + random.below(300) });
  const to = from.add({ days: random.below(60) });
  const isShort = from.month === to.month && from.day <= to.day;
  if ([from, to].some(({ month, day }) => month === 2 && day === 29)) return twoNamedDates(random, asked);
  // What is still to come is cut at now; beyond new year, which year is meant is a matter of taste.
  if (Temporal.PlainDate.compare(to, asked.today) > 0) return twoNamedDates(random, asked);
  const name = MONTHS[from.month - 1] ?? '';
  const text = random.pick([
    `${namedDate(random, from)} to ${namedDate(random, to)}`,
    `from ${namedDate(random, from)} until ${namedDate(random, to)}`,
    `${namedDate(random, from)} through ${namedDate(random, to)}`,
    ...(isShort
      ? [`${name} ${from.day} to ${to.day}`, `${name.slice(0, 3)} ${ordinal(from.day)} - ${ordinal(to.day)}`]
      : []),
  ]);
  const end = at(to.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

/** A day up to the end of a month, without years. */
const dayToMonth: Family = (random, asked) => {
  const from = asked.today.subtract({ days: 1 + random.below(250) });
  if (from.month === 2 && from.day === 29) return dayToMonth(random, asked);
  const last = from.with({ day: 1 }).add({ months: random.below(3) });
  if (Temporal.PlainDate.compare(last, asked.today) > 0) return dayToMonth(random, asked);
  const name = MONTHS[last.month - 1] ?? '';
  const text = `${namedDate(random, from)} ${random.pick(['to', 'until', 'through'])} ${random.pick(['', 'the end of '])}${name}`;
  const end = at(last.add({ months: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

/** Something in a month: its first Monday, its last day, its first ten days. */
const insideMonth: Family = (random, asked) => {
  const first = asked.today.with({ day: 1 }).subtract({ months: 1 + random.below(20) });
  const next = first.add({ months: 1 });
  const index = random.below(7);
  const weekday = first.add({ days: (index + 1 - first.dayOfWeek + 7) % 7 });
  const last = weekday.add({ days: 28 });
  const count = 2 + random.below(9);
  const month = `${MONTHS[first.month - 1]} ${first.year}`;
  const [words, from, days] = random.pick([
    [`first ${WEEKDAYS[index]}`, weekday, 1],
    [`third ${WEEKDAYS[index]}`, weekday.add({ days: 14 }), 1],
    [`last ${WEEKDAYS[index]}`, Temporal.PlainDate.compare(last, next) < 0 ? last : last.subtract({ days: 7 }), 1],
    [`first ${count} days`, first, count],
    [`last ${count} days`, next.subtract({ days: count }), count],
    ['last day', next.subtract({ days: 1 }), 1],
    ['first half', first, 15],
  ] as const);
  const text = random.pick([`${words} of ${month}`, `the ${words} of ${month}`, `${words} in ${month}`]);
  const end = at(from.add({ days }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

const rolling: Family = (random, asked) => {
  const [name, unit] = random.pick(UNITS);
  const count = 2 + random.below(40);
  const amount = `${count}${name.length > 1 ? ' ' : ''}${name}`;
  const text = random.pick([
    `last ${amount}`,
    `past ${amount}`,
    `the last ${amount}`,
    `over the past ${amount}`,
    `last ${amount} please`,
    amount,
    `since ${amount} ago`,
    `from ${amount} ago till now`,
    `--since ${amount}`,
  ]);
  return { text, expected: clamp(asked, minus(asked, count, unit), asked.now) };
};

const twoAgo: Family = (random, asked) => {
  const [name, unit] = random.pick(UNITS.filter(([, of]) => of === 'minutes' || of === 'hours'));
  const [far, near] = [20 + random.below(40), 1 + random.below(19)];
  const text = random.pick([
    `${far} ${name} ago to ${near} ${name} ago`,
    `from ${far}${name} ago until ${near}${name} ago`,
    `between ${near} and ${far} ${name} ago`,
    `${far} to ${near} ${name} ago`,
    `now-${far}${name.charAt(0)} to now-${near}${name.charAt(0)}`,
  ]);
  return { text, expected: clamp(asked, minus(asked, far, unit), minus(asked, near, unit)) };
};

const around: Family = (random, asked) => {
  const [clock, [margin, duration]] = [clockPart(random), random.pick(DURATIONS)];
  const day = random.below(2) === 0 ? dayPart(random, asked) : null;
  const on = day ? day.dayFor(clock.time) : latestBegun(asked, clock.time, (days) => asked.today.subtract({ days }));
  const moment = day ? random.pick([`${day.text} ${clock.text}`, `${clock.text} ${day.text}`]) : clock.text;
  const [plain, text] = random.pick([
    [true, `around ${moment}`],
    [false, `${moment} ± ${margin}`],
    [false, `${moment} +/- ${margin}`],
    [false, `${margin} either side of ${moment}`],
    [false, `within ${margin} of ${moment}`],
    [false, `${margin} before and after ${moment}`],
  ] as const);
  const [middle, each] = [at(on, clock.time, asked.zone), plain ? { minutes: 30 } : duration];
  return { text, expected: clamp(asked, middle.subtract(each), middle.add(each)) };
};

const durationFrom: Family = (random, asked) => {
  const [clock, [length, duration]] = [clockPart(random), random.pick(DURATIONS)];
  const day = random.below(2) === 0 ? dayPart(random, asked) : null;
  const on = day ? day.dayFor(clock.time) : latestBegun(asked, clock.time, (days) => asked.today.subtract({ days }));
  const moment = day ? `${day.text} ${clock.text}` : clock.text;
  const start = at(on, clock.time, asked.zone);
  const [isBack, text] = random.pick([
    [false, `${moment} for ${length}`],
    [false, `${moment}, for ${length}`],
    [false, `${length} from ${moment}`],
    [false, `${length} starting at ${moment}`],
    [false, `${length} after ${moment}`],
    [true, `${length} before ${moment}`],
    [true, `${length} up to ${moment}`],
  ] as const);
  return {
    text,
    expected: isBack ? clamp(asked, start.subtract(duration), start) : clamp(asked, start, start.add(duration)),
  };
};

/** Whole units of the calendar. */
const periods: Family = (random, asked) => {
  const { today } = asked;
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const month = today.with({ day: 1 });
  const quarter = month.subtract({ months: (today.month - 1) % 3 });
  const year = month.with({ month: 1 });
  const workday = [1, 2, 3].map((days) => today.subtract({ days })).find((day) => day.dayOfWeek <= 5) ?? today;
  const index = random.below(12);
  const named = latestBegun(asked, MIDNIGHT, (years) => new Temporal.PlainDate(today.year - years, index + 1, 1));
  const [text, from, to] = random.pick([
    ['last week', monday.subtract({ weeks: 1 }), monday],
    ['previous month', month.subtract({ months: 1 }), month],
    ['last quarter', quarter.subtract({ months: 3 }), quarter],
    ['last year', year.subtract({ years: 1 }), year],
    ['this week', monday, monday.add({ weeks: 1 })],
    ['this month so far', month, month.add({ months: 1 })],
    ['YTD', year, year.add({ years: 1 })],
    ['last business day', workday, workday.add({ days: 1 })],
    [MONTHS[index] ?? '', named, named.add({ months: 1 })],
    [`${MONTHS[index]?.slice(0, 3)} ${today.year - 1}`, new Temporal.PlainDate(today.year - 1, index + 1, 1), null],
    [
      `Q${Math.floor(index / 3) + 1} ${today.year - 1}`,
      year.subtract({ years: 1 }).add({ months: index - (index % 3) }),
      null,
    ],
    [`${today.year - 1}`, year.subtract({ years: 1 }), year],
  ] as const);
  const months = text.startsWith('Q') ? 3 : 1;
  return {
    text,
    expected: clamp(asked, at(from, MIDNIGHT, asked.zone), at(to ?? from.add({ months }), MIDNIGHT, asked.zone)),
  };
};

const FAMILIES: Readonly<Record<string, Family>> = {
  dayWithTimes,
  timesOnly,
  wholeDay,
  sinceDay,
  sinceTime,
  sinceClock,
  dayUntilClock,
  restOfDay,
  twoFullDays,
  twoFullTimes,
  twoWeekdays,
  weekdayToDate,
  twoNamedDates,
  dayToMonth,
  insideMonth,
  rolling,
  twoAgo,
  around,
  durationFrom,
  periods,
  ...EDGE_FAMILIES,
  ...CHAT_FAMILIES,
  ...GERMAN_FAMILIES,
};
/** The families in which a time of day is the last thing said, so that a zone may follow. */
const ZONED: ReadonlySet<string> = new Set(['timesOnly', 'dayWithTimes', 'twoFullTimes']);

/** Said another way: case, blanks, dashes, marks at the end. None of it may change an answer. */
export function disguised(random: SeededRandom, phrase: string): string {
  const cased = random.pick([(text: string) => text, (text) => text.toUpperCase(), (text) => text.toLowerCase()]);
  const spaced = phrase.replaceAll(' ', () => random.pick([' ', ' ', '  ', '\u00a0', '\u2009']));
  const dashed = spaced.replaceAll('-', random.pick(['-', '–', '−']));
  const [before, after] = random.pick([
    ['', ''],
    ['', '.'],
    ['', '?'],
    ['', '!'],
    [' ', ', '],
    ['"', '"'],
    ['(', ')'],
    ['“', '”'],
    ['', '…'],
  ] as const);
  // Command lines are written with hyphens and in small letters.
  return phrase.startsWith('--') ? phrase : `${before}${cased(dashed)}${after}`;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** With one slip in one of its longer words: a letter too few, too many, another, or two in each other's place. */
export function misspelt(random: SeededRandom, phrase: string): string {
  const words = phrase.split(' ');
  const long = words.flatMap((word, index) => (/^[a-z]{5,}$/i.test(word) ? [index] : []));
  if (long.length === 0) return phrase;
  const index = random.pick(long);
  const word = words[index] ?? '';
  const at = 1 + random.below(word.length - 2);
  const [start, letter] = [word.slice(0, at), random.pick([...LETTERS])];
  const slipped = random.pick([
    start + word.slice(at + 1),
    start + letter + word.slice(at),
    start + letter + word.slice(at + 1),
    start + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  ]);
  return words.with(index, slipped).join(' ');
}

export function composePhrase(random: SeededRandom): ComposedPhrase {
  const [now, zone] = [random.pick(MOMENTS), random.pick(ASKING_ZONES)];
  const family = random.pick(Object.keys(FAMILIES));
  const [suffix, readIn] = ZONED.has(family) && random.below(4) === 0 ? random.pick(zonesFor(zone)) : ['', zone];
  const asked = { now, zone: readIn, today: now.toZonedDateTimeISO(readIn).toPlainDate() };
  const { text, expected } = (FAMILIES[family] ?? wholeDay)(random, asked);
  return { family, phrase: suffix === '' ? text : `${text} ${suffix}`, now, zone, expected };
}

const zonesFor = (own: string): readonly (readonly [suffix: string, zone: string])[] => [
  ...NAMED_ZONES,
  ...OWN_ZONE.map((suffix) => [suffix, own] as const),
];
