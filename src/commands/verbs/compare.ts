/** `compare`: two windows side by side, the most surprising changes first. */

import { type ChartMark, timelineChart } from '../../charts/spec/index.ts';
import type { EpisodeRecord } from '../../episodes/episode.ts';
import { episodesIn } from '../../episodes/episode-log.ts';
import { BotError, orFailure, UsageError } from '../../errors.ts';
import { distinctNames } from '../../grammar/hosts.ts';
import { categoriesCsv } from '../../replies/csv.ts';
import { type Account, accountOf, alsoLines, countNotes, explainFall, marksOf } from '../../replies/episode-account.ts';
import {
  againActions,
  asCounted,
  checkActions,
  csvAction,
  digestAction,
  threadAction,
  whyAction,
} from '../../replies/follow-ups.ts';
import {
  againstWords,
  attacksIn,
  type ComparedTimelines,
  categoryTable,
  changeWords,
  compareCategories,
  compareTimelines,
  comparisonTable,
  fillingNote,
  lengthRatio,
  limitNotes,
  missingLine,
  moveWords,
  NO_CATEGORIES,
  type Obstacle,
  obstacleOf,
  obstacleWords,
  othersWords,
  retentionNote,
  staleNote,
  timelineNotes,
  totalsLines,
  windowWords,
  withAge,
} from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { stillFilling, withoutTraffic } from '../../replies/without-numbers.ts';
import {
  type CategoryRow,
  categoryName,
  findMovers,
  leadFirst,
  type Movers,
  NOTICEABLE,
  rankCategories,
} from '../../statistics/categories.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/comparison.ts';
import { capitalized, formatCount } from '../../statistics/format.ts';
import {
  bucketFor,
  type Distribution,
  hasTraffic,
  rebucket,
  summarise,
  type Timeline,
  type TimelineSummary,
} from '../../statistics/timeline.ts';
import { type Range, windowInWords } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';

const PARTS = ['versus', 'versusProject', ...WINDOW_PARTS] as const;

export const compare: Verb = {
  verb: 'compare',
  aliases: ['diff'],
  nouns: ['comparison', 'comparing', 'difference'],
  summary:
    'two windows or two hosts side by side, the most surprising changes first; if a window is still running, both up to the same time',
  help: { group: 'How does it compare?', examples: ['compare today vs yesterday'] },
  usage: [
    `compare <range> vs <range> ${usageOf(PARTS)}`,
    'compare <range> vs previous',
    'compare <host> vs <host> <range>',
  ],
  examples: ['compare today vs yesterday', 'compare last 6h vs previous', 'compare last week to the week before'],
  parts: PARTS,
  defaultRange: 'last 24h',
  draws: true,
  impliedBy: 'versus',
  yieldsToCategory: 'always',
  anywhere: true,
  phrases: [{ words: ['difference', 'between'] }, { words: ['side', 'by', 'side'] }],
  answer: answerCompare,
};

/** Also for `attacks` and `timeline` of two hosts. */
export async function answerCompare(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, now } = context;
  const comparison = comparisonOf(context);
  if (comparison === null) return stillFilling(context, 'compare');
  const [both, episodes] = await Promise.all([fetchBoth(context, comparison), episodesIn(context)]);
  const { timeline, before, distribution } = both;
  const totals = categoryTotals(both);
  if (timeline instanceof BotError) return byCategoryAlone(context, comparison, both, timeline);
  const sides = sidesOf(context);
  // Without the other side there is nothing to compare.
  if (sides !== null && before instanceof BotError && totals === null) throw before;
  const whole = summarise(timeline);
  const found = timeline.stale ? [] : (episodes ?? []);
  const account = accountOf(found, context);
  if (!hasTraffic(whole) && account === null) return withoutTraffic(context, 'compare', whole);
  const byTotals = before instanceof BotError && totals !== null ? withTotals(comparison, whole, totals) : null;
  const compared = byTotals ?? compareTimelines(timeline, before, comparison, zone);
  const categories = onlyCategory(categoriesOf(both, compared, sides !== null), sentence.category);
  const moved = findMovers(categories.rows, NOTICEABLE, lengthRatio(compared.comparison));
  const movers = leadFirst(moved, account?.lead.leading.at(-1) ?? null);
  const numbers = { ...compared, movers, hasCategories: categories.obstacle === null };
  const title =
    account?.title ??
    `${categoryWords(categories.rows, sentence.category, sides) ?? changesWords(numbers)} · ${windowsInWords(compared.comparison, zone)}`;
  const answers = [timeline, before, distribution, both.distributionBefore].map(orNull);
  const [headline = [], ...body] = linesOf(numbers, account, sides, zone);
  // Both windows end where the comparison does, so that the message has one window.
  const subject = { hosts, range: compared.comparison.counted, zone, now };
  const here = asCounted(context, comparison);
  return {
    title,
    level: account?.level,
    headline: withAge(headline, answers, now),
    body,
    also: [...(account?.also ?? alsoLines(found, context)), ...(await fallWords(context, compared, found))],
    subject,
    chart: comparisonChart(timeline, compared.obstacle === null ? orNull(before) : null, {
      zone,
      title,
      hosts,
      previousName: againstWords(comparison, zone),
      toMs: comparison.counted.to.epochMilliseconds,
      ...marksOf(found),
    }),
    notes: [
      ...staleNote(answers, now),
      ...timelineNotes(timeline, { ...whole, unsettled: 0 }),
      ...countNotes(account?.lead),
      ...categoryNotes(distribution, sides === null ? categories.obstacle : null, comparison, zone),
      ...retentionNote([timeline, before], now, zone),
      ...(byTotals === null ? [] : earlierMissing(before, comparison, zone)),
      ...compared.note,
      ...(sides === null ? [] : notesThere(before, categories.obstacle, sides)),
      ...fillingNote({ ...subject, range }, comparison),
    ],
    actions: [...checkActions(account, context), ...compareActions(context, here)],
    why: {
      lines: [
        windowWords(compared.comparison, zone),
        ...(distribution instanceof BotError ? [] : totalsLines(distribution, whole)),
      ],
      table: tableOf(numbers, sides),
      actions: [csvAction(here, 'compare'), digestAction(context)],
    },
    attachments: sentence.csv ? [categoriesCsv(categories.rows, comparison.counted, context, sides?.other)] : undefined,
  };
}

function tableOf({ now, before, movers, comparison }: ComparedNumbers, sides: Sides | null) {
  const rows = [...movers.moved, ...movers.rest];
  return comparisonTable(now, before, rows, lengthRatio(comparison), sides ?? undefined);
}

/** Another project, or another host, has episodes of its own. */
const fallWords = async (context: WindowContext, compared: ComparedTimelines, found: readonly EpisodeRecord[]) =>
  context.versusSide === null ? explainFall(context, compared.comparison.against, attacksIn(compared), found) : [];

const orNull = <T>(answer: T | BotError): T | null => (answer instanceof BotError ? null : answer);

/** The numbers of both windows, or of the same window in both projects. */
async function fetchBoth(context: WindowContext, { counted, against }: Comparison) {
  const { hosts, zone, deps, versusSide } = context;
  const query = (range: Range, whose: WindowContext['hosts']) => ({ range, hosts: whose.map(({ id }) => id), zone });
  const here = query(counted, hosts);
  const there = query(against, versusSide?.hosts ?? hosts);
  const { statistics } = deps;
  const { statistics: statisticsThere } = versusSide ?? deps;
  const [timeline, before, distribution, distributionBefore] = await Promise.all([
    orFailure(statistics.timeline(here)),
    orFailure(statisticsThere.timeline(there)),
    orFailure(statistics.distribution(here)),
    orFailure(statisticsThere.distribution(there)),
  ]);
  return { timeline, before, distribution, distributionBefore };
}

type Fetched = Awaited<ReturnType<typeof fetchBoth>>;

/** How many attacks the categories of both windows add up to; `null` if that isn't known. */
function categoryTotals({ distribution, distributionBefore }: Fetched) {
  const isKnown = !(distribution instanceof BotError || distributionBefore instanceof BotError);
  return isKnown ? compareCategories(distribution, distributionBefore).totals : null;
}

/** If the service fails to return the timeline, the categories say how many attacks there were. */
const withTotals = (
  comparison: Comparison,
  now: TimelineSummary,
  totals: { readonly now: number; readonly before: number },
): ComparedTimelines => ({
  now: { ...now, attacks: totals.now },
  before: { ...NOTHING_COUNTED, attacks: totals.before },
  comparison,
  obstacle: null,
  note: [],
});

const earlierMissing = (before: Timeline | BotError, comparison: Comparison, zone: string): Line[] =>
  before instanceof BotError ? [missingLine(`timeline for ${againstWords(comparison, zone)}`, before)] : [];

/** A comparison from categories alone, without the window's own timeline. What happened isn't known then. */
function byCategoryAlone(context: WindowContext, comparison: Comparison, both: Fetched, failure: BotError): Reply {
  const { range, hosts, zone, sentence, now } = context;
  const totals = categoryTotals(both);
  if (totals === null) throw failure;
  const compared = withTotals(comparison, NOTHING_COUNTED, totals);
  const sides = sidesOf(context);
  const categories = onlyCategory(categoriesOf(both, compared, sides !== null), sentence.category);
  const movers = findMovers(categories.rows, NOTICEABLE, lengthRatio(comparison));
  const numbers = { ...compared, movers, hasCategories: categories.obstacle === null };
  const [headline, ...body] = linesOf(numbers, null, sides, zone);
  const subject = { hosts, range: comparison.counted, zone, now };
  const here = asCounted(context, comparison);
  const words = categoryWords(categories.rows, sentence.category, sides) ?? changesWords(numbers);
  const distributions = [both.distribution, both.distributionBefore].map(orNull);
  return {
    title: `${words} · ${windowsInWords(comparison, zone)}`,
    headline: withAge(headline ?? [], distributions, now),
    body,
    subject,
    notes: [
      missingLine('timeline', failure),
      ...staleNote(distributions, now),
      ...limitNotes(distributions.slice(0, 1)),
      ...retentionNote(distributions, now, zone),
      ...fillingNote({ ...subject, range }, comparison),
    ],
    actions: [threadAction('By category', here, 'attacks'), ...againActions(context, 'compare')],
    table: categoryTable([...movers.moved, ...movers.rest], lengthRatio(comparison)),
    attachments: sentence.csv ? [categoriesCsv(categories.rows, comparison.counted, context, sides?.other)] : undefined,
  };
}

const NOTHING_COUNTED: TimelineSummary = {
  ...{ requests: null, attacks: null, attackShare: null, attackPeak: null },
  ...{ intervals: 0, missing: 0, unsettled: 0 },
};

/** The categories of both windows, and what keeps them from being compared. */
function categoriesOf(
  { distribution, distributionBefore }: Pick<Fetched, 'distribution' | 'distributionBefore'>,
  { obstacle, note }: Pick<ComparedTimelines, 'obstacle' | 'note'>,
  areProjects: boolean,
): { readonly rows: readonly CategoryRow[]; readonly obstacle: Obstacle | null } {
  if (distribution instanceof BotError) return { rows: [], obstacle: obstacleOf(distribution) };
  const isAlike = !areProjects || namesAlike(distribution, orNull(distributionBefore));
  if (!isAlike) return { rows: [], obstacle: 'categories' };
  const compared = compareCategories(distribution, distributionBefore);
  // Categories can't be cut to a part of their window.
  const reason = obstacle ?? (note.length > 0 ? 'steps' : compared.obstacle);
  return reason === null ? compared : { rows: rankCategories(distribution, null), obstacle: reason };
}

/** Only the requested category, if there is one. */
function onlyCategory<C extends { readonly rows: readonly CategoryRow[] }>(categories: C, category: string | null): C {
  if (category === null) return categories;
  return { ...categories, rows: categories.rows.filter((row) => row.category === category) };
}

/** `SQL injection: shop 120, blog 80`; `null` without a category. */
function categoryWords(rows: readonly CategoryRow[], category: string | null, sides: Sides | null): string | null {
  if (category === null || sides === null) return null;
  const [row = { count: 0, before: 0 }] = rows;
  const before = row.before === null ? 'unknown' : formatCount(row.before);
  return `${categoryName(category)}: ${sides.one} ${formatCount(row.count)}, ${sides.other} ${before}`;
}

function categoryNotes(
  distribution: Distribution | BotError,
  obstacle: Obstacle | null,
  comparison: Comparison,
  zone: string,
): Line[] {
  if (distribution instanceof BotError) {
    return [distribution.code === 'limit' ? NO_CATEGORIES : missingLine('categories', distribution)];
  }
  const isSaid = obstacle === null || obstacle === 'retention' || obstacle === 'no data';
  const why: Line = [
    `Only the totals are compared: the service has no categories for ${againstWords(comparison, zone)}.`,
  ];
  return [...limitNotes([distribution]), ...(isSaid ? [] : [why])];
}

function compareActions(context: WindowContext, here: WindowContext): Action[] {
  const isOfHosts = context.versusSide?.is === 'hosts';
  return [
    whyAction(here, 'compare', 'All numbers'),
    ...(isOfHosts ? [] : [threadAction('By category', here, 'attacks'), threadAction('Over time', here, 'timeline')]),
    ...againActions(context, 'compare'),
    csvAction(here, 'compare'),
  ];
}

interface ComparedNumbers extends ComparedTimelines {
  readonly movers: Movers;
  /** Whether the categories of both windows are known. */
  readonly hasCategories: boolean;
}

/** Below an episode, the totals show the changes that aren't in the heading, and there's no room for the rest. */
function linesOf(numbers: ComparedNumbers, account: Account | null, sides: Sides | null, zone: string): Line[] {
  const { now, before, hasCategories } = numbers;
  const { moved, rest } = numbers.movers;
  const totals =
    sides === null
      ? totalsLine(numbers, zone, account === null)
      : bothLine(now, before, sides, account === null ? '' : changesWords(numbers));
  const changes = hasCategories
    ? [movedWords(moved, sides), ...(account === null ? [restWords(rest, moved, sides)] : [])]
    : [];
  return [...(account === null ? [] : [account.counts]), totals, ...changes].filter((line) => line.length > 0);
}

/** Two projects, or two hosts, side by side over the same window. */
interface Sides {
  readonly one: string;
  readonly other: string;
  /** The other one in a sentence: `project us`, `blog`. */
  readonly otherWords: string;
  readonly where: 'in' | 'on';
}

function sidesOf({ project, hosts, versusSide }: WindowContext): Sides | null {
  if (versusSide === null) return null;
  const { label, is } = versusSide;
  const one = is === 'project' ? (project.label ?? '') : distinctNames(hosts).join(', ');
  return is === 'project'
    ? { one, other: label, otherWords: `project ${label}`, where: 'in' }
    : { one, other: label, otherWords: label, where: 'on' };
}

/** Two projects are compared over the same window, so what is complete in one is complete in the other. */
function comparisonOf(context: WindowContext): Comparison | null {
  const { range, sentence, now, zone } = context;
  const { versus, text } = sentence;
  const sides = sidesOf(context);
  if (sides === null) return compareLikeWithLike({ range, versus, now, zone });
  if (versus !== null) {
    const example = `compare last 24h vs ${sides.otherWords}`;
    throw new UsageError('Two projects are compared over the same window, so name only one.', { text, example });
  }
  const counted = compareLikeWithLike({ range, now, zone })?.counted;
  return counted === undefined ? null : { counted, against: counted, words: sides.otherWords };
}

function notesThere(before: Timeline | BotError, obstacle: Obstacle | null, { otherWords }: Sides): Line[] {
  if (before instanceof BotError) return [];
  const notes = timelineNotes(before, { ...summarise(before), unsettled: 0 });
  const totalsOnly: Line = ['The two services use different categories, so only the totals are compared.'];
  return [
    ...notes.map((line): Line => [`${capitalized(otherWords)}: `, ...line]),
    ...(obstacle === 'categories' ? [totalsOnly] : []),
  ];
}

/** A category that one service groups or leaves out isn't new or gone in the other. */
function namesAlike(one: Distribution | null, other: Distribution | null): boolean {
  if (one === null || other === null) return one === other;
  const limits = ({ limits: names = [] }: Distribution): string => names.toSorted().join();
  return limits(one) === limits(other);
}

/** Two curves of single minutes hide each other, so both are drawn in the same longer intervals. */
const MAX_POINTS = 96;

interface ComparisonWords {
  readonly zone: string;
  readonly title: string;
  readonly hosts: WindowContext['hosts'];
  readonly previousName: string;
  readonly toMs: number;
  readonly marks?: readonly ChartMark[];
  readonly about?: ChartMark['of'];
}

function comparisonChart(timeline: Timeline, before: Timeline | null, { toMs, ...words }: ComparisonWords) {
  const bucketMs = Math.max(bucketFor(timeline, MAX_POINTS), before?.intervalMs ?? 0);
  const shown = { ...rebucket(timeline, bucketMs), toMs };
  if (before === null) return timelineChart({ timeline: shown, ...words, previousName: undefined });
  return timelineChart({ timeline: shown, previous: rebucket(before, bucketMs), ...words });
}

/** `Attacks +12 %, requests −3 %` */
function changesWords({ now: a, before: b, comparison }: ComparedTimelines): string {
  if (b === null) return 'Nothing to compare with';
  const part = (what: string, now: number | null, was: number | null): string => {
    if (now === null || was === null) return `${what} unknown`;
    return `${what} ${changeWords(now, was, comparison) ?? `${formatCount(was)} → ${formatCount(now)}`}`;
  };
  return `${part('Attacks', a.attacks, b.attacks)}, ${part('requests', a.requests, b.requests)}`;
}

/** `00:00–06:27 on both days` */
function windowsInWords(comparison: Comparison, zone: string): string {
  const { counted: now, against, words } = comparison;
  if (words !== null) return `vs ${words}`;
  const whole = ({ from, to }: Range): string =>
    windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone, now.from.epochMilliseconds);
  const hours = ({ from, to }: Range): string | null => {
    const [start, end] = [from.toZonedDateTimeISO(zone), to.toZonedDateTimeISO(zone)];
    const clock = (at: Temporal.ZonedDateTime): string => at.toPlainTime().toString({ smallestUnit: 'minute' });
    return start.toPlainDate().equals(end.toPlainDate()) ? `${clock(start)}–${clock(end)}` : null;
  };
  const same = hours(now);
  return same !== null && same === hours(against) ? `${same} on both days` : `${whole(now)} vs ${whole(against)}`;
}

/** `Attacks: eu 4,656, us 4,780. Requests: eu 480,033, us 455,851.` An arrow would look like a change over time. */
function bothLine(a: TimelineSummary, b: TimelineSummary | null, sides: Sides, changes: string): Line {
  const { one, other, otherWords } = sides;
  if (b === null) return [`There's no data for ${otherWords}.`];
  const known = (count: number | null): string => (count === null ? 'unknown' : formatCount(count));
  const pair = (here: number | null, there: number | null): Line => [
    `${one} `,
    { bold: known(here) },
    `, ${other} `,
    { bold: known(there) },
  ];
  const against = changes === '' ? '' : ` ${changes} vs ${otherWords}.`;
  return ['Attacks: ', ...pair(a.attacks, b.attacks), '. Requests: ', ...pair(a.requests, b.requests), `.${against}`];
}

/** With the changes, and without the numbers of requests, unless the heading has the changes. */
function totalsLine(
  { now: a, before: b, comparison, obstacle }: ComparedTimelines,
  zone: string,
  isSaid: boolean,
): Line {
  const against = againstWords(comparison, zone);
  if (b === null) {
    const why =
      obstacle === 'no data' ? `There's no data for ${against}.` : obstacleWords(obstacle ?? 'failed', against);
    const known = (count: number | null): string => (count === null ? 'unknown' : formatCount(count));
    return [`${why} In this window: attacks `, { bold: known(a.attacks) }, `, requests ${known(a.requests)}.`];
  }
  const part = (now: number | null, was: number | null, what: 'attacks' | 'requests'): Line => {
    if (now === null || was === null) return [`${what} unknown`];
    const change = isSaid ? null : changeWords(now, was, comparison);
    if (change !== null && what === 'requests') return [`${what} ${change}`];
    return [`${what} ${formatCount(was)} → `, { bold: formatCount(now) }, change === null ? '' : ` (${change})`];
  };
  return [
    `Compared with ${against}: `,
    ...part(a.attacks, b.attacks, 'attacks'),
    ', ',
    ...part(a.requests, b.requests, 'requests'),
    '.',
  ];
}

/** How many of each kind the text names; the table has them all. */
const MAX_MOVERS = 3;

/** `Grew: XSS 120 → 310. New: Webshell 14. Fell: Malicious crawlers 900 → 610.` */
function movedWords(moved: readonly CategoryRow[], sides: Sides | null): Line {
  const kinds: [string, (row: CategoryRow) => boolean][] = [
    [sides === null ? 'New' : `Only ${sides.where} ${sides.one}`, ({ before }) => before === 0],
    [sides === null ? 'Grew' : 'More', ({ before, count }) => before !== 0 && count > (before ?? 0)],
    [sides === null ? 'Fell' : 'Fewer', ({ before, count }) => count > 0 && count < (before ?? 0)],
    [sides === null ? 'Gone' : `Only ${sides.where} ${sides.other}`, ({ count }) => count === 0],
  ];
  // The kind of the most surprising change first.
  return kinds
    .map(([name, isSo]) => ({ name, rows: moved.filter(isSo), at: moved.findIndex(isSo) }))
    .filter(({ rows }) => rows.length > 0)
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ name, rows }): Line => {
      const more = rows.length - MAX_MOVERS;
      return [
        { bold: `${name}: ` },
        ...wordsOf(rows.slice(0, MAX_MOVERS), sides),
        more > 0 ? `, and ${more} more. ` : '. ',
      ];
    });
}

/** `XSS 120 → 310` of two windows, `XSS 310 vs 120` of two projects. */
function wordsOf(rows: readonly CategoryRow[], sides: Sides | null): Line {
  if (sides === null) return moveWords(rows);
  return rows.flatMap(({ category, count, before }, at): Line => {
    const both = count > 0 && before !== null && before > 0 ? ` vs ${formatCount(before)}` : '';
    return [at === 0 ? '' : ', ', `${categoryName(category)} `, { bold: formatCount(count || (before ?? 0)) }, both];
  });
}

function restWords(rest: readonly CategoryRow[], moved: readonly CategoryRow[], sides: Sides | null): Line {
  const present = rest.filter(({ count }) => count > 0);
  if (present.length === 0) return [];
  if (moved.length === 0) return ['No category stands out.'];
  const only = present.length === 1 ? present[0] : undefined;
  const words = only === undefined ? othersWords(present) : `${categoryName(only.category)} ${formatCount(only.count)}`;
  return [`${words}, ${sides === null ? 'within the usual variation' : 'differ less'}.`];
}
