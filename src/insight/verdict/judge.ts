/** Puts the parts of a verdict together. Pure: the same numbers always get the same verdict. */
import type { Distribution, Timeline, TimelinePoint } from '../timeline.ts';
import { bandOf } from './band.ts';
import { extentOf } from './change-point.ts';
import { knownPart, trustOf } from './confidence.ts';
import { excesses, movedCategories } from './moved-categories.ts';
import { reasonsOf } from './reasons.ts';
import { RULE, ruleInWords, type VerdictRule } from './rule.ts';
import { levelOfRun, neededScore, type Run, strongestRun } from './run.ts';
import { type EarlierDay, type Scene, sceneOf } from './scene.ts';
import { type Sight, shapeOf } from './shape.ts';
import { finishedPoints } from './steps.ts';
import { totalsBetween } from './totals.ts';
import { type Usual, usualOf } from './usual.ts';
import type { Level, Totals, Verdict } from './verdict.ts';

export interface JudgeInput {
  /** The window in question, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The window and the hours before it in one timeline. */
  readonly recent: Timeline;
  /** The same stretch a day and a week earlier; `null` where the service gave nothing. */
  readonly dayBefore: EarlierDay | null;
  readonly weekBefore: EarlierDay | null;
  /** Categories in the window, and in a stretch before it of any length. */
  readonly categories: Distribution | null;
  readonly categoriesBefore: Distribution | null;
  readonly rule?: VerdictRule;
}

/** Less of the window than this is not enough to judge it by. */
const LEAST_WINDOW = 0.34;
/** So much of the hours before, in steps, must be known when no other day is. */
const LEAST_BEFORE = 12;

export function judge(input: JudgeInput): Verdict {
  const { rule = RULE, recent, fromMs, toMs } = input;
  const days = [input.dayBefore, input.weekBefore].filter((day) => day !== null).filter(hasData);
  const scene = sceneOf({ fromMs, toMs }, recent, days, rule);
  if (scene === null) return unknown(input, rule, 'No interval of the window is finished and has a number.');
  const usual = usualOf(scene, rule);
  const last = scene.grid.length;
  if (knownPart(scene.now.attacks, scene.first, last) < LEAST_WINDOW) {
    return unknown(input, rule, 'Most of the window has no data.');
  }
  const before = scene.now.attacks.known.slice(0, scene.first).reduce((sum, part) => sum + part, 0);
  if (days.length === 0 && before * scene.grid.stepMs < LEAST_BEFORE * rule.stepMs) {
    return unknown(input, rule, 'There is next to nothing to compare with.');
  }
  return verdictOn(input, rule, scene, usual) ?? unknown(input, rule, 'There is nothing to compare with.');
}

const hasData = ({ timeline }: EarlierDay): boolean => finishedPoints(timeline).some(({ attacks }) => attacks !== null);

function verdictOn(input: JudgeInput, rule: VerdictRule, scene: Scene, usual: Usual): Verdict | null {
  const { recent, fromMs, categories, categoriesBefore } = input;
  const { grid, first } = scene;
  const judgedToMs = grid.fromMs + grid.length * grid.stepMs;
  const crowd = crowdOf(scene, usual, first, grid.length);
  const moved =
    categories === null || categoriesBefore === null ? [] : movedCategories(categories, categoriesBefore, crowd, rule);
  const needed = neededScore(rule, grid.length - first, moved.length > 0);
  const run = strongestRun(scene, usual, rule, needed);
  if (run === null) return null;
  const runLevel = levelOfRun(run, rule, needed);
  const level: Level = runLevel === 'calm' && moved.some(({ stands }) => stands) ? 'elevated' : runLevel;
  const strongest = {
    fromMs: grid.fromMs + run.from * grid.stepMs,
    toMs: grid.fromMs + run.to * grid.stepMs,
    attacks: run.attacks,
    usual: run.usual,
    ratio: run.ratio,
    score: run.score,
  };
  const usualIn = (endMs: number): number | null => {
    const middleMs = endMs - recent.intervalMs / 2;
    const at = Math.min(grid.length - 1, Math.max(0, Math.floor((middleMs - grid.fromMs) / grid.stepMs)));
    const expected = usual.attacks[at] ?? null;
    return expected === null ? null : (expected * recent.intervalMs) / grid.stepMs;
  };
  const finished = finishedPoints(recent).filter(({ endMs }) => endMs <= judgedToMs);
  const extent =
    runLevel === 'calm'
      ? null
      : extentOf(finished, recent.intervalMs, strongest, (point: TimelinePoint) => usualIn(point.endMs) ?? 0);
  const ongoing = extent === null ? (level === 'calm' ? false : null) : judgedToMs - extent.endMs < 2 * grid.stepMs;
  const totals = totalsBetween(recent, fromMs, judgedToMs);
  const trailing = totalsBetween(recent, recent.fromMs, fromMs);
  const shares = { share: shareOf(totals), shareBefore: shareOf(trailing) };
  const sight: Sight = {
    excess: run.attacks - run.usual,
    ...requestsIn(scene, usual, run),
    crowd,
    ...shares,
    categories: categories === null || categoriesBefore === null ? null : excesses(categories, categoriesBefore, crowd),
  };
  const usualTotal = sum(usual.attacks, scene.now.attacks.known, first, grid.length);
  const grounds = { level, totals, usual: usualTotal, strongest, ...shares, crowd, moved };
  return {
    ...grounds,
    ...trustOf(scene, {
      dayBefore: input.dayBefore !== null && hasData(input.dayBefore),
      weekBefore: input.weekBefore !== null && hasData(input.weekBefore),
      stale: recent.stale,
      crowd,
    }),
    reasons: reasonsOf(grounds),
    rule: ruleInWords(rule, grid.stepMs),
    fromMs,
    toMs: judgedToMs,
    trailing: trailing.knownMs === 0 ? null : trailing,
    dayBefore: sameHours(input.dayBefore, fromMs, judgedToMs),
    weekBefore: sameHours(input.weekBefore, fromMs, judgedToMs),
    onsetMs: extent?.onsetMs ?? null,
    ongoing,
    endedMs: extent === null || ongoing ? null : extent.endMs,
    shape: shapeOf(sight, level === 'calm'),
    band: bandOf(recent, fromMs, usualIn, rule),
  };
}

function sameHours(day: EarlierDay | null, fromMs: number, toMs: number): Totals | null {
  if (day === null) return null;
  const totals = totalsBetween(day.timeline, fromMs - day.shiftMs, toMs - day.shiftMs);
  return totals.knownMs === 0 ? null : totals;
}

const shareOf = ({ requests, attacks }: Totals): number | null => (requests > 0 ? attacks / requests : null);

function sum(values: readonly (number | null)[], known: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) total += (values[at] ?? 0) * (known[at] ?? 0);
  return total;
}

/** Visitors of a stretch as a multiple of those expected; 1 where nobody knows. */
function crowdOf({ now }: Scene, usual: Usual, from: number, to: number): number {
  const expected = sum(usual.visitors, now.visitors.known, from, to);
  const seen = now.visitors.counts.slice(from, to).reduce((total, count) => total + count, 0);
  return expected > 0 ? seen / expected : 1;
}

function requestsIn(scene: Scene, usual: Usual, run: Run): Pick<Sight, 'requests' | 'requestsUsual'> {
  const expected = sum(usual.visitors, scene.now.visitors.known, run.from, run.to);
  if (expected <= 0) return { requests: null, requestsUsual: null };
  const visitors = scene.now.visitors.counts.slice(run.from, run.to).reduce((total, count) => total + count, 0);
  return { requests: visitors + run.attacks, requestsUsual: expected + run.usual };
}

function unknown({ fromMs, toMs, recent }: JudgeInput, rule: VerdictRule, why: string): Verdict {
  const untilMs = Math.min(toMs, recent.settledUntilMs);
  const totals = totalsBetween(recent, fromMs, untilMs);
  return {
    level: 'not_enough_data',
    confidence: 'low',
    doubts: [],
    reasons: [why],
    rule: ruleInWords(rule, rule.stepMs),
    fromMs,
    toMs: Math.max(fromMs, untilMs),
    totals,
    usual: null,
    trailing: null,
    dayBefore: null,
    weekBefore: null,
    strongest: null,
    onsetMs: null,
    ongoing: null,
    endedMs: null,
    share: shareOf(totals),
    shareBefore: null,
    crowd: 1,
    moved: [],
    shape: null,
    band: [],
  };
}
