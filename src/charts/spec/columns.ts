/**
 * Thousands of points brought down to what the pixels can show. The rule is min/max per column: the window is cut into
 * columns of equal time and each keeps its smallest and its largest value where they stood. Every peak and every trough
 * survives with its exact value, which the largest-triangle rule (LTTB) does not promise, and the cost stays linear.
 * Gaps survive too: where intervals are missing the line is broken by a point without a value.
 */
export interface Sample {
  /** Start of the interval: a count of 14:00–15:00 stands at 14:00. */
  readonly startMs: number;
  readonly value: number | null;
}

/** As `Sample`; neighbours with a null between them are not joined. */
export type Trace = readonly Sample[];

/** Columns that a plot about 480 px wide at twice the size can still tell apart. */
export const MAX_COLUMNS = 150;

export function toTrace(samples: readonly Sample[], intervalMs: number, maxColumns = MAX_COLUMNS): Trace {
  const trace = withBreaks(samples, intervalMs);
  if (trace.length <= maxColumns * 2) return trace;
  const first = trace[0]?.startMs ?? 0;
  const spanMs = (trace[trace.length - 1]?.startMs ?? 0) - first + intervalMs;
  const kept: Sample[] = [];
  let column: Sample[] = [];
  let current = 0;
  for (const sample of trace) {
    const index = Math.floor(((sample.startMs - first) / spanMs) * maxColumns);
    if (index !== current) {
      kept.push(...extremes(column));
      column = [];
      current = index;
    }
    column.push(sample);
  }
  kept.push(...extremes(column));
  return kept;
}

/** The smallest and largest of a column in order of time, and one break where it had any. */
function extremes(column: readonly Sample[]): Sample[] {
  let low: Sample | undefined;
  let high: Sample | undefined;
  let gap: Sample | undefined;
  for (const sample of column) {
    if (sample.value === null) gap ??= sample;
    else {
      if (low === undefined || sample.value < (low.value ?? 0)) low = sample;
      if (high === undefined || sample.value > (high.value ?? 0)) high = sample;
    }
  }
  const kept = [low, high, gap].filter((sample) => sample !== undefined);
  return [...new Set(kept)].sort((a, b) => a.startMs - b.startMs);
}

/** Puts one point without a value wherever an interval is absent, and lets runs of missing ones be one. */
function withBreaks(samples: readonly Sample[], intervalMs: number): Sample[] {
  const out: Sample[] = [];
  for (const sample of samples) {
    const last = out[out.length - 1];
    if (last !== undefined && last.value !== null && sample.startMs - last.startMs > intervalMs * 1.5) {
      out.push({ startMs: last.startMs + intervalMs, value: null });
    }
    const previous = out[out.length - 1];
    if (sample.value === null && (previous === undefined || previous.value === null)) continue;
    out.push(sample);
  }
  return out;
}
