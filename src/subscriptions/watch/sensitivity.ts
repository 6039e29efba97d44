/** A watch's alert sensitivity: three settings, and people's answers to its alerts, which move its bar. */
import { BARS, FEEDBACK } from '../../episodes/verdict/index.ts';

export const SENSITIVITIES = ['quiet', 'normal', 'sensitive'] as const;
export type WatchSensitivity = (typeof SENSITIVITIES)[number];

interface SensitivitySetting {
  /** The verdict's score from which people are alerted. */
  readonly bar: number;
  /** Of one channel, on generated weeks and on public series: docs/verdict-details.md. */
  readonly falseAlarms: string;
}

const SETTINGS: Readonly<Record<WatchSensitivity, SensitivitySetting>> = {
  quiet: { bar: BARS.quiet, falseAlarms: 'about one false alarm a month' },
  normal: { bar: BARS.normal, falseAlarms: 'one false alarm in one or two weeks' },
  sensitive: { bar: BARS.sensitive, falseAlarms: 'one or two false alarms a week' },
};

export const isSensitivity = (word: string): word is WatchSensitivity =>
  SENSITIVITIES.some((sensitivity) => sensitivity === word);

/** The strength from which a watch alerts. */
export function callingStrength(
  sensitivity: WatchSensitivity = 'normal',
  answers: readonly FeedbackAnswer[] = [],
): number {
  return Math.max(FEEDBACK.least, SETTINGS[sensitivity].bar + FEEDBACK.step * stepsOf(answers));
}

/** `normal: one false alarm in one or two weeks` */
export function describeSensitivity(sensitivity: WatchSensitivity): string {
  return `${sensitivity}: ${SETTINGS[sensitivity].falseAlarms}`;
}

export interface FeedbackAnswer {
  /** The episode that the answer is about; each has at most one. */
  readonly episode: string;
  /** `expected`: no alert was needed. `earlier`: the alert came too late. */
  readonly says: 'expected' | 'earlier';
  readonly by: string;
  readonly atMs: number;
}

/** However many answers there are, the bar stays within this many steps of the chosen setting. */
export const MAX_STEPS = FEEDBACK.maxSteps;
const MAX_ANSWERS = 20;

/** Another answer about the same episode replaces the first. */
export function withAnswer(answers: readonly FeedbackAnswer[], answer: FeedbackAnswer): readonly FeedbackAnswer[] {
  return [...withoutAnswer(answers, answer.episode), answer].slice(-MAX_ANSWERS);
}

export function withoutAnswer(answers: readonly FeedbackAnswer[], episode: string): readonly FeedbackAnswer[] {
  return answers.filter((each) => each.episode !== episode);
}

/** Steps above the chosen bar (less sensitive) or below it (more sensitive). */
export function stepsOf(answers: readonly FeedbackAnswer[]): number {
  const steps = answers.reduce((sum, { says }) => sum + (says === 'expected' ? 1 : -1), 0);
  return Math.max(-MAX_STEPS, Math.min(MAX_STEPS, steps));
}
