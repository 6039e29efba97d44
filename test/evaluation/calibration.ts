/**
 * How often a verdict with a given score is wrong: counted on the tuning seeds, written into the sources for the verdict
 * to say, and checked on the reporting seeds.
 */
import type { CalibrationBin } from '../../src/episodes/verdict/calibration.ts';
import { isDetectable, isNormal, isRise, share, type WindowOutcome } from './window-outcomes.ts';

const CALLED_FROM = [0, 2, 2.5, 3, 4, 6];
const CALM_FROM = [0, 0.5, 1, 1.5];
/** Fewer verdicts than this say nothing; they go with the bin below. */
const LEAST = 15;
/** One in so many: what people can picture. */
const ROUND = [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100];

interface CountedBin {
  readonly called: boolean;
  readonly fromScore: number;
  readonly verdicts: number;
  readonly wrong: number;
}

const isCalled = ({ opinions }: WindowOutcome): boolean => opinions[0]?.alarmed ?? false;
/** A call is wrong where nothing happens; a calm verdict where something happens that could have been seen. */
const isWrong = (outcome: WindowOutcome): boolean =>
  isCalled(outcome) ? isNormal(outcome) : isRise(outcome) && isDetectable(outcome);

export function countBins(
  outcomes: readonly WindowOutcome[],
  edges: readonly Pick<CountedBin, 'called' | 'fromScore'>[],
): CountedBin[] {
  const judged = outcomes.filter((outcome) => isNormal(outcome) || isRise(outcome));
  return edges.map(({ called, fromScore }) => {
    const higher = edges.filter((edge) => edge.called === called && edge.fromScore > fromScore);
    const toScore = Math.min(Number.POSITIVE_INFINITY, ...higher.map((edge) => edge.fromScore));
    const inside = judged.filter((outcome) => {
      const score = outcome.opinions[0]?.score ?? 0;
      return (
        outcome.verdict.level !== 'not_enough_data' &&
        isCalled(outcome) === called &&
        score >= fromScore &&
        score < toScore
      );
    });
    return { called, fromScore, verdicts: inside.length, wrong: inside.filter(isWrong).length };
  });
}

/** Bins with enough in them, each with the share that was wrong as one in so many. */
export function calibrate(outcomes: readonly WindowOutcome[]): CalibrationBin[] {
  return [true, false].flatMap((called) => {
    let edges = (called ? CALLED_FROM : CALM_FROM).map((fromScore) => ({ called, fromScore }));
    for (;;) {
      const bins = countBins(outcomes, edges);
      const rates = bins.map(({ verdicts, wrong }) => (wrong + 0.5) / (verdicts + 1));
      // A higher score never makes a call more doubtful, nor calm less: bins that say otherwise are one.
      const joined = bins.findIndex(({ verdicts }, at) => {
        const [rate = 0, below = 0] = [rates[at], rates[at - 1]];
        return at > 0 && (verdicts < LEAST || (called ? rate > below : rate < below));
      });
      if (joined === -1) {
        return bins.map(({ fromScore }, at) => ({ called, fromScore, wrongOneIn: rounded(1 / (rates[at] ?? 1)) }));
      }
      edges = edges.filter((_, at) => at !== joined);
    }
  });
}

/** Never better than what was counted. */
const rounded = (oneIn: number): number => ROUND.findLast((each) => each <= oneIn) ?? 2;

export function calibrationSource(bins: readonly CalibrationBin[]): string {
  const rows = bins.map(
    ({ called, fromScore, wrongOneIn }) =>
      `  { called: ${called}, fromScore: ${fromScore}, wrongOneIn: ${wrongOneIn} },\n`,
  );
  return `/**
 * How often verdicts are wrong, by their score: counted by \`npm run evaluate -- --calibrate\`, which writes this file, on
 * windows of which every second one holds an event.
 */
export interface CalibrationBin {
  /** Whether something was called. A call is wrong where nothing happened, calm where something was to be seen. */
  readonly called: boolean;
  readonly fromScore: number;
  readonly wrongOneIn: number;
}

export const CALIBRATION: readonly CalibrationBin[] = [
${rows.join('')}];
`;
}

/** Of the bins as they are in the sources: what they say, and what other windows show. */
export function calibrationRows(outcomes: readonly WindowOutcome[], bins: readonly CalibrationBin[]): string[][] {
  return countBins(outcomes, bins).map(({ called, fromScore, verdicts, wrong }, at) => {
    const measured = share(wrong, verdicts);
    return [
      `${called ? 'called' : 'calm'}, score from ${fromScore}`,
      `1 in ${bins[at]?.wrongOneIn ?? '–'}`,
      wrong === 0 ? `0 of ${verdicts}` : `1 in ${(1 / measured).toFixed(0)} (${wrong} of ${verdicts})`,
    ];
  });
}
