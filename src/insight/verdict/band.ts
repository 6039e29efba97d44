/** The usual range of attacks at each interval, for the chart. */
import type { Timeline } from '../timeline.ts';
import { jitterOf } from './level.ts';
import type { VerdictRule } from './rule.ts';
import { attacksOf, toSteps } from './steps.ts';

export interface BandPoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}

const DEVIATIONS = 2;

/** `usualAt` gives the attacks to expect in an interval that ends there, `null` where nobody knows. */
export function bandOf(
  recent: Timeline,
  fromMs: number,
  usualAt: (endMs: number) => number | null,
  rule: VerdictRule,
): BandPoint[] {
  const { intervalMs, points } = recent;
  const length = Math.floor(rule.trailingMs / intervalMs);
  // Short intervals jitter more than the steps that are judged; a band too narrow for its line would cry wolf.
  const fine = toSteps(recent, { fromMs: fromMs - length * intervalMs, stepMs: intervalMs, length }, attacksOf);
  const jitter = jitterOf(fine, 0, length) ?? 0;
  const band: BandPoint[] = [];
  for (const { endMs } of points) {
    const usual = endMs <= fromMs ? null : usualAt(endMs);
    if (usual === null) continue;
    const reach = DEVIATIONS * Math.sqrt(usual + jitter * usual * usual + (rule.leastDoubt * usual) ** 2);
    band.push({ endMs, low: Math.max(0, usual - reach), high: usual + reach });
  }
  return band;
}
