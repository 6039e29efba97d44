/** A chart in words, for screen readers and for places without pictures. */
import { formatChange, formatCount, formatShare } from '../../insight/numbers.ts';
import { breakdownRows } from './breakdown-rows.ts';
import type { BreakdownChart, ChartSpec, TimelineChart } from './chart-spec.ts';
import { intervalInWords } from './time-words.ts';
import { timelineView } from './timeline-view.ts';

export function altText(spec: ChartSpec): string {
  return spec.kind === 'timeline' ? timelineText(spec) : breakdownText(spec);
}

function timelineText(spec: TimelineChart): string {
  const view = timelineView(spec);
  if (!view.hasData) return `${spec.title}: no data in this window.`;
  const { peak } = view;
  const parts = [`${formatCount(view.totalRequests ?? 0)} requests, ${formatCount(view.totalAttacks ?? 0)} attacks`];
  if (peak !== null) {
    const when = intervalInWords(peak.startMs, peak.endMs, spec.zone, true);
    parts.push(`peak ${formatCount(peak.value)} attacks ${when} ${spec.zone}`);
  }
  return `${spec.title}: ${parts.join('; ')}.`;
}

function breakdownText(spec: BreakdownChart): string {
  const { rows, total, totalBefore } = breakdownRows(spec);
  if (rows.length === 0) return `${spec.title}: no events in any category.`;
  const named = rows.map((row) => `${row.name} ${formatCount(row.count)} (${formatShare(row.count / (total || 1))})`);
  const change = totalBefore === null ? '' : `, ${formatChange(total, totalBefore)} against the period before`;
  return `${spec.title}: ${formatCount(total)} events${change}. ${named.join(', ')}.`;
}
