/**
 * What this room needs from others, as narrow as it can be. `store/` and `slack/` fulfil these by shape; app.ts joins
 * them. Nothing here knows SQLite, Redis or Slack.
 */
import type { FindResult, SendResult } from '../commands/posting.ts';

export type { FindResult, PauseReason, SendResult } from '../commands/posting.ts';

/** The part of the store that is used here. */
export interface Records {
  space<V>(name: string): { get(key: string): Promise<V | undefined> };
  update<V>(name: string, key: string, change: (current: V | undefined) => V | undefined): Promise<V | undefined>;
  list<V>(name: string): AsyncIterable<readonly [key: string, value: V]>;
}

/** Marks with a lifetime that one party at a time can hold. */
export interface Leases {
  acquire(key: string, owner: string, ttlMs: number): Promise<boolean>;
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  release(key: string, owner: string): Promise<boolean>;
}

/** Where messages go. `send` must not retry by itself: every doubtful outcome has to come back as `ambiguous`. */
export interface Outbox<M> {
  /** Posts once, with the run's id in the message's metadata. A throw is taken for `ambiguous`. */
  send(channel: string, message: M, runId: string): Promise<SendResult>;
  /**
   * Looks through the channel's history since a moment for a message with that run id. A throw means that nobody knows
   * and it must be asked again before anything is sent.
   */
  find(channel: string, runId: string, since: Temporal.Instant): Promise<FindResult>;
}

/** The part of a logger that is used here; pino fits. */
export interface Log {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/** The part of the job scheduler that is used here. */
export interface Scheduler<T, P> {
  put(job: { readonly id: string; readonly timing: T; readonly payload: P }): Promise<void>;
  remove(id: string): Promise<void>;
  nextRunAt(id: string): Promise<Temporal.Instant | undefined>;
}
