/**
 * What a timeline chart shows, as plain data without pixels or a library, and the same data prepared for drawing: traces
 * reduced to what pixels can show, the peak, and where incomplete data begins.
 */

import type { BandPoint, Timeline, TimelinePoint } from '../../statistics/timeline.ts';
import type { ChartSubject } from './layout.ts';

/** The usual range, on the scale of attacks. */
interface Baseline {
  readonly points: readonly BandPoint[];
}

/** A time that stands out. */
export interface ChartMark {
  readonly onsetMs: number;
  /** `null` while it's ongoing. */
  readonly endMs: number | null;
  /** The panel it's marked in. */
  readonly of: SeriesName;
}

export interface TimelineChart extends ChartSubject {
  readonly kind: 'timeline';
  /** The finding. */
  readonly title: string;
  readonly timeline: Timeline;
  /** Drawn shifted, so that both start together. */
  readonly previous: Timeline | null;
  /** Name of the previous period: `the day before`. */
  readonly previousName: string;
  readonly baseline: Baseline | null;
  /** The most important first: the first of each panel gets lines and words, the others only a shade. */
  readonly marks: readonly ChartMark[];
  /** What the finding is about: shown if there is only room for one of the two. */
  readonly about: SeriesName;
}

type TimelineChartInput = Omit<Partial<TimelineChart>, 'kind' | 'project' | 'hosts'> &
  Pick<TimelineChart, 'title' | 'zone' | 'timeline'> & {
    readonly hosts: readonly { readonly name: string }[];
    /** When the episode that the finding is about began and ended. */
    readonly onsetMs?: number | undefined;
    readonly endMs?: number | undefined;
  };

export function timelineChart({ onsetMs, endMs, ...input }: TimelineChartInput): TimelineChart {
  return {
    ...input,
    kind: 'timeline',
    hosts: [...new Set(input.hosts.map(({ name }) => name))],
    window: input.window ?? null,
    previous: input.previous ?? null,
    previousName: input.previousName ?? 'the period before',
    baseline: input.baseline ?? null,
    marks: [...onlyMark({ ...input, onsetMs, endMs }), ...(input.marks ?? [])],
    about: input.about ?? 'attacks',
  };
}

/** Without an onset, it began before the window. */
function onlyMark({ timeline, onsetMs, endMs, about = 'attacks' }: TimelineChartInput): ChartMark[] {
  if (onsetMs === undefined && endMs === undefined) return [];
  return [{ onsetMs: onsetMs ?? timeline.fromMs - timeline.intervalMs, endMs: endMs ?? null, of: about }];
}

export interface ChartPeak {
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
}

/** The data ready to be placed: finished intervals only, and where what is still filling begins. */
export interface TimelineView {
  /** Whole intervals: no edge cuts one. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly requests: Trace;
  readonly attacks: Trace;
  readonly previousAttacks: Trace;
  /** From here to the right edge numbers still come in; null when all have come. */
  readonly fillingFromMs: number | null;
  /** Of what is drawn. */
  readonly peak: ChartPeak | null;
  readonly requestsPeak: ChartPeak | null;
  /** True when there is at least one number in the window, drawn or not. */
  readonly hasData: boolean;
}

export type SeriesName = 'requests' | 'attacks';

/** This long after the end of a window, nothing more will arrive. */
const LATE_MS = 5 * 60_000;

export function timelineView({ timeline, previous }: TimelineChart): TimelineView {
  const { intervalMs, settledUntilMs, asOfMs, points } = timeline;
  const grid = gridOf(timeline);
  const finishedMs = grid.down(Math.min(grid.endMs, settledUntilMs));
  const isLate = settledUntilMs < grid.endMs && asOfMs < timeline.toMs + LATE_MS;
  const isFinished = ({ endMs }: TimelinePoint) => endMs - intervalMs >= grid.fromMs && endMs <= finishedMs;
  const drawn = { ...timeline, points: points.filter(isFinished) };
  // An old interval that the window cuts off will never be complete, so it isn't shown.
  const toMs = isLate || finishedMs <= grid.fromMs ? grid.up(grid.endMs) : finishedMs;
  const shiftMs = previous === null ? 0 : timeline.fromMs - previous.fromMs;
  const before = previous === null ? [] : trace(previous, 'attacks', shiftMs);
  return {
    fromMs: grid.fromMs,
    toMs,
    requests: trace(drawn, 'requests'),
    attacks: trace(drawn, 'attacks'),
    previousAttacks: before.filter((at) => at.startMs >= grid.fromMs && at.startMs < (isLate ? finishedMs : toMs)),
    fillingFromMs: isLate ? Math.max(grid.fromMs, finishedMs) : null,
    peak: findPeak(drawn, 'attacks') ?? null,
    requestsPeak: findPeak(drawn, 'requests') ?? null,
    hasData: points.some((point) => point.requests !== null || point.attacks !== null),
  };
}

/** The intervals of the window: aligned to its points, or else to its start. */
function gridOf({ points, intervalMs, ...window }: Timeline) {
  // After the time of the answer is the future, not a gap.
  const endMs = Math.max(window.fromMs + 1, Math.min(window.toMs, window.asOfMs));
  const phaseMs = (points[0]?.endMs ?? window.fromMs) % intervalMs;
  const down = (ms: number) => Math.floor((ms - phaseMs) / intervalMs) * intervalMs + phaseMs;
  const up = (ms: number) => Math.ceil((ms - phaseMs) / intervalMs) * intervalMs + phaseMs;
  // A window shorter than one interval shows the interval that contains it.
  const fromMs = up(window.fromMs) < up(endMs) ? up(window.fromMs) : down(window.fromMs);
  return { fromMs, endMs, up, down };
}

function trace(timeline: Timeline, series: SeriesName, shiftMs = 0): Trace {
  const { intervalMs } = timeline;
  const samples: Sample[] = timeline.points.map((point) => ({
    startMs: point.endMs - intervalMs + shiftMs,
    value: point[series],
  }));
  return toTrace(samples, intervalMs);
}

/** `null` if there are no numbers. */
export function seriesTotal(timeline: Timeline, series: SeriesName): number | null {
  return timeline.points.reduce<number | null>((sum, point) => {
    const value = point[series];
    return value === null ? sum : (sum ?? 0) + value;
  }, null);
}

/** The first largest value. Zero isn't a peak. */
function findPeak(timeline: Timeline, series: SeriesName): ChartPeak | undefined {
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
  /** Start of the interval: a count of 14:00–15:00 is at 14:00. */
  readonly startMs: number;
  readonly value: number | null;
}

/** Neighbors with a null between them aren't joined; nulls are never adjacent. */
export type Trace = readonly Sample[];

/** Two points per column; a plot of about 470 px at twice the size can't show more. */
export const MAX_COLUMNS = 150;

/** What one column shows. */
interface PixelColumn {
  low: Sample | null;
  high: Sample | null;
  /** The first missing interval. */
  gapMs: number | null;
}

/**
 * Reduces thousands of points to what pixels can show, by min/max per column: the window is divided into columns of equal
 * time, and each keeps its smallest and largest value at their own time. Unlike with largest-triangle (LTTB), every peak and
 * trough survives with its exact value, in linear time. Gaps survive too: a point without a value breaks the line.
 *
 * `samples` are sorted; an interval that isn't among them is missing, like one whose value is null.
 */
export function toTrace(samples: readonly Sample[], intervalMs: number, maxColumns = MAX_COLUMNS): Trace {
  const firstMs = samples[0]?.startMs ?? 0;
  const spanMs = (samples[samples.length - 1]?.startMs ?? 0) - firstMs + intervalMs;
  // Few points need no reduction.
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
    // A missing interval goes before the point that reveals it.
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
  // A column of equal values keeps only the first, but the line ends where the data ends.
  const last = samples[samples.length - 1];
  if (last !== undefined && last.value !== null && trace[trace.length - 1]?.startMs !== last.startMs) trace.push(last);
  return trace;
}

/** Smallest, largest and gap in order of time. */
function flush({ low, high, gapMs }: PixelColumn, trace: Sample[]): void {
  const samples = [low, high === low ? null : high, gapMs === null ? null : { startMs: gapMs, value: null }];
  for (const sample of samples.filter((one) => one !== null).sort((a, b) => a.startMs - b.startMs)) {
    const last = trace[trace.length - 1];
    const twice = sample.value === null && (last === undefined || last.value === null);
    if (!twice) trace.push(sample);
  }
}
