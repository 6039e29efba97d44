/**
 * How often verdicts are wrong, by what they say and their score: counted by `npm run evaluate -- --calibrate`, which writes
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
  { finding: 'rise', fromScore: 0, wrongOneIn: 7 },
  { finding: 'rise', fromScore: 2, wrongOneIn: 10 },
  { finding: 'rise', fromScore: 2.5, wrongOneIn: 30 },
  { finding: 'rise', fromScore: 4, wrongOneIn: 50 },
  { finding: 'category', fromScore: 0, wrongOneIn: 10 },
  { finding: 'category', fromScore: 2.5, wrongOneIn: 30 },
  { finding: 'category', fromScore: 4, wrongOneIn: 50 },
  { finding: 'drop', fromScore: 0, wrongOneIn: 50 },
  { finding: 'calm', fromScore: 0, wrongOneIn: 30 },
  { finding: 'calm', fromScore: 1, wrongOneIn: 4 },
  { finding: 'calm', fromScore: 1.5, wrongOneIn: 2 },
];
