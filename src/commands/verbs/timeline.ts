/** `timeline`: requests and attacks over time. */
import { timelineChart } from '../../charts/spec/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { duration, formatCount, formatShare } from '../../insight/format.ts';
import { readable, rebucket, summarise, type TimelineSummary } from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import { describeRange, type Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { timelineCsv } from '../replies/csv.ts';
import {
  compareAction,
  csvAction,
  digestAction,
  periodBefore,
  sentenceFor,
  stepActions,
  threadAction,
} from '../replies/follow-ups.ts';
import { changeLine, lengthNote, onHosts, staleNote, timelineNotes, withAge } from '../replies/phrases.ts';
import type { Action, Line, Reply } from '../replies/reply.ts';

export async function answerTimeline(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const ids = hosts.map(({ id }) => id);
  const other = sentence.versus === null || sentence.versus === 'previous' ? periodBefore(range) : sentence.versus;
  const [timeline, before] = await Promise.all([
    deps.statistics.timeline({ range, hosts: ids, zone }),
    nullIfUnavailable(deps.statistics.timeline({ range: other, hosts: ids, zone })),
  ]);
  const shown = readable(timeline);
  const summary = summarise(timeline);
  const title = `Requests and attacks${onHosts(hosts)}`;
  const peaks = summarise(shown);
  const actions = timelineActions(context, peaks, shown);
  const common = { title, subject: { hosts, range, zone }, actions };
  const stale = staleNote([timeline, before], now);
  if (summary.intervals === 0) {
    return { ...common, headline: noData(), notes: [...stale, OLD_DATA] };
  }
  const against =
    sentence.versus === null || sentence.versus === 'previous'
      ? 'Against the period before'
      : `Against ${describeRange(other, { now, zone })}`;
  return {
    ...common,
    headline: withAge(headlineOf(summary), [timeline, before], now),
    body: [changeLine(summary, before === null ? null : summarise(before), against), ...peakLines(peaks, shown, zone)],
    chart: timelineChart({
      timeline: shown,
      zone,
      title,
      hosts,
      ...(sentence.versus !== null && before !== null ? { previous: rebucket(before, shown.intervalMs) } : {}),
    }),
    notes: [...stale, ...timelineNotes(timeline, summary), ...lengthNote(range, other)],
    ...(sentence.csv ? { attachments: [timelineCsv(timeline, zone)] } : {}),
  };
}

export const OLD_DATA: Line = ['The service keeps data for a limited time; a window that is too old has none.'];

export function noData(): Line {
  return [{ bold: 'No data.' }, ' The service has no numbers for this window.'];
}

export function headlineOf({ requests, attacks, attackShare }: TimelineSummary): Line {
  const bold = (count: number | null, one: string): Line =>
    count === null
      ? [`${one}s `, { bold: 'not known' }]
      : [{ bold: formatCount(count) }, count === 1 ? ` ${one}` : ` ${one}s`];
  if (attacks === 0) return [...bold(requests, 'request'), ', ', { bold: 'no attacks' }, '.'];
  // The service counts the two separately, so there can be more attacks than requests.
  const share = attackShare === null || attackShare > 1 ? '' : ` (${formatShare(attackShare)} of requests)`;
  return [...bold(requests, 'request'), ', ', ...bold(attacks, 'attack'), `${share}.`];
}

function peakLines({ attackPeak, requestPeak }: TimelineSummary, { intervalMs }: Timeline, zone: string): Line[] {
  const at = (endMs: number): Line => [
    ` in the ${duration(intervalMs, { bareOne: true })} from `,
    { instant: Temporal.Instant.fromEpochMilliseconds(endMs - intervalMs), zone },
    '.',
  ];
  const lines: Line[] = [];
  if (attackPeak !== null) {
    lines.push(['Peak of attacks: ', { bold: formatCount(attackPeak.value) }, ...at(attackPeak.point.endMs)]);
  }
  if (requestPeak !== null) {
    lines.push(['Peak of requests: ', { bold: formatCount(requestPeak.value) }, ...at(requestPeak.point.endMs)]);
  }
  return lines;
}

function timelineActions(context: WindowContext, { attackPeak }: TimelineSummary, timeline: Timeline): Action[] {
  const peak = attackPeak === null ? null : around(attackPeak.point.endMs, timeline, context.now);
  return [
    ...stepActions(context, 'timeline'),
    ...(peak === null
      ? []
      : [
          { label: 'Zoom into the peak', sentence: sentenceFor(context, 'timeline', peak), effect: 'replace' } as const,
        ]),
    threadAction('By category', context, 'attacks'),
    compareAction(context),
    csvAction(context, 'timeline'),
    digestAction(context),
  ];
}

/** A window an eighth as long around the peak; `null` when that would not show more than there already is. */
function around(endMs: number, { intervalMs, fromMs, toMs }: Timeline, now: Temporal.Instant): Range | null {
  const half = Math.max((toMs - fromMs) / 16, 5 * intervalMs, 5 * 60_000);
  if (half * 4 > toMs - fromMs) return null;
  const middle = endMs - intervalMs / 2;
  const instant = (ms: number) => Temporal.Instant.fromEpochMilliseconds(Math.round(ms / 60_000) * 60_000);
  const to = Math.min(middle + half, now.epochMilliseconds);
  return { from: instant(middle - half), to: Temporal.Instant.fromEpochMilliseconds(Math.floor(to / 60_000) * 60_000) };
}
