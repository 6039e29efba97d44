/**
 * The published rule that ours is measured against: an interval of five minutes more than 3.5 standard deviations
 * above the mean of the six hours before it, and more than 200 events. Where the 200 are counted is not said, so both
 * readings are tried: in that interval, or in the window.
 */
import type { JudgeInput } from '../../src/insight/verdict/index.ts';
import { attacksOf, rateAt, resample } from '../../src/insight/verdict/series.ts';

const STEP_MS = 5 * 60_000;
const SIX_HOURS = 72;
const Z = 3.5;
const EVENTS = 200;

export type Reading = 'interval' | 'window';

export function publishedRule({ recent, fromMs, toMs }: JudgeInput, reading: Reading): boolean {
  const endMs = Math.min(toMs, recent.settledUntilMs);
  const length = Math.floor((endMs - recent.fromMs) / STEP_MS);
  const steps = resample(recent, { fromMs: endMs - length * STEP_MS, stepMs: STEP_MS, length }, attacksOf);
  const first = length - Math.floor((endMs - fromMs) / STEP_MS);
  const rates = steps.counts.map((_, at) => rateAt(steps, at));
  const inWindow = rates.slice(first).reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
  for (let at = first; at < length; at++) {
    const rate = rates[at] ?? null;
    const before = rates.slice(Math.max(0, at - SIX_HOURS), at).filter((each) => each !== null);
    if (rate === null || before.length < 2) continue;
    const mean = before.reduce((sum, each) => sum + each, 0) / before.length;
    const variance = before.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (before.length - 1);
    const many = reading === 'interval' ? rate > EVENTS : inWindow > EVENTS;
    if (many && rate - mean > Z * Math.sqrt(variance)) return true;
  }
  return false;
}
