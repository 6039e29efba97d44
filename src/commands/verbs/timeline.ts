/** `timeline`: requests and attacks over time. */

import { timelineChart } from '../../charts/spec/index.ts';
import type { EpisodeRecord } from '../../episodes/episode.ts';
import { episodesIn } from '../../episodes/episode-log.ts';
import { BotError, orFailure } from '../../errors.ts';
import { timelineCsv } from '../../replies/csv.ts';
import { accountOf, alsoLines, countNotes, explainFall, marksOf, partOfWords } from '../../replies/episode-account.ts';
import { factorWords } from '../../replies/episode-lines.ts';
import {
  againActions,
  asCounted,
  checkActions,
  compareAction,
  csvAction,
  digestAction,
  sentenceFor,
  stepActions,
  threadAction,
  whyAction,
} from '../../replies/follow-ups.ts';
import {
  againstWords,
  attacksIn,
  type ComparedTimelines,
  changeLine,
  changeWords,
  compareTimelines,
  comparisonTable,
  counted,
  fillingNote,
  lengthRatio,
  obstacleWords,
  retentionNote,
  staleNote,
  timelineNotes,
  windowWords,
  withAge,
} from '../../replies/phrases.ts';
import type { Action, Explanation, Line, Reply } from '../../replies/reply.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { stillFilling, withoutTimeline, withoutTraffic } from '../../replies/without-numbers.ts';
import { STANDS_OUT, surprise } from '../../statistics/categories.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/comparison.ts';
import { briefCount, duration, formatCount, formatShare } from '../../statistics/format.ts';
import {
  hasTraffic,
  type Peak,
  peakOf,
  readable,
  rebucket,
  summarise,
  type Timeline,
  type TimelineSummary,
} from '../../statistics/timeline.ts';
import { type Range, timeWords } from '../../time/index.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { WindowContext } from '../context.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { answerCompare } from './compare.ts';

const PARTS = ['versus', ...WINDOW_PARTS] as const;

export const timeline: Verb = {
  verb: 'timeline',
  aliases: ['traffic', 'requests'],
  nouns: ['request', 'reqs', 'hits', 'visits', 'visitors', 'visit', 'load', 'volume', 'peak', 'peaks'],
  summary: 'requests and attacks over time, with the peak and the change against the same time before',
  help: { group: 'What happened?', examples: ['timeline yesterday 14:00-16:00'] },
  usage: [`timeline <range> [vs previous] ${usageOf(PARTS)}`, '<range>'],
  examples: ['timeline last 24h', 'timeline yesterday 14:00-16:00', 'last 7 days vs previous', 'timeline today csv'],
  parts: PARTS,
  defaultRange: 'last 24h',
  draws: true,
  impliedBy: 'range',
  yieldsToCategory: 'unless said',
  phrases: [
    { words: ['over', 'time'] },
    ...['per', 'by'].flatMap((first) => ['minute', 'hour', 'day'].map((unit) => ({ words: [first, unit] }))),
  ],
  answer: (context) =>
    context.versusSide === null
      ? withoutTimeline(context, 'timeline', answerTimeline(context))
      : answerCompare(context),
};

async function answerTimeline(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  if (comparison === null) return stillFilling(context, 'timeline');
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [timeline, before, episodes] = await Promise.all([
    deps.statistics.timeline({ ...query, range: comparison.counted }),
    orFailure(deps.statistics.timeline({ ...query, range: comparison.against })),
    episodesIn(context),
  ]);
  const summary = summarise(timeline);
  const found = timeline.stale ? [] : (episodes ?? []);
  const account = accountOf(found, context);
  if (!hasTraffic(summary) && account === null) return withoutTraffic(context, 'timeline', summary);
  const compared = compareTimelines(timeline, before, comparison, zone);
  const earlier = before instanceof BotError || compared.obstacle !== null ? null : before;
  const shown = readable(timeline);
  // Every answer gives an episode's peak by the minute. A rise that can't be judged gets the peak of its chart.
  const measured = episodes === null ? shown : timeline;
  const peak = peakOf(measured, 'attacks');
  const highest = episodes === null ? peakWords(peak, shown, range, zone) : '';
  const title =
    account?.title ?? (highest === '' ? totalsTitle(summary) : `${highest} · ${totalsTitle(summary, ', ')}`);
  const numbers = { measured, summary, compared, peak };
  const subject = { hosts, range, zone, now };
  const answers = [timeline, before instanceof BotError ? null : before];
  const hasPrevious = sentence.versus !== null && earlier !== null;
  return {
    title,
    level: account?.level,
    headline: withAge(account?.counts ?? comparedLine(compared, zone), answers, now),
    body: account === null ? peakLines(peak, numbers, found, context) : linesBelow(numbers, comparison, found, context),
    also: [
      ...(account?.also ?? alsoLines(found, context)),
      ...(await explainFall(context, compared.comparison.against, attacksIn(compared), found)),
    ],
    subject,
    chart: timelineChart({
      // Up to the end of the request: what is still filling in has its place, but no line.
      timeline: { ...shown, toMs: range.to.epochMilliseconds },
      zone,
      title,
      hosts,
      previous: hasPrevious ? rebucket(earlier, shown.intervalMs) : undefined,
      previousName: hasPrevious ? againstWords(comparison, zone) : undefined,
      ...marksOf(found),
    }),
    notes: [
      ...staleNote(answers, now),
      ...timelineNotes(timeline, { ...summary, unsettled: 0 }),
      ...countNotes(account?.lead),
      ...retentionNote(answers, now, zone),
      ...compared.note,
      ...fillingNote(subject, comparison),
    ],
    actions: [...checkActions(account, context), ...timelineActions(context, comparison, numbers)],
    why: allNumbers(context, comparison, numbers),
    attachments: sentence.csv ? [timelineCsv(timeline, context, range.to.epochMilliseconds)] : undefined,
  };
}

interface TimelineNumbers {
  /** The intervals that peaks are given in. */
  readonly measured: Timeline;
  /** For the whole window. */
  readonly summary: TimelineSummary;
  readonly compared: ComparedTimelines;
  readonly peak: Peak | null;
}

/** `Peak 578 at 15:00, 4.6× the average` */
function peakWords(peak: Peak | null, { points, intervalMs }: Timeline, range: Range, zone: string): string {
  const others = points.flatMap(({ endMs, attacks }) =>
    attacks === null || endMs === peak?.point.endMs ? [] : [attacks],
  );
  const average = others.reduce((sum, count) => sum + count, 0) / others.length;
  if (peak === null || !(average > 0) || !isHigh(peak.value, average)) return '';
  const at = timeWords(peak.point.endMs - intervalMs, range, zone);
  return `Peak ${formatCount(peak.value)} at ${at}, ${factorWords(peak.value / average)}× the average`;
}

/** A lower peak is part of every day. */
const MIN_TIMES_AVERAGE = 2;
const isHigh = (count: number, average: number): boolean =>
  count >= MIN_TIMES_AVERAGE * average && surprise(count, average) >= STANDS_OUT;

/** The change, or why there is none. */
function comparedLine({ now, before, comparison, obstacle }: ComparedTimelines, zone: string): Line {
  if (before === null) return [obstacleWords(obstacle ?? 'no data', againstWords(comparison, zone))];
  return changeLine(now, before, comparison, zone);
}

/** Below an episode: the whole window. */
function linesBelow(
  numbers: TimelineNumbers,
  comparison: Comparison,
  found: readonly EpisodeRecord[],
  context: WindowContext,
): Line[] {
  const { summary, compared, peak } = numbers;
  return [
    wholeLine(summary, compared, comparison, context.zone),
    [requestsWords(summary, compared), ...peakLines(peak, numbers, found, context, 'Peak of attacks ').flat()],
  ];
}

/** `Over the full 24 hours: 19,540 attacks (+4 % vs the same hours a week before).` */
function wholeLine(now: TimelineSummary, compared: ComparedTimelines, comparison: Comparison, zone: string): Line {
  const { from, to } = comparison.counted;
  const lead = `Over the full ${lasting(to.epochMilliseconds - from.epochMilliseconds)}: `;
  if (now.attacks === null) return [`${lead}attacks unknown.`];
  const change = changeIn(compared, 'attacks');
  const versus: Line = change === null ? [] : [' (', { bold: change }, ` vs ${againstWords(comparison, zone)})`];
  return [`${lead}${counted(now.attacks, 'attack')}`, ...versus, '.'];
}

function changeIn({ now, before, comparison }: ComparedTimelines, what: 'attacks' | 'requests'): string | null {
  const [count, was] = [now[what], before?.[what] ?? null];
  return count === null || was === null ? null : changeWords(count, was, comparison);
}

/** `1.7 M requests (−2 %). `, compared with the same. */
function requestsWords(now: TimelineSummary, compared: ComparedTimelines): string {
  if (now.requests === null) return 'Requests unknown. ';
  const change = changeIn(compared, 'requests');
  const requests = `${briefCount(now.requests)} ${now.requests === 1 ? 'request' : 'requests'}`;
  return `${requests}${change === null ? '' : ` (${change})`}. `;
}

/** `1.9 M requests · 18,204 attacks (0.95 %)` */
function totalsTitle({ requests, attacks, attackShare }: TimelineSummary, between = ' · '): string {
  const all =
    requests === null ? 'Requests unknown' : `${briefCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  if (attacks === null) return `${all}${between}attacks unknown`;
  if (attacks === 0) return `${all}${between}no attacks`;
  // The service counts the two separately, so there can be more attacks than requests.
  const share = attackShare === null || attackShare > 1 ? '' : ` (${formatShare(attackShare)})`;
  return `${all}${between}${formatCount(attacks)} ${attacks === 1 ? 'attack' : 'attacks'}${share}`;
}

/** `Peak 120 per minute at 02:48, in the surge 02:37–03:03.` */
function peakLines(
  peak: Peak | null,
  { measured }: Pick<TimelineNumbers, 'measured'>,
  found: readonly EpisodeRecord[],
  context: WindowContext,
  lead = 'Peak ',
): Line[] {
  if (peak === null) return [];
  const startMs = peak.point.endMs - measured.intervalMs;
  const unit = `per ${duration(measured.intervalMs, { bareOne: true })}`;
  const at = timeWords(startMs, context.range, context.zone);
  return [[lead, { bold: formatCount(peak.value) }, ` ${unit} at ${at}${partOfWords(startMs, found, context)}.`]];
}

function timelineActions(
  context: WindowContext,
  comparison: Comparison,
  { peak, measured }: TimelineNumbers,
): Action[] {
  const here = asCounted(context, comparison);
  const zoom = peak === null ? null : around(peak.point.endMs, measured, comparison.counted);
  return [
    threadAction('By category', here, 'attacks'),
    ...(zoom === null
      ? []
      : [{ label: 'Zoom to the peak', sentence: sentenceFor(context, 'timeline', zoom), effect: 'replace' } as const]),
    ...stepActions(context, 'timeline'),
    ...againActions(context, 'timeline'),
    csvAction(here, 'timeline'),
    whyAction(here, 'timeline', 'All numbers'),
  ];
}

/** A window an eighth as long around the peak; `null` if that wouldn't show more than there already is. */
function around(endMs: number, { intervalMs }: Timeline, { from, to }: Range): Range | null {
  const [fromMs, toMs] = [from.epochMilliseconds, to.epochMilliseconds];
  const half = Math.max((toMs - fromMs) / 16, 5 * intervalMs, 5 * MINUTE_MS);
  if (half * 4 > toMs - fromMs) return null;
  const middle = endMs - intervalMs / 2;
  const instant = (ms: number) => Temporal.Instant.fromEpochMilliseconds(Math.round(ms / MINUTE_MS) * MINUTE_MS);
  return { from: instant(middle - half), to: instant(Math.min(middle + half, toMs)) };
}

function allNumbers(context: WindowContext, comparison: Comparison, numbers: TimelineNumbers): Explanation {
  const { zone } = context;
  const { measured, compared } = numbers;
  const here = asCounted(context, comparison);
  const peak = (series: 'attacks' | 'requests'): Line[] =>
    peakLines(peakOf(measured, series), numbers, [], context, `Peak of ${series} `);
  return {
    lines: [windowWords(compared.comparison, zone), ...peak('attacks'), ...peak('requests')],
    table: comparisonTable(compared.now, compared.before, [], lengthRatio(compared.comparison)),
    actions: [csvAction(here, 'timeline'), compareAction(here), digestAction(context)],
  };
}
