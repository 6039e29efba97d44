/** What the verdict says of labelled windows, and how good that is. */
import type { MeasuredFinding } from '../../src/episodes/verdict/calibration.ts';
import type { Verdict } from '../../src/episodes/verdict/index.ts';
import { verdictOn } from './verdicts.ts';
import type { LabelledWindow } from './windows.ts';

export interface WindowOutcome extends Omit<LabelledWindow, 'numbers'> {
  readonly generator?: string;
  readonly verdict: Pick<Verdict, 'level' | 'score' | 'onsetMs' | 'drops'>;
  readonly says: MeasuredFinding;
}

export async function outcomeOf(window: LabelledWindow): Promise<WindowOutcome> {
  const { numbers, ...rest } = window;
  const { verdict, says } = await verdictOn(window);
  const { level, score, onsetMs, drops } = verdict;
  return { ...rest, verdict: { level, score, onsetMs, drops }, says };
}

/** The windows of one site, which aren't independent. */
export type WindowSite = readonly WindowOutcome[];

export function sitesOf(outcomes: readonly WindowOutcome[]): WindowSite[] {
  const siteOf = ({ id, generator }: WindowOutcome): string => `${generator} ${id.slice(0, id.lastIndexOf('-'))}`;
  return [...Map.groupBy(outcomes, siteOf).values()];
}

export const isNormal = ({ truth }: WindowOutcome): boolean => truth.event === null;
export const isDrop = ({ truth }: WindowOutcome): boolean => truth.event?.endsWith('gone') ?? false;
export const isRise = (outcome: WindowOutcome): boolean => !isNormal(outcome) && !isDrop(outcome);
export const isDetectable = ({ truth }: WindowOutcome): boolean => truth.detectable;

/** Whether a rise or a category is called. */
export const isCalled = ({ verdict: { level } }: WindowOutcome): boolean => level === 'elevated' || level === 'surge';

export function isDropNamed({ truth, verdict }: WindowOutcome): boolean {
  const what = truth.event === 'attacks gone' ? 'attacks' : 'requests';
  return verdict.drops.some((drop) => drop.what === what);
}

/** Whether the level is right; `null` where nothing is called, or both would be right. */
export const isLevelRight = (outcome: WindowOutcome): boolean | null =>
  isCalled(outcome) && outcome.truth.level !== null ? outcome.truth.level === outcome.verdict.level : null;

/** The part of some that something holds for. */
export function shareOf<T>(some: readonly T[], holds: (one: T) => boolean): number {
  return some.length === 0 ? Number.NaN : some.filter(holds).length / some.length;
}

export interface VerdictMeasures {
  readonly precision: number;
  /** Of the events that could be seen. */
  readonly recall: number;
  readonly falseAlarms: number;
  /** Of found events whose level is clear. */
  readonly levelRight: number;
  /** Minutes between the true onset and the one that is said, at the median. */
  readonly onset: number;
  readonly dropsNamed: number;
  /** Normal windows and rises in which a drop is said. */
  readonly dropsWrong: number;
}

export function verdictMeasures(outcomes: readonly WindowOutcome[]): VerdictMeasures {
  const rises = outcomes.filter(isRise);
  const detectable = rises.filter(isDetectable);
  const found = detectable.filter(isCalled);
  const errors = found
    .flatMap(({ truth, verdict }) =>
      truth.onsetMs === null || verdict.onsetMs === null ? [] : [Math.abs(truth.onsetMs - verdict.onsetMs) / 60_000],
    )
    .sort((a, b) => a - b);
  const notDrops = outcomes.filter((outcome) => !isDrop(outcome));
  return {
    precision: shareOf(notDrops.filter(isCalled), isRise),
    recall: shareOf(detectable, isCalled),
    falseAlarms: shareOf(outcomes.filter(isNormal), isCalled),
    levelRight: shareOf(
      found.map(isLevelRight).filter((right) => right !== null),
      (right) => right,
    ),
    onset: errors[Math.floor((errors.length - 1) / 2)] ?? Number.NaN,
    dropsNamed: shareOf(
      outcomes.filter((outcome) => isDrop(outcome) && isDetectable(outcome)),
      isDropNamed,
    ),
    dropsWrong: shareOf(notDrops, ({ verdict }) => verdict.drops.length > 0),
  };
}
