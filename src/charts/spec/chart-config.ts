/**
 * The Chart.js configuration of a chart as pure JSON: no functions, no time scale, no plugin that a server might lack,
 * so that the embedded renderer and a QuickChart server draw the same picture from the same text.
 *
 * Labels are ours: axes that show something are category axes with ready-made words, and the data hang on hidden
 * linear axes of the same extent. That keeps zones and number formats out of the drawing library.
 */
import { breakdownConfig } from './breakdown-config.ts';
import type { ChartSpec } from './chart-spec.ts';
import { timelineConfig } from './timeline-config.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

export interface ChartConfig {
  /** Logical size in CSS pixels; the picture has `pixelRatio` times as many. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  readonly config: Json;
}

export function chartConfig(spec: ChartSpec): ChartConfig {
  return spec.kind === 'timeline' ? timelineConfig(spec) : breakdownConfig(spec);
}
