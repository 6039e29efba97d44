/** `attacks`: events by category, what moved first. */
import { breakdownChart } from '../../charts/spec/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { categoriesCsv } from '../../replies/csv.ts';
import {
  againActions,
  asCounted,
  compareAction,
  csvAction,
  digestAction,
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
import { type CategoryRow, hasRise, hasTraffic, rankCategories, summarise, totalOf } from '../../statistics/summary.ts';
import { countOf, type Distribution, type Timeline } from '../../statistics/timeline.ts';
import type { WindowContext } from '../context.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { ledBy, NOT_LED, type Rise, riseIn } from './check.ts';

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
  answer: answerAttacks,
};

async function answerAttacks(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  const verb = sentence.category === null ? 'attacks' : `attacks ${sentence.category}`;
  if (comparison === null) return stillFilling(context, verb);
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [distribution, before, timeline] = await Promise.all([
    deps.statistics.distribution({ ...query, range: comparison.counted }),
    nullIfUnavailable(deps.statistics.distribution({ ...query, range: comparison.against })),
    nullIfUnavailable(deps.statistics.timeline({ ...query, range: comparison.counted })),
  ]);
  const total = totalOf(distribution);
  const series = timeline === null ? null : summarise(timeline);
  if (total === 0 && series !== null && !hasTraffic(series)) return withoutTraffic(context, verb, series);
  const rows = rankCategories(distribution, before);
  const ratio = lengthRatio(comparison);
  const one = sentence.category === null ? null : rowOf(rows, sentence.category, distribution, before);
  const rise = await riseNow(context, comparison, timeline);
  const leading = rise?.leading ?? null;
  const movers = leadFirst(findMovers(rows, NOTICEABLE, ratio), leading);
  const { heading, level, button } = rise === null ? NOT_LED : ledBy(context, rise);
  const { from, to } = comparison.counted;
  const length = lasting(to.epochMilliseconds - from.epochMilliseconds);
  const title = heading || (one === null ? findingOf(total, rows, movers, ratio) : categoryTitle(one, total));
  // Below the heading of a rise, which is a part of the window, it is said that these are of all of it.
  const lead = heading === '' ? 'Against' : `In ${length}, against`;
  const against =
    one === null
      ? againstLine(lead, total, before === null ? null : totalOf(before), movers, comparison, zone)
      : [heading === '' ? '' : `${categoryTitle(one, total)}. `, ...categoryLine(one, comparison, zone)];
  const isLed = rise !== null && heading !== '';
  const subject = { hosts, range, zone, now };
  const here = asCounted(context, comparison);
  return {
    title,
    ...level,
    headline: withAge(isLed ? rise.counts : against, [distribution, before], now),
    // The chart has what changed no more than usual.
    body: isLed ? [against] : total === 0 || one !== null ? [] : [restLine(movers)],
    subject,
    ...(total === 0
      ? {}
      : {
          chart: breakdownChart({
            // As far as was asked, like everything else that names the window.
            distribution: { ...distribution, toMs: range.to.epochMilliseconds },
            title,
            hosts,
            zone,
            leading,
            ...(before === null
              ? {}
              : { previous: before, previousName: againstWords(comparison, zone), lengthRatio: ratio }),
          }),
          table: categoryTable(rows, ratio),
        }),
    notes: [
      ...staleNote([distribution, before], now),
      ...limitNotes([distribution]),
      ...fillingNote(subject, comparison),
    ],
    actions: [...button, ...attackActions(context, comparison, verb)],
    why: {
      lines: [windowWords(comparison, zone), ...timelineLines(total, series)],
      table: categoryTable(rows, ratio),
      actions: [csvAction(here, verb), compareAction(here), digestAction(context)],
    },
    ...(sentence.csv ? { attachments: [categoriesCsv(rows, comparison.counted, context)] } : {}),
  };
}

/** A window that ends so shortly before now is one that somebody looks at because of now. */
const NOW_MS = 15 * 60_000;

/** What goes on leads; the time before is asked for only where the curve alone gives reason to. */
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
  return hasRise(timeline, before) ? riseIn(context) : null;
}

/** What moved most, or else what there is most of. */
function findingOf(total: number, rows: readonly CategoryRow[], { moved }: Movers, ratio: number): string {
  if (total === 0) return 'No attacks in any category';
  const all = counted(total, 'attack');
  const [mover] = moved;
  if (mover !== undefined && mover.before !== null && leads(mover.count, mover.before, ratio)) {
    return `${categoryName(mover.category)} ${formatChange(mover.count, mover.before * ratio)} · ${all} in all`;
  }
  const [most] = rows;
  return most === undefined ? all : `${all} · ${categoryName(most.category)} ${formatShare(most.share)}`;
}

const leads = (count: number, before: number, ratio: number): boolean =>
  Math.abs(surprise(count, before, ratio)) >= STANDS_OUT;

/** `null`: the service does not name it. */
type AskedCategory = Omit<CategoryRow, 'count'> & { readonly count: number | null };

/** The one category that was asked about, also where there is none of it. */
function rowOf(
  rows: readonly CategoryRow[],
  category: string,
  distribution: Distribution,
  previous: Distribution | null,
): AskedCategory {
  const found = rows.find((row) => row.category === category);
  const before = previous === null ? null : countOf(previous, category);
  return found ?? { category, count: countOf(distribution, category), share: 0, before };
}

/** `SQL injection 1,438 · 7.8 % of 18,325 attacks` */
function categoryTitle({ category, count, share }: AskedCategory, total: number): string {
  const name = categoryName(category);
  if (count === null) return `${name} not known · ${counted(total, 'attack')} in all`;
  if (count === 0) return `No ${name} · ${counted(total, 'attack')} in all`;
  return `${name} ${formatCount(count)} · ${formatShare(share)} of ${counted(total, 'attack')}`;
}

function categoryLine({ count, before }: AskedCategory, comparison: Comparison, zone: string): Line {
  const against = againstWords(comparison, zone);
  if (count === null) return ['The service does not name this category here, which is not the same as zero.'];
  if (before === null) return [`Not compared: the service does not tell for ${against}.`];
  const change = changeWords(count, before, comparison);
  return [
    `Against ${against}: ${formatCount(before)} → `,
    { bold: formatCount(count) },
    change === null ? '.' : ` (${change}).`,
  ];
}

/** How many movers are told in words; the chart has them all. */
const MOST_MOVERS = 3;

function againstLine(
  lead: string,
  total: number,
  before: number | null,
  { moved }: Movers,
  comparison: Comparison,
  zone: string,
): Line {
  const against = againstWords(comparison, zone);
  if (before === null) return [`Not compared: the service did not answer for ${against}.`];
  const change = changeWords(total, before, comparison);
  const more = moved.length - MOST_MOVERS;
  const all: Line = [
    more > 0 ? `, and ${more} more` : '',
    moved.length === 0 ? '' : '; ',
    `in all ${formatCount(before)} → `,
    { bold: formatCount(total) },
    change === null ? '' : ` (${change})`,
    moved.length === 0 && total > 0 ? ', no category stands out' : '',
  ];
  return [`${lead} ${against}: `, ...moveWords(moved.slice(0, MOST_MOVERS)), ...all, '.'];
}

/** How many of the largest are named; fewer below a line of those that moved. */
const MOST_NAMED = 3;

/** `Within the usual variation: CC attacks (60 % of all), SQL injection (17 %) and 8 more.` The chart has them all. */
function restLine({ moved, rest }: Movers): Line {
  const present = rest.filter(({ count }) => count > 0);
  const named = present
    .slice(0, moved.length === 0 ? MOST_NAMED : MOST_NAMED - 1)
    .map(({ category, share }, at) => `${categoryName(category)} (${formatShare(share)}${at === 0 ? ' of all' : ''})`);
  if (named.length === 0) return [];
  const more = present.length - named.length;
  const lead = moved.length === 0 ? 'Most: ' : 'Within the usual variation: ';
  return [`${lead}${named.join(', ')}${moved.length === 0 || more === 0 ? '' : ` and ${more} more`}.`];
}

function timelineLines(total: number, series: { readonly attacks: number | null } | null): Line[] {
  if (series === null || series.attacks === null || series.attacks === total) return [];
  return [
    [
      `The categories add up to ${counted(total, 'event')}, the timeline to ${counted(series.attacks, 'attack')}: the service counts them apart.`,
    ],
  ];
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
