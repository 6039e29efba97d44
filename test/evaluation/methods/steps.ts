/** Attacks in steps of five minutes, which is all that the plain methods look at. */
import type { RecordedNumbers } from '../../../src/episodes/recorded-statistics.ts';

export const STEP_MS = 5 * 60_000;
/** Steps of an hour, a day and a week. */
export const HOUR = 12;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** `NaN` where a number is missing. */
export type Steps = Float64Array;

/** A plain method: every step gets a score, and from its bar on it is an alarm. */
export interface PlainMethod {
  readonly name: string;
  /** As published; `null` where the test itself decides. */
  readonly bar: number | null;
  /** Scores of the steps from `from` to the end. */
  scores(steps: Steps, from: number): number[];
  /** Instead of a bar. */
  alarms?(steps: Steps, from: number): boolean[];
}

/** Which of the steps from `from` to the end it alarms on, as published. */
export function alarmsOf(method: PlainMethod, steps: Steps, from: number): boolean[] {
  const { bar } = method;
  return method.alarms?.(steps, from) ?? method.scores(steps, from).map((score) => bar !== null && score >= bar);
}

/** Counted back from the last instant at which every number is complete. */
export function stepsUntil({ startMs, intervalMs, attacks }: RecordedNumbers, untilMs: number): Steps {
  const per = Math.max(1, Math.round(STEP_MS / intervalMs));
  const last = Math.min(attacks.length, Math.floor((untilMs - startMs) / intervalMs));
  const length = Math.floor(last / per);
  const steps = new Float64Array(length);
  for (let step = 0; step < length; step++) {
    let sum = 0;
    const from = last - (length - step) * per;
    for (let at = from; at < from + per; at++) sum += attacks[at] ?? Number.NaN;
    steps[step] = sum;
  }
  return steps;
}

/** The known values among steps `[from, to)`. */
export function known(steps: Steps, from: number, to: number): number[] {
  const values: number[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, steps.length); at++) {
    const value = steps[at] ?? Number.NaN;
    if (!Number.isNaN(value)) values.push(value);
  }
  return values;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export function deviation(values: readonly number[], middle = mean(values)): number {
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}

export function median(values: readonly number[]): number {
  const sorted = new Float64Array(values).sort();
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
}

/** The median absolute deviation. */
export const mad = (values: readonly number[], middle = median(values)): number =>
  median(values.map((value) => Math.abs(value - middle)));
