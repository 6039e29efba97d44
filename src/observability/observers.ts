/** What parts of the bot report while they work, for the metrics. */

/** `refused`: the asker can fix it. `failed`: only the operator or the service can. `elsewhere`: another process answers. */
export type QuestionOutcome = 'answered' | 'refused' | 'failed' | 'elsewhere';

export interface AnsweredQuestion {
  /** In the log too, and shown with an error. */
  readonly reference: string;
  /** `none` if the question wasn't understood. */
  readonly verb: string;
  readonly outcome: QuestionOutcome;
  /** From the question to the delivery of its answer. */
  readonly durationMs: number;
}

/** Called when a question begins; the returned function once it's answered. */
export type ObserveQuestion = () => (question: AnsweredQuestion) => void;

export interface ServiceObserver {
  /** A query ended: `answered`, or the code of the error. */
  query(kind: string, outcome: string): void;
  /** Where the numbers of a window came from. */
  read(from: 'cache' | 'service' | 'stale'): void;
  /** A request is waiting or under way; the returned function ends it, with `answered` or the code of the error. */
  request(): (outcome: string) => void;
  /** A token was requested: `issued`, or the code of the error. */
  token(outcome: string): void;
}

export type DigestOutcome = 'sent' | 'late' | 'apologised' | 'failed';

export interface JobObserver {
  /** Once for each due time. */
  digestDue(): void;
  digest(outcome: DigestOutcome): void;
  /** An evaluation of a watch found this level. */
  watchLook(level: string): void;
  /** A message that notifies people was sent. */
  alert(kind: string): void;
  /** A message waits for its turn; the returned function ends the wait. */
  postWaiting(): () => void;
}

export interface PagerObserver {
  /** An attempt to send a page ended. */
  page(pager: string, outcome: 'sent' | 'failed' | 'given_up'): void;
  /** How many pages are still to be sent. */
  waiting(count: number): void;
}
