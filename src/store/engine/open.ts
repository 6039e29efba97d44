/** The engine that belongs to a store: BullMQ beside Redis, our own beside a file or memory. */
import type { Clock } from '../../clock.ts';
import { isRedisUrl } from '../open.ts';
import type { Store, StoreLog } from '../store.ts';
import { createEmbeddedEngine } from './embedded.ts';
import type { JobEngine, Timetable } from './engine.ts';

export interface EngineDeps<T> {
  readonly store: Store;
  readonly clock: Clock;
  readonly timetable: Timetable<T>;
  readonly log: StoreLog;
  /** How many runs this process may have under way at once. */
  readonly concurrency?: number;
  /** Redis alone: when a silent replica's runs pass to the others, and how often that is looked for. */
  readonly lockMs?: number;
  readonly stallCheckMs?: number;
}

export async function openEngine<T, P>(url: string, deps: EngineDeps<T>): Promise<JobEngine<T, P>> {
  if (!isRedisUrl(url)) return createEmbeddedEngine<T, P>(deps);
  const { createRedisEngine } = await import('./redis.ts');
  return createRedisEngine<T, P>({ ...deps, url });
}
