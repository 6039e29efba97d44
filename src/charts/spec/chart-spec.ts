/**
 * A chart of either kind, and its Chart.js configuration as pure JSON: no functions, no time scale, no plugin that a
 * server might lack, so that the embedded renderer and a QuickChart server draw the same picture from the same text.
 *
 * Labels are ours: axes that show something are category axes with finished words, and the data hang on hidden linear
 * axes of the same extent. That keeps zones and number formats out of the drawing library.
 */
import { type BreakdownChart, breakdownConfig } from './breakdown-chart.ts';
import type { ChartConfig } from './layout.ts';
import type { TimelineChart } from './timeline-chart.ts';
import { timelineConfig } from './timeline-config.ts';

export type ChartSpec = TimelineChart | BreakdownChart;

export function chartConfig(spec: ChartSpec): ChartConfig {
  return spec.kind === 'timeline' ? timelineConfig(spec) : breakdownConfig(spec);
}
