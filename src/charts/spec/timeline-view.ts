/** A timeline chart's data, ready to be placed: traces reduced to the pixels, the peak, totals, what is unfinished. */
import type { Timeline } from '../../insight/timeline.ts';
import type { TimelineChart } from './chart-spec.ts';
import { type Sample, type Trace, toTrace } from './columns.ts';

export interface Peak {
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
  readonly settled: boolean;
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
  readonly peak: Peak | null;
  /** True when there is at least one number to draw. */
  readonly hasData: boolean;
}

export type Series = 'requests' | 'attacks';

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
    requests: stretched(requests.settled, timeline),
    attacks: stretched(attacks.settled, timeline),
    fillingRequests: stretched(requests.filling, timeline),
    fillingAttacks: stretched(attacks.filling, timeline),
    previousAttacks: previous === null ? [] : clip(trace(previous, 'attacks', shiftMs)),
    totalRequests: seriesTotal(timeline, 'requests'),
    totalAttacks: seriesTotal(timeline, 'attacks'),
    peak: findPeak(timeline, 'attacks') ?? null,
    hasData: timeline.points.some((point) => point.requests !== null || point.attacks !== null),
  };
}

function trace(timeline: Timeline, series: Series, shiftMs = 0): Trace {
  const { intervalMs } = timeline;
  const samples: Sample[] = timeline.points.map((point) => ({
    startMs: point.endMs - intervalMs + shiftMs,
    value: point[series],
  }));
  return toTrace(samples, intervalMs);
}

/** A single point has no line: its value stands for the whole interval. */
function stretched(trace: Trace, { points, intervalMs }: Timeline): Trace {
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
export function seriesTotal(timeline: Timeline, series: Series): number | null {
  return timeline.points.reduce<number | null>((sum, point) => {
    const value = point[series];
    return value === null ? sum : (sum ?? 0) + value;
  }, null);
}

/** The largest value; the first of equals. Zero is no peak. */
export function findPeak(timeline: Timeline, series: Series): Peak | undefined {
  let best: Peak | undefined;
  for (const point of timeline.points) {
    const value = point[series];
    if (value !== null && value > (best?.value ?? 0)) {
      const settled = point.endMs <= timeline.settledUntilMs;
      best = { startMs: point.endMs - timeline.intervalMs, endMs: point.endMs, value, settled };
    }
  }
  return best;
}
