/** The face of the pure half: what is to be drawn, and its outlets that need no drawing. */
export { altText } from './alt-text.ts';
export { chartConfig } from './chart-config.ts';
export type { ChartConfig, Json, JsonObject } from './chart-json.ts';
export {
  type Baseline,
  type BaselinePoint,
  type BreakdownChart,
  type BreakdownChartInput,
  breakdownChart,
  type ChartSpec,
  type ChartTheme,
  type TimelineChart,
  type TimelineChartInput,
  timelineChart,
} from './chart-spec.ts';
export { type NativeChart, type NativePoint, type NativeSeries, nativeChart } from './native-chart.ts';
export { sparkline } from './sparkline.ts';
