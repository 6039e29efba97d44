/**
 * What would be usual: attacks and visitors to expect at each step, and how far they stray without a reason.
 *
 * The level of the trailing hours is moved by what the same hours did on earlier days, and by how many visitors there
 * are now. Each source is believed only as far as another one backs it, so that an old wave in one of them neither
 * hides a new wave nor invents one.
 */
import type { VerdictRule } from './rule.ts';
import { type AlignedSeries, ratesBetween, type StepSeries, type TrafficSeries } from './series.ts';

export interface Expected extends Spread {
  /** Attacks expected in a full step, for every step of the grid; `null` where there is no reference. */
  readonly attacks: readonly (number | null)[];
  readonly visitors: readonly (number | null)[];
}

interface Spread {
  /** Variance of single steps beyond that of counting, relative to the level. */
  readonly jitter: number;
  /** Variance of whole hours around their level, relative to it. */
  readonly drift: number;
}

interface Levels {
  readonly attacks: number | null;
  readonly visitors: number | null;
}

const UNKNOWN_LEVELS: Levels = { attacks: null, visitors: null };

/** Attacks may move this much more than visitors do before another day is taken to have had a wave of its own. */
const SLACK = 1.25;
/** The trailing hours may lie this far above the same hours of earlier days before they are taken to hold a wave. */
const TRUST = 1.3;
const TRUST_ONE_DAY = 1.8;
/** Then the earlier days replace them, raised by this factor. */
const SUBSTITUTE = 1.1;
/** Changes of visitors below this factor are everyday. */
const VISITORS_MATTER = 1.15;

/** How much more is usual because there are more visitors than expected. Fewer visitors never lower it. */
export const visitorEffect = (factor: number): number => (factor > VISITORS_MATTER ? factor : 1);

export function expectedTraffic(series: AlignedSeries, rule: VerdictRule): Expected {
  const { grid, windowStart, current, earlierDays } = series;
  const reach = Math.round(rule.trailingMs / grid.stepMs);
  const lag = Math.round(rule.lagMs / grid.stepMs);
  const attacks: (number | null)[] = [];
  const visitors: (number | null)[] = [];
  let trailingEnd = -1;
  let trailing: { current: Levels; days: Levels[] } = { current: UNKNOWN_LEVELS, days: [] };
  for (let at = 0; at < grid.length; at++) {
    const end = Math.max(windowStart, at - lag);
    if (end !== trailingEnd) {
      trailingEnd = end;
      const from = Math.max(0, end - reach);
      trailing = {
        current: levelsBetween(current, from, end),
        days: earlierDays.map((day) => levelsBetween(day, from, end)),
      };
    }
    const matches = earlierDays
      .map((day, index) => matchDay(day, at, trailing.days[index] ?? UNKNOWN_LEVELS))
      .filter((match) => match !== null);
    const visitorsNow = mean(ratesBetween(current.visitors, at - 2, at + 3));
    const levels = expectedLevels(trailing.current, visitorsNow, matches);
    attacks.push(levels.attacks);
    visitors.push(levels.visitors);
  }
  return { attacks, visitors, ...spreadOf(series, rule) };
}

/** What to expect in a step, from the trailing hours, the visitors there are right now, and the earlier days. */
function expectedLevels(trailing: Levels, visitorsNow: number | null, days: readonly DayMatch[]): Levels {
  const level =
    trailing.attacks === null
      ? mean(days.map((day) => day.attacksBefore))
      : trustedLevel(trailing.attacks, trailing.visitors, days);
  const moving = trailing.visitors === null || visitorsNow === null ? 1 : growth(trailing.visitors, visitorsNow);
  const nearest = nearestDay(days, moving);
  const visitors = trailing.visitors === null ? null : trailing.visitors * (nearest?.visitorGrowth ?? 1);
  if (level === null) return { attacks: null, visitors };
  const visitorFactor = visitors === null || visitorsNow === null ? 1 : growth(visitors, visitorsNow);
  const moved = level * seasonalGrowth(days, nearest) * visitorEffect(visitorFactor);
  // What both earlier days had at this hour is usual, however quiet the hours before have been.
  const both = days.length > 1 ? Math.min(...days.map((day) => day.attacksThen)) : 0;
  return { attacks: Math.max(moved, both), visitors };
}

/** The trailing level, unless it lies far above every earlier day: then a wave has been going on all the time. */
function trustedLevel(trailing: number, visitors: number | null, days: readonly DayMatch[]): number {
  const backed = days.map(({ attacksBefore, visitorsBefore }) => {
    const factor = visitors === null || visitorsBefore === null ? 1 : growth(visitorsBefore, visitors);
    return attacksBefore * Math.max(1, factor);
  });
  const limit = Math.max(...backed) * (days.length > 1 ? TRUST : TRUST_ONE_DAY);
  const instead = mean(backed);
  return instead !== null && trailing > limit + 1 ? instead * SUBSTITUTE : trailing;
}

/** The day whose visitors moved like those of today: on a Monday the Monday before, not the Sunday. */
function nearestDay(days: readonly DayMatch[], moving: number): DayMatch | undefined {
  const distance = ({ visitorGrowth }: DayMatch): number => Math.abs(Math.log(visitorGrowth / moving));
  return days.toSorted((a, b) => distance(a) - distance(b))[0];
}

function seasonalGrowth(days: readonly DayMatch[], nearest: DayMatch | undefined): number {
  if (nearest === undefined) return 1;
  const { attackGrowth, visitorGrowth } = nearest;
  const backed = clamp(attackGrowth, Math.min(1, visitorGrowth), Math.max(1, visitorGrowth) * SLACK);
  // Two days that agree are believed without visitors to back them: a scanner that comes every night.
  const agreed = days.length > 1 ? (median([1, ...days.map((day) => day.attackGrowth)]) ?? 1) : 0;
  return Math.max(backed, agreed);
}

/** An earlier day at the same moment: its level before, its level then, and how it moved in between. */
interface DayMatch {
  readonly attacksBefore: number;
  readonly visitorsBefore: number | null;
  readonly attacksThen: number;
  readonly attackGrowth: number;
  readonly visitorGrowth: number;
}

/** Half an hour on each side, in steps: enough for a steady growth. */
const NEAR = 6;

/** `null` where that day is not known. */
function matchDay(day: TrafficSeries, at: number, before: Levels): DayMatch | null {
  const near = levelsBetween(day, at - NEAR, at + NEAR + 1);
  if (before.attacks === null || near.attacks === null) return null;
  return {
    attacksBefore: before.attacks,
    visitorsBefore: before.visitors,
    // Three steps, so that a bump that comes at the same minute every day keeps its edges.
    attacksThen: levelOf(day.attacks, at - 1, at + 2) ?? near.attacks,
    attackGrowth: growth(before.attacks, near.attacks),
    visitorGrowth: before.visitors === null || near.visitors === null ? 1 : growth(before.visitors, near.visitors),
  };
}

/** A ratio that stays near one while there is hardly anything to count. */
const growth = (before: number, then: number): number => (then + 0.6) / (before + 0.6);

const HOUR_MS = 3_600_000;

function spreadOf({ current, earlierDays, windowStart, grid }: AlignedSeries, rule: VerdictRule): Spread {
  const from = Math.max(0, windowStart - Math.round(rule.trailingMs / grid.stepMs));
  const jitters = [
    jitterOf(current.attacks, from, windowStart),
    ...earlierDays.map((day) => jitterOf(day.attacks, 0, grid.length)),
  ];
  const hour = Math.max(1, Math.round(HOUR_MS / grid.stepMs));
  const hours = [
    ...hourlyDeviations(current.attacks, from, windowStart, hour),
    ...earlierDays.flatMap((day) => hourlyDeviations(day.attacks, 0, grid.length, hour)),
  ];
  return {
    jitter: median(jitters.filter((jitter) => jitter !== null)) ?? 0,
    drift: clamp(medianDeviation(hours, 0), rule.leastDoubt, rule.mostDoubt) ** 2,
  };
}

/** Whole hours relative to the level of their day. */
function hourlyDeviations(attacks: StepSeries, from: number, to: number, hour: number): number[] {
  const level = levelOf(attacks, from, to);
  if (level === null || level <= 0) return [];
  const deviations: number[] = [];
  for (let at = to - hour; at >= from; at -= hour) {
    const rate = mean(ratesBetween(attacks, at, at + hour));
    if (rate !== null) deviations.push(rate / level - 1);
  }
  return deviations;
}

/** Medians of very small counts are coarse: steps are then added up in blocks until there is something to count. */
const BLOCKS = [1, 3, 6, 12];
const ENOUGH = 10;

const levelsBetween = ({ attacks, visitors }: TrafficSeries, from: number, to: number): Levels => ({
  attacks: levelOf(attacks, from, to),
  visitors: levelOf(visitors, from, to),
});

/** The median of events per step, which one old wave hardly moves; `null` where nothing is known. */
function levelOf(series: StepSeries, from: number, to: number): number | null {
  const rates = ratesBetween(series, from, to);
  if (rates.length === 0) return null;
  let level = 0;
  for (const block of BLOCKS) {
    if (block > 1 && rates.length < 3 * block) break;
    level = (median(blockSums(rates, block)) ?? 0) / block;
    if (level * block >= ENOUGH) break;
  }
  return level;
}

function blockSums(rates: readonly number[], block: number): number[] {
  if (block === 1) return [...rates];
  const sums: number[] = [];
  for (let at = 0; at + block <= rates.length; at += block) {
    sums.push(rates.slice(at, at + block).reduce((sum, rate) => sum + rate, 0));
  }
  return sums;
}

/** The variance beyond what counting alone explains, relative to the squared level; `null` with too few steps. */
export function jitterOf(series: StepSeries, from: number, to: number): number | null {
  const level = levelOf(series, from, to);
  const rates = ratesBetween(series, from, to);
  if (level === null || rates.length < 12) return null;
  if (level < 1) return 0;
  const deviation = medianDeviation(rates, level);
  return Math.max(0, (deviation * deviation - level) / (level * level));
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  // A typed array sorts numbers several times faster, and a window of days has thousands of medians.
  const sorted = new Float64Array(values).sort();
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}

/** The median absolute deviation (MAD), on the scale of a standard deviation. */
function medianDeviation(values: readonly number[], middle: number): number {
  return 1.4826 * (median(values.map((value) => Math.abs(value - middle))) ?? 0);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
