/**
 * Whether a reply tells one truth: every number that names the same thing, in its text, its tables, its chart, the words
 * for the chart and its files, is the same number. Knows words, not verbs, so that any reply can be held against it.
 */
import { altText, type ChartSpec } from '../../src/charts/spec/index.ts';
import { plainText } from '../../src/replies/phrases.ts';
import type { Attachment, Reply, Table } from '../../src/replies/reply.ts';
import { CATEGORIES } from '../../src/statistics/categories.ts';
import { compactCount, formatCount, formatShare } from '../../src/statistics/format.ts';

/** What is named, as it is written, and where. */
export interface NamedNumber {
  readonly thing: string;
  readonly value: string;
  readonly where: string;
}

/** Whole: not the beginning of a longer one, nor of a share. */
const NUMBER = '\\d+(?:,\\d{3})*(?:\\.\\d+)?(?: [kMBT](?![A-Za-z]))?(?![\\d%]|[,.]\\d| %)';

/** Behind a thing that is counted from the beginning to the end of an episode. */
const EPISODE = 'of the episode';
/** Behind a thing that is counted in the whole window, in a line about an episode. */
const WINDOW = 'of the window';
/** Behind a thing that is counted in the part of the window that was compared. */
export const COMPARED_PART = ' of the part that was compared';
/** Between a total and a peak. */
const EXPECTED = `(?:, (?:about ${NUMBER}|hardly any) expected)?`;

/** Each pattern with the things its groups name. */
const TOTALS: readonly (readonly [pattern: RegExp, ...things: string[]])[] = [
  // Of other windows, or of a part of this one.
  [new RegExp(`In (?!this window)[^:]+: (?:about )?(${NUMBER}) attacks? among (${NUMBER}) requests?`, 'g')],
  [new RegExp(`Expected: about (${NUMBER}) (?:attacks?|visits?|events?)`, 'g'), 'expected'],
  [new RegExp(`(${NUMBER}) requests? that are no attack`, 'g'), 'visitors who are left'],
  [new RegExp(`(${NUMBER}) attacks? in ([^.:,]*?) where about`, 'g'), 'attacks of a part'],
  [/([\d.,]+)× (?:the )?usual/g, `times usual ${EPISODE}`],
  // What has stopped.
  [
    new RegExp(`(${NUMBER}) visits, about (${NUMBER}) expected`, 'g'),
    `visits ${EPISODE}`,
    `visits expected ${EPISODE}`,
  ],
  [
    new RegExp(`(${NUMBER}) visits? in [^:,;.]*?, about (${NUMBER}) expected`, 'g'),
    `visits ${EPISODE}`,
    `visits expected ${EPISODE}`,
  ],
  [new RegExp(`go on · about (${NUMBER}) expected`, 'g'), `attacks expected ${EPISODE}`],
  [
    new RegExp(`(${NUMBER}) attacks? in (?:[^:,;.]|\\.\\d)*?(?: up to [^,]*?)?, about (${NUMBER}) expected\\.`, 'g'),
    `attacks ${EPISODE}`,
    `attacks expected ${EPISODE}`,
  ],
  [
    new RegExp(`(${NUMBER}) attacks? in [^:,;]*?(?: up to [^,;]*?)?${EXPECTED}; (${NUMBER}) in `, 'g'),
    `attacks ${EPISODE}`,
    `attacks ${WINDOW}`,
  ],
  [
    new RegExp(`(${NUMBER}) attacks? in [^:,;]*?${EXPECTED}, peak (${NUMBER}) per`, 'g'),
    `attacks ${EPISODE}`,
    `peak ${EPISODE}`,
  ],
  [new RegExp(`, peak (${NUMBER})(?: in [\\w ]+?)? at`, 'g'), `peak ${EPISODE}`],
  [
    new RegExp(`(${NUMBER}) attacks? in [^:,;]*?: (?:from ${NUMBER} to )?(${NUMBER}) per minute`, 'g'),
    `attacks ${EPISODE}`,
    'attacks per minute',
  ],
  [new RegExp(`(${NUMBER}) attacks? (?:since|from) \\d`, 'g'), `attacks ${EPISODE}`],
  [new RegExp(`(${NUMBER}) others?(?: (${NUMBER}))?`, 'g'), 'how many others', 'the others together'],
  // Said because it differs.
  [new RegExp(`the timeline to (${NUMBER}) attacks?`, 'g'), 'attacks of the timeline'],
  [new RegExp(`in total (${NUMBER}) → (${NUMBER})`, 'g'), 'attacks before', 'attacks'],
  [new RegExp(`attacks [^,;:.]*?\\((${NUMBER}) then\\)`, 'g'), 'attacks before'],
  [new RegExp(`requests [^,;:.]*?\\((${NUMBER}) then\\)`, 'g'), 'requests before'],
  [new RegExp(`attacks (${NUMBER}) → (${NUMBER})`, 'gi'), 'attacks before', 'attacks'],
  [new RegExp(`requests (${NUMBER}) → (${NUMBER})`, 'gi'), 'requests before', 'requests'],
  [new RegExp(`Peak(?: of attacks)? (${NUMBER}) at`, 'g'), 'peak of attacks'],
  [new RegExp(`Attacks peak at (${NUMBER})`, 'g'), 'peak of attacks'],
  [new RegExp(`Peak of requests (${NUMBER}) at`, 'g'), 'peak of requests'],
  [new RegExp(`(${NUMBER}) requests?`, 'g'), 'requests'],
  [new RegExp(`(${NUMBER}) attacks?(?: \\(([\\d.<>]+ %)\\))?`, 'g'), 'attacks', 'share of attacks'],
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const CATEGORY_WORDS = CATEGORIES.flatMap(({ name }) => {
  const before = new RegExp(`${escaped(name)} (${NUMBER}) → (${NUMBER})`, 'g');
  const counted = new RegExp(`${escaped(name)} (${NUMBER})(?: \\(([\\d.<>]+ %)(?:, was (${NUMBER}))?)?`, 'g');
  const shared = new RegExp(`${escaped(name)} \\(?([\\d.<>]+ %)`, 'g');
  return [
    [before, `${name} before`, name],
    [counted, name, `share of ${name}`, `${name} before`],
    [shared, `share of ${name}`],
  ] as const;
});

/** Longer patterns first; what one has read, the next does not see. */
function inText(text: string, where: string): NamedNumber[] {
  const found: NamedNumber[] = [];
  let rest = text;
  for (const [pattern, ...things] of [...CATEGORY_WORDS, ...TOTALS]) {
    rest = rest.replace(pattern, (_whole, ...groups: (string | undefined)[]) => {
      things.forEach((thing, at) => {
        const value = groups[at];
        // Parts of different lengths are different things.
        const named = thing === 'attacks of a part' ? `${thing} of ${groups[1]}` : thing;
        if (value !== undefined) found.push({ thing: named, value, where });
      });
      return '·';
    });
  }
  return found;
}

const ROWS: Readonly<Record<string, string>> = {
  Requests: 'requests',
  Attacks: 'attacks',
  'Attack share': 'share of attacks',
};
const COLUMNS: Readonly<Record<string, (thing: string) => string>> = {
  Now: (thing) => thing,
  Attacks: (thing) => thing,
  Before: (thing) => `${thing} before`,
  Counted: (thing) => `${thing} ${EPISODE}`,
  Share: (thing) => `share of ${thing}`,
};

function inTable({ columns, rows }: Table, where: string): NamedNumber[] {
  return rows.flatMap(([name = '', ...cells]) =>
    cells.flatMap((value, at) => {
      const thing = COLUMNS[columns[at + 1]?.name ?? '']?.(ROWS[name] ?? name);
      return thing === undefined || !/\d/.test(value) ? [] : [{ thing, value, where }];
    }),
  );
}

/** What stands in the file, added up as a spreadsheet would. */
function inFile({ name, content }: Attachment): NamedNumber[] {
  const [head = '', ...lines] = content.trim().split('\r\n');
  const rows = lines.map((line) => line.split(','));
  const titles = head.split(',');
  const column = (title: string): string[] => {
    const at = titles.indexOf(title);
    return rows.map((row) => row[at] ?? '');
  };
  const sum = (title: string): number => column(title).reduce((all, cell) => all + Number(cell), 0);
  const known = (title: string): boolean => column(title).some((cell) => cell !== '');
  if (name.includes('timeline')) {
    return ['requests', 'attacks']
      .filter(known)
      .map((thing) => ({ thing, value: formatCount(sum(thing)), where: `the sum of ${name}` }));
  }
  const each = (title: string, thing: (category: string) => string): NamedNumber[] =>
    column(title).flatMap((cell, at) =>
      cell === '' ? [] : [{ thing: thing(column('name')[at] ?? ''), value: formatCount(Number(cell)), where: name }],
    );
  return [
    { thing: 'events', value: formatCount(sum('events')), where: `the sum of ${name}` },
    ...each('events', (category) => category),
    ...each('events_before', (category) => `${category} before`),
  ];
}

function inChart(chart: ChartSpec): NamedNumber[] {
  const where = 'the chart';
  if (chart.kind === 'breakdown') {
    const names = new Map(CATEGORIES.map(({ field, name }) => [field, name]));
    const counts = chart.distribution.counts.filter(({ count }) => count > 0);
    const total = counts.reduce((all, { count }) => all + count, 0);
    return [
      { thing: 'attacks', value: formatCount(total), where },
      { thing: 'events', value: formatCount(total), where },
      ...counts.flatMap(({ category, count }) => [
        { thing: names.get(category) ?? category, value: formatCount(count), where },
        { thing: `share of ${names.get(category) ?? category}`, value: formatShare(count / total), where },
      ]),
    ];
  }
  const [lead] = chart.marks;
  const times = [
    ...(lead === undefined ? [] : [{ thing: 'beginning', value: clockTime(lead.onsetMs, chart.zone), where }]),
    ...(lead === undefined || lead.endMs === null
      ? []
      : [{ thing: 'end', value: clockTime(lead.endMs, chart.zone), where }]),
  ];
  const totals = (['requests', 'attacks'] as const).flatMap((thing) => {
    const values = chart.timeline.points.flatMap((point) => point[thing] ?? []);
    const total = values.reduce((all, value) => all + value, 0);
    return values.length === 0 ? [] : [{ thing, value: formatCount(total), where }];
  });
  return [...times, ...totals, ...inSpan(chart)];
}

const clockTime = (ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' });

/** What the chart shows between its marks, where its intervals are as short as those that episodes are counted in. */
function inSpan({ timeline, marks: [lead] }: Extract<ChartSpec, { kind: 'timeline' }>): NamedNumber[] {
  const { intervalMs, settledUntilMs, points, fromMs, toMs, asOfMs } = timeline;
  if (lead === undefined || lead.of === 'requests' || intervalMs > 60_000) return [];
  const { onsetMs, endMs } = lead;
  // What goes on beyond the chart, before or after, is not all in it.
  const isInside = onsetMs >= fromMs && (endMs === null ? asOfMs - toMs <= 180_000 : endMs <= toMs);
  if (!isInside) return [];
  const untilMs = Math.min(endMs ?? settledUntilMs, settledUntilMs);
  const counts = points
    .filter((point) => point.endMs - intervalMs >= onsetMs && point.endMs <= untilMs)
    .flatMap(({ attacks }) => attacks ?? []);
  const where = 'the marked part of the chart';
  const total = formatCount(counts.reduce((all, count) => all + count, 0));
  return [
    { thing: `attacks ${EPISODE}`, value: total, where },
    ...(counts.some((count) => count > 0)
      ? [{ thing: `peak ${EPISODE}`, value: formatCount(Math.max(...counts)), where }]
      : []),
  ];
}

/** The sentence on the window before names another window's numbers. */
function inAltText(chart: ChartSpec): NamedNumber[] {
  const [name, text] = [chart.previousName, altText(chart)];
  const lead = `${name.charAt(0).toUpperCase()}${name.slice(1)}: `;
  const before = new RegExp(`${escaped(lead)}(${NUMBER}) attacks?[^.;]*`, 'g');
  const found: NamedNumber[] = [];
  const rest = text.replace(before, (_whole, value: string) => {
    found.push({ thing: 'attacks before', value, where: 'the words for the chart' });
    return '';
  });
  return [...found, ...inText(rest, 'the words for the chart'), ...timesIn(rest, 'the words for the chart')];
}

/** When what is told began, and when it was over. */
function timesIn(text: string, where: string): NamedNumber[] {
  const [, since] = /\b(?:since|began|Began) (?:\d{1,2} \w{3} )?(\d\d:\d\d)/.exec(text) ?? [];
  const [, from, to] = /(\d\d:\d\d) – (?:\d{1,2} \w{3} )?(\d\d:\d\d) ·/.exec(text) ?? [];
  const [, ended] = /Ended (\d\d:\d\d)/.exec(text) ?? [];
  const named = (thing: string, value: string | undefined) => (value === undefined ? [] : [{ thing, value, where }]);
  return [...named('beginning', from ?? since), ...named('end', to ?? ended)];
}

/** A line that begins with a time is about an episode, whose numbers are its own. */
function inLine(line: string): NamedNumber[] {
  const found = inText(line, 'the text');
  const [time] =
    /^(?:Also )?(?:since |from )?(?:(?:\w{3} )?\d{1,2} \w{3} )?\d\d:\d\d(?: ?– ?(?:(?:\w{3} )?\d{1,2} \w{3} )?\d\d:\d\d)?/i.exec(
      line,
    ) ?? [];
  return time === undefined ? found : found.map((each) => ({ ...each, thing: `${each.thing} of ${time}` }));
}

/** A report of an episode begins with what it came to; the numbers of the whole window, if said, are said apart. */
function inLines(lines: readonly string[]): NamedNumber[] {
  const isEpisode = lines.some((line) =>
    /attacks? in [^:]*?, peak|attacks? in [^:]*?(?: up to [^,;]*)?[^:]*?; |attacks? in [^:,;]*?: .*per minute/.test(
      line,
    ),
  );
  return lines.flatMap((line) =>
    inLine(line).map((each) => {
      if (each.thing.endsWith(WINDOW)) return { ...each, thing: each.thing.slice(0, -WINDOW.length - 1) };
      return !isEpisode || each.thing.endsWith(EPISODE) ? each : { ...each, thing: `${each.thing} ${EPISODE}` };
    }),
  );
}

/** What the reasons count by category and by host is the leading episode. */
function inReason(line: string): NamedNumber[] {
  const found = inText(line, 'the reasons');
  return /^By (category|host)/.test(line)
    ? found.map((each) => ({ ...each, thing: `${each.thing} ${EPISODE}` }))
    : found;
}

/** The heading, the lines and the peak of the report; the other lines of its timeline are about other episodes, too. */
function inDocument({ document }: Reply): NamedNumber[] {
  const [summary, timeline] = document?.parts ?? [];
  const lines = (summary?.lines ?? []).map(plainText);
  const peaks = (timeline?.list ?? []).flatMap((line) => {
    const [, value] = new RegExp(`Peak: (${NUMBER}) `).exec(plainText(line)) ?? [];
    return value === undefined ? [] : [{ thing: `peak ${EPISODE}`, value, where: 'the report' }];
  });
  return document === undefined
    ? []
    : [...inText(document.title, 'the report'), ...inLines(lines.slice(0, 1)), ...peaks];
}

export function namedNumbers(reply: Reply): NamedNumber[] {
  const { title, headline, body = [], also = [], why, table, chart, attachments = [], notes = [] } = reply;
  const numbers = why?.more?.numbers;
  // The reasons then count what was compared, which they name, and the answer all of the window. Categories can't be cut.
  const isPart = notes.some((note) => plainText(note).startsWith('Compared over '));
  const inReasons = (each: NamedNumber): NamedNumber =>
    isPart && /\b(requests|attacks)\b/.test(each.thing) ? { ...each, thing: `${each.thing}${COMPARED_PART}` } : each;
  return [
    ...inText(title, 'the heading'),
    ...timesIn(title, 'the heading'),
    ...inLines([headline ?? [], ...body].map(plainText)),
    ...also.flatMap((line) => inLine(plainText(line))),
    ...(why?.lines ?? []).flatMap((line) => inReason(plainText(line))),
    ...(numbers?.lines ?? []).flatMap((line) => inText(plainText(line), 'all numbers')),
    ...(numbers?.table === undefined ? [] : inTable(numbers.table, 'the table of all numbers')),
    ...(table === undefined ? [] : inTable(table, 'the table')),
    ...(why?.table === undefined ? [] : inTable(why.table, 'the table of reasons').map(inReasons)),
    ...(chart === undefined ? [] : [...inChart(chart), ...inAltText(chart)]),
    ...attachments.flatMap(inFile),
    ...inDocument(reply),
  ];
}

/** A heading may say 1.9 M for 1,903,412. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  const exact = (text: string): number => Number(text.replaceAll(',', ''));
  return a === compactCount(exact(b)) || b === compactCount(exact(a));
}

export function disagreements(reply: Reply): string[] {
  const byThing = Map.groupBy(namedNumbers(reply), ({ thing }) => thing);
  return [...byThing]
    .flatMap(([thing, [first, ...others]]) =>
      others
        .filter(({ value }) => first !== undefined && !isSame(first.value, value))
        .map(({ value, where }) => `${thing}: ${first?.value} in ${first?.where}, ${value} in ${where}`),
    )
    .concat(factorsOff(reply));
}

/** A number as it is written is anything that would be written so. */
function roundedTo(text: string): { readonly least: number; readonly most: number } {
  const half = text.includes('.') || Number(text) < 10 ? 0.051 : 0.51;
  const value = Number(text.replaceAll(',', ''));
  return { least: value - half, most: value + half };
}

/** Counts are whole; rates are written with a tenth below ten. */
function isQuotient(factor: string, of: string, by: string, isWhole: boolean): boolean {
  const [times, over] = [roundedTo(factor), roundedTo(of)];
  const under = isWhole
    ? { least: Number(by.replaceAll(',', '')) - 0.51, most: roundedTo(by).most + 0.46 }
    : roundedTo(by);
  const total = isWhole ? Number(of.replaceAll(',', '')) : null;
  const least = (total ?? over.least) / under.most;
  const most = under.least <= 0 ? Number.POSITIVE_INFINITY : (total ?? over.most) / under.least;
  return times.most >= least && times.least <= most;
}

/** Whoever divides what was counted by what was expected gets the factor that is said. */
function factorsOff({ title, headline, body = [] }: Reply): string[] {
  const text = [title, ...[headline ?? [], ...body].map(plainText)].join('\n');
  const off: string[] = [];
  const [, said] = /· ([\d.,]+)× usual/.exec(title) ?? [];
  const [, total, expected] =
    new RegExp(`(${NUMBER}) attacks? (?:in [^:,;]*|since [^,;.]*|from [^,;.]*), about (${NUMBER}) expected`).exec(
      text,
    ) ?? [];
  if (said !== undefined && total !== undefined && expected !== undefined && !isQuotient(said, total, expected, true))
    off.push(`${total} of ${expected} expected are not ${said}×`);
  const [, rate, times, usual] =
    new RegExp(`(${NUMBER}) per minute, ([\\d.,]+)× the usual (${NUMBER})`).exec(text) ?? [];
  if (rate !== undefined && times !== undefined && usual !== undefined && !isQuotient(times, rate, usual, false))
    off.push(`${rate} a minute are not ${times}× ${usual}`);
  const [, name, grown] = /· (?:led by )?([^·×]+) ×([\d.,]+)$/.exec(title) ?? [];
  const [, count, due] =
    name === undefined ? [] : (new RegExp(`${escaped(name)} (${NUMBER}) \\((${NUMBER}) expected`).exec(text) ?? []);
  if (grown !== undefined && count !== undefined && due !== undefined && !isQuotient(grown, count, due, true))
    off.push(`${name}: ${count} of ${due} expected are not ×${grown}`);
  return off;
}
