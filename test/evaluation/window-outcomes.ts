/** What the verdict and the plain methods say of labelled windows, and how good that is. */
import type { MeasuredFinding } from '../../src/episodes/verdict/calibration.ts';
import type { Verdict } from '../../src/episodes/verdict/index.ts';
import { PLAIN_METHODS } from './methods/plain-methods.ts';
import { alarmsOf, STEP_MS, stepsUntil } from './methods/steps.ts';
import { verdictOn } from './verdicts.ts';
import type { LabelledWindow } from './windows.ts';

/** One judge's opinion: whether it alarms, and how sure it is of it. */
interface Opinion {
  readonly alarmed: boolean;
  readonly score: number;
}

export interface WindowOutcome extends Omit<LabelledWindow, 'numbers'> {
  readonly verdict: Pick<Verdict, 'level' | 'score' | 'onsetMs' | 'kind' | 'moved' | 'drops'>;
  readonly says: MeasuredFinding;
  /** Ours first, then the plain methods in their order. */
  readonly opinions: readonly Opinion[];
}

export const JUDGES: readonly string[] = ['our verdict', ...PLAIN_METHODS.map(({ name }) => name)];

const UNSETTLED_MS = 3 * 60_000;

export async function outcomeOf(window: LabelledWindow, withMethods = true): Promise<WindowOutcome> {
  const { numbers, ...rest } = window;
  const { verdict, says } = await verdictOn(window);
  const { level, score, onsetMs, kind, moved, drops } = verdict;
  const ours = { alarmed: level === 'elevated' || level === 'surge', score: score ?? 0 };
  return {
    ...rest,
    verdict: { level, score, onsetMs, kind, moved, drops },
    says,
    opinions: [ours, ...(withMethods ? plainOpinions(window) : [])],
  };
}

function plainOpinions({ numbers, nowMs, fromMs }: LabelledWindow): Opinion[] {
  const untilMs = nowMs - UNSETTLED_MS;
  const steps = stepsUntil(numbers, untilMs);
  const from = steps.length - Math.floor((untilMs - fromMs) / STEP_MS);
  return PLAIN_METHODS.map((method) => ({
    alarmed: alarmsOf(method, steps, from).some(Boolean),
    score: Math.max(0, ...method.scores(steps, from)),
  }));
}

export const isNormal = ({ truth }: WindowOutcome): boolean => truth.event === null;
export const isDrop = ({ truth }: WindowOutcome): boolean => truth.event?.endsWith('gone') ?? false;
export const isRise = (outcome: WindowOutcome): boolean => !isNormal(outcome) && !isDrop(outcome);
export const isDetectable = ({ truth }: WindowOutcome): boolean => truth.detectable;

export const share = (part: number, all: number): number => (all === 0 ? Number.NaN : part / all);

export interface JudgeMeasures {
  readonly precision: number;
  /** Of the events that could be seen, and of every one. */
  readonly recall: number;
  readonly recallOfAll: number;
  readonly falseAlarms: number;
  /** Recall at the score that so many of the normal windows reach. */
  readonly recallAt: readonly number[];
}

export const FALSE_ALARM_RATES = [0.01, 0.03, 0.05, 0.1] as const;

export function measuresOf(outcomes: readonly WindowOutcome[], judge: number): JudgeMeasures {
  const alarmed = ({ opinions }: WindowOutcome): boolean => opinions[judge]?.alarmed ?? false;
  const scoreOf = ({ opinions }: WindowOutcome): number => opinions[judge]?.score ?? 0;
  const normal = outcomes.filter(isNormal);
  const rises = outcomes.filter(isRise);
  const detectable = rises.filter(isDetectable);
  const wrong = normal.filter(alarmed).length;
  const right = rises.filter(alarmed).length;
  const scores = normal.map(scoreOf).sort((a, b) => b - a);
  return {
    precision: share(right, right + wrong),
    recall: share(detectable.filter(alarmed).length, detectable.length),
    recallOfAll: share(right, rises.length),
    falseAlarms: share(wrong, normal.length),
    recallAt: FALSE_ALARM_RATES.map((rate) => {
      // Only what lies above so many normal windows counts, so that ties do not flatter.
      const bar = scores[Math.floor(rate * scores.length)] ?? 0;
      return share(detectable.filter((outcome) => scoreOf(outcome) > bar).length, detectable.length);
    }),
  };
}

export interface VerdictMeasures {
  /** Of found events whose level is clear. */
  readonly levelRight: number;
  /** Minutes between the true onset and the one that is said: half and nine in ten are nearer. */
  readonly onset: { readonly median: number; readonly ninety: number };
  readonly dropsNamed: number;
  /** Normal windows and rises in which a drop is said. */
  readonly dropsWrong: number;
}

export function verdictMeasures(outcomes: readonly WindowOutcome[]): VerdictMeasures {
  const found = outcomes.filter(
    (outcome) => isRise(outcome) && isDetectable(outcome) && (outcome.opinions[0]?.alarmed ?? false),
  );
  const leveled = found.filter(({ truth }) => truth.level !== null);
  const right = leveled.filter(({ truth, verdict }) => truth.level === verdict.level);
  const errors = found
    .flatMap(({ truth, verdict }) =>
      truth.onsetMs === null || verdict.onsetMs === null ? [] : [Math.abs(truth.onsetMs - verdict.onsetMs) / 60_000],
    )
    .sort((a, b) => a - b);
  const errorAt = (part: number): number => errors[Math.floor(part * (errors.length - 1))] ?? Number.NaN;
  const drops = outcomes.filter((outcome) => isDrop(outcome) && isDetectable(outcome));
  const others = outcomes.filter((outcome) => !isDrop(outcome));
  return {
    levelRight: share(right.length, leveled.length),
    onset: { median: errorAt(0.5), ninety: errorAt(0.9) },
    dropsNamed: share(drops.filter(isDropNamed).length, drops.length),
    dropsWrong: share(others.filter(({ verdict }) => verdict.drops.length > 0).length, others.length),
  };
}

export function isDropNamed({ truth, verdict }: WindowOutcome): boolean {
  const what = truth.event === 'attacks gone' ? 'attacks' : 'requests';
  return verdict.drops.some((drop) => drop.what === what);
}
