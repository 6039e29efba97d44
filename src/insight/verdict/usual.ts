/**
 * What would be usual at each step. The level of the hours just before is moved by what the same hours did on earlier
 * days, and by how many visitors there are now. Each source is believed only as far as another one backs it, so that
 * one old wave in any of them neither hides a new one nor makes one up.
 */
import { growth, type Levels, type Likeness, levelsOf, likenessOf } from './likeness.ts';
import { clamp, mean, median } from './robust.ts';
import type { VerdictRule } from './rule.ts';
import type { Scene } from './scene.ts';
import { type Spread, spreadBefore } from './spread.ts';
import { ratesBetween } from './steps.ts';

export interface Usual extends Spread {
  /** Attacks expected in a full step, for every step of the scene; `null` where nothing is known to go by. */
  readonly attacks: readonly (number | null)[];
  readonly visitors: readonly (number | null)[];
}

/** Attacks may move this much more than visitors do before another day is taken to have had a wave of its own. */
const SLACK = 1.25;
/** The trailing hours may lie this far above the same hours of earlier days before they are taken to hold a wave. */
const TRUST = 1.3;
const TRUST_ONE_DAY = 1.8;
/** Then the earlier days stand in, with a little on top. */
const STAND_IN = 1.1;
/** Changes of visitors below this are everyday. */
export const VISITORS_MATTER = 1.15;

export function usualOf(scene: Scene, rule: VerdictRule): Usual {
  const { grid, first, now, days } = scene;
  const reach = Math.round(rule.trailingMs / grid.stepMs);
  const lag = Math.round(rule.lagMs / grid.stepMs);
  const attacks: (number | null)[] = [];
  const visitors: (number | null)[] = [];
  let to = -1;
  let before: { now: Levels; days: Levels[] } = { now: { attacks: null, visitors: null }, days: [] };
  for (let at = 0; at < grid.length; at++) {
    const end = Math.max(first, at - lag);
    if (end !== to) {
      to = end;
      const stretch = { from: Math.max(0, to - reach), to };
      before = { now: levelsOf(now, stretch), days: days.map((day) => levelsOf(day, stretch)) };
    }
    const alike = days
      .map((day, index) => likenessOf(day, at, before.days[index] ?? { attacks: null, visitors: null }))
      .filter((day) => day !== null);
    const expected = expectedNow(before.now, mean(ratesBetween(now.visitors, at - 2, at + 3)), alike);
    attacks.push(expected.attacks);
    visitors.push(expected.visitors);
  }
  return { attacks, visitors, ...spreadBefore(scene, rule) };
}

/** `seen` is how many visitors there are right now, in a step. */
function expectedNow(before: Levels, seen: number | null, days: readonly Likeness[]): Levels {
  const level =
    before.attacks === null
      ? mean(days.map((day) => day.attacksBefore))
      : trusted(before.attacks, before.visitors, days);
  const moving = before.visitors === null || seen === null ? 1 : growth(before.visitors, seen);
  const nearest = mostAlike(days, moving);
  const visitors = before.visitors === null ? null : before.visitors * (nearest?.visitorGrowth ?? 1);
  if (level === null) return { attacks: null, visitors };
  const crowd = visitors === null || seen === null ? 1 : growth(visitors, seen);
  const moved = level * seasonal(days, nearest) * (crowd > VISITORS_MATTER ? crowd : 1);
  // What both earlier days had at this hour is usual, however quiet the hours before have been.
  const both = days.length > 1 ? Math.min(...days.map((day) => day.attacksThen)) : 0;
  return { attacks: Math.max(moved, both), visitors };
}

/** The trailing level, unless it lies far above every earlier day: then a wave has been going on all the time. */
function trusted(trailing: number, visitors: number | null, days: readonly Likeness[]): number {
  const backed = days.map(({ attacksBefore, visitorsBefore }) => {
    const crowd = visitors === null || visitorsBefore === null ? 1 : growth(visitorsBefore, visitors);
    return attacksBefore * Math.max(1, crowd);
  });
  const limit = Math.max(...backed) * (days.length > 1 ? TRUST : TRUST_ONE_DAY);
  const instead = mean(backed);
  return instead !== null && trailing > limit + 1 ? instead * STAND_IN : trailing;
}

/** The day whose visitors moved like those of today: on a Monday the Monday before, not the Sunday. */
function mostAlike(days: readonly Likeness[], moving: number): Likeness | undefined {
  const off = ({ visitorGrowth }: Likeness): number => Math.abs(Math.log(visitorGrowth / moving));
  return days.toSorted((a, b) => off(a) - off(b))[0];
}

function seasonal(days: readonly Likeness[], nearest: Likeness | undefined): number {
  if (nearest === undefined) return 1;
  const { attackGrowth, visitorGrowth } = nearest;
  const backed = clamp(attackGrowth, Math.min(1, visitorGrowth), Math.max(1, visitorGrowth) * SLACK);
  // Two days that agree are believed without visitors to back them: a scanner that comes every night.
  const agreed = days.length > 1 ? (median([1, ...days.map((day) => day.attackGrowth)]) ?? 1) : 0;
  return Math.max(backed, agreed);
}
