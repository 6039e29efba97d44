/** How far attacks stray without a reason: from step to step, and from hour to hour. */
import { jitterOf, levelOf } from './level.ts';
import { clamp, mean, median, spreadOf } from './robust.ts';
import type { VerdictRule } from './rule.ts';
import type { Pair, Scene } from './scene.ts';
import { ratesBetween } from './steps.ts';

export interface Spread {
  /** Of single steps beyond that of counting, squared and relative. */
  readonly jitter: number;
  /** Of whole hours around their level, squared and relative. */
  readonly drift: number;
}

const HOUR_MS = 3_600_000;

export function spreadBefore({ now, days, first, grid }: Scene, rule: VerdictRule): Spread {
  const from = Math.max(0, first - Math.round(rule.trailingMs / grid.stepMs));
  const jitters = [jitterOf(now.attacks, from, first), ...days.map((day) => jitterOf(day.attacks, 0, grid.length))];
  const hour = Math.max(1, Math.round(HOUR_MS / grid.stepMs));
  const hours = [hoursOf(now, from, first, hour), ...days.map((day) => hoursOf(day, 0, grid.length, hour))].flat();
  return {
    jitter: median(jitters.filter((jitter) => jitter !== null)) ?? 0,
    drift: clamp(spreadOf(hours, 0), rule.leastDoubt, rule.mostDoubt) ** 2,
  };
}

/** Whole hours relative to the level of their day. */
function hoursOf({ attacks }: Pair, from: number, to: number, hour: number): number[] {
  const level = levelOf(attacks, from, to);
  if (level === null || level <= 0) return [];
  const hours: number[] = [];
  for (let at = to - hour; at >= from; at -= hour) {
    const rate = mean(ratesBetween(attacks, at, at + hour));
    if (rate !== null) hours.push(rate / level - 1);
  }
  return hours;
}
