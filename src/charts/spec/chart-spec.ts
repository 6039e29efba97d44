/** What is to be drawn, as plain data: no pixels, no library. Every outlet (picture, native chart, words) reads this. */
import type { Distribution, Timeline } from '../../insight/timeline.ts';

export type ChartTheme = 'light' | 'dark';

/** What is usual at an interval, on the scale of attacks. */
export interface BaselinePoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}

export interface Baseline {
  readonly points: readonly BaselinePoint[];
}

export interface TimelineChart {
  readonly kind: 'timeline';
  readonly title: string;
  /** Null: the window in the reader's zone is said instead. */
  readonly subtitle: string | null;
  readonly zone: string;
  readonly timeline: Timeline;
  /** A period of its own; drawn shifted so that both begin together. */
  readonly previous: Timeline | null;
  readonly baseline: Baseline | null;
  /** When something began and when it was over, if a check said so. */
  readonly onsetMs: number | null;
  readonly endMs: number | null;
  readonly theme: ChartTheme;
}

export interface BreakdownChart {
  readonly kind: 'breakdown';
  readonly title: string;
  readonly subtitle: string | null;
  readonly distribution: Distribution;
  readonly previous: Distribution | null;
  readonly theme: ChartTheme;
}

export type ChartSpec = TimelineChart | BreakdownChart;

export interface TimelineChartInput {
  readonly timeline: Timeline;
  /** IANA name: every time in the chart is said in it. */
  readonly zone: string;
  readonly title: string;
  readonly subtitle?: string | undefined;
  readonly previous?: Timeline | undefined;
  readonly baseline?: Baseline | undefined;
  readonly onsetMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly theme?: ChartTheme | undefined;
}

export function timelineChart(input: TimelineChartInput): TimelineChart {
  return {
    kind: 'timeline',
    title: input.title,
    subtitle: input.subtitle ?? null,
    zone: input.zone,
    timeline: input.timeline,
    previous: input.previous ?? null,
    baseline: input.baseline ?? null,
    onsetMs: input.onsetMs ?? null,
    endMs: input.endMs ?? null,
    theme: input.theme ?? 'light',
  };
}

export interface BreakdownChartInput {
  readonly distribution: Distribution;
  readonly previous?: Distribution | undefined;
  readonly title: string;
  readonly subtitle?: string | undefined;
  readonly theme?: ChartTheme | undefined;
}

export function breakdownChart(input: BreakdownChartInput): BreakdownChart {
  return {
    kind: 'breakdown',
    title: input.title,
    subtitle: input.subtitle ?? null,
    distribution: input.distribution,
    previous: input.previous ?? null,
    theme: input.theme ?? 'light',
  };
}
