/**
 * A chart of either kind, and what can be derived from it without drawing: its Chart.js configuration, and its content in
 * words for screen readers.
 *
 * The configuration is pure JSON: no functions, no time scale, no plugin that a server might lack, nothing newer than
 * Chart.js 4.0, so that the embedded renderer and a QuickChart server draw the same picture from the same text. Visible axes
 * are category axes with our own labels, and the data uses hidden linear axes, which keeps zones and number formats out of
 * the drawing library. No axis is named after an axis type (`time`): on a server, where all types are registered, Chart.js
 * would give it that type's defaults.
 */
import { duration, formatChange, formatCount, formatShare } from '../../statistics/format.ts';
import { totalOf } from '../../statistics/summary.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import { clock, intervalInWords, zoned } from '../../time/index.ts';
import { DAY_MS } from '../../time-units.ts';
import { type BreakdownChart, breakdownConfig, shownRows } from './breakdown-chart.ts';
import type { ChartConfig } from './layout.ts';
import { subjectLine } from './subject-line.ts';
import { seriesTotal, type TimelineChart, timelineView } from './timeline-chart.ts';
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
  const { timeline, previous, zone, baseline } = spec;
  const subject = `${spec.title}. ${subjectLine(spec, timeline)}`;
  const view = timelineView(spec);
  if (!view.hasData) return `${subject}: no data.`;
  const attacks = seriesTotal(timeline, 'attacks');
  const sentences = [`${subject}: ${totals(seriesTotal(timeline, 'requests'), attacks)}.`];
  const { peak } = view;
  const unit = duration(timeline.intervalMs, { bareOne: true });
  if (peak !== null) {
    const when = intervalInWords(peak.startMs, peak.endMs, zone, view.toMs - view.fromMs > DAY_MS);
    sentences.push(`Attacks peak at ${formatCount(peak.value)} per ${unit}, ${when}${trend(timeline)}.`);
  }
  const usual = baseline === null ? [] : baseline.points;
  if (usual.length > 0) {
    const [low, high] = [Math.min(...usual.map((at) => at.low)), Math.max(...usual.map((at) => at.high))];
    sentences.push(`Usual is ${formatCount(Math.max(0, low))} to ${formatCount(high)}.`);
  }
  const before = previous === null ? null : seriesTotal(previous, 'attacks');
  if (before !== null && attacks !== null) sentences.push(`${against(attacks, before, spec.previousName)}.`);
  if (spec.onsetMs !== null) sentences.push(`Began ${clock(zoned(spec.onsetMs, zone))}.`);
  if (spec.endMs !== null) sentences.push(`Ended ${clock(zoned(spec.endMs, zone))}.`);
  if (hasGaps(timeline)) sentences.push('Some intervals are missing.');
  if (view.fillingFromMs !== null) sentences.push(`Incomplete from ${clock(zoned(view.fillingFromMs, zone))} on.`);
  return sentences.join(' ');
}

function totals(requests: number | null, attacks: number | null): string {
  if (attacks === null) return `${formatCount(requests ?? 0)} requests, no data for attacks`;
  const events = attacks === 0 ? 'no attacks' : `${formatCount(attacks)} attacks`;
  if (requests === null) return `${events}, no data for requests`;
  const share = attacks > 0 && attacks <= requests ? ` (${formatShare(attacks / requests)})` : '';
  return `${formatCount(requests)} requests, ${events}${share}`;
}

/** `The day before: 120 attacks (+18 %)`. */
function against(now: number, before: number, name: string): string {
  const lead = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (before === 0) return `${lead}: no attacks`;
  return `${lead}: ${formatCount(before)} attacks${now === 0 ? '' : ` (${formatChange(now, before)})`}`;
}

const RISING = 1.25;

/** Compares the last third of the complete intervals with the first; empty if there are too few. */
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
  const subject = `${spec.title}. ${subjectLine(spec, distribution)}`;
  const rows = shownRows(spec);
  if (rows.length === 0) return `${subject}: no attacks in any category.`;
  const total = totalOf(distribution);
  const change = previous === null ? '' : ` ${against(total, totalOf(previous), spec.previousName)}.`;
  const named = rows.map(({ name, count, share, before, moved }) => {
    const earlier = moved && before !== null ? (before === 0 ? ', new' : `, was ${formatCount(before)}`) : '';
    return `${name} ${formatCount(count)} (${formatShare(share)}${earlier})`;
  });
  const all = `${formatCount(total)} ${total === 1 ? 'attack' : 'attacks'}`;
  return `${subject}: ${all}.${change} ${named.join('; ')}.`;
}
