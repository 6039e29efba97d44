/**
 * The job queue on the simulated Redis, as far as `scheduler/bullmq.ts` relies on it: each due time is a delayed run that one
 * worker takes under a lock; the next run is added when the one before is taken; a run whose worker falls silent is taken over.
 * What the real scheduler does in several commands takes several here, so that replicas can come between them.
 */
import {
  contextFor,
  type EngineDeps,
  type NewJob,
  outcomeOfThrow,
  type Run,
  type RunOutcome,
  type Scheduler,
} from '../../src/scheduler/scheduler.ts';
import { SECOND_MS } from '../../src/time-units.ts';
import type { StoreModel } from './store-model.ts';
import type { Life, World } from './world.ts';

const LOCK_MS = 30 * SECOND_MS;
const STALL_CHECK_MS = 5 * SECOND_MS;
/** Between two tries of a worker while Redis is away. */
const AGAIN_MS = 3 * SECOND_MS;

interface QueuedRun<T, P> {
  readonly key: string;
  readonly id: string;
  readonly timing: T;
  readonly payload: P;
  readonly dueMs: number;
  /** Not a recovered one: taking it adds the next. */
  readonly repeats: boolean;
  readyMs: number;
  attempts: number;
  /** Who works on it, and until when nobody else does. */
  lock: { readonly token: object; untilMs: number } | null;
}

interface StoredSchedule<T, P> {
  readonly timing: T;
  readonly payload: P;
  readonly nextMs: number;
}

const runKeyOf = (id: string, dueMs: number): string => `repeat:${id}:${dueMs}`;

export interface QueueModel<T, P> {
  open(life: Life, deps: EngineDeps<T>): Scheduler<T, P>;
  /** How many jobs are scheduled. */
  count(): number;
  /** Called when a process schedules a job that isn't there. */
  readonly onAdded: ((id: string, life: Life) => void)[];
  /** A Redis that restarts may have lost its last writes: runs that were taken, and some that wait. */
  restart(): void;
}

/** What is on the server. */
interface Queue<T, P> {
  readonly world: World;
  readonly store: StoreModel;
  readonly schedules: Map<string, StoredSchedule<T, P>>;
  readonly runs: Map<string, QueuedRun<T, P>>;
  /** The workers that listen. */
  readonly workers: Set<() => void>;
  readonly onAdded: QueueModel<T, P>['onAdded'];
}

export function createQueueModel<T, P>(world: World, store: StoreModel): QueueModel<T, P> {
  const queue: Queue<T, P> = { world, store, schedules: new Map(), runs: new Map(), workers: new Set(), onAdded: [] };
  store.onEmptied.push(() => {
    queue.schedules.clear();
    queue.runs.clear();
  });
  return {
    count: () => queue.schedules.size,
    onAdded: queue.onAdded,
    restart() {
      for (const [key, { lock }] of queue.runs) {
        if (!world.chance.happens(lock === null ? 0.1 : 0.4)) continue;
        world.fault('store: run lost', key);
        queue.runs.delete(key);
      }
    },
    open(life, deps) {
      const jobs = createJobs(queue, life, deps);
      const worker = createWorker(queue, life, deps);
      return { ...jobs, start: worker.start, stop: worker.stop };
    },
  };
}

const notify = <T, P>({ workers }: Queue<T, P>): void => {
  for (const wake of workers) wake();
};

function createJobs<T, P>(queue: Queue<T, P>, life: Life, { repeatStrategy, clock }: EngineDeps<T>) {
  const { world, store, schedules, runs } = queue;
  const command = <Result>(work: () => Result): Promise<Result> => store.perform(life, true, work);
  const nextMs = (timing: T, after: Temporal.Instant): number =>
    repeatStrategy.next(timing, after).at.epochMilliseconds;

  function add(run: Omit<QueuedRun<T, P>, 'attempts' | 'lock'>): void {
    if (runs.has(run.key)) return;
    runs.set(run.key, { ...run, attempts: 0, lock: null });
    notify(queue);
  }

  function upsert({ id, timing, payload }: NewJob<T, P>): void {
    const before = schedules.get(id);
    const waiting = before && runs.get(runKeyOf(id, before.nextMs));
    if (waiting?.lock === null) runs.delete(waiting.key);
    const dueMs = nextMs(timing, clock.now());
    if (before === undefined) for (const hear of queue.onAdded) hear(id, life);
    schedules.set(id, { timing, payload, nextMs: dueMs });
    add({ key: runKeyOf(id, dueMs), ...{ id, timing, payload, dueMs }, repeats: true, readyMs: dueMs });
  }

  async function put(job: NewJob<T, P>): Promise<void> {
    const stored = await command(() => schedules.get(job.id));
    const isSame = JSON.stringify([stored?.timing, stored?.payload]) === JSON.stringify([job.timing, job.payload]);
    const isThere = stored !== undefined && isSame && (await command(() => runs.has(runKeyOf(job.id, stored.nextMs))));
    if (!isThere) await command(() => upsert(job));
    if (job.since === undefined) return;
    const { id, timing, payload } = job;
    const dueMs = nextMs(timing, job.since);
    if (dueMs > world.wallMs() || (await command(() => runs.has(runKeyOf(id, dueMs))))) return;
    await command(() =>
      add({ key: `undone/${id}/${dueMs}`, ...{ id, timing, payload, dueMs }, repeats: false, readyMs: world.wallMs() }),
    );
  }

  function remove(id: string): void {
    const stored = schedules.get(id);
    const waiting = stored && runs.get(runKeyOf(id, stored.nextMs));
    if (waiting?.lock === null) runs.delete(waiting.key);
    schedules.delete(id);
  }

  return {
    put,
    remove: (id: string) => command(() => remove(id)),
    async nextRunAt(id: string) {
      const stored = await command(() => schedules.get(id));
      return stored && Temporal.Instant.fromEpochMilliseconds(stored.nextMs);
    },
    async reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>) {
      const surplus = new Set(await command(() => [...schedules.keys()]));
      for await (const job of jobs) {
        surplus.delete(job.id);
        await put(job);
      }
      for (const id of surplus) await command(() => remove(id));
    },
  };
}

function createWorker<T, P>(queue: Queue<T, P>, life: Life, deps: EngineDeps<T>) {
  const { world, store, runs, workers } = queue;
  const { clock, repeatStrategy, log, concurrency = 50 } = deps;
  const inProgress = new Set<Promise<void>>();
  let callRun: Run<T, P> | undefined;
  let wakesAtMs = Number.POSITIVE_INFINITY;
  const command = <Result>(work: () => Result): Promise<Result> => store.perform(life, true, work);

  /** When anything can be taken: a run that is due by the machine's clock, or one whose worker is silent by that of Redis. */
  const takeableMs = ({ readyMs, lock }: QueuedRun<T, P>): number =>
    lock === null ? readyMs - world.clockIsAheadMs() : Math.ceil(lock.untilMs / STALL_CHECK_MS + 1) * STALL_CHECK_MS;

  function wake(): void {
    if (!life.alive || callRun === undefined || inProgress.size >= concurrency) return;
    const nextMs = Math.min(...runs.values().map(takeableMs));
    const atMs = Math.max(nextMs, world.nowMs()) + world.chance.between(1, 20);
    if (!Number.isFinite(nextMs) || atMs >= wakesAtMs) return;
    wakesAtMs = atMs;
    world.at(atMs, life, () => void take());
  }

  function wakeAnew(): void {
    wakesAtMs = Number.POSITIVE_INFINITY;
    wake();
  }

  async function take(): Promise<void> {
    wakesAtMs = Number.POSITIVE_INFINITY;
    if (callRun === undefined) return;
    const token = {};
    try {
      const taken = await command(() => {
        const run = runs.values().find((each) => takeableMs(each) <= world.nowMs());
        if (run === undefined || inProgress.size >= concurrency) return undefined;
        run.lock = { token, untilMs: world.nowMs() + LOCK_MS };
        run.attempts += 1;
        return { ...run };
      });
      if (taken !== undefined && callRun !== undefined) begin(taken, token, callRun);
      wake();
    } catch {
      wakesAtMs = world.nowMs() + AGAIN_MS;
      world.at(wakesAtMs, life, () => void take());
    }
  }

  function begin(run: QueuedRun<T, P>, token: object, call: Run<T, P>): void {
    const working = perform(run, token, call).finally(() => {
      inProgress.delete(working);
      wake();
    });
    inProgress.add(working);
  }

  /** The run as it is on the server, if it is still ours. */
  const held = (key: string, token: object): QueuedRun<T, P> | undefined => {
    const run = runs.get(key);
    return run?.lock?.token === token ? run : undefined;
  };

  async function perform(run: QueuedRun<T, P>, token: object, call: Run<T, P>): Promise<void> {
    const { key, id, timing, payload, dueMs, attempts } = run;
    const stopRenewing = renew(key, token);
    let outcome: RunOutcome;
    try {
      if (run.repeats) await command(() => addNext(run));
      outcome = await call({ id, timing, payload }, contextFor(repeatStrategy, timing, dueMs, clock.now(), attempts));
    } catch (error) {
      outcome = outcomeOfThrow(error, id, attempts, log);
    }
    await insistently(() => finish(key, token, outcome));
    stopRenewing();
  }

  function addNext({ id, timing, payload, dueMs }: QueuedRun<T, P>): void {
    const stored = queue.schedules.get(id);
    if (stored === undefined || stored.nextMs !== dueMs) return;
    const nextMs = repeatStrategy.next(timing, clock.now()).at.epochMilliseconds;
    queue.schedules.set(id, { ...stored, nextMs });
    const next = { key: runKeyOf(id, nextMs), ...{ id, timing, payload }, dueMs: nextMs, readyMs: nextMs };
    runs.set(next.key, { ...next, repeats: true, attempts: 0, lock: null });
    notify(queue);
  }

  function finish(key: string, token: object, outcome: RunOutcome): void {
    const run = held(key, token);
    if (run === undefined) return;
    if (outcome === 'done') runs.delete(key);
    else Object.assign(run, { lock: null, readyMs: world.wallMs() + outcome.retryAfterMs });
    notify(queue);
  }

  /** The worker's own connection waits for a Redis that is away. */
  async function insistently(work: () => void): Promise<void> {
    for (;;) {
      try {
        return await command(work);
      } catch {
        const { promise, resolve } = Promise.withResolvers<void>();
        world.after(AGAIN_MS, life, resolve);
        await promise;
      }
    }
  }

  /** Returns a function that ends it. */
  function renew(key: string, token: object): () => void {
    let isOver = false;
    const again = (): void =>
      world.after(LOCK_MS / 2, life, () => {
        if (isOver) return;
        again();
        command(() => {
          const lock = held(key, token)?.lock;
          if (lock) lock.untilMs = world.nowMs() + LOCK_MS;
        }).catch(() => {});
      });
    again();
    return () => {
      isOver = true;
    };
  }

  return {
    async start(run: Run<T, P>): Promise<void> {
      callRun = run;
      workers.add(wake);
      world.onClockSet.add(wakeAnew);
      wake();
    },
    async stop(): Promise<void> {
      callRun = undefined;
      workers.delete(wake);
      world.onClockSet.delete(wakeAnew);
      await Promise.all(inProgress);
    },
  };
}
