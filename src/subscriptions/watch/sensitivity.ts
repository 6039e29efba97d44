/** A watch's alert sensitivity: three settings, adjusted by people's answers to its alerts. */
import { BARS } from '../../episodes/verdict/index.ts';
import { type FeedbackAnswer, STEP, stepsOf } from './feedback.ts';

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

/** The strength from which a watch alerts. */
export function callingStrength(
  sensitivity: WatchSensitivity = 'normal',
  answers: readonly FeedbackAnswer[] = [],
): number {
  // Nothing weaker is recorded.
  return Math.max(BARS.check, SETTINGS[sensitivity].bar + STEP * stepsOf(answers));
}

/** `normal: about one false alarm a week` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].falseAlarms}`;
}
