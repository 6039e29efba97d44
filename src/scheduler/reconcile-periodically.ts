/**
 * Reconciles the scheduler's jobs with the stored subscriptions at regular intervals. This repairs what a crash, a broken
 * connection or a failed call left behind, such as a missing job or a run that started and never finished.
 */
import type { Clock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { NewJob, Scheduler } from './scheduler.ts';

interface PeriodicReconcileDeps<T, P> {
  readonly scheduler: Pick<Scheduler<T, P>, 'reconcile'>;
  readonly jobs: () => AsyncIterable<NewJob<T, P>>;
  /** Whether it's this replica's turn: one of them is enough. */
  readonly takeTurn: (forMs: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number | undefined;
}

/** A run that was lost is late by at most two of these. */
export const RECONCILE_EVERY_MS = 20_000;

/** Returns a function that stops it. */
export function reconcilePeriodically<T, P>(deps: PeriodicReconcileDeps<T, P>): () => void {
  const { scheduler, jobs, takeTurn, clock, log, everyMs = RECONCILE_EVERY_MS } = deps;
  let stopped = false;
  let cancel = () => {};

  async function reconcile(): Promise<void> {
    try {
      // A little shorter than the period, so that the turn has expired when the same process comes around again.
      if (await takeTurn(everyMs * 0.9)) await scheduler.reconcile(jobs());
    } catch (error) {
      // A reconciliation in progress at shutdown fails because the store is closed.
      if (stopped) return;
      const isAway = error instanceof BotError && error.code === 'storage';
      if (!isAway) log.error({ err: error }, 'job reconciliation failed');
    }
  }

  function wait(): void {
    if (!stopped) cancel = clock.after(everyMs, () => void reconcile().then(wait), 'upkeep');
  }

  wait();
  return () => {
    stopped = true;
    cancel();
  };
}
