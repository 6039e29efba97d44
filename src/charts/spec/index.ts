/** The public interface of the pure half: what is to be drawn, and its forms that need no drawing. */
export { type BreakdownChart, breakdownChart } from './breakdown-chart.ts';
export { altText, type ChartSpec, chartConfig, chartTable, type NativeChart, nativeChart } from './chart-spec.ts';
export type { JsonObject } from './layout.ts';
export { subjectLine } from './layout.ts';
export { type ChartMark, type TimelineChart, timelineChart } from './timeline-chart.ts';
