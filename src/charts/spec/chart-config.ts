/**
 * The Chart.js configuration of a chart as pure JSON: no functions, no time scale, no plugin that a server might lack,
 * so that the embedded renderer and a QuickChart server draw the same picture from the same text.
 *
 * Labels are ours: axes that show something are category axes with ready-made words, and the data hang on hidden
 * linear axes of the same extent. That keeps zones and number formats out of the drawing library.
 */
import { breakdownConfig } from './breakdown-config.ts';
import type { ChartConfig } from './chart-json.ts';
import type { ChartSpec } from './chart-spec.ts';
import { timelineConfig } from './timeline-config.ts';

export function chartConfig(spec: ChartSpec): ChartConfig {
  return spec.kind === 'timeline' ? timelineConfig(spec) : breakdownConfig(spec);
}
