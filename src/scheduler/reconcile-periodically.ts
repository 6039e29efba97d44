/**
 * Compares what the scheduler has with what there should be, now and then, so that whatever a crash, a broken connection
 * or a failed call left behind comes right by itself: a job that is missing, a run that was taken and never done.
 */
import type { Clock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { NewJob, Scheduler } from './scheduler.ts';

interface PeriodicReconcileDeps<T, P> {
  readonly scheduler: Pick<Scheduler<T, P>, 'reconcile'>;
  readonly jobs: () => AsyncIterable<NewJob<T, P>>;
  /** Whether this process does it this time: of several replicas one is enough. */
  readonly takeTurn: (forMs: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
}

/** A due time that was lost is late by at most two of these. */
export const RECONCILE_EVERY_MS = 20_000;

/** Returns a function that ends it. */
export function reconcilePeriodically<T, P>(deps: PeriodicReconcileDeps<T, P>): () => void {
  const { scheduler, jobs, takeTurn, clock, log, everyMs = RECONCILE_EVERY_MS } = deps;
  let ended = false;
  let cancel = () => {};

  async function reconcile(): Promise<void> {
    try {
      // A little shorter than the period, so that it is over when the same process comes again.
      if (await takeTurn(everyMs * 0.9)) await scheduler.reconcile(jobs());
    } catch (error) {
      // What is under way at the end fails because the store is closed.
      if (ended) return;
      const isAway = error instanceof BotError && error.code === 'storage';
      if (!isAway) log.error({ error }, 'the jobs cannot be compared with what there should be');
    }
  }

  function wait(): void {
    if (!ended) cancel = clock.after(everyMs, () => void reconcile().then(wait));
  }

  wait();
  return () => {
    ended = true;
    cancel();
  };
}
