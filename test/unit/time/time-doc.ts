/** Renders docs/time.md from the tables, so that the page can neither promise nor forget anything. */
import { PARTS_OF_DAY } from '../../../src/time/grammar/clock.ts';
import { ZONE_ABBREVIATIONS } from '../../../src/time/zones/zones.ts';
import { type Row, readTable, TABLES } from './read-table.ts';

interface Section {
  readonly kind: keyof typeof TABLES;
  readonly title: string;
  readonly text: string;
  readonly rows?: number;
}

const SECTIONS: readonly Section[] = [
  {
    kind: 'rolling',
    title: 'Rolling',
    text: 'A length that ends now. Hours and shorter are elapsed time; days and longer go by the calendar of the zone, so `last 2 days` begins at the same time of day two days ago.',
    rows: 20,
  },
  {
    kind: 'calendar',
    title: 'Calendar',
    text: '`last week`, `last month` without a number is the whole unit before this one; `this week` and `week to date` run from its start to now. Weeks start on Monday. `last hour` and `last minute` roll.',
    rows: 24,
  },
  {
    kind: 'named',
    title: 'Named periods',
    text: 'Without a year: the latest that has begun. Weeks are ISO weeks; a week belongs to the month that has its Thursday. Early, mid and late are thirds of a month.',
    rows: 40,
  },
  {
    kind: 'dates',
    title: 'One day',
    text: 'Without a year or month: the latest such day. Slashes and hyphens are month/day/year, dots are day.month.year, four digits in front are year-month-day.',
    rows: 22,
  },
  {
    kind: 'spellings',
    title: 'Other spellings of a date',
    text: 'What no rule above covers is left to chrono, and only the day, month and year written there are used. Two digits after a day and month are a year from 24 on; below that they could be an hour, and are refused.',
    rows: 22,
  },
  {
    kind: 'pairs',
    title: 'From one day to another',
    text: 'The last day, month or year named is part of the range. What one end leaves out, the other says.',
    rows: 30,
  },
  {
    kind: 'clock',
    title: 'Times of day',
    text: 'Clock times are exact ends. Without am or pm the 24-hour reading holds, unless the pair would run backwards (`10-4`). A time that is still to come means the day before. `around` is half an hour each side.',
    rows: 40,
  },
  {
    kind: 'since',
    title: 'Since and after',
    text: 'Since starts where the named unit starts, after where it ends; both run until now.',
    rows: 20,
  },
  {
    kind: 'math',
    title: 'Dashboards and query languages',
    text: 'After `now`, a capital `M` is a month and `/d` as an end covers the whole day; Splunk’s `@d` is the moment the day begins. Epochs have 10 digits (seconds) or 13 (milliseconds).',
    rows: 24,
  },
  {
    kind: 'iso',
    title: 'ISO 8601',
    text: 'Intervals with `/`, durations, offsets, week dates, basic forms.',
    rows: 14,
  },
  { kind: 'zones', title: 'Zones', text: 'A zone or offset in the phrase wins over the asker’s own.', rows: 20 },
  {
    kind: 'refused',
    title: 'What is refused',
    text: 'Anything ahead, backwards or impossible, a moment that is not a range, and any phrase with a word left over. The words at fault are pointed at.',
    rows: 50,
  },
];

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text.includes('`') ? text : `\`${cell(text)}\``);

function renderRows(rows: readonly Row[]): string {
  const lines = rows.map(({ phrase, meaning }) => `| ${code(phrase)} | ${cell(meaning.replace(' .. ', ' – '))} |`);
  return ['| phrase | meaning |', '|---|---|', ...lines].join('\n');
}

function renderSection({ kind, title, text, rows = 20 }: Section): string {
  const all = readTable(TABLES[kind] ?? '');
  const [first] = all;
  const shown = all.filter(({ reference }) => reference === first?.reference).slice(0, rows);
  return `## ${title}\n${text}\n\n${renderRows(shown)}\n`;
}

const partsOfDay = (): string => [...PARTS_OF_DAY].map(([name, { from, to }]) => `${name} ${from}–${to}`).join(', ');

function abbreviations(): string {
  const byZone = Map.groupBy([...ZONE_ABBREVIATIONS], ([, zone]) => zone);
  return [...byZone]
    .map(([zone, names]) => `${names.map(([name]) => name.toUpperCase()).join(', ')} = ${zone}`)
    .join('; ');
}

export function renderTimeDoc(): string {
  const reference = readTable(TABLES.rolling ?? '')[0]?.reference ?? '';
  return `# Time ranges

What can be typed where a range is asked for, and what it means. The examples are read at ${reference}; an end is not
part of the range. A range that reaches past now is cut there. Capitals, spaces, curly quotes and long dashes do not
matter. Where a phrase cannot be read to its last word, it is refused, never guessed.

This page is made from the test tables: \`UPDATE_DOCS=1 npx vitest run test/unit/time/docs.test.ts\`.

${SECTIONS.map(renderSection).join('\n')}
## Fixed readings
- Parts of the day, in hours: ${partsOfDay()}.
- Abbreviations are fixed offsets, whatever the season; ET, CT, MT, PT, Eastern and Pacific follow their city: ${abbreviations()}.
- Zones may be named in full (\`Europe/Berlin\`), by city (\`in Berlin\`), or as offset (\`+05:30\`, \`UTC+2\`), in any case.
- A time that a clock change skipped is as much later as the change; one that happened twice is the first.
`;
}
