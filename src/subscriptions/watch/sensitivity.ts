/** How easily a watch calls people: three settings to choose from, moved by what people answer to its messages. */
import { BARS } from '../../episodes/verdict/index.ts';
import { type FeedbackAnswer, STEP, stepsOf } from './feedback.ts';
import type { CallingBar } from './observation.ts';
import type { WatchState } from './watch-state.ts';

export const SENSITIVITIES = ['quiet', 'normal', 'sensitive'] as const;
export type WatchSensitivity = (typeof SENSITIVITIES)[number];

interface SensitivitySetting {
  /** The score of a verdict from which people are called. */
  readonly bar: number;
  /** By the evaluation in docs/verdict.md: calls for nothing in a week of one channel. */
  readonly callsForNothing: string;
}

const SETTINGS: Readonly<Record<WatchSensitivity, SensitivitySetting>> = {
  quiet: { bar: BARS.quiet, callsForNothing: 'about two calls a month for nothing' },
  normal: { bar: BARS.normal, callsForNothing: 'about one call a week for nothing' },
  sensitive: { bar: BARS.sensitive, callsForNothing: 'about two calls a week for nothing' },
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
const LEAST = 0.5;

export const barAt = (score: number): CallingBar => ({ calls: score, holds: Math.max(LEAST, score - HOLD) });

/** For a day after an episode, what is called must be this much clearer: a site that has just been odd is odd more often. */
const AFTER_MS = 24 * 3_600_000;
const CLEARER_AFTER = 0.4;

/** The bar at an instant, by what the watch has just told of. */
export function barNow(bar: CallingBar, { episode }: Pick<WatchState, 'episode'>, nowMs: number): CallingBar {
  const closedMs = episode?.closedMs ?? null;
  return closedMs === null || nowMs - closedMs >= AFTER_MS ? bar : barAt(bar.calls + CLEARER_AFTER);
}

/** `normal: about one call a week for nothing` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].callsForNothing}`;
}
