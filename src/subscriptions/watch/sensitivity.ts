/** How easily a watch calls people: three settings to choose from, moved by what people answer to its messages. */
import { BARS } from '../../insight/verdict/index.ts';
import type { CallingPolicy } from './episode-lifecycle.ts';
import { type FeedbackAnswer, STEP, stepsOf } from './feedback.ts';

export const SENSITIVITIES = ['quiet', 'normal', 'sensitive'] as const;
export type WatchSensitivity = (typeof SENSITIVITIES)[number];

interface SensitivitySetting extends CallingPolicy {
  /** The score of a verdict from which people are called. */
  readonly bar: number;
  /** By the evaluation in docs/verdict.md: calls for nothing in a week of one channel. */
  readonly callsForNothing: string;
}

const SETTINGS: Readonly<Record<WatchSensitivity, SensitivitySetting>> = {
  quiet: { bar: BARS.quiet, looksToCall: 2, callsForNothing: 'about one call a month for nothing' },
  normal: { bar: BARS.normal, looksToCall: 1, callsForNothing: 'about one call a week for nothing' },
  sensitive: { bar: BARS.sensitive, looksToCall: 1, callsForNothing: 'several calls a week for nothing' },
};

export const isSensitivity = (word: string): word is WatchSensitivity =>
  SENSITIVITIES.some((sensitivity) => sensitivity === word);

/** An episode is over only when the score is clearly below the bar, so that one near it does not come and go. */
const HOLD = 0.7;

/** The bar of one watch. */
export interface CallingBar extends CallingPolicy {
  /** From this score on people are called. */
  readonly calls: number;
  /** Down to this score an episode goes on. */
  readonly holds: number;
}

export function callingBar(
  sensitivity: WatchSensitivity = 'normal',
  answers: readonly FeedbackAnswer[] = [],
): CallingBar {
  const { bar, looksToCall } = SETTINGS[sensitivity];
  const calls = bar + STEP * stepsOf(answers);
  return { calls, holds: calls - HOLD, looksToCall };
}

/** `normal: about one call a week for nothing` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].callsForNothing}`;
}
