/** How easily a watch calls people: three settings to choose from, moved by what people answer to its messages. */
import { BARS } from '../../insight/verdict/index.ts';
import type { CallingPolicy } from './episode-lifecycle.ts';
import { type FeedbackAnswer, STEP, stepsOf } from './feedback.ts';
import type { ScoreBar } from './observation.ts';
import type { WatchState } from './watch-state.ts';

export const SENSITIVITIES = ['quiet', 'normal', 'sensitive'] as const;
export type WatchSensitivity = (typeof SENSITIVITIES)[number];

interface SensitivitySetting {
  /** The score of a verdict from which people are called, if it stays. */
  readonly bar: number;
  /** By the evaluation in docs/verdict.md: calls for nothing in a week of one channel. */
  readonly callsForNothing: string;
}

const SETTINGS: Readonly<Record<WatchSensitivity, SensitivitySetting>> = {
  quiet: { bar: BARS.quiet, callsForNothing: 'about one call a month for nothing' },
  normal: { bar: BARS.normal, callsForNothing: 'less than one call a week for nothing' },
  sensitive: { bar: BARS.sensitive, callsForNothing: 'one or two calls a week for nothing' },
};

export const isSensitivity = (word: string): word is WatchSensitivity =>
  SENSITIVITIES.some((sensitivity) => sensitivity === word);

/** The bar of one watch. */
export interface CallingBar extends CallingPolicy, ScoreBar {}

export function callingBar(
  sensitivity: WatchSensitivity = 'normal',
  answers: readonly FeedbackAnswer[] = [],
): CallingBar {
  return barAt(SETTINGS[sensitivity].bar + STEP * stepsOf(answers));
}

/** A surge, and what is this much clearer, is called at the first look; the rest at the third, when it is still there. */
const CLEARER = 0.2;
const LOOKS_TO_CALL = 3;
/** An episode is over only when the score is clearly below the bar, so that one near it does not come and go. */
const HOLD = 0.4;
const LEAST = 0.5;

/** All that follows from the score at which people are called. */
export function barAt(score: number): CallingBar {
  return {
    calls: score + CLEARER,
    callsSurge: score,
    stays: score,
    holds: Math.max(LEAST, score - HOLD),
    looksToCall: LOOKS_TO_CALL,
  };
}

/** For a day after an episode, what is called must be this much clearer: a site that has just been odd is odd more often. */
const AFTER_MS = 24 * 3_600_000;
const CLEARER_AFTER = 0.4;

/** The bar at an instant, by what the watch has just told of. */
export function barNow(bar: CallingBar, { episode }: Pick<WatchState, 'episode'>, nowMs: number): CallingBar {
  const closedMs = episode?.closedMs ?? null;
  return closedMs === null || nowMs - closedMs >= AFTER_MS ? bar : barAt(bar.stays + CLEARER_AFTER);
}

/** `normal: less than one call a week for nothing` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].callsForNothing}`;
}
