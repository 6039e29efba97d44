/**
 * What several answers share: counts and changes in words and as tables, two windows as far as they can be compared, and notes
 * on how far to trust the data.
 */
import { subjectLine } from '../charts/spec/index.ts';
import type { IgnoredCategory, IgnoredCount } from '../episodes/ignored.ts';
import { BotError } from '../errors.ts';
import { distinctNames, type Host } from '../grammar/hosts.ts';
import { type CategoryRow, categoryName, rankCategories, totalOf } from '../statistics/categories.ts';
import {
  type Comparison,
  comparableDistributions,
  comparableTimelines,
  type Incomparable,
} from '../statistics/comparison.ts';
import { duration, formatChange, formatCount, formatShare } from '../statistics/format.ts';
import {
  type AnswerLimit,
  type Distribution,
  missingTime,
  summarise,
  type Timeline,
  type TimelineSummary,
} from '../statistics/timeline.ts';
import { dayAndMonth, type Range, timeWords, untilWords, windowInWords, zoned } from '../time/index.ts';
import { DAY_MS } from '../time-units.ts';
import type { Line, Subject, Table } from './reply.ts';

/** ` on shop, blog`, or nothing for all hosts. */
export function onHosts(hosts: readonly Host[]): string {
  if (hosts.length === 0) return '';
  const all = distinctNames(hosts);
  const names = all.slice(0, 3);
  const more = all.length > names.length ? ` and ${all.length - names.length} more` : '';
  return ` on ${names.join(', ')}${more}`;
}

/** `project eu · all hosts · Tue 10 Mar 14:30–15:30 · Europe/Stockholm (UTC+1)`, as below the title of a chart. */
export function subjectWords({ project, hosts, range: { from, to }, zone, now = to, carried = [] }: Subject): string {
  const window = { fromMs: from.epochMilliseconds, toMs: to.epochMilliseconds, asOfMs: now.epochMilliseconds };
  const line = subjectLine({ project, hosts: distinctNames(hosts), window: null, zone }, window);
  return carried.length === 0 ? line : `${line} · from the previous question: ${carried.join(', ')}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

const lengthMs = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;

/** The window's length divided by that of the one it is compared with: 1, unless clocks or months differ. */
export function lengthRatio({ counted, against }: Comparison): number {
  return lengthMs(counted) / lengthMs(against);
}

/** What the window is compared with, in words. */
export function againstWords({ counted, against: { from, to }, words }: Comparison, zone: string): string {
  return words ?? windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone, counted.from.epochMilliseconds);
}

/** Both windows exactly. */
export function windowWords(comparison: Comparison, zone: string): Line {
  const exactly = ({ from, to }: Range): string => windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone);
  const { counted: now, against, words } = comparison;
  const name = words === null ? '' : `, ${words}`;
  return ['Counted: ', { bold: exactly(now) }, '. Compared with: ', { bold: exactly(against) }, `${name}.`];
}

/** `XSS 120 → 310, Webshell 14`: a new category has only its number now. */
export function moveWords(rows: readonly CategoryRow[]): Line {
  return rows.flatMap(({ category, count, before }, at): Line => {
    const from = before === null || before === 0 ? '' : `${formatCount(before)} → `;
    return [at === 0 ? '' : ', ', `${categoryName(category)} ${from}`, { bold: formatCount(count) }];
  });
}

/** `10 others, 412 in total` */
export function othersWords(rows: readonly CategoryRow[]): string {
  if (rows.length === 0) return '';
  const total = formatCount(rows.reduce((sum, { count }) => sum + count, 0));
  return rows.length === 1 ? `1 other, ${total}` : `${rows.length} others, ${total} in total`;
}

/** A percentage of fewer events would mean little. */
const MIN_FOR_PERCENT = 20;

/** `+18 %`, or `+18 % per hour` if the windows differ in length; `null` if a percentage would mean nothing. */
export function changeWords(now: number, before: number, comparison: Comparison): string | null {
  if (now === 0 || before === 0 || (now < MIN_FOR_PERCENT && before < MIN_FOR_PERCENT)) return null;
  const ratio = lengthRatio(comparison);
  const per = ratio === 1 ? '' : lengthMs(comparison.counted) > 2 * DAY_MS ? ' per day' : ' per hour';
  return formatChange(now, before * ratio) + per;
}

/** `attacks +18 % (was 1,200)`. `null` is a number that the service didn't give. */
function change(what: string, now: number | null, before: number | null, comparison: Comparison): Line {
  if (now === null || before === null) return [`${what} unknown`];
  const words = changeWords(now, before, comparison);
  if (words !== null) return [`${what} `, { bold: words }, ` (was ${formatCount(before)})`];
  if (before === 0) return [now === 0 ? `no ${what} in either` : `no ${what} before`];
  return [`${what} ${formatCount(before)} → `, { bold: formatCount(now) }];
}

type KnownTotals = Pick<TimelineSummary, 'requests' | 'attacks'>;

/** The change of both numbers and what they are compared with. */
export function changeLine(now: KnownTotals, before: KnownTotals, comparison: Comparison, zone: string): Line {
  const against = againstWords(comparison, zone);
  return [
    `Compared with ${against}: `,
    ...change('attacks', now.attacks, before.attacks, comparison),
    ', ',
    ...change('requests', now.requests, before.requests, comparison),
    '.',
  ];
}

/** Says once why the two totals of a window differ. */
export function totalsLines(distribution: Distribution, series: TimelineSummary | null): Line[] {
  const total = totalOf(distribution);
  if (series === null || series.attacks === null || series.attacks === total) return [];
  const why =
    distribution.unknownCategories !== undefined || series.missing > 0
      ? 'because the service has no numbers for a part of them'
      : 'because the service counts them separately';
  return [
    [
      `The categories add up to ${counted(total, 'event')}, the timeline to ${counted(series.attacks, 'attack')}, ${why}.`,
    ],
  ];
}

/** `Crawlers on shop` */
export const ignoredWords = ({ category, hosts }: Pick<IgnoredCategory, 'category' | 'hosts'>): string =>
  `${categoryName(category)}${hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => name).join(', ')}`}`;

/** `Ignored until the end of Fri 20 Nov: Crawlers on shop, 412 of these attacks.` */
export function ignoredNotes(
  counts: readonly IgnoredCount[],
  { range, zone }: { readonly range: Range; readonly zone: string },
): Line[] {
  return counts.map(({ rule, count }) => {
    const isPart = rule.fromMs > range.from.epochMilliseconds;
    const since = isPart ? ` since ${timeWords(rule.fromMs, range, zone)}` : '';
    const until = untilWords(rule.untilMs, zone);
    return [`Ignored until ${until}: ${ignoredWords(rule)}, ${formatCount(count)} of these attacks${since}.`];
  });
}

/** Some services have categories for a few windows only. */
export const NO_CATEGORIES: Line = ["The service doesn't provide categories for this window."];

/** As long as `SETTLE_MS`. */
export const loggedLate = (what: 'attacks' | 'requests' = 'attacks'): string =>
  `${what} take up to three minutes to be logged`;

/** Up to when the answer counts, if that is before the end of the window. */
export function fillingNote({ range, zone }: Subject, { counted }: Pick<Comparison, 'counted'>): Line[] {
  if (Temporal.Instant.compare(counted.to, range.to) >= 0) return [];
  const end = timeWords(counted.to.epochMilliseconds, range, zone);
  return [[`Counted up to ${end}: ${loggedLate()}.`]];
}

export function timelineNotes(timeline: Timeline, summary: TimelineSummary = summarise(timeline)): Line[] {
  const notes = summary.intervals === 0 ? [] : notGiven(summary);
  if (summary.unsettled > 0) {
    const last = duration(summary.unsettled * timeline.intervalMs, { units: ['hour', 'minute'], bareOne: true });
    const isOne = !/\d/.test(last);
    notes.push([`The last ${last} ${isOne ? 'is' : 'are'} still filling in: ${loggedLate()}.`]);
  }
  const gap = missingTime(timeline);
  if (gap !== null) notes.push([`The service has no numbers for ${gap} of the window. That isn't the same as zero.`]);
  return [...notes, ...limitNotes([timeline])];
}

/** What the service reports only roughly. */
export function limitNotes(answers: readonly (Timeline | Distribution | null)[]): Line[] {
  const limits = new Set(answers.flatMap((answer) => answer?.limits ?? []));
  const stepMs = answers.reduce(
    (most, answer) => Math.max(most, answer !== null && 'intervalMs' in answer ? answer.intervalMs : 0),
    0,
  );
  const step = duration(stepMs, { form: 'short' });
  const says: Readonly<Record<AnswerLimit, string>> = {
    largest: 'This service provides only the ten largest categories; the smaller ones are counted together.',
    groups: 'This service counts attacks in four groups, not by category.',
    steps: `This service reports this time in steps of ${step}. Steps that cross the edges of the window are left out.`,
    rates: 'This service provides rounded rates, not counts, so the spread of the totals over time is an estimate.',
  };
  const unknown = [...new Set(answers.flatMap((answer) => unknownIn(answer)))].map(categoryName);
  const isFilling = answers.some(
    (answer) => answer !== null && 'counts' in answer && answer.toMs > answer.settledUntilMs,
  );
  return [
    ...[...limits].map((limit) => [says[limit]]),
    ...(isFilling ? [['The categories include the last minutes, which are still filling in.']] : []),
    ...(unknown.length === 0 ? [] : [unknownLine(unknown)]),
  ];
}

const unknownIn = (answer: Timeline | Distribution | null): readonly string[] =>
  answer !== null && 'unknownCategories' in answer ? (answer.unknownCategories ?? []) : [];

const unknownLine = (names: readonly string[]): Line => [
  `The service doesn't know the number of ${names.join(', ').replace(/, ([^,]*)$/, ' and $1')}. It's in no total, and that isn't the same as zero.`,
];

/** A series that the service left out is unknown, which must not read as none. */
function notGiven({ requests, attacks }: Pick<TimelineSummary, 'requests' | 'attacks'>): Line[] {
  const line = (what: string): Line => [
    `The service has no numbers of ${what} for this window. That isn't the same as zero.`,
  ];
  return [...(requests === null ? [line('requests')] : []), ...(attacks === null ? [line('attacks')] : [])];
}

type Dated = Pick<Timeline | Distribution, 'stale' | 'asOfMs'> | null;

/** When the oldest cached answer was fetched; `null` if none is from the cache. */
export function oldestCachedMs(answers: readonly Dated[]): number | null {
  const asOf = answers.flatMap((answer) => (answer?.stale === true ? [answer.asOfMs] : []));
  return asOf.length === 0 ? null : Math.min(...asOf);
}

function ageInWords(answers: readonly Dated[], now: Temporal.Instant): string | null {
  const oldestMs = oldestCachedMs(answers);
  if (oldestMs === null) return null;
  const ageMs = Math.max(60_000, now.epochMilliseconds - oldestMs);
  return duration(ageMs, { units: ['hour', 'minute'], rounding: 'whole', form: 'short' });
}

/** For cached answers, because the service doesn't respond now. */
export function staleNote(answers: readonly Dated[], now: Temporal.Instant): Line[] {
  const age = ageInWords(answers, now);
  if (age === null) return [];
  return [["Can't reach your WAF statistics right now. These numbers are from ", { bold: `${age} ago` }, '.']];
}

/**
 * Adds the age of cached numbers, and for how long the window has none, to the headline, because a notification shows no
 * notes. The first answer is the window's.
 */
export function withAge(headline: Line, answers: readonly Dated[], now: Temporal.Instant): Line {
  const age = ageInWords(answers, now);
  const [own = null] = answers;
  const dated = [...headline, ...(age === null ? [] : [` As of ${age} ago.`])];
  return isTimeline(own) ? (withGap(dated, own) ?? dated) : dated;
}

/** Adds for how long the window has no numbers to the headline, which a notification shows. */
export function withGap(headline: Line | undefined, timeline: Timeline): Line | undefined {
  const gap = missingTime(timeline);
  if (gap === null) return headline;
  const sentence = `No numbers for ${gap}.`;
  return headline === undefined || headline.length === 0 ? [sentence] : [...headline, ` ${sentence}`];
}

const isTimeline = (answer: Dated): answer is Timeline => answer !== null && 'points' in answer;

const known = (count: number | null): string => (count === null ? '?' : formatCount(count));

/** `lengthRatio`: the window's length divided by that of the one before. `unknown`: categories without a number. */
export function categoryTable(rows: readonly CategoryRow[], lengthRatio = 1, unknown: readonly string[] = []): Table {
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Attacks', align: 'right' },
      { name: 'Share', align: 'right' },
      { name: 'Before', align: 'right' },
      { name: changeName(lengthRatio), align: 'right' },
    ],
    rows: [
      ...rows.map(({ category, count, share, before }) => [
        categoryName(category),
        formatCount(count),
        formatShare(share),
        known(before),
        before === null ? '?' : formatChange(count, before * lengthRatio),
      ]),
      ...unknown.map((category) => [categoryName(category), '?', '?', '?', '?']),
    ],
  };
}

const NOW_AND_BEFORE = { one: 'Now', other: 'Before' };

/** Totals of two windows, or of two projects, side by side, then the categories. */
export function comparisonTable(
  now: TimelineSummary,
  before: TimelineSummary | null,
  rows: readonly CategoryRow[],
  lengthRatio: number,
  sides = NOW_AND_BEFORE,
): Table {
  const share = (summary: TimelineSummary | null): string =>
    summary?.attackShare == null ? '–' : formatShare(summary.attackShare);
  const row = (name: string, count: number | null, was: number | null): string[] => {
    const change = count === null || was === null ? '?' : formatChange(count, was * lengthRatio);
    return [name, known(count), known(was), change];
  };
  return {
    columns: [
      { name: '', align: 'left' },
      { name: sides.one, align: 'right' },
      { name: sides.other, align: 'right' },
      { name: sides === NOW_AND_BEFORE ? changeName(lengthRatio) : 'Difference', align: 'right' },
    ],
    rows: [
      row('Requests', now.requests, before?.requests ?? null),
      row('Attacks', now.attacks, before?.attacks ?? null),
      ['Attack share', share(now), share(before), ''],
      ...rows.map(({ category, count, before: was }) => row(categoryName(category), count, was)),
    ],
  };
}

const changeName = (lengthRatio: number): string => (lengthRatio === 1 ? 'Change' : 'Rate change');

/** A line as plain text, for notifications, logs and surfaces without markup. */
export function plainText(line: Line = []): string {
  return line
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('bold' in piece) return piece.bold;
      if ('italic' in piece) return piece.italic;
      if ('code' in piece) return piece.code;
      if ('user' in piece) return `@${piece.user}`;
      if ('channel' in piece) return `#${piece.channel}`;
      if ('link' in piece) return piece.says;
      return plainInstant(piece.instant, piece.zone);
    })
    .join('');
}

/** `2026-03-01 14:00 Europe/Berlin` */
export function plainInstant(instant: Temporal.Instant, zone: string): string {
  const at = instant.toZonedDateTimeISO(zone);
  return `${at.toPlainDate()} ${at.toPlainTime().toString({ smallestUnit: 'minute' })} ${zone}`;
}

/** Why there is nothing to compare with. `failed`: the service didn't answer. `not offered`: it has no such numbers. */
export type Obstacle = Incomparable | 'failed' | 'not offered' | 'no data';

export interface ComparedTimelines {
  /** For the part that is compared; the whole window if it isn't cut. */
  readonly now: TimelineSummary;
  /** `null` if there is an obstacle. */
  readonly before: TimelineSummary | null;
  /** The compared parts of both windows. */
  readonly comparison: Comparison;
  readonly obstacle: Obstacle | null;
  /** Names the part if the windows had to be cut. */
  readonly note: readonly Line[];
}

export const attacksIn = ({ now, before }: ComparedTimelines) => ({
  now: now.attacks,
  before: before?.attacks ?? null,
});

export function compareTimelines(
  now: Timeline,
  before: Timeline | BotError | null,
  comparison: Comparison,
  zone: string,
): ComparedTimelines {
  const without = (obstacle: Obstacle): ComparedTimelines => ({
    now: summarise(now),
    before: null,
    comparison,
    obstacle,
    note: [],
  });
  if (before === null) return without('failed');
  if (before instanceof BotError) return without(obstacleOf(before));
  const compared = comparableTimelines(now, before, comparison);
  if (typeof compared === 'string') return without(compared);
  const earlier = summarise(compared.before);
  if (earlier.intervals === 0 && earlier.attacks === null) return without('no data');
  const { counted, against } = compared;
  return {
    now: summarise(compared.now),
    before: earlier,
    comparison: { ...comparison, counted, against },
    obstacle: null,
    note: compared.isCut ? [partLine({ ...comparison, counted }, [now, before], zone)] : [],
  };
}

export const obstacleOf = ({ code }: BotError): Obstacle => (code === 'limit' ? 'not offered' : 'failed');

/** `Compared over Wed 11 Mar 00:00–18:00: the service reports the rest only in steps of 1 h.` */
function partLine({ counted: { from, to } }: Comparison, timelines: readonly Timeline[], zone: string): Line {
  const window = windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone);
  const isOld = timelines.some(({ gaps = [] }) => gaps.some(({ reason }) => reason === 'retention'));
  const step = duration(Math.max(...timelines.map(({ intervalMs }) => intervalMs)), { form: 'short' });
  // The note on what the service keeps says the rest.
  const why = isOld ? '' : `: the service reports the rest only in steps of ${step}`;
  return ['Compared over ', { bold: window }, `${why}.`];
}

/** `No comparison: …`, for the place of a comparison. `against`: the other window in words. */
export function obstacleWords(obstacle: Obstacle, against: string): string {
  const says: Readonly<Record<Obstacle, string>> = {
    retention: `Not compared: the service no longer has all of ${against}.`,
    steps: `Not compared: the service reports ${against} only in steps that are too long for this window.`,
    categories: `Not compared: the service uses other categories for ${against}.`,
    failed: `No comparison: the service didn't answer for ${against}.`,
    'not offered': `Not compared: the service has no numbers for ${against}.`,
    'no data': `No comparison: there's no data for ${against}.`,
  };
  return says[obstacle];
}

export interface ComparedCategories {
  /** For the whole window; what can't be compared has no earlier count. */
  readonly rows: readonly CategoryRow[];
  /** The earlier categories; `null` if there is an obstacle. */
  readonly before: Distribution | null;
  /** The events of what is known in both windows. */
  readonly totals: { readonly now: number; readonly before: number } | null;
  readonly obstacle: Obstacle | null;
}

export function compareCategories(now: Distribution, before: Distribution | BotError | null): ComparedCategories {
  const without = (obstacle: Obstacle): ComparedCategories => ({
    rows: rankCategories(now, null),
    before: null,
    totals: null,
    obstacle,
  });
  if (before === null) return without('failed');
  if (before instanceof BotError) return without(obstacleOf(before));
  const compared = comparableDistributions(now, before);
  if (typeof compared === 'string') return without(compared);
  return {
    rows: rankCategories(now, before),
    before,
    totals: { now: totalOf(compared.now), before: totalOf(compared.before) },
    obstacle: null,
  };
}

type Kept = Pick<Timeline | Distribution, 'gaps'> | BotError | null;

/**
 * One line on data that the service no longer has: `The service keeps 30 days; nothing before 9 Feb can be compared.`
 * The first answer is about the requested window, the others about what it is compared with.
 */
export function retentionNote([here, ...others]: readonly Kept[], now: Temporal.Instant, zone: string): Line[] {
  const gapsOf = (answer: Kept | undefined) =>
    answer == null || answer instanceof BotError
      ? []
      : (answer.gaps ?? []).filter(({ reason }) => reason === 'retention');
  const isCounted = gapsOf(here).length > 0;
  const gaps = [here, ...others].flatMap(gapsOf);
  const [first] = gaps;
  if (first === undefined) return [];
  const sinceMs = Math.max(...gaps.map((gap) => gap.keptSinceMs ?? gap.toMs));
  const day = dayAndMonth(zoned(sinceMs, zone));
  const nothing = `nothing before ${day} can be ${isCounted ? 'counted' : 'compared'}`;
  if (gaps.every(({ keptSinceMs }) => keptSinceMs === undefined))
    return [[`The service has no data there: ${nothing}.`]];
  return [[`The service keeps ${duration(daysSince(sinceMs, now))}; ${nothing}.`]];
}

const daysSince = (sinceMs: number, now: Temporal.Instant): number =>
  Math.max(1, Math.round((now.epochMilliseconds - sinceMs) / DAY_MS)) * DAY_MS;

/** For a part that the service failed to return while the rest of the answer holds: `No categories: …` */
export const missingLine = (what: string, failure: BotError): Line => [`No ${what}: ${failure.message}`];
