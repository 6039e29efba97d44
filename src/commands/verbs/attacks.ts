/** `attacks`: events by category, biggest changes first. */
import { breakdownChart } from '../../charts/spec/index.ts';
import { BotError, nullIfUnavailable, orFailure } from '../../errors.ts';
import {
  compareCategories,
  compareTimelines,
  missingLine,
  type Obstacle,
  obstacleWords,
  retentionNote,
} from '../../replies/compared.ts';
import { categoriesCsv } from '../../replies/csv.ts';
import {
  againActions,
  asCounted,
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
  counted,
  fillingNote,
  lengthRatio,
  limitNotes,
  moveWords,
  staleNote,
  timelineNotes,
  totalsLines,
  windowWords,
  withAge,
} from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { stillFilling, withoutTraffic } from '../../replies/without-numbers.ts';
import { categoryName } from '../../statistics/categories.ts';
import { formatChange, formatCount, formatShare } from '../../statistics/format.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/like-with-like.ts';
import { findMovers, leadFirst, type Movers, NOTICEABLE, STANDS_OUT, surprise } from '../../statistics/movers.ts';
import { type CategoryRow, hasRise, hasTraffic, summarise, totalOf } from '../../statistics/summary.ts';
import { countOf, type Distribution, type Timeline } from '../../statistics/timeline.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { WindowContext } from '../context.ts';
import { withBlocked } from '../details.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { type Rise, riseIn } from './check.ts';

const PARTS = ['versus', 'category', ...WINDOW_PARTS] as const;

export const attacks: Verb = {
  verb: 'attacks',
  aliases: ['attack', 'breakdown', 'categories', 'types'],
  summary: 'attacks by category, biggest changes first, compared with the same time before',
  help: { group: 'What happened?', examples: ['attacks last 24h', 'sqli this week'] },
  usage: [`attacks [<category>] <range> [vs previous] ${usageOf(PARTS)}`, '<category> <range>'],
  examples: ['attacks last 24h', 'sqli yesterday', 'attacks this week privately', 'attacks yesterday csv'],
  parts: PARTS,
  defaultRange: 'last 24h',
  draws: true,
  impliedBy: 'category',
  answer: (context) => withBlocked(context, answerAttacks(context)),
};

async function answerAttacks(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  const verb = sentence.category === null ? 'attacks' : `attacks ${sentence.category}`;
  if (comparison === null) return stillFilling(context, verb);
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [distribution, earlier, timeline] = await Promise.all([
    orFailure(deps.statistics.distribution({ ...query, range: comparison.counted })),
    orFailure(deps.statistics.distribution({ ...query, range: comparison.against })),
    nullIfUnavailable(deps.statistics.timeline({ ...query, range: comparison.counted })),
  ]);
  if (distribution instanceof BotError) {
    const failure = offerWholeDays(distribution, context, verb);
    return withoutCategories(context, comparison, timeline, failure);
  }
  const total = totalOf(distribution);
  const series = timeline === null ? null : summarise(timeline);
  if (total === 0 && series !== null && !hasTraffic(series)) return withoutTraffic(context, verb, series);
  const { rows, before, totals, obstacle } = compareCategories(distribution, earlier);
  const ratio = lengthRatio(comparison);
  const rise = await riseNow(context, comparison, timeline);
  const movers = leadFirst(findMovers(rows, NOTICEABLE, ratio), rise?.leading ?? null);
  const one = sentence.category === null ? null : rowOf(rows, sentence.category, distribution, before);
  const counts = { total, totals, obstacle: obstacle ?? 'no data', movers, one };
  const title = rise?.title ?? (one === null ? findingOf(total, rows, movers, ratio) : categoryTitle(one, total));
  const subject = { hosts, range, zone, now };
  const here = asCounted(context, comparison);
  const table = categoryTable(rows, ratio, distribution.unknownCategories);
  const answers = [distribution, earlier instanceof BotError ? null : earlier];
  return {
    title,
    level: rise?.level,
    ...linesOf(counts, rise, comparison, zone, (line) => withAge(line, answers, now)),
    subject,
    chart:
      total === 0
        ? undefined
        : breakdownChart({
            // Up to the end of the request, like everything else that names the window.
            distribution: { ...distribution, toMs: range.to.epochMilliseconds },
            title,
            hosts,
            zone,
            leading: rise?.leading ?? null,
            previous: before ?? undefined,
            previousName: before === null ? undefined : againstWords(comparison, zone),
            lengthRatio: ratio,
          }),
    table: total === 0 ? undefined : table,
    notes: [
      ...staleNote(answers, now),
      ...limitNotes([distribution]),
      ...retentionNote(answers, now, zone),
      ...fillingNote(subject, comparison),
    ],
    actions: [...(rise === null ? [] : [rise.action]), ...attackActions(context, comparison, verb)],
    why: {
      lines: [windowWords(comparison, zone), ...totalsLines(distribution, series)],
      table,
      actions: [csvAction(here, verb), compareAction(here), digestAction(context)],
    },
    attachments: sentence.csv
      ? [categoriesCsv([...rows, ...unknownRows(distribution, before)], comparison.counted, context)]
      : undefined,
  };
}

/** Only the totals, from the timeline, if the service fails to give categories. What it doesn't offer is an error. */
async function withoutCategories(
  context: WindowContext,
  comparison: Comparison,
  timeline: Timeline | null,
  failure: BotError,
): Promise<Reply> {
  const { range, hosts, zone, deps, now } = context;
  const series = timeline === null ? null : summarise(timeline);
  if (failure.code === 'limit' || timeline === null || series === null || series.attacks === null) throw failure;
  if (!hasTraffic(series)) return withoutTraffic(context, 'attacks', series);
  const earlier = { range: comparison.against, hosts: hosts.map(({ id }) => id), zone };
  const before = await orFailure(deps.statistics.timeline(earlier));
  const compared = compareTimelines(timeline, before, comparison, zone);
  const subject = { hosts, range, zone, now };
  const here = asCounted(context, comparison);
  const [is, was] = [compared.now.attacks, compared.before?.attacks ?? null];
  const totals = is === null || was === null ? null : { now: is, before: was };
  const counts = { total: is ?? 0, totals, obstacle: compared.obstacle ?? 'no data', movers: NOTHING, one: null };
  return {
    title: `${counted(series.attacks, 'attack')} · categories unknown`,
    headline: withAge(changeOf('Compared with', counts, compared.comparison, zone), [timeline], now),
    body: [missingLine('categories', failure)],
    subject,
    notes: [
      ...staleNote([timeline], now),
      ...timelineNotes(timeline, { ...series, unsettled: 0 }),
      ...retentionNote([timeline, before], now, zone),
      ...compared.note,
      ...fillingNote(subject, comparison),
    ],
    actions: [threadAction('Over time', here, 'timeline'), ...againActions(context, 'attacks')],
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

/** Below the heading of a rise, which is a part of the window, the numbers say that they are for all of it. */
function linesOf(
  counts: AttackCounts,
  rise: Rise | null,
  comparison: Comparison,
  zone: string,
  dated: (line: Line) => Line,
): Pick<Reply, 'headline' | 'body'> {
  const { total, movers, one } = counts;
  const { from, to } = comparison.counted;
  const full = `Over the full ${lasting(to.epochMilliseconds - from.epochMilliseconds)}, compared with`;
  const change =
    one === null
      ? changeOf(rise === null ? 'Compared with' : full, counts, comparison, zone)
      : [
          rise === null ? '' : `${categoryTitle(one, total)}. `,
          ...categoryLine(one, counts.obstacle, comparison, zone),
        ];
  if (rise !== null) return { headline: dated(rise.counts), body: [change] };
  return { headline: dated(change), body: total === 0 || one !== null ? [] : [restLine(movers)] };
}

/** A window that ended longer ago than this isn't about what is happening now. */
const NOW_MS = 15 * MINUTE_MS;

/** The time before is requested only if the curve alone gives reason to. */
async function riseNow(
  context: WindowContext,
  { against }: Comparison,
  timeline: Timeline | null,
): Promise<Rise | null> {
  const { range, hosts, zone, deps, now } = context;
  const isNow = now.epochMilliseconds - range.to.epochMilliseconds < NOW_MS;
  if (!isNow || timeline === null || timeline.stale || !hasRise(timeline, null)) return null;
  const earlier = { range: against, hosts: hosts.map(({ id }) => id), zone };
  const before = await nullIfUnavailable(deps.statistics.timeline(earlier));
  const rise = hasRise(timeline, before) ? await riseIn(context) : null;
  return rise === 'unjudged' ? null : rise;
}

/** What moved most, or else what there is most of. */
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
