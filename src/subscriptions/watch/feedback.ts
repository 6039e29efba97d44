/** People's answers to a watch's alerts, and how far they move its bar. */
export interface FeedbackAnswer {
  /** The episode that the answer is about; each has at most one. */
  readonly episode: string;
  /** `expected`: no alert was needed. `earlier`: the alert came too late. */
  readonly says: 'expected' | 'earlier';
  readonly by: string;
  readonly atMs: number;
}

/** A score is a power of ten: one step makes alerts about twice as rare, or twice as frequent. */
export const STEP = 0.3;
/** However many answers there are, the bar stays within this many steps of the chosen setting. */
export const MAX_STEPS = 3;
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
