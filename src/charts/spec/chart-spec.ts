/**
 * A chart of either kind, and what can be made of it without drawing: its Chart.js configuration, and its content in words
 * for screen readers and for places without pictures.
 *
 * The configuration is pure JSON: no functions, no time scale, no plugin that a server might lack, so that the embedded
 * renderer and a QuickChart server draw the same picture from the same text. Labels are ours: axes that show something are
 * category axes with finished words, and the data hang on hidden linear axes of the same extent. That keeps zones and
 * number formats out of the drawing library.
 */
import { categoryName } from '../../insight/categories.ts';
import { formatChange, formatCount, formatShare } from '../../insight/format.ts';
import { rankCategories, totalOf } from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import { type BreakdownChart, breakdownConfig } from './breakdown-chart.ts';
import type { ChartConfig } from './layout.ts';
import { clock, intervalInWords, windowInWords, zoned } from './time-labels.ts';
import { findPeak, seriesTotal, type TimelineChart } from './timeline-chart.ts';
import { timelineConfig } from './timeline-config.ts';

export type ChartSpec = TimelineChart | BreakdownChart;

export function chartConfig(spec: ChartSpec): ChartConfig {
  return spec.kind === 'timeline' ? timelineConfig(spec) : breakdownConfig(spec);
}

/** Well under Slack's limit of 2,000 characters for any sensible title. */
export function altText(spec: ChartSpec): string {
  return spec.kind === 'timeline' ? timelineText(spec) : breakdownText(spec);
}

function timelineText(spec: TimelineChart): string {
  const { timeline, previous, zone } = spec;
  const window = `${windowInWords(timeline.fromMs, timeline.toMs, zone)} (${zone})`;
  const requests = seriesTotal(timeline, 'requests');
  const attacks = seriesTotal(timeline, 'attacks');
  if (requests === null && attacks === null) return `${spec.title}, ${window}: no data.`;
  const sentences = [`${spec.title}, ${window}: ${totals(requests, attacks)}.`];
  const peak = findPeak(timeline, 'attacks');
  if (peak !== undefined) {
    const when = intervalInWords(peak.startMs, peak.endMs, zone, true);
    sentences.push(`Attacks peak at ${formatCount(peak.value)}, ${when}${trend(timeline)}.`);
  }
  const before = previous === null ? null : seriesTotal(previous, 'attacks');
  if (before !== null && attacks !== null) {
    sentences.push(`${against(attacks, before, 'attacks')}.`);
  }
  if (spec.onsetMs !== null) sentences.push(`Onset ${clock(zoned(spec.onsetMs, zone))}.`);
  if (spec.endMs !== null) sentences.push(`Over ${clock(zoned(spec.endMs, zone))}.`);
  const last = timeline.points[timeline.points.length - 1];
  if (hasGaps(timeline)) sentences.push('Some intervals are missing.');
  if (last !== undefined && last.endMs > timeline.settledUntilMs) sentences.push('The last interval is unfinished.');
  return sentences.join(' ');
}

function totals(requests: number | null, attacks: number | null): string {
  if (attacks === null) return `${formatCount(requests ?? 0)} requests, no numbers for attacks`;
  const events = attacks === 0 ? 'no attacks' : `${formatCount(attacks)} attacks`;
  if (requests === null) return `${events}, no numbers for requests`;
  const share = attacks > 0 && attacks <= requests ? ` (${formatShare(attacks / requests)})` : '';
  return `${formatCount(requests)} requests, ${events}${share}`;
}

/** `The period before had 120 attacks: +18 %`. */
function against(now: number, before: number, what: string): string {
  if (before === 0) return `The period before had no ${what}`;
  const change = now === 0 ? '' : `: ${formatChange(now, before)}`;
  return `The period before had ${formatCount(before)} ${what}${change}`;
}

const RISING = 1.25;

/** The last third of the finished intervals against the first; silent when there is too little to say it. */
function trend(timeline: Timeline): string {
  const values = timeline.points
    .filter((point) => point.endMs <= timeline.settledUntilMs)
    .flatMap((point) => (point.attacks === null ? [] : [point.attacks]));
  const third = Math.floor(values.length / 3);
  if (third < 2) return '';
  const first = values.slice(0, third).reduce((sum, value) => sum + value, 0);
  const last = values.slice(-third).reduce((sum, value) => sum + value, 0);
  if (last > first * RISING) return '; more at the end than at the start';
  if (first > last * RISING) return '; fewer at the end than at the start';
  return '; about as many at the end as at the start';
}

function hasGaps({ points, intervalMs }: Timeline): boolean {
  return points.some((point, index) => {
    const before = points[index - 1];
    const absent = before !== undefined && point.endMs - before.endMs > intervalMs * 1.5;
    return absent || point.attacks === null || point.requests === null;
  });
}

function breakdownText(spec: BreakdownChart): string {
  const { distribution, previous } = spec;
  const rows = rankCategories(distribution, previous);
  if (rows.length === 0) return `${spec.title}: no events in any category.`;
  const total = totalOf(distribution);
  const change = previous === null ? '' : ` ${against(total, totalOf(previous), 'events')}.`;
  const named = rows.map(({ category, count, share, before }) => {
    const moved = before === null ? '' : `, ${formatChange(count, before)}`;
    return `${categoryName(category)} ${formatCount(count)} (${formatShare(share)}${moved})`;
  });
  return `${spec.title}: ${formatCount(total)} ${total === 1 ? 'event' : 'events'}.${change} ${named.join('; ')}.`;
}
