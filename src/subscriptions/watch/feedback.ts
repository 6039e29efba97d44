/** What people answer to a watch's messages, and how far that moves its bar. */

export interface FeedbackAnswer {
  /** The episode that the answer is about; there is one answer for each. */
  readonly episode: string;
  /** `expected`: nobody had to be called. `earlier`: the call came too late. */
  readonly says: 'expected' | 'earlier';
  readonly by: string;
  readonly atMs: number;
}

/** A score is a power of ten: a step makes what is called about twice as rare, or half as rare. */
export const STEP = 0.3;
/** However many answers there are, the bar stays within so many steps of what was chosen. */
export const MOST_STEPS = 3;
const MOST_ANSWERS = 20;

/** Another answer about the same episode replaces the first. */
export function withAnswer(answers: readonly FeedbackAnswer[], answer: FeedbackAnswer): readonly FeedbackAnswer[] {
  return [...withoutAnswer(answers, answer.episode), answer].slice(-MOST_ANSWERS);
}

export function withoutAnswer(answers: readonly FeedbackAnswer[], episode: string): readonly FeedbackAnswer[] {
  return answers.filter((each) => each.episode !== episode);
}

/** Steps above the chosen bar (quieter), or below it (keener). */
export function stepsOf(answers: readonly FeedbackAnswer[]): number {
  const steps = answers.reduce((sum, { says }) => sum + (says === 'expected' ? 1 : -1), 0);
  return Math.max(-MOST_STEPS, Math.min(MOST_STEPS, steps));
}
