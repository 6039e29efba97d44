/** A watch's alert sensitivity: three settings, adjusted by people's answers to its alerts. */
import { BARS } from '../../episodes/verdict/index.ts';
import { type FeedbackAnswer, STEP, stepsOf } from './feedback.ts';
import type { CallingBar } from './observation.ts';
import type { WatchState } from './watch-state.ts';

export const SENSITIVITIES = ['quiet', 'normal', 'sensitive'] as const;
export type WatchSensitivity = (typeof SENSITIVITIES)[number];

interface SensitivitySetting {
  /** The verdict's score from which people are alerted. */
  readonly bar: number;
  /** Measured in docs/verdict.md, for one channel. */
  readonly falseAlarms: string;
}

const SETTINGS: Readonly<Record<WatchSensitivity, SensitivitySetting>> = {
  quiet: { bar: BARS.quiet, falseAlarms: 'about two false alarms a month' },
  normal: { bar: BARS.normal, falseAlarms: 'about one false alarm a week' },
  sensitive: { bar: BARS.sensitive, falseAlarms: 'about two false alarms a week' },
};

export const isSensitivity = (word: string): word is WatchSensitivity =>
  SENSITIVITIES.some((sensitivity) => sensitivity === word);

export function callingBar(
  sensitivity: WatchSensitivity = 'normal',
  answers: readonly FeedbackAnswer[] = [],
): CallingBar {
  return barAt(SETTINGS[sensitivity].bar + STEP * stepsOf(answers));
}

const HOLD = 0.4;
const MIN_HOLD_SCORE = 0.5;

export const barAt = (score: number): CallingBar => ({ calls: score, holds: Math.max(MIN_HOLD_SCORE, score - HOLD) });

/** For a day after an episode the bar is higher: a site that was just unusual is unusual more often. */
const AFTER_MS = 24 * 3_600_000;
const CLEARER_AFTER = 0.4;

/** The bar at an instant, raised after a recent episode. */
export function barNow(bar: CallingBar, { episode }: Pick<WatchState, 'episode'>, nowMs: number): CallingBar {
  const closedMs = episode?.closedMs ?? null;
  return closedMs === null || nowMs - closedMs >= AFTER_MS ? bar : barAt(bar.calls + CLEARER_AFTER);
}

/** `normal: about one false alarm a week` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].falseAlarms}`;
}
