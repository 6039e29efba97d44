/** Opens the scheduler that fits a store: BullMQ on Redis, the embedded one on SQLite or memory. */
import { isRedisUrl, type Store } from '../store/index.ts';
import type { BullmqSchedulerDeps } from './bullmq.ts';
import { createEmbeddedScheduler } from './embedded.ts';
import type { EngineDeps, Scheduler } from './scheduler.ts';

interface SchedulerDeps<T> extends EngineDeps<T>, Pick<BullmqSchedulerDeps<T>, 'lockMs' | 'stallCheckMs'> {
  readonly store: Store;
}

export async function openScheduler<T, P>(url: string, deps: SchedulerDeps<T>): Promise<Scheduler<T, P>> {
  if (!isRedisUrl(url)) return createEmbeddedScheduler<T, P>(deps);
  const { createBullmqScheduler } = await import('./bullmq.ts');
  return createBullmqScheduler<T, P>({ ...deps, url });
}

export { reconcilePeriodically } from './reconcile-periodically.ts';
export {
  type DueTime,
  isLate,
  type NewJob,
  type RepeatStrategy,
  type Run,
  type RunContext,
  type RunOutcome,
  type Scheduler,
} from './scheduler.ts';
