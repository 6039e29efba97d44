/** The public interface of the pure half: what is to be drawn, and its forms that need no drawing. */
export { type BreakdownChart, breakdownChart } from './breakdown-chart.ts';
export { altText, type ChartSpec, chartConfig } from './chart-spec.ts';
export type { JsonObject } from './layout.ts';
export { chartTable, type NativeChart, nativeChart } from './native-chart.ts';
export type { ChartTheme } from './palette.ts';
export { subjectLine } from './subject-line.ts';
export { type TimelineChart, timelineChart } from './timeline-chart.ts';
