/** `attacks`: events by category, biggest changes first. */
import { breakdownChart } from '../../charts/spec/index.ts';
import type { EpisodeRecord } from '../../episodes/episode.ts';
import { episodesIn } from '../../episodes/episode-log.ts';
import { BotError, nullIfUnavailable, orFailure } from '../../errors.ts';
import { categoriesCsv } from '../../replies/csv.ts';
import { type Account, accountOf, alsoLines, explainFall } from '../../replies/episode-account.ts';
import {
  againActions,
  asCounted,
  checkActions,
  compareAction,
  csvAction,
  digestAction,
  offerWholeDays,
  stepActions,
  threadAction,
  whyAction,
} from '../../replies/follow-ups.ts';
import {
  againstWords,
  categoryTable,
  changeWords,
  compareCategories,
  compareTimelines,
  counted,
  fillingNote,
  lengthRatio,
  limitNotes,
  missingLine,
  moveWords,
  type Obstacle,
  obstacleWords,
  retentionNote,
  staleNote,
  timelineNotes,
  totalsLines,
  windowWords,
  withAge,
} from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { stillFilling, withoutTraffic } from '../../replies/without-numbers.ts';
import {
  type CategoryRow,
  categoryName,
  countOf,
  findMovers,
  leadFirst,
  type Movers,
  NOTICEABLE,
  STANDS_OUT,
  surprise,
  totalOf,
} from '../../statistics/categories.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/comparison.ts';
import { formatChange, formatCount, formatShare } from '../../statistics/format.ts';
import { type Distribution, hasTraffic, summarise, type Timeline } from '../../statistics/timeline.ts';
import type { WindowContext } from '../context.ts';
import { withBlocked } from '../details.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { answerCompare } from './compare.ts';

const PARTS = ['versus', 'category', 'top', ...WINDOW_PARTS] as const;

export const attacks: Verb = {
  verb: 'attacks',
  aliases: ['attack', 'breakdown', 'categories', 'types'],
  nouns: ['category', 'type', 'kinds', 'attempts', 'threats'],
  summary: 'attacks by category, biggest changes first, compared with the same time before',
  help: { group: 'What happened?', examples: ['attacks last 24h', 'sqli this week'] },
  usage: [`attacks [<category>] <range> [vs previous] ${usageOf(PARTS)}`, '<category> <range>'],
  examples: ['attacks last 24h', 'sqli yesterday', 'attacks this week privately', 'attacks yesterday csv'],
  parts: PARTS,
  defaultRange: 'last 24h',
  draws: true,
  impliedBy: 'category',
  phrases: [
    ...['by', 'per'].flatMap((first) => ['category', 'type', 'kind'].map((noun) => ({ words: [first, noun] }))),
    ...['do', 'doing', 'try', 'trying', 'tried', 'want', 'after'].map((verb) => ({ words: ['they', verb] })),
    { words: ['how', 'often'] },
    { words: ['how', 'many', 'times'] },
  ],
  answer: (context) =>
    context.versusSide === null ? withBlocked(context, answerAttacks(context)) : answerCompare(context),
};

async function answerAttacks(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  const verb = sentence.category === null ? 'attacks' : `attacks ${sentence.category}`;
  if (comparison === null) return stillFilling(context, verb);
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [distribution, earlier, timeline, episodes] = await Promise.all([
    orFailure(deps.statistics.distribution({ ...query, range: comparison.counted })),
    orFailure(deps.statistics.distribution({ ...query, range: comparison.against })),
    nullIfUnavailable(deps.statistics.timeline({ ...query, range: comparison.counted })),
    episodesIn(context),
  ]);
  const { account, also, leading } = leadIn(timeline === null || timeline.stale ? null : episodes, context);
  if (distribution instanceof BotError)
    return withoutCategories(context, comparison, { timeline, account }, offerWholeDays(distribution, context, verb));
  const [total, series] = [totalOf(distribution), timeline && summarise(timeline)];
  if (total === 0 && series !== null && !hasTraffic(series) && account === null)
    return withoutTraffic(context, verb, series);
  const { rows, before, totals, obstacle } = compareCategories(distribution, earlier);
  const ratio = lengthRatio(comparison);
  const movers = leadFirst(findMovers(rows, NOTICEABLE, ratio), leading);
  const one = sentence.category === null ? null : rowOf(rows, sentence.category, distribution, before);
  const counts = { total, totals, obstacle: obstacle ?? 'no data', movers, one };
  const title = account?.title ?? (one === null ? findingOf(total, rows, movers, ratio) : categoryTitle(one, total));
  const [subject, here] = [{ hosts, range, zone, now }, asCounted(context, comparison)];
  const table = (most = rows.length) => categoryTable(rows.slice(0, most), ratio, distribution.unknownCategories);
  const answers = [distribution, earlier instanceof BotError ? null : earlier];
  return {
    title,
    level: account?.level,
    ...linesOf(counts, account, comparison, zone, (line) => withAge(line, answers, now)),
    also: [...also, ...(await explainFall(context, comparison.against, totals, episodes ?? []))],
    subject,
    chart:
      total === 0
        ? undefined
        : breakdownChart({
            distribution: { ...distribution, toMs: range.to.epochMilliseconds },
            title,
            hosts,
            zone,
            leading,
            top: sentence.top ?? undefined,
            previous: before ?? undefined,
            previousName: before === null ? undefined : againstWords(comparison, zone),
            lengthRatio: ratio,
          }),
    table: total === 0 ? undefined : table(sentence.top ?? undefined),
    notes: [
      ...staleNote(answers, now),
      ...limitNotes([distribution]),
      ...retentionNote(answers, now, zone),
      ...fillingNote(subject, comparison),
    ],
    actions: [...checkActions(account, context), ...attackActions(context, comparison, verb)],
    why: {
      lines: [windowWords(comparison, zone), ...totalsLines(distribution, series)],
      table: table(),
      actions: [csvAction(here, verb), compareAction(here), digestAction(context)],
    },
    attachments: sentence.csv
      ? [categoriesCsv([...rows, ...unknownRows(distribution, before)], comparison.counted, context)]
      : undefined,
  };
}

/** Totals from the timeline if the service fails to return categories. If it doesn't offer them, that's an error. */
async function withoutCategories(
  context: WindowContext,
  comparison: Comparison,
  { timeline, account }: { readonly timeline: Timeline | null; readonly account: Account | null },
  failure: BotError,
): Promise<Reply> {
  const { range, hosts, zone, deps, now } = context;
  const series = timeline === null ? null : summarise(timeline);
  if (failure.code === 'limit' || timeline === null || series === null || series.attacks === null) throw failure;
  if (!hasTraffic(series) && account === null) return withoutTraffic(context, 'attacks', series);
  const earlier = { range: comparison.against, hosts: hosts.map(({ id }) => id), zone };
  const before = await orFailure(deps.statistics.timeline(earlier));
  const compared = compareTimelines(timeline, before, comparison, zone);
  const subject = { hosts, range, zone, now };
  const here = asCounted(context, comparison);
  const [is, was] = [compared.now.attacks, compared.before?.attacks ?? null];
  const totals = is === null || was === null ? null : { now: is, before: was };
  const counts = { total: is ?? 0, totals, obstacle: compared.obstacle ?? 'no data', movers: NOTHING, one: null };
  const { headline, body } = linesOf(counts, account, compared.comparison, zone, (line) =>
    withAge(line, [timeline], now),
  );
  return {
    title: account?.title ?? `${counted(series.attacks, 'attack')} · categories unknown`,
    level: account?.level,
    headline,
    body: [...(account === null ? [] : (body ?? [])), missingLine('categories', failure)],
    also: account?.also,
    subject,
    notes: [
      ...staleNote([timeline], now),
      ...timelineNotes(timeline, { ...series, unsettled: 0 }),
      ...retentionNote([timeline, before], now, zone),
      ...compared.note,
      ...fillingNote(subject, comparison),
    ],
    actions: [
      ...checkActions(account, context),
      threadAction('Over time', here, 'timeline'),
      ...againActions(context, 'attacks'),
    ],
  };
}

const NOTHING: Movers = { moved: [], rest: [] };

/** Categories whose count the service doesn't know, for the file. */
const unknownRows = ({ unknownCategories = [] }: Distribution, before: Distribution | null) =>
  unknownCategories.map((category) => ({
    category,
    count: null,
    before: before === null ? null : countOf(before, category),
  }));

interface AttackCounts {
  readonly total: number;
  /** What is compared; `null` if there is an obstacle. */
  readonly totals: { readonly now: number; readonly before: number } | null;
  readonly obstacle: Obstacle;
  readonly movers: Movers;
  /** The only category that was asked about. */
  readonly one: RequestedCategory | null;
}

/** Below the heading of an episode, which is a part of the window, the numbers say that they are for all of it. */
function linesOf(
  counts: AttackCounts,
  account: Account | null,
  comparison: Comparison,
  zone: string,
  dated: (line: Line) => Line,
): Pick<Reply, 'headline' | 'body'> {
  const { total, movers, one } = counts;
  const { from, to } = comparison.counted;
  const full = `Over the full ${lasting(to.epochMilliseconds - from.epochMilliseconds)}, compared with`;
  const change =
    one === null
      ? changeOf(account === null ? 'Compared with' : full, counts, comparison, zone)
      : [
          account === null ? '' : `${categoryTitle(one, total)}. `,
          ...categoryLine(one, counts.obstacle, comparison, zone),
        ];
  if (account !== null) return { headline: dated(account.counts), body: [change] };
  return { headline: dated(change), body: total === 0 || one !== null ? [] : [restLine(movers)] };
}

/** What leads the answer. A question about one category leads with that, unless an episode is ongoing or about it. */
function leadIn(
  episodes: readonly EpisodeRecord[] | null,
  context: WindowContext,
): { readonly account: Account | null; readonly also: readonly Line[]; readonly leading: string | null } {
  const { category } = context.sentence;
  const account = accountOf(episodes ?? [], context);
  if (account === null) return { account, also: alsoLines(episodes ?? [], context), leading: null };
  const isAsked = category === null || account.lead.endMs === null || account.lead.leading.includes(category);
  if (!isAsked) return { account: null, also: alsoLines(episodes ?? [], context), leading: null };
  return { account, also: account.also, leading: account.lead.leading.at(-1) ?? null };
}

/** The biggest changes, or else the largest categories. */
function findingOf(total: number, rows: readonly CategoryRow[], { moved }: Movers, ratio: number): string {
  if (total === 0) return 'No attacks in any category';
  const all = counted(total, 'attack');
  const [mover] = moved;
  if (mover !== undefined && mover.before !== null && leads(mover.count, mover.before, ratio)) {
    return `${categoryName(mover.category)} ${formatChange(mover.count, mover.before * ratio)} · ${all} in total`;
  }
  const [most] = rows;
  return most === undefined ? all : `${all} · ${categoryName(most.category)} ${formatShare(most.share)}`;
}

const leads = (count: number, before: number, ratio: number): boolean =>
  Math.abs(surprise(count, before, ratio)) >= STANDS_OUT;

/** `null`: the service doesn't report it. */
type RequestedCategory = Omit<CategoryRow, 'count'> & { readonly count: number | null };

/** The only category that was asked about, even if there were no events in it. */
function rowOf(
  rows: readonly CategoryRow[],
  category: string,
  distribution: Distribution,
  previous: Distribution | null,
): RequestedCategory {
  const found = rows.find((row) => row.category === category);
  const before = previous === null ? null : countOf(previous, category);
  return found ?? { category, count: countOf(distribution, category), share: 0, before };
}

/** `SQL injection 1,438 · 7.8 % of 18,325 attacks` */
function categoryTitle({ category, count, share }: RequestedCategory, total: number): string {
  const name = categoryName(category);
  if (count === null) return `${name} unknown · ${counted(total, 'attack')} in total`;
  if (count === 0) return `No ${name} · ${counted(total, 'attack')} in total`;
  return `${name} ${formatCount(count)} · ${formatShare(share)} of ${counted(total, 'attack')}`;
}

function categoryLine(
  { count, before }: RequestedCategory,
  obstacle: Obstacle,
  comparison: Comparison,
  zone: string,
): Line {
  const against = againstWords(comparison, zone);
  if (count === null) return ["The service doesn't report this category here. That isn't the same as zero."];
  if (before === null) return [obstacleWords(obstacle, against)];
  const change = changeWords(count, before, comparison);
  return [
    `Compared with ${against}: ${formatCount(before)} → `,
    { bold: formatCount(count) },
    change === null ? '.' : ` (${change}).`,
  ];
}

/** How many movers the text names; the chart has them all. */
const MAX_MOVERS = 3;

function changeOf(
  lead: string,
  { total, totals, obstacle, movers: { moved, rest } }: AttackCounts,
  comparison: Comparison,
  zone: string,
): Line {
  const against = againstWords(comparison, zone);
  if (totals === null) return [obstacleWords(obstacle, against)];
  const change = changeWords(totals.now, totals.before, comparison);
  const more = moved.length - MAX_MOVERS;
  return [
    `${lead} ${against}: `,
    ...moveWords(moved.slice(0, MAX_MOVERS)),
    more > 0 ? `, and ${more} more` : '',
    moved.length === 0 ? '' : '; ',
    `in total ${formatCount(totals.before)} → `,
    { bold: formatCount(totals.now) },
    change === null ? '' : ` (${change})`,
    moved.length === 0 && rest.length > 0 && total > 0 ? ', no category stands out' : '',
    '.',
  ];
}

/** How many of the largest are named; one fewer below a line of movers. */
const MAX_NAMED = 3;

/** `Within the usual variation: CC attacks (60 % of all), SQL injection (17 %) and 8 more.` The chart has them all. */
function restLine({ moved, rest }: Movers): Line {
  const present = rest.filter(({ count }) => count > 0);
  const named = present
    .slice(0, moved.length === 0 ? MAX_NAMED : MAX_NAMED - 1)
    .map(({ category, share }, at) => `${categoryName(category)} (${formatShare(share)}${at === 0 ? ' of all' : ''})`);
  if (named.length === 0) return [];
  const more = present.length - named.length;
  const lead = moved.length === 0 ? 'Most: ' : 'Within the usual variation: ';
  return [`${lead}${named.join(', ')}${moved.length === 0 || more === 0 ? '' : ` and ${more} more`}.`];
}

function attackActions(context: WindowContext, comparison: Comparison, verb: string): Action[] {
  const here = asCounted(context, comparison);
  return [
    whyAction(here, verb, 'All categories'),
    threadAction('Over time', here, 'timeline'),
    ...stepActions(context, verb),
    ...againActions(context, verb),
    csvAction(here, verb),
  ];
}
