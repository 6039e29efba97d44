/** German phrases put together from parts of known meaning. */
import type { SeededRandom } from '../../support/seeded-random.ts';
import {
  type Asked,
  at,
  type ClockPart,
  clamp,
  type DayPart,
  type Family,
  isEarlier,
  latestBegun,
  MIDNIGHT,
  minus,
  type PlainDate,
  timesOn,
  two,
} from './composed-parts.ts';

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const WEEKDAYS = 'Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag'.split(' ');
const NUMBERS = 'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' ');

/** In any case, with umlauts spelled out. */
function written(random: SeededRandom, text: string): string {
  const spelled = text.replace(
    /[äöüÄÖÜß]/g,
    (letter) => `${{ ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss' }[letter]}`,
  );
  return random.pick([text, text.toLowerCase(), spelled, text.toUpperCase(), text.normalize('NFD')]);
}

const german =
  (family: Family): Family =>
  (random, asked) => {
    const { text, expected } = family(random, asked);
    return { text: written(random, text), expected };
  };

function weekday(random: SeededRandom, asked: Asked): DayPart {
  const index = random.below(7);
  const back = (asked.today.dayOfWeek - 1 - index + 7) % 7;
  const isLast = random.below(2) === 0;
  const name = WEEKDAYS[index] ?? '';
  const days = isLast && back === 0 ? 7 : back;
  return {
    text: isLast ? random.pick([`letzten ${name}`, `am letzten ${name}`]) : random.pick([name, `am ${name}`]),
    dayFor: (clock) =>
      isLast
        ? asked.today.subtract({ days })
        : latestBegun(asked, clock, (weeks) => asked.today.subtract({ days: back + 7 * weeks })),
    isFull: isLast,
  };
}

function date(random: SeededRandom, { today }: Asked): DayPart {
  const day = today.subtract({ days: 1 + random.below(300) });
  const name = MONTHS[day.month - 1] ?? '';
  const text = random.pick([
    `am ${day.day}.${day.month}.`,
    `${two(day.day)}.${two(day.month)}.`,
    `am ${day.day}. ${name}`,
    `${day.day}. ${name} ${day.year}`,
    `am ${two(day.day)}.${two(day.month)}.${day.year}`,
    `am ${WEEKDAYS[day.dayOfWeek - 1]}, den ${day.day}. ${name}`,
  ]);
  return day.month === 2 && day.day === 29
    ? { text: 'gestern', dayFor: () => today.subtract({ days: 1 }), isFull: true }
    : { text, dayFor: () => day, isFull: true };
}

function relative(random: SeededRandom, { today }: Asked): DayPart {
  const days = 1 + random.below(5);
  const text = ['', 'gestern', 'vorgestern'][days] ?? random.pick([`vor ${days} Tagen`, `vor ${NUMBERS[days]} Tagen`]);
  return { text, dayFor: () => today.subtract({ days }), isFull: true };
}

const dayPart = (random: SeededRandom, asked: Asked): DayPart => random.pick([weekday, date, relative])(random, asked);

/** `14 Uhr`, `14:30 Uhr`, `14 Uhr 30`, `14.30 Uhr`, `14:30`. */
function clockPart(random: SeededRandom): ClockPart {
  const time = new Temporal.PlainTime(1 + random.below(23), random.pick([0, 0, 15, 30, 45]));
  const { hour, minute } = time;
  const plain = [`${two(hour)}:${two(minute)}`, `${hour}:${two(minute)} Uhr`, `${hour}.${two(minute)} Uhr`];
  const text = random.pick(minute === 0 ? [`${hour} Uhr`, ...plain] : [`${hour} Uhr ${minute}`, ...plain]);
  return { text, time };
}

const dayWithTimes: Family = (random, asked) => {
  const [day, from, to] = [dayPart(random, asked), clockPart(random), clockPart(random)];
  if (!isEarlier(from.time, to.time)) return dayWithTimes(random, asked);
  const text = random.pick([
    `${day.text} ${from.text} bis ${to.text}`,
    `${day.text} von ${from.text} bis ${to.text}`,
    `${day.text} zwischen ${from.text} und ${to.text}`,
    `${from.text} bis ${to.text} ${day.text}`,
    `${day.text} ${from.text} - ${to.text}`,
  ]);
  const range = timesOn(asked, day.dayFor(from.time), from.time, to.time);
  return { text, expected: range && clamp(asked, range.from, range.to) };
};

/** `14 bis 16 Uhr`: the word said once. */
const hours: Family = (random, asked) => {
  const day = dayPart(random, asked);
  const from = 1 + random.below(21);
  const to = from + 1 + random.below(23 - from);
  const text = random.pick([
    `${day.text} ${from} bis ${to} Uhr`,
    `${day.text} von ${from} bis ${to} Uhr`,
    `${day.text} ${from}-${to} Uhr`,
    `zwischen ${from} und ${to} Uhr ${day.text}`,
    `${day.text} ${from}.30 bis ${to}.45 Uhr`,
  ]);
  const [start, end] = text.includes('.30') ? [30, 45] : [0, 0];
  const [first, last] = [new Temporal.PlainTime(from, start), new Temporal.PlainTime(to, end)];
  const range = timesOn(asked, day.dayFor(first), first, last);
  return { text, expected: range && clamp(asked, range.from, range.to) };
};

const sinceDay: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  if (day.text.startsWith('vor ')) return sinceDay(random, asked);
  const isTimed = random.below(2) === 0;
  const time = isTimed ? clock.time : MIDNIGHT;
  const on = day.text.replace(/^am /, random.pick(['', 'dem ']));
  const text = `${random.pick(['seit', 'ab'])} ${on}${isTimed ? ` ${clock.text}` : ''}`;
  // `ab dem letzten Montag` and `seit dem Montag` sound alike.
  return { text, expected: clamp(asked, at(day.dayFor(time), time, asked.zone), asked.now) };
};

const UNITS = [
  ['Minuten', 'minutes'],
  ['Stunden', 'hours'],
  ['Tage', 'days'],
  ['Wochen', 'weeks'],
  ['Monate', 'months'],
] as const;

const rolling: Family = (random, asked) => {
  const [name, unit] = random.pick(UNITS);
  const count = 2 + random.below(11);
  const amount = random.pick([String(count), NUMBERS[count] ?? String(count)]);
  const dative = name.endsWith('n') ? name : `${name}n`;
  const text = random.pick([
    `letzte ${amount} ${name}`,
    `die letzten ${amount} ${name}`,
    `in den letzten ${amount} ${dative}`,
    `vergangene ${amount} ${name}`,
    `seit ${amount} ${dative}`,
    `${amount} ${name}`,
  ]);
  return { text, expected: clamp(asked, minus(asked, count, unit), asked.now) };
};

const around: Family = (random, asked) => {
  const [day, clock] = [dayPart(random, asked), clockPart(random)];
  const middle = at(day.dayFor(clock.time), clock.time, asked.zone);
  const text = `${day.text} ${random.pick(['gegen', 'um ca.', 'etwa um', 'ungefähr um', 'circa'])} ${clock.text}`;
  return { text, expected: clamp(asked, middle.subtract({ minutes: 30 }), middle.add({ minutes: 30 })) };
};

const twoDates: Family = (random, asked) => {
  const from = asked.today.subtract({ days: 2 + random.below(200) });
  const to = from.add({ days: 1 + random.below(20) });
  const isLeapDay = [from, to].some(({ month, day }) => month === 2 && day === 29);
  if (isLeapDay || Temporal.PlainDate.compare(asked.today, to) <= 0) return twoDates(random, asked);
  const short = (day: PlainDate) => `${day.day}.${day.month}.`;
  const long = (day: PlainDate) => `${day.day}. ${MONTHS[day.month - 1]}`;
  const text = random.pick([
    `vom ${short(from)} bis ${short(to)}`,
    `${short(from)} - ${short(to)}`,
    `vom ${long(from)} bis zum ${long(to)}`,
    `${long(from)} bis ${long(to)}`,
    `zwischen dem ${long(from)} und dem ${long(to)}`,
    from.month === to.month ? `vom ${from.day}. bis ${long(to)}` : `${long(from)} bis ${long(to)}`,
  ]);
  const end = at(to.add({ days: 1 }), MIDNIGHT, asked.zone);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, asked.zone), end) };
};

const periods: Family = (random, asked) => {
  const { today, zone } = asked;
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const month = today.with({ day: 1 });
  const { weekOfYear, yearOfWeek } = monday.subtract({ weeks: 2 });
  const [text, from, to] = random.pick([
    ['diese Woche', monday, monday.add({ weeks: 1 })],
    ['letzte Woche', monday.subtract({ weeks: 1 }), monday],
    ['vorige Woche', monday.subtract({ weeks: 1 }), monday],
    ['vorletzte Woche', monday.subtract({ weeks: 2 }), monday.subtract({ weeks: 1 })],
    [`KW ${weekOfYear}`, monday.subtract({ weeks: 2 }), monday.subtract({ weeks: 1 })],
    [`${weekOfYear}. Kalenderwoche ${yearOfWeek}`, monday.subtract({ weeks: 2 }), monday.subtract({ weeks: 1 })],
    ['dieser Monat', month, month.add({ months: 1 })],
    ['im letzten Monat', month.subtract({ months: 1 }), month],
    ['letztes Jahr', month.with({ month: 1 }).subtract({ years: 1 }), month.with({ month: 1 })],
    [
      `Anfang ${MONTHS[month.subtract({ months: 1 }).month - 1]}`,
      month.subtract({ months: 1 }),
      month.subtract({ months: 1 }).add({ days: 10 }),
    ],
    ['vorgestern und gestern', today.subtract({ days: 2 }), today],
    ['von gestern', today.subtract({ days: 1 }), today],
    ['gestern den ganzen Tag', today.subtract({ days: 1 }), today],
  ] as const);
  return { text, expected: clamp(asked, at(from, MIDNIGHT, zone), at(to, MIDNIGHT, zone)) };
};

const parts: Family = (random, asked) => {
  const day = random.pick([weekday, relative])(random, asked);
  if (day.text.startsWith('vor ')) return parts(random, asked);
  const [name, from, to] = random.pick([
    ['früh', 0, 12],
    ['Morgen', 0, 12],
    ['Vormittag', 0, 12],
    ['Nachmittag', 12, 19],
    ['Abend', 18, 24],
    ['Nacht', 18, 32],
  ] as const);
  const on = day.dayFor(new Temporal.PlainTime(from));
  const hour = (value: number) =>
    at(on.add({ days: Math.floor(value / 24) }), new Temporal.PlainTime(value % 24), asked.zone);
  const isSince = random.below(3) === 0;
  const text = isSince ? `seit ${day.text.replace(/^am /, '')} ${name}` : `${day.text} ${name}`;
  return { text, expected: clamp(asked, hour(from), isSince ? asked.now : hour(to)) };
};

/** Spoken times with a part of the day. */
const spoken: Family = (random, asked) => {
  const hour = 7 + random.below(4);
  const [words, before] = random.pick([
    ['halb', -30],
    ['Viertel nach', 15],
    ['Viertel vor', -15],
    ['zehn nach', 10],
    ['fünf vor halb', -35],
  ] as const);
  const minutes = hour * 60 + before;
  const isLater = random.below(2) === 0;
  const on = new Temporal.PlainTime(Math.floor(minutes / 60) + (isLater ? 12 : 0), minutes % 60);
  const text = `seit gestern ${words} ${NUMBERS[hour]} ${isLater ? 'abends' : 'morgens'}`;
  return { text, expected: clamp(asked, at(asked.today.subtract({ days: 1 }), on, asked.zone), asked.now) };
};

const refused: Family = (random) => ({
  text: random.pick([
    'morgen',
    'übermorgen',
    'nächste Woche',
    'morgen früh',
    'jeden Montag',
    'montags',
    'täglich',
    'die letzten Tage',
    'die letzten paar Stunden',
    'seit halb drei',
    'von 10 bis 4 Uhr',
    'gestern von 9 bis 3 Uhr',
    'gestern 14 bis 16 Uhr banane',
    'bis gestern',
    'neulich',
    'kurz nach 9',
    '5.10 bis 9.10',
    'in 2 Stunden',
  ]),
  expected: null,
});

export const GERMAN_FAMILIES: Readonly<Record<string, Family>> = Object.fromEntries(
  Object.entries({ dayWithTimes, hours, sinceDay, rolling, around, twoDates, periods, parts, spoken, refused }).map(
    ([name, family]) => [`german ${name}`, german(family)],
  ),
);
