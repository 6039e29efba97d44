/** `timeline`: requests and attacks over time. */
import { timelineChart } from '../../charts/spec/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { briefCount, duration, formatCount, formatShare } from '../../insight/format.ts';
import {
  hasRise,
  hasTraffic,
  type Peak,
  peakOf,
  readable,
  rebucket,
  summarise,
  type TimelineSummary,
} from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import type { Verdict } from '../../insight/verdict/index.ts';
import { type Comparison, compareLikeWithLike, type Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { timelineCsv } from '../replies/csv.ts';
import { factorWords, usualWords } from '../replies/episode-lines.ts';
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
} from '../replies/follow-ups.ts';
import {
  againstWords,
  changeLine,
  comparisonTable,
  fillingNote,
  lengthRatio,
  staleNote,
  timelineNotes,
  timeWords,
  windowWords,
  withAge,
} from '../replies/phrases.ts';
import type { Action, Explanation, Line, Reply } from '../replies/reply.ts';
import { levelAndTime, shownLevel } from '../replies/verdict-lines.ts';
import { stillFilling, withoutTraffic } from '../replies/without-numbers.ts';
import { checkWindow, marks } from './check.ts';

export async function answerTimeline(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  if (comparison === null) return stillFilling(context, 'timeline');
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [timeline, before] = await Promise.all([
    deps.statistics.timeline({ ...query, range: comparison.counted }),
    nullIfUnavailable(deps.statistics.timeline({ ...query, range: comparison.against })),
  ]);
  const summary = summarise(timeline);
  if (!hasTraffic(summary)) return withoutTraffic(context, 'timeline', summary);
  const subject = { hosts, range, zone, now };
  const shown = readable(timeline);
  const peak = peakOf(shown, 'attacks');
  const earlier = before === null ? null : summarise(before);
  const finding = timeline.stale || !hasRise(timeline, before) ? NOTHING : await findingIn(context, peak, shown);
  const title = finding.words === '' ? totalsTitle(summary) : `${finding.words} · ${totalsTitle(summary, ', ')}`;
  return {
    title,
    ...(finding.verdict === null ? {} : { level: shownLevel(finding.verdict.level, finding.verdict) }),
    headline: withAge(changeLine(summary, earlier, comparison, zone), [timeline, before], now),
    body: peakLines(peak, shown, range, zone).map((line) => [...line, courseWords(finding.verdict)]),
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
      ...(finding.verdict === null ? {} : marks(finding.verdict, shown.fromMs)),
    }),
    notes: [
      ...staleNote([timeline, before], now),
      ...timelineNotes(timeline, { ...summary, unsettled: 0 }),
      ...fillingNote(subject, comparison),
    ],
    actions: [
      ...(finding.words === ''
        ? []
        : [{ label: 'Check', sentence: sentenceFor(context, 'check', range), effect: 'thread' } as const]),
      ...timelineActions(context, comparison, peak, shown),
    ],
    why: allNumbers(context, comparison, { timeline, summary, before, earlier }),
    ...(sentence.csv ? { attachments: [timelineCsv(timeline, context, range.to.epochMilliseconds)] } : {}),
  };
}

interface CurveFinding {
  /** For the heading; empty where nothing is found. */
  readonly words: string;
  /** What a check of the window calls; `null` where it calls nothing, or was not asked. */
  readonly verdict: Verdict | null;
}

const NOTHING: CurveFinding = { words: '', verdict: null };
/** A longer window is not judged: its peak is told as what it is. */
const LONGEST_JUDGED_MS = 8 * 86_400_000;

/**
 * What is going on, where the curve gives reason to ask: the same that a check of the window says, so that the two never
 * differ. Where that cannot be had, the peak against the rest, which judges nothing.
 */
async function findingIn(context: WindowContext, peak: Peak | null, shown: Timeline): Promise<CurveFinding> {
  const { range, zone } = context;
  const isLong = range.to.epochMilliseconds - range.from.epochMilliseconds > LONGEST_JUDGED_MS;
  const checked = isLong ? null : await nullIfUnavailable(checkWindow(context));
  const verdict = checked?.assessment.verdict;
  if (checked === null || verdict === undefined || verdict.level === 'not_enough_data' || verdict.expected === null)
    return { words: peakWords(peak, shown, range, zone), verdict: null };
  if (verdict.level === 'calm' || verdict.onsetMs === null || checked.assessment.timeline.stale) return NOTHING;
  const strength = usualWords(checked.episode?.figures ?? { total: verdict.observed, expected: verdict.expected });
  return { words: [levelAndTime(verdict, context), ...strength].join(' · '), verdict };
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

function courseWords(verdict: Verdict | null): string {
  if (verdict === null) return '';
  return verdict.ongoing === true ? ' Still going on.' : '';
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

function timelineActions(context: WindowContext, comparison: Comparison, peak: Peak | null, shown: Timeline): Action[] {
  const counted = asCounted(context, comparison);
  const zoom = peak === null ? null : around(peak.point.endMs, shown, comparison.counted);
  return [
    threadAction('By category', counted, 'attacks'),
    ...(zoom === null
      ? []
      : [
          { label: 'Zoom into the peak', sentence: sentenceFor(context, 'timeline', zoom), effect: 'replace' } as const,
        ]),
    ...stepActions(context, 'timeline'),
    ...againActions(context, 'timeline'),
    csvAction(counted, 'timeline'),
    whyAction(counted, 'timeline', 'All numbers'),
  ];
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
  readonly timeline: Timeline;
  readonly summary: TimelineSummary;
  readonly before: Timeline | null;
  readonly earlier: TimelineSummary | null;
}

function allNumbers(context: WindowContext, comparison: Comparison, numbers: TimelineNumbers): Explanation {
  const { zone } = context;
  const { timeline, summary, earlier } = numbers;
  const counted = asCounted(context, comparison);
  const shown = readable(timeline);
  const peak = (series: 'attacks' | 'requests'): Line[] =>
    peakLines(peakOf(shown, series), shown, context.range, zone, `Peak of ${series} `);
  return {
    lines: [windowWords(comparison, zone), ...peak('attacks'), ...peak('requests')],
    table: comparisonTable(summary, earlier, [], lengthRatio(comparison)),
    actions: [csvAction(counted, 'timeline'), compareAction(counted), digestAction(context)],
  };
}
