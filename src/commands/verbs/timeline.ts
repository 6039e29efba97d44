/** `timeline`: requests and attacks over time. */
import { timelineChart } from '../../charts/spec/index.ts';
import { meanwhile } from '../../clock.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { timelineCsv } from '../../replies/csv.ts';
import { factorWords } from '../../replies/episode-lines.ts';
import {
  againActions,
  asCounted,
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
  changeLine,
  changeWords,
  comparisonTable,
  counted,
  fillingNote,
  lengthRatio,
  staleNote,
  timelineNotes,
  timeWords,
  windowWords,
  withAge,
} from '../../replies/phrases.ts';
import type { Action, Explanation, Line, Reply } from '../../replies/reply.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { stillFilling, withoutTraffic } from '../../replies/without-numbers.ts';
import { briefCount, duration, formatCount, formatShare } from '../../statistics/format.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/like-with-like.ts';
import {
  hasRise,
  hasTraffic,
  type Peak,
  peakOf,
  readable,
  rebucket,
  summarise,
  type TimelineSummary,
} from '../../statistics/summary.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { ledBy, marks, NOT_LED, riseIn } from './check.ts';

const PARTS = ['versus', ...WINDOW_PARTS] as const;

export const timeline: Verb = {
  verb: 'timeline',
  aliases: ['traffic', 'requests'],
  summary: 'requests and attacks over time, with the peak and the change against the same time before',
  help: { group: 'What happened?', examples: ['timeline yesterday 14:00-16:00'] },
  usage: [`timeline <range> [vs previous] ${usageOf(PARTS)}`, '<range>'],
  examples: ['timeline last 24h', 'timeline yesterday 14:00-16:00', 'last 7 days vs previous', 'timeline today csv'],
  parts: PARTS,
  defaultRange: 'last 24h',
  draws: true,
  impliedBy: 'range',
  answer: answerTimeline,
};

async function answerTimeline(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  if (comparison === null) return stillFilling(context, 'timeline');
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const asked = Promise.all([
    deps.statistics.timeline({ ...query, range: comparison.counted }),
    nullIfUnavailable(deps.statistics.timeline({ ...query, range: comparison.against })),
  ]);
  const buttons = meanwhile(() => timelineActions(context, comparison));
  const [timeline, before] = await asked;
  const summary = summarise(timeline);
  if (!hasTraffic(summary)) return withoutTraffic(context, 'timeline', summary);
  const subject = { hosts, range, zone, now };
  const shown = readable(timeline);
  const peak = peakOf(shown, 'attacks');
  const earlier = before === null ? null : summarise(before);
  const rise = timeline.stale || !hasRise(timeline, before) ? null : await riseIn(context);
  const led = rise === null ? NOT_LED : ledBy(context, rise);
  // What cannot be judged is told as what it is.
  const highest = rise === null || led.heading !== '' ? '' : peakWords(peak, shown, range, zone);
  const title = led.heading || (highest === '' ? totalsTitle(summary) : `${highest} · ${totalsTitle(summary, ', ')}`);
  const change = changeLine(summary, earlier, comparison, zone);
  return {
    title,
    ...led.level,
    headline: withAge(rise === null || led.heading === '' ? change : rise.counts, [timeline, before], now),
    body:
      led.heading === ''
        ? peakLines(peak, shown, range, zone)
        : [
            wholeLine(summary, earlier, comparison, zone),
            [
              requestsWords(summary, earlier, comparison),
              ...peakLines(peak, shown, range, zone, 'Peak of attacks ').flat(),
            ],
          ],
    subject,
    chart: timelineChart({
      // As far as was asked: what is still filling has no line, but its place.
      timeline: { ...shown, toMs: range.to.epochMilliseconds },
      zone,
      title,
      hosts,
      ...(sentence.versus !== null && before !== null
        ? { previous: rebucket(before, shown.intervalMs), previousName: againstWords(comparison, zone) }
        : {}),
      ...(rise === null || rise.verdict === null ? {} : marks(rise.verdict, shown.fromMs)),
    }),
    notes: [
      ...staleNote([timeline, before], now),
      ...timelineNotes(timeline, { ...summary, unsettled: 0 }),
      ...fillingNote(subject, comparison),
    ],
    actions: [...led.button, ...withZoom(buttons(), context, comparison, peak, shown)],
    get why() {
      return allNumbers(context, comparison, { shown, summary, earlier });
    },
    ...(sentence.csv ? { attachments: [timelineCsv(timeline, context, range.to.epochMilliseconds)] } : {}),
  };
}

/** `Peak 578 at 15:00, 4.6× the average` */
function peakWords(peak: Peak | null, { points, intervalMs }: Timeline, range: Range, zone: string): string {
  const others = points.flatMap(({ endMs, attacks }) =>
    attacks === null || endMs === peak?.point.endMs ? [] : [attacks],
  );
  const average = others.reduce((sum, count) => sum + count, 0) / others.length;
  if (peak === null || !(average > 0)) return '';
  const at = timeWords(peak.point.endMs - intervalMs, range, zone);
  return `Peak ${formatCount(peak.value)} at ${at}, ${factorWords(peak.value / average)}× the average`;
}

/** `In all 24 hours, this included: 19,540 attacks (+4 % against the same hours a week before).`, below a rise. */
function wholeLine(now: TimelineSummary, before: TimelineSummary | null, comparison: Comparison, zone: string): Line {
  const { from, to } = comparison.counted;
  const lead = `In all ${lasting(to.epochMilliseconds - from.epochMilliseconds)}, this included: `;
  if (now.attacks === null) return [`${lead}attacks not known.`];
  const was = before?.attacks ?? null;
  const change = was === null ? null : changeWords(now.attacks, was, comparison);
  const against: Line = change === null ? [] : [' (', { bold: change }, ` against ${againstWords(comparison, zone)})`];
  return [`${lead}${counted(now.attacks, 'attack')}`, ...against, '.'];
}

/** `1.7 M requests (−2 %). `, compared with the same. */
function requestsWords(now: TimelineSummary, before: TimelineSummary | null, comparison: Comparison): string {
  if (now.requests === null) return 'Requests not known. ';
  const was = before?.requests ?? null;
  const change = was === null ? null : changeWords(now.requests, was, comparison);
  const requests = `${briefCount(now.requests)} ${now.requests === 1 ? 'request' : 'requests'}`;
  return `${requests}${change === null ? '' : ` (${change})`}. `;
}

/** `1.9 M requests · 18,204 attacks (0.95 %)` */
export function totalsTitle({ requests, attacks, attackShare }: TimelineSummary, between = ' · '): string {
  const asked =
    requests === null ? 'Requests not known' : `${briefCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  if (attacks === null) return `${asked}${between}attacks not known`;
  if (attacks === 0) return `${asked}${between}no attacks`;
  // The service counts the two separately, so there can be more attacks than requests.
  const share = attackShare === null || attackShare > 1 ? '' : ` (${formatShare(attackShare)})`;
  return `${asked}${between}${formatCount(attacks)} ${attacks === 1 ? 'attack' : 'attacks'}${share}`;
}

function peakLines(peak: Peak | null, { intervalMs }: Timeline, range: Range, zone: string, lead = 'Peak '): Line[] {
  if (peak === null) return [];
  const at = timeWords(peak.point.endMs - intervalMs, range, zone);
  return [[lead, { bold: formatCount(peak.value) }, ` at ${at} (${duration(intervalMs, { form: 'short' })}).`]];
}

/** Those that need no numbers. */
function timelineActions(context: WindowContext, comparison: Comparison): readonly [Action, ...Action[]] {
  const here = asCounted(context, comparison);
  return [
    threadAction('By category', here, 'attacks'),
    ...stepActions(context, 'timeline'),
    ...againActions(context, 'timeline'),
    csvAction(here, 'timeline'),
    whyAction(here, 'timeline', 'All numbers'),
  ];
}

function withZoom(
  [first, ...others]: readonly [Action, ...Action[]],
  context: WindowContext,
  { counted }: Comparison,
  peak: Peak | null,
  shown: Timeline,
): Action[] {
  const zoom = peak === null ? null : around(peak.point.endMs, shown, counted);
  if (zoom === null) return [first, ...others];
  const sentence = sentenceFor(context, 'timeline', zoom);
  return [first, { label: 'Zoom into the peak', sentence, effect: 'replace' }, ...others];
}

/** A window an eighth as long around the peak; `null` when that would not show more than there already is. */
function around(endMs: number, { intervalMs }: Timeline, { from, to }: Range): Range | null {
  const [fromMs, toMs] = [from.epochMilliseconds, to.epochMilliseconds];
  const half = Math.max((toMs - fromMs) / 16, 5 * intervalMs, 5 * 60_000);
  if (half * 4 > toMs - fromMs) return null;
  const middle = endMs - intervalMs / 2;
  const instant = (ms: number) => Temporal.Instant.fromEpochMilliseconds(Math.round(ms / 60_000) * 60_000);
  return { from: instant(middle - half), to: instant(Math.min(middle + half, toMs)) };
}

interface TimelineNumbers {
  readonly shown: Timeline;
  readonly summary: TimelineSummary;
  readonly earlier: TimelineSummary | null;
}

function allNumbers(context: WindowContext, comparison: Comparison, numbers: TimelineNumbers): Explanation {
  const { zone } = context;
  const { shown, summary, earlier } = numbers;
  const here = asCounted(context, comparison);
  const peak = (series: 'attacks' | 'requests'): Line[] =>
    peakLines(peakOf(shown, series), shown, context.range, zone, `Peak of ${series} `);
  return {
    lines: [windowWords(comparison, zone), ...peak('attacks'), ...peak('requests')],
    table: comparisonTable(summary, earlier, [], lengthRatio(comparison)),
    actions: [csvAction(here, 'timeline'), compareAction(here), digestAction(context)],
  };
}
