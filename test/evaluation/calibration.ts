/**
 * How often a verdict with a given score is wrong: counted on seeds of their own, written into the sources for the verdict
 * to say, and checked on the reporting seeds.
 */
import type { CalibrationBin, MeasuredFinding } from '../../src/episodes/verdict/calibration.ts';
import { isDetectable, isDrop, isNormal, isRise, type WindowOutcome } from './window-outcomes.ts';

const FROM: Readonly<Record<MeasuredFinding, readonly number[]>> = {
  rise: [0, 2, 2.5, 3, 4, 6],
  category: [0, 2, 2.5, 3, 4],
  drop: [0],
  calm: [0, 0.5, 1, 1.5],
};
const FINDINGS = ['rise', 'category', 'drop', 'calm'] as const;
/** Fewer verdicts than this say nothing; they go with the bin below. */
const LEAST = 15;
/** One in so many: what people can picture. */
const ROUND = [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100];

type Edge = Pick<CalibrationBin, 'finding' | 'fromScore'>;

interface CountedBin extends Edge {
  readonly verdicts: number;
  readonly wrong: number;
}

/** A call is wrong where nothing happens, for a drop where none does; calm where something happens that could have been seen. */
function isWrong(outcome: WindowOutcome): boolean {
  if (outcome.says === 'calm') return isRise(outcome) && isDetectable(outcome);
  return outcome.says === 'drop' ? !isDrop(outcome) : isNormal(outcome);
}

export function countBins(outcomes: readonly WindowOutcome[], edges: readonly Edge[]): CountedBin[] {
  return edges.map(({ finding, fromScore }) => {
    const higher = edges.filter((edge) => edge.finding === finding && edge.fromScore > fromScore);
    const toScore = Math.min(Number.POSITIVE_INFINITY, ...higher.map((edge) => edge.fromScore));
    const inside = outcomes.filter(({ says, verdict }) => {
      const score = verdict.score ?? 0;
      return verdict.level !== 'not_enough_data' && says === finding && score >= fromScore && score < toScore;
    });
    // Where something stops, calm is neither right nor wrong about rises, and a rise may be what follows.
    const judged = inside.filter((outcome) => finding === 'drop' || !isDrop(outcome));
    return { finding, fromScore, verdicts: judged.length, wrong: judged.filter(isWrong).length };
  });
}

/** Bins with enough in them, each with the share that was wrong as one in so many. */
export function calibrate(outcomes: readonly WindowOutcome[]): CalibrationBin[] {
  return FINDINGS.flatMap((finding) => {
    let edges = FROM[finding].map((fromScore) => ({ finding, fromScore }));
    for (;;) {
      const bins = countBins(outcomes, edges);
      // As if two more were wrong and two right: a few verdicts promise little.
      const rates = bins.map(({ verdicts, wrong }) => (wrong + 2) / (verdicts + 4));
      // A higher score never makes a call more doubtful, nor calm less: bins that say otherwise are one.
      const joined = bins.findIndex(({ verdicts }, at) => {
        const [rate = 0, below = 0] = [rates[at], rates[at - 1]];
        const isFew = Math.min(verdicts, bins[at - 1]?.verdicts ?? 0) < LEAST;
        return at > 0 && (isFew || (finding === 'calm' ? rate < below : rate > below));
      });
      if (joined === -1) {
        const oneIn = rates.map((rate) => rounded(1 / rate));
        const own = bins.map(({ fromScore }, at) => ({ finding, fromScore, wrongOneIn: oneIn[at] ?? 2 }));
        return own.filter(({ wrongOneIn }, at) => wrongOneIn !== oneIn[at - 1]);
      }
      edges = edges.filter((_, at) => at !== joined);
    }
  });
}

/** Never better than what was counted. */
const rounded = (oneIn: number): number => ROUND.findLast((each) => each <= oneIn) ?? 2;

export function calibrationSource(bins: readonly CalibrationBin[]): string {
  const rows = bins.map(
    ({ finding, fromScore, wrongOneIn }) =>
      `  { finding: '${finding}', fromScore: ${fromScore}, wrongOneIn: ${wrongOneIn} },\n`,
  );
  return `/**
 * How often verdicts are wrong, by what they say and their score: counted by \`npm run evaluate -- --calibrate\`, which writes
 * this file, on windows of which every second one holds an event.
 */

/** What a verdict says about a window, by its leading episode. */
export type MeasuredFinding = 'rise' | 'category' | 'drop' | 'calm';

export interface CalibrationBin {
  /** What is called is wrong where nothing of the kind happened, calm where something was to be seen. */
  readonly finding: MeasuredFinding;
  readonly fromScore: number;
  readonly wrongOneIn: number;
}

export const CALIBRATION: readonly CalibrationBin[] = [
${rows.join('')}];
`;
}

/** Of the bins as they are in the sources: what they say, and what other windows show. */
export function calibrationRows(outcomes: readonly WindowOutcome[], bins: readonly CalibrationBin[]): string[][] {
  return countBins(outcomes, bins).map(({ finding, fromScore, verdicts, wrong }, at) => {
    return [
      `${finding}, score from ${fromScore}`,
      `1 in ${bins[at]?.wrongOneIn ?? '–'}`,
      wrong === 0 ? `0 of ${verdicts}` : `1 in ${(verdicts / wrong).toFixed(0)} (${wrong} of ${verdicts})`,
    ];
  });
}
