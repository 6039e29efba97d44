/**
 * How often verdicts are wrong, by their score: counted by `npm run evaluate -- --calibrate`, which writes this file, on
 * windows of which every second one holds an event.
 */
export interface CalibrationBin {
  /** Whether something was called. A call is wrong where nothing happened, calm where something was to be seen. */
  readonly called: boolean;
  readonly fromScore: number;
  readonly wrongOneIn: number;
}

export const CALIBRATION: readonly CalibrationBin[] = [
  { called: true, fromScore: 0, wrongOneIn: 5 },
  { called: true, fromScore: 2, wrongOneIn: 7 },
  { called: true, fromScore: 2.5, wrongOneIn: 10 },
  { called: true, fromScore: 3, wrongOneIn: 100 },
  { called: true, fromScore: 4, wrongOneIn: 100 },
  { called: false, fromScore: 0, wrongOneIn: 10 },
  { called: false, fromScore: 1.5, wrongOneIn: 2 },
];
