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

export const CALIBRATION: readonly CalibrationBin[] = [];
