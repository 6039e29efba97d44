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

/** Neighbours with a null between them are not joined; nulls never stand side by side. */
export type Trace = readonly Sample[];

/** Two points a column; a plot about 470 px wide at twice the size cannot tell more apart. */
export const MAX_COLUMNS = 150;

/** What one column keeps. */
interface Column {
  low: Sample | null;
  high: Sample | null;
  /** Where the first interval is missing. */
  gapMs: number | null;
}

/** `samples` are sorted; an interval that is not among them is missing, like one whose value is null. */
export function toTrace(samples: readonly Sample[], intervalMs: number, maxColumns = MAX_COLUMNS): Trace {
  const firstMs = samples[0]?.startMs ?? 0;
  const spanMs = (samples[samples.length - 1]?.startMs ?? 0) - firstMs + intervalMs;
  // Few points are their own columns.
  const reduce = samples.length > maxColumns * 2;
  const trace: Sample[] = [];
  let column: Column = { low: null, high: null, gapMs: null };
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
function flush({ low, high, gapMs }: Column, trace: Sample[]): void {
  const kept = [low, high === low ? null : high, gapMs === null ? null : { startMs: gapMs, value: null }];
  for (const sample of kept.filter((one) => one !== null).sort((a, b) => a.startMs - b.startMs)) {
    const last = trace[trace.length - 1];
    const twice = sample.value === null && (last === undefined || last.value === null);
    if (!twice) trace.push(sample);
  }
}
