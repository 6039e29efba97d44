/**
 * What would be usual at each step. The level of the hours just before is moved by what the same hours did on earlier
 * days, and by how many visitors there are now. Each source is believed only as far as another one backs it, so that
 * one old wave in any of them neither hides a new one nor makes one up.
 */
import { jitterOf, levelOf } from './level.ts';
import { clamp, median } from './robust.ts';
import type { VerdictRule } from './rule.ts';
import type { Pair, Scene } from './scene.ts';
import { ratesBetween } from './steps.ts';

export interface Usual {
  /** Attacks expected in a full step, for every step of the scene; `null` where nothing is known to go by. */
  readonly attacks: readonly (number | null)[];
  readonly visitors: readonly (number | null)[];
  /** Spread of single steps beyond that of counting, squared and relative. */
  readonly jitter: number;
}

/** Half an hour on each side, in steps, for the same moment on another day. */
const NEAR = 6;
/** Attacks may move this much more than visitors do before another day is taken to have had a wave of its own. */
const SLACK = 1.25;
/** The trailing hours may lie this far above the same hours of earlier days before they are taken to hold a wave. */
const TRUST = 1.5;
const TRUST_ONE_DAY = 2;
/** Changes of visitors below this are everyday. */
const VISITORS_MATTER = 1.15;

export function usualOf(scene: Scene, rule: VerdictRule): Usual {
  const { grid, first, now, days } = scene;
  const reach = Math.round(rule.trailingMs / grid.stepMs);
  const lag = Math.round(rule.lagMs / grid.stepMs);
  const attacks: (number | null)[] = [];
  const visitors: (number | null)[] = [];
  for (let at = 0; at < grid.length; at++) {
    const to = Math.max(first, at - lag);
    const before = { from: Math.max(0, to - reach), to };
    const days_ = days.map((day) => likeness(day, at, before));
    const expected = expectedAt(now, at, before, days_);
    attacks.push(expected.attacks);
    visitors.push(expected.visitors);
  }
  const from = Math.max(0, first - reach);
  const jitters = [jitterOf(now.attacks, from, first), ...days.map((day) => jitterOf(day.attacks, 0, grid.length))];
  return { attacks, visitors, jitter: median(jitters.filter((jitter) => jitter !== null)) ?? 0 };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Another day at the same moment: its levels just before and right then, and the growth between. */
interface Likeness {
  readonly attacksBefore: number;
  readonly visitorsBefore: number | null;
  readonly attacksThen: number;
  readonly attackGrowth: number;
  readonly visitorGrowth: number;
}

function likeness(day: Pair, at: number, before: Stretch): Likeness | null {
  const attacksBefore = levelOf(day.attacks, before.from, before.to);
  const attacksThen = levelOf(day.attacks, at - NEAR, at + NEAR + 1);
  if (attacksBefore === null || attacksThen === null) return null;
  const visitorsBefore = levelOf(day.visitors, before.from, before.to);
  const visitorsThen = levelOf(day.visitors, at - NEAR, at + NEAR + 1);
  return {
    attacksBefore,
    visitorsBefore,
    attacksThen,
    attackGrowth: growth(attacksBefore, attacksThen),
    visitorGrowth: visitorsBefore === null || visitorsThen === null ? 1 : growth(visitorsBefore, visitorsThen),
  };
}

/** A ratio that stays near one while there is hardly anything to count. */
const growth = (before: number, then: number): number => (then + 0.6) / (before + 0.6);

function expectedAt(
  now: Pair,
  at: number,
  before: Stretch,
  likenesses: readonly (Likeness | null)[],
): { attacks: number | null; visitors: number | null } {
  const days = likenesses.filter((day) => day !== null);
  const visitorLevel = levelOf(now.visitors, before.from, before.to);
  const trailing = levelOf(now.attacks, before.from, before.to);
  const level = trailing === null ? mean(days.map((day) => day.attacksBefore)) : trusted(trailing, visitorLevel, days);
  const seen = mean(ratesBetween(now.visitors, at - 2, at + 3));
  const nearest = mostAlike(days, visitorLevel === null || seen === null ? 1 : growth(visitorLevel, seen));
  const visitors = visitorLevel === null ? null : visitorLevel * (nearest?.visitorGrowth ?? 1);
  if (level === null) return { attacks: null, visitors };
  const crowd = visitors === null || seen === null ? 1 : growth(visitors, seen);
  const moved = level * seasonal(days, nearest) * (crowd > VISITORS_MATTER ? crowd : 1);
  // What both earlier days had at this hour is usual, however quiet the hours before have been.
  const both = days.length > 1 ? Math.min(...days.map((day) => day.attacksThen)) : 0;
  return { attacks: Math.max(moved, both), visitors };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The trailing level, unless it lies far above every earlier day: then a wave has been going on all the time. */
function trusted(trailing: number, visitorLevel: number | null, days: readonly Likeness[]): number {
  if (days.length === 0) return trailing;
  const backed = days.map(({ attacksBefore, visitorsBefore }) => {
    const crowd = visitorLevel === null || visitorsBefore === null ? 1 : growth(visitorsBefore, visitorLevel);
    return attacksBefore * Math.max(1, crowd);
  });
  const limit = Math.max(...backed) * (days.length > 1 ? TRUST : TRUST_ONE_DAY);
  return trailing > limit + 1 ? Math.max(...backed) : trailing;
}

/** The day whose visitors moved like those of today: on a Monday the Monday before, not the Sunday. */
function mostAlike(days: readonly Likeness[], seen: number): Likeness | undefined {
  const off = ({ visitorGrowth }: Likeness): number => Math.abs(Math.log(visitorGrowth / seen));
  return days.toSorted((a, b) => off(a) - off(b))[0];
}

function seasonal(days: readonly Likeness[], nearest: Likeness | undefined): number {
  if (nearest === undefined) return 1;
  const { attackGrowth, visitorGrowth } = nearest;
  const backed = clamp(attackGrowth, Math.min(1, visitorGrowth) / SLACK, Math.max(1, visitorGrowth) * SLACK);
  // Two days that agree are believed without visitors to back them: a scanner that comes every night.
  const agreed = days.length > 1 ? (median([1, ...days.map((day) => day.attackGrowth)]) ?? 1) : 0;
  return Math.max(backed, agreed);
}
