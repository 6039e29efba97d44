/**
 * What a timeline chart shows, as plain data: no pixels, no library. And the same data ready to be placed: traces
 * reduced to what the pixels can show, the peak, totals, and what is unfinished.
 */
import type { Timeline } from '../../insight/timeline.ts';
import type { BandPoint } from '../../insight/verdict/index.ts';
import type { ChartTheme } from './palette.ts';

/** The usual range, on the scale of attacks. */
interface Baseline {
  readonly points: readonly BandPoint[];
}

export interface TimelineChart {
  readonly kind: 'timeline';
  /** The finding. */
  readonly title: string;
  /** Whose traffic it is, by name; none means all hosts. */
  readonly hosts: readonly string[];
  /** The window in words; null: said from the timeline, in the reader's zone. */
  readonly window: string | null;
  readonly zone: string;
  readonly timeline: Timeline;
  /** A period of its own; drawn shifted so that both begin together. */
  readonly previous: Timeline | null;
  /** What that period is called: `the day before`. */
  readonly previousName: string;
  readonly baseline: Baseline | null;
  /** When something began and when it was over, if a check said so. */
  readonly onsetMs: number | null;
  readonly endMs: number | null;
  readonly theme: ChartTheme;
}

interface TimelineChartInput {
  readonly timeline: Timeline;
  /** IANA name: every time in the chart is said in it. */
  readonly zone: string;
  /** The finding, in the words of the answer's header. */
  readonly title: string;
  readonly hosts: readonly { readonly name: string }[];
  /** Only where the timeline does not say it all, such as two windows side by side. */
  readonly window?: string | undefined;
  readonly previous?: Timeline | undefined;
  readonly previousName?: string | undefined;
  readonly baseline?: Baseline | undefined;
  readonly onsetMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly theme?: ChartTheme | undefined;
}

export function timelineChart(input: TimelineChartInput): TimelineChart {
  return {
    kind: 'timeline',
    title: input.title,
    hosts: input.hosts.map(({ name }) => name),
    window: input.window ?? null,
    zone: input.zone,
    timeline: input.timeline,
    previous: input.previous ?? null,
    previousName: input.previousName ?? 'the period before',
    baseline: input.baseline ?? null,
    onsetMs: input.onsetMs ?? null,
    endMs: input.endMs ?? null,
    theme: input.theme ?? 'light',
  };
}

interface ChartPeak {
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
}

export interface TimelineView {
  readonly fromMs: number;
  /** Start of the last interval: the right edge of the plot. */
  readonly toMs: number;
  readonly requests: Trace;
  readonly attacks: Trace;
  /** From the last finished interval on; shorter than two points means nothing is to be dashed. */
  readonly fillingRequests: Trace;
  readonly fillingAttacks: Trace;
  readonly previousAttacks: Trace;
  readonly totalRequests: number | null;
  readonly totalAttacks: number | null;
  readonly peak: ChartPeak | null;
  /** True when there is at least one number to draw. */
  readonly hasData: boolean;
}

export type SeriesName = 'requests' | 'attacks';

export function timelineView(spec: TimelineChart): TimelineView {
  const { timeline, previous } = spec;
  const shiftMs = previous === null ? 0 : timeline.fromMs - previous.fromMs;
  const { fromMs, toMs } = extent(timeline);
  const settledMs = timeline.settledUntilMs - timeline.intervalMs;
  const requests = split(trace(timeline, 'requests'), settledMs);
  const attacks = split(trace(timeline, 'attacks'), settledMs);
  const clip = (samples: Trace) => samples.filter((at) => at.startMs >= fromMs && at.startMs <= toMs);
  return {
    fromMs,
    toMs,
    requests: fillPlot(requests.settled, timeline),
    attacks: fillPlot(attacks.settled, timeline),
    fillingRequests: fillPlot(requests.filling, timeline),
    fillingAttacks: fillPlot(attacks.filling, timeline),
    previousAttacks: previous === null ? [] : clip(trace(previous, 'attacks', shiftMs)),
    totalRequests: seriesTotal(timeline, 'requests'),
    totalAttacks: seriesTotal(timeline, 'attacks'),
    peak: findPeak(timeline, 'attacks') ?? null,
    hasData: timeline.points.some((point) => point.requests !== null || point.attacks !== null),
  };
}

function trace(timeline: Timeline, series: SeriesName, shiftMs = 0): Trace {
  const { intervalMs } = timeline;
  const samples: Sample[] = timeline.points.map((point) => ({
    startMs: point.endMs - intervalMs + shiftMs,
    value: point[series],
  }));
  return toTrace(samples, intervalMs);
}

/** A single point has no line: it is drawn at both ends of its interval. */
function fillPlot(trace: Trace, { points, intervalMs }: Timeline): Trace {
  const [only] = trace;
  if (points.length > 1 || only === undefined) return trace;
  return [only, { ...only, startMs: only.startMs + intervalMs }];
}

/** The unfinished end starts at the last finished point, so that the dashed line hangs on to the solid one. */
function split(whole: Trace, settledMs: number): { settled: Trace; filling: Trace } {
  const first = whole.findIndex((sample) => sample.startMs > settledMs);
  if (first === -1) return { settled: whole, filling: [] };
  return { settled: whole.slice(0, first), filling: whole.slice(Math.max(0, first - 1)) };
}

/** Whole intervals of the window, and any point that reaches over its edge. */
function extent(timeline: Timeline): { fromMs: number; toMs: number } {
  const { points, intervalMs } = timeline;
  const first = points[0];
  const last = points[points.length - 1];
  if (first === undefined || last === undefined) {
    return { fromMs: timeline.fromMs, toMs: Math.max(timeline.fromMs + 1, timeline.toMs) };
  }
  const phaseMs = first.endMs % intervalMs;
  const up = Math.ceil((timeline.fromMs - phaseMs) / intervalMs) * intervalMs + phaseMs;
  // What lies after the answer was given is the future, not a gap.
  const knownMs = Math.min(timeline.toMs, timeline.asOfMs);
  const down = Math.floor((knownMs - phaseMs) / intervalMs) * intervalMs + phaseMs - intervalMs;
  const fromMs = Math.min(first.endMs - intervalMs, up);
  const toMs = Math.max(last.endMs - intervalMs, down);
  // One interval alone is as wide as the plot.
  return toMs > fromMs ? { fromMs, toMs } : { fromMs, toMs: toMs + intervalMs };
}

/** Null when there is not one number. */
export function seriesTotal(timeline: Timeline, series: SeriesName): number | null {
  return timeline.points.reduce<number | null>((sum, point) => {
    const value = point[series];
    return value === null ? sum : (sum ?? 0) + value;
  }, null);
}

/** The largest value; the first of equals. Zero is no peak. */
export function findPeak(timeline: Timeline, series: SeriesName): ChartPeak | undefined {
  let best: ChartPeak | undefined;
  for (const point of timeline.points) {
    const value = point[series];
    if (value !== null && value > (best?.value ?? 0)) {
      best = { startMs: point.endMs - timeline.intervalMs, endMs: point.endMs, value };
    }
  }
  return best;
}

export interface Sample {
  /** Start of the interval: a count of 14:00–15:00 stands at 14:00. */
  readonly startMs: number;
  readonly value: number | null;
}

/** Neighbours with a null between them are not joined; nulls never stand side by side. */
export type Trace = readonly Sample[];

/** Two points a column; a plot about 470 px wide at twice the size cannot tell more apart. */
export const MAX_COLUMNS = 150;

/** What one column keeps. */
interface PixelColumn {
  low: Sample | null;
  high: Sample | null;
  /** Where the first interval is missing. */
  gapMs: number | null;
}

/**
 * Thousands of points reduced to what the pixels can show, by min/max per column: the window is divided into columns of
 * equal time and each keeps its smallest and its largest value where they stood. Every peak and every trough survives
 * with its exact value, which the largest-triangle rule (LTTB) does not promise, and the cost stays linear. Gaps survive
 * too: where intervals are missing the line is broken by a point without a value.
 *
 * `samples` are sorted; an interval that is not among them is missing, like one whose value is null.
 */
export function toTrace(samples: readonly Sample[], intervalMs: number, maxColumns = MAX_COLUMNS): Trace {
  const firstMs = samples[0]?.startMs ?? 0;
  const spanMs = (samples[samples.length - 1]?.startMs ?? 0) - firstMs + intervalMs;
  // Few points are their own columns.
  const reduce = samples.length > maxColumns * 2;
  const trace: Sample[] = [];
  let column: PixelColumn = { low: null, high: null, gapMs: null };
  let current = 0;
  let expectedMs = firstMs;
  samples.forEach((sample, index) => {
    const at = reduce ? Math.floor(((sample.startMs - firstMs) / spanMs) * maxColumns) : index;
    if (at !== current) {
      flush(column, trace);
      column = { low: null, high: null, gapMs: null };
      current = at;
    }
    // A missing interval belongs in front of the point that shows that it is missing.
    if (sample.startMs - expectedMs > intervalMs / 2) column.gapMs ??= expectedMs;
    expectedMs = sample.startMs + intervalMs;
    const { value } = sample;
    if (value === null) column.gapMs ??= sample.startMs;
    else {
      if (column.low === null || value < (column.low.value ?? 0)) column.low = sample;
      if (column.high === null || value > (column.high.value ?? 0)) column.high = sample;
    }
  });
  flush(column, trace);
  // A column of equal values keeps its first one only; the line still ends where the data ends.
  const last = samples[samples.length - 1];
  if (last !== undefined && last.value !== null && trace[trace.length - 1]?.startMs !== last.startMs) trace.push(last);
  return trace;
}

/** Smallest, largest and break in order of time. */
function flush({ low, high, gapMs }: PixelColumn, trace: Sample[]): void {
  const samples = [low, high === low ? null : high, gapMs === null ? null : { startMs: gapMs, value: null }];
  for (const sample of samples.filter((one) => one !== null).sort((a, b) => a.startMs - b.startMs)) {
    const last = trace[trace.length - 1];
    const twice = sample.value === null && (last === undefined || last.value === null);
    if (!twice) trace.push(sample);
  }
}
