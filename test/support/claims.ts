/**
 * What an answer claims about episodes, read from its words, its chart and its tables as a reader would, and held against
 * the records: times to the minute, numbers as they're written, the order, and what a past window may say.
 */
import { altText, type ChartSpec } from '../../src/charts/spec/index.ts';
import { type EpisodeRecord, natureOf } from '../../src/episodes/episode.ts';
import { isMinor } from '../../src/episodes/episode-log.ts';
import { BARS } from '../../src/episodes/verdict/index.ts';
import { plainText } from '../../src/replies/phrases.ts';
import type { Line, Reply, Table } from '../../src/replies/reply.ts';
import { categoryName } from '../../src/statistics/categories.ts';
import { formatCount } from '../../src/statistics/format.ts';
import { disagreements } from './agreement.ts';

/** Collects what was compared and what differs. */
export interface Comparisons {
  compared: number;
  readonly wrong: string[];
}

/** The window of an answer, and when and where it was asked about. */
export interface AskedAt {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly zone: string;
  /** The day whose times have no day in front. */
  readonly todayMs: number;
}

/** One answer's claims against the records. */
export function comparing(into: Comparisons, where: string) {
  return (thing: string, said: unknown, known: unknown): void => {
    into.compared += 1;
    if (said !== known) into.wrong.push(`${where}: ${thing}: ${JSON.stringify(said)}, not ${JSON.stringify(known)}`);
  };
}

type Compare = ReturnType<typeof comparing>;

const TIME = '(?:(?:[A-Z][a-z]{2} )?(?:\\d{1,2} [A-Z][a-z]{2} ))?\\d\\d:\\d\\d';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `4 Mar 09:31`, or a time of `dayMs`. */
export function instantOf(text: string, zone: string, dayMs: number): number {
  const [, day, month, hour, minute] = /(?:(\d{1,2}) ([A-Z][a-z]{2}) )?(\d\d):(\d\d)$/.exec(text) ?? [];
  const today = Temporal.Instant.fromEpochMilliseconds(dayMs).toZonedDateTimeISO(zone).toPlainDate();
  const date = month === undefined ? today : today.with({ day: Number(day), month: MONTHS.indexOf(month) + 1 });
  return date.toZonedDateTime({ timeZone: zone, plainTime: { hour: Number(hour), minute: Number(minute) } })
    .epochMilliseconds;
}

interface Span {
  readonly onsetMs: number;
  /** `null`: it goes on. */
  readonly endMs: number | null;
}

/** The time that a text gives an episode. */
export function spanIn(text: string, { zone, todayMs }: Pick<AskedAt, 'zone' | 'todayMs'>): Span | null {
  const [, on] = new RegExp(`from (${TIME}) on\\b`, 'i').exec(text) ?? [];
  if (on !== undefined) return { onsetMs: instantOf(on, zone, todayMs), endMs: null };
  const [, from, to] = new RegExp(`(${TIME})(?: ?– ?| to )(${TIME})`).exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const onsetMs = instantOf(from, zone, todayMs);
    const endMs = instantOf(to, zone, onsetMs);
    // `23:33 – 00:22` is a night.
    return { onsetMs, endMs: endMs < onsetMs ? instantOf(to, zone, onsetMs + 86_400_000) : endMs };
  }
  const [, since] = new RegExp(`(?:[Ss]ince|began) (${TIME})`).exec(text) ?? [];
  return since === undefined ? null : { onsetMs: instantOf(since, zone, todayMs), endMs: null };
}

const clockOf = (ms: number | null, zone: string): string | null =>
  ms === null
    ? null
    : Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toString({ smallestUnit: 'minute' });

export function compareSpan(compare: Compare, thing: string, said: Span | null, known: Span, zone: string): void {
  compare(`${thing}, onset`, clockOf(said?.onsetMs ?? null, zone), clockOf(known.onsetMs, zone));
  compare(`${thing}, end`, said === null ? 'unsaid' : clockOf(said.endMs, zone), clockOf(known.endMs, zone));
}

/** `4.8`, `12`; `null` where it would mean little. */
function timesOf({ total, expected }: EpisodeRecord['figures']): string | null {
  if (expected === null || expected < 1 || total / expected < 1.15) return null;
  const ratio = total / expected;
  return ratio < 9.95 ? ratio.toFixed(1).replace(/\.0$/, '') : formatCount(ratio);
}

const DROPS = /visitors gone|no attacks|hardly any attacks/i;

/** What it was called, and how many times the usual. */
export function compareWhat(compare: Compare, text: string, record: EpisodeRecord): void {
  const { figures, leading, mix, drop } = record;
  const nature = natureOf(record);
  compare('is a drop', DROPS.test(text), drop !== undefined);
  if (nature === 'rise') {
    const [, times] = /([\d.,]+)× usual/.exec(text) ?? [];
    compare('times usual', times ?? null, timesOf(figures));
    const last = leading.at(-1);
    if (last !== undefined) compare('names what led', text.includes(categoryName(last)), true);
  }
  if (nature === 'mix') {
    compare('names the category', text.includes(categoryName(mix ?? '')), true);
    const [, total] = /([\d,]+) events?/.exec(text) ?? [];
    compare('events', total, formatCount(figures.total));
  }
  if (drop !== undefined) compare('which drop', /visitors gone/i.test(text), drop === 'requests');
}

/** `519 attacks in 17 minutes, about 84 expected` */
export function compareCounts(compare: Compare, text: string, { figures, mix }: EpisodeRecord): void {
  const [, total] = /([\d,]+) (?:attacks?|events?|visits?)/.exec(text) ?? [];
  compare('total', total, formatCount(figures.total));
  if (mix !== undefined) return;
  const [, expected] = /(?:about ([\d,]+)|hardly any) expected/.exec(text) ?? [];
  if (!/ expected/.test(text)) return;
  const known = figures.expected === null || figures.expected < 0.5 ? undefined : formatCount(figures.expected);
  compare('expected', expected, known);
}

const linesOf = ({ headline, body = [] }: Reply): string[] => [headline ?? [], ...body].map(plainText);
const RECENT_MS = 10 * 60_000;
const isPast = ({ nowMs, toMs }: Pick<AskedAt, 'nowMs' | 'toMs'>): boolean => nowMs - toMs > RECENT_MS;

/** Everything of an answer that says when. */
function saidIn({ title, headline, body = [], also = [], why, chart }: Reply): string[] {
  return [
    title,
    ...[headline ?? [], ...body, ...also, ...(why?.lines ?? [])].map(plainText),
    ...(chart === undefined ? [] : [chart.title, altText(chart)]),
  ];
}

function comparePast(compare: Compare, reply: Reply, asked: AskedAt): void {
  if (!isPast(asked)) return;
  for (const text of saidIn(reply)) {
    const [word] =
      /\b(?:since|still|so far|ongoing)\b/i.exec(text.replace(new RegExp(`ongoing at ${TIME}`, 'g'), '')) ?? [];
    compare(`a past window as if it were now (${text})`, word, undefined);
  }
}

/** A calm heading that is above its own range. */
function compareCalm(compare: Compare, title: string): void {
  const [, observed, high] = /Calm · ([\d,]+) attacks? in .*, [\d,]+–([\d,]+) is usual/i.exec(title) ?? [];
  if (observed === undefined || high === undefined) return;
  const number = (text: string): number => Number(text.replaceAll(',', ''));
  compare(`calm although above its range (${title})`, number(observed) > number(high), false);
}

/** What leads, and what is only named: `ranked` has what goes on first, then the strongest. */
export function ledBy(ranked: readonly EpisodeRecord[]): {
  readonly lead: EpisodeRecord | undefined;
  readonly others: readonly EpisodeRecord[];
} {
  const [first, ...rest] = ranked;
  return first === undefined || isMinor(first) ? { lead: undefined, others: ranked } : { lead: first, others: rest };
}

/** How many of the others an answer names; more are counted, unless it's a single one. */
const MAX_ALSO = 3;

const namedOf = (others: readonly EpisodeRecord[], most: number): number =>
  others.length === most + 1 ? others.length : Math.min(most, others.length);

/** `Also 03:44–05:00: 2.3× usual, led by XSS.`, one for each, the rest counted. */
function compareAlso(
  compare: Compare,
  lines: readonly string[],
  others: readonly EpisodeRecord[],
  asked: Pick<AskedAt, 'zone' | 'todayMs'>,
  most = MAX_ALSO,
): void {
  // What the window is compared with has episodes of its own.
  const also = lines.filter((line) => !line.startsWith('Compared with a time that had '));
  compare('lines for the others', also.length, namedOf(others, most));
  for (const [at, line] of also.entries()) {
    const record = others[at];
    if (record === undefined) continue;
    compare(`is called minor (${line})`, line.startsWith('Minor,'), isMinor(record));
    compareSpan(compare, line, spanIn(line, asked), record, asked.zone);
    compareWhat(compare, line, record);
  }
  const [, smaller] = /\band ([\d,]+) smaller/i.exec(also.join('\n')) ?? [];
  compare('smaller ones', Number(smaller ?? 0), others.length - namedOf(others, most));
}

function compareMarks(compare: Compare, chart: ChartSpec | undefined, ranked: readonly EpisodeRecord[], named: number) {
  if (chart?.kind !== 'timeline') return;
  const { marks, zone, timeline } = chart;
  compare('marks', marks.length, named);
  for (const [at, mark] of marks.entries()) {
    const record = ranked[at];
    if (record === undefined) continue;
    compareSpan(compare, `mark ${at + 1}`, mark, record, zone);
    compare(`panel of mark ${at + 1}`, mark.of, record.drop === 'requests' ? 'requests' : 'attacks');
  }
  const [lead] = ranked;
  const words = altText(chart);
  const [, ended] = /Ended (?:[A-Z][a-z]{2} \d+ [A-Z][a-z]{2}, )?(\d\d:\d\d)/.exec(words) ?? [];
  const [, began] = /Began (?:[A-Z][a-z]{2} \d+ [A-Z][a-z]{2}, )?(\d\d:\d\d)/.exec(words) ?? [];
  const time = (ms: number | null | undefined): string | undefined =>
    ms == null ? undefined : clockOf(ms, zone)?.slice(11, 16);
  compare('end in the words for the chart', ended, time(lead?.endMs));
  if (lead === undefined || lead.onsetMs >= timeline.fromMs + timeline.intervalMs)
    compare('onset in the words for the chart', began, time(lead?.onsetMs));
}

const NAMED = /^(?:Surge|Elevated|Visitors gone|Hardly any attacks|No attacks (?:\d|since|from))/;
const LEVELS = { surge: 'Surge', elevated: 'Elevated' } as const;

/** The heading of an answer: `Surge since 09:31 · 6.2× usual · led by SQL injection`. */
export function compareHeading(compare: Compare, title: string, lead: EpisodeRecord | undefined, asked: AskedAt): void {
  const heading = title.replace(/^(?:Why|All numbers): /, '');
  if (lead === undefined) {
    compare(`names an episode (${title})`, NAMED.test(heading), false);
    return;
  }
  compareSpan(compare, title, spanIn(heading, asked), lead, asked.zone);
  compareWhat(compare, title, lead);
  if (lead.drop === undefined) compare('level in words', /^\w+/.exec(heading)?.[0], LEVELS[lead.worst]);
}

/** An answer about a window: heading, numbers, other episodes, marks and colors. `ranked`: what it should name, in order. */
export function compareAnswer(compare: Compare, reply: Reply, ranked: readonly EpisodeRecord[], asked: AskedAt): void {
  const { lead, others } = ledBy(ranked);
  compareHeading(compare, reply.title, lead, asked);
  comparePast(compare, reply, asked);
  compareCalm(compare, reply.title);
  compareAlso(compare, (reply.also ?? []).map(plainText), others, asked);
  compareMarks(compare, reply.chart, ranked, (lead === undefined ? 0 : 1) + namedOf(others, MAX_ALSO));
  if (lead === undefined) {
    compare('a color without an episode', ['elevated', 'surge', 'past'].includes(reply.level ?? 'calm'), false);
  } else {
    compare('color', reply.level, lead.endMs === null ? lead.worst : 'past');
    const [headline = ''] = linesOf(reply);
    compareCounts(compare, headline.replace(/;.*$/, ''), lead);
    const span = spanIn(headline.replace(/, peak .*$/, ''), asked);
    if (span !== null) {
      const until = lead.endMs ?? (isPast(asked) ? lead.figures.untilMs : null);
      compareSpan(compare, headline, span, { onsetMs: lead.onsetMs, endMs: until }, asked.zone);
    }
    const [, over] = /Ended ([^.]*)\./.exec(headline) ?? [];
    if (over !== undefined)
      compare(
        'over since',
        clockOf(instantOf(over, asked.zone, asked.todayMs), asked.zone),
        clockOf(lead.endMs, asked.zone),
      );
  }
  for (const each of disagreements(reply)) compare('within the answer', each, null);
}

const MAX_IN_DIGEST = 6;
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** A digest: a line for each episode, and how many there are in its heading. */
export function compareDigest(compare: Compare, reply: Reply, ranked: readonly EpisodeRecord[], asked: AskedAt): void {
  const lines = linesOf(reply);
  // What ended before its time is none of its episodes.
  const story = lines.slice(0, -1).filter((line) => !/^(And \d+ smaller|Ended shortly before: )/.test(line));
  const rest = lines.find((line) => /^And \d+ smaller/.test(line)) ?? '';
  compare('lines of the digest', story.length, namedOf(ranked, MAX_IN_DIGEST));
  for (const [at, line] of story.entries()) {
    const record = ranked[at];
    if (record === undefined) continue;
    compareSpan(compare, line, spanIn(line, asked), record, asked.zone);
    compareWhat(compare, line, record);
    if (at < 2 && record.drop === undefined && !isMinor(record))
      compareCounts(compare, line.slice(line.indexOf(': ')), record);
  }
  compare('smaller ones', Number(/\d+/.exec(rest)?.[0] ?? 0), ranked.length - namedOf(ranked, MAX_IN_DIGEST));
  const rises = ranked.filter((each) => natureOf(each) === 'rise' && !isMinor(each));
  for (const isOngoing of [true, false]) {
    const surges = rises.filter(({ worst, endMs }) => worst === 'surge' && (endMs === null) === isOngoing).length;
    if (surges === 0) continue;
    const words = `${NUMBERS[surges]} surge${surges === 1 ? '' : 's'}${isOngoing ? ' ongoing' : ''}`;
    compare(`the heading counts ${words} (${reply.title})`, reply.title.includes(words), true);
  }
  const { lead } = ledBy(ranked);
  if (lead === undefined) compare('calm', /: calm$|: no attacks$/.test(reply.title), true);
  const color = ranked.find(({ endMs }) => endMs === null);
  if (lead !== undefined) compare('is ongoing by its color', reply.level !== 'past', color !== undefined);
  compareMarks(compare, reply.chart, ranked, namedOf(ranked, MAX_IN_DIGEST));
  for (const text of saidIn(reply)) compare(`a digest says since (${text})`, /\b(?:since|still)\b/i.test(text), false);
  comparePast(compare, reply, asked);
  for (const each of disagreements(reply)) compare('within the digest', each, null);
}

/** `about once in 110 hours` */
function rarityOf(strength: number): string {
  const hours = 10 ** strength;
  if (hours > 10_000) return 'less than once in 10,000 hours';
  return `about once in ${formatCount(hours < 10 ? Math.round(hours) : Number(hours.toPrecision(2)))} hours`;
}

const numberIn = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

/** *Why?*: the same numbers, times and rarity, and categories that add up to them. */
export function compareWhy(compare: Compare, reply: Reply, lead: EpisodeRecord | undefined, asked: AskedAt): void {
  compareHeading(compare, reply.title, lead, asked);
  comparePast(compare, reply, asked);
  const text = linesOf(reply).join('\n');
  if (lead === undefined) return;
  const { figures, onsetMs, endMs, drop, mix } = lead;
  const [, came] = /Counted: ([\d,]+)(?: events?)?\./.exec(text) ?? [];
  compare('came', came, formatCount(figures.total));
  const [, expected] = /Expected: about ([\d,]+)/.exec(text) ?? [];
  if (expected !== undefined && figures.expected !== null) compare('expected', expected, formatCount(figures.expected));
  if (drop === undefined) {
    const [, rarity] = /this happens here (.*)\./.exec(text) ?? [];
    const isCounted = mix === undefined || lead.strength >= BARS.normal;
    compare('rarity', rarity, isCounted ? rarityOf(lead.strength) : undefined);
  }
  const [, began] = new RegExp(`began at (${TIME})`).exec(text) ?? [];
  const [, ended] = new RegExp(`ended at (${TIME})`).exec(text) ?? [];
  const at = (time: string | undefined): number | null =>
    time === undefined ? null : instantOf(time, asked.zone, asked.todayMs);
  compareSpan(compare, 'why', { onsetMs: at(began) ?? 0, endMs: at(ended) }, { onsetMs, endMs }, asked.zone);
  const [, categories] = /By category: (.*)\./.exec(text) ?? [];
  if (categories === undefined || mix !== undefined) return;
  const parts = [...categories.matchAll(/ ([\d,]+) \((?:([\d,]+)|new|<1)(?: expected)?\)/g)];
  const sum = (group: number): number => parts.reduce((all, part) => all + numberIn(part[group]), 0);
  compare('sum of the categories', formatCount(sum(1)), formatCount(figures.total));
  if (figures.expected !== null)
    compare('sum of what was expected', formatCount(sum(2)), formatCount(figures.expected));
}

/** *All numbers*: the table adds up to what is said above it. */
export function compareTable(compare: Compare, reply: Reply, lead: EpisodeRecord | undefined): void {
  const { table } = reply;
  const text = linesOf(reply).join('\n');
  const [, total, expected] = /: ([\d,]+) counted, about ([\d,]+) expected\./.exec(text) ?? [];
  if (table === undefined || total === undefined || expected === undefined) return;
  if (lead !== undefined) {
    compare('counted', total, formatCount(lead.figures.total));
    if (lead.figures.expected !== null) compare('expected', expected, formatCount(lead.figures.expected));
  }
  const [, apart, apartDue] = /add up to ([\d,]+), about ([\d,]+) expected/.exec(text) ?? [];
  compare('sum of the table', formatCount(sumOf(table, 'Counted')), apart ?? total);
  compare('expected sum of the table', formatCount(sumOf(table, 'Expected')), apartDue ?? expected);
}

function sumOf({ columns, rows }: Table, name: string): number {
  const at = columns.findIndex((column) => column.name === name);
  return rows.reduce((sum, row) => sum + (/^[\d,]+$/.test(row[at] ?? '') ? numberIn(row[at]) : 0), 0);
}

export const textOf = (line: Line | undefined): string => plainText(line);
