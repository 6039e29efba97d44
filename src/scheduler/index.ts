/** Opens the scheduler that fits a store: BullMQ on Redis, the embedded one on SQLite or memory. */
import type { Clock } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { isRedisUrl, type Store } from '../store/index.ts';
import { createEmbeddedScheduler } from './embedded.ts';
import type { RepeatStrategy, Scheduler } from './scheduler.ts';

interface SchedulerDeps<T> {
  readonly store: Store;
  readonly clock: Clock;
  readonly repeatStrategy: RepeatStrategy<T>;
  readonly log: Logger;
  /** How many runs this process may have in progress at once. */
  readonly concurrency?: number;
  /** Redis only: after how long a silent replica loses its runs to the others, and how often that's checked. */
  readonly lockMs?: number;
  readonly stallCheckMs?: number;
}

export async function openScheduler<T, P>(url: string, deps: SchedulerDeps<T>): Promise<Scheduler<T, P>> {
  if (!isRedisUrl(url)) return createEmbeddedScheduler<T, P>(deps);
  const { createBullmqScheduler } = await import('./bullmq.ts');
  return createBullmqScheduler<T, P>({ ...deps, url });
}

export { reconcilePeriodically } from './reconcile-periodically.ts';
export type { DueTime, NewJob, RepeatStrategy, Run, RunContext, RunOutcome, Scheduler } from './scheduler.ts';
