/**
 * The scheduler for a single process: jobs in the store, due times in memory, one timer. A job's next due time is written
 * only after its run is done, so a process that dies in between finds the same run due again.
 */
import TinyQueue from 'tinyqueue';
import { type Clock, nextTurn } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { Store } from '../store/store.ts';
import {
  contextFor,
  type NewJob,
  outcomeOfThrow,
  type RepeatStrategy,
  type Run,
  type RunOutcome,
  type Scheduler,
} from './scheduler.ts';

interface EmbeddedSchedulerDeps<T> {
  readonly store: Pick<Store, 'space' | 'list'>;
  readonly clock: Clock;
  readonly repeatStrategy: RepeatStrategy<T>;
  readonly log: Logger;
  /** How many runs may be under way at once. */
  readonly concurrency?: number;
}

interface StoredJob<T, P> {
  readonly timing: T;
  readonly payload: P;
  readonly nextMs: number;
}

interface LiveJob<T, P> extends StoredJob<T, P> {
  readonly version: number;
  readonly attempt: number;
}

/** Entries are never searched for or removed: one whose job has changed since is recognised when it comes up. */
interface WakeUp {
  readonly dueMs: number;
  readonly id: string;
  readonly version: number;
}

const SPACE = 'jobs';
/** How many jobs are reconciled before others get their turn. */
const BATCH = 5;

/** The timer fires at least this often, so that a machine that slept or a clock that was set is noticed. */
const MAX_TIMER_MS = 30_000;

export function createEmbeddedScheduler<T, P>(deps: EmbeddedSchedulerDeps<T>): Scheduler<T, P> {
  const { store, clock, repeatStrategy, log, concurrency = 50 } = deps;
  const storedJobs = store.space<StoredJob<T, P>>(SPACE);
  const wakeUps = new TinyQueue<WakeUp>([], (a, b) => a.dueMs - b.dueMs);
  const live = new Map<string, LiveJob<T, P>>();
  const running = new Map<string, Promise<void>>();
  let versions = 0;
  let loaded: Promise<void> | undefined;
  let callRun: Run<T, P> | undefined;
  let cancelTimer = () => {};

  const nowMs = () => clock.now().epochMilliseconds;
  const load = () => {
    loaded ??= (async () => {
      for await (const [id, job] of store.list<StoredJob<T, P>>(SPACE)) enlist(id, job, 1, job.nextMs);
    })();
    return loaded;
  };

  /** Puts a job into memory, to be woken at `wakeMs`. Earlier wake-ups of the same job are outdated from now on. */
  function enlist(id: string, { timing, payload, nextMs }: StoredJob<T, P>, attempt: number, wakeMs: number): void {
    versions += 1;
    live.set(id, { timing, payload, nextMs, attempt, version: versions });
    wakeUps.push({ dueMs: wakeMs, id, version: versions });
  }

  /** Starts what is due, as far as the limit allows, then sets the timer for the next. */
  function tick(): void {
    cancelTimer();
    if (!callRun) return;
    for (let top = wakeUps.peek(); top; top = wakeUps.peek()) {
      const job = live.get(top.id);
      const outdated = job?.version !== top.version;
      if (!outdated && (top.dueMs > nowMs() || running.size >= concurrency)) break;
      wakeUps.pop();
      if (outdated || !job) continue;
      const done = perform(top.id, job, callRun).finally(() => {
        running.delete(top.id);
        tick();
      });
      running.set(top.id, done);
    }
    const dueMs = wakeUps.peek()?.dueMs;
    if (dueMs === undefined || running.size >= concurrency) return;
    cancelTimer = clock.after(Math.min(Math.max(0, dueMs - nowMs()), MAX_TIMER_MS), tick);
  }

  async function perform(id: string, job: LiveJob<T, P>, run: Run<T, P>): Promise<void> {
    let outcome: RunOutcome;
    try {
      const context = contextFor(repeatStrategy, job.timing, job.nextMs, clock.now(), job.attempt);
      outcome = await run({ id, timing: job.timing, payload: job.payload }, context);
      if (outcome === 'done') await advance(id, job, context.due.at);
    } catch (error) {
      outcome = outcomeOfThrow(error, id, job.attempt, log);
    }
    // Changed or removed in the meantime: the newer entry decides.
    if (outcome === 'done' || live.get(id)?.version !== job.version) return;
    enlist(id, job, job.attempt + 1, nowMs() + outcome.retryAfterMs);
  }

  async function advance(id: string, job: LiveJob<T, P>, dueAt: Temporal.Instant): Promise<void> {
    if (live.get(id)?.version !== job.version) return;
    const next = { timing: job.timing, payload: job.payload, nextMs: nextMs(job.timing, dueAt) };
    await storedJobs.set(id, next);
    if (live.get(id)?.version === job.version) enlist(id, next, 1, next.nextMs);
    else if (!live.has(id)) await storedJobs.delete(id);
  }

  const nextMs = (timing: T, after: Temporal.Instant) => repeatStrategy.next(timing, after).at.epochMilliseconds;

  async function put(job: NewJob<T, P>): Promise<void> {
    await load();
    const known = live.get(job.id);
    const sameTiming = known && same(known.timing, job.timing);
    const plannedMs = sameTiming ? known.nextMs : nextMs(job.timing, clock.now());
    // A run that is under way is not lost.
    const undoneMs = job.since && !running.has(job.id) ? nextMs(job.timing, job.since) : plannedMs;
    const next = Math.min(plannedMs, undoneMs);
    if (sameTiming && same(known.payload, job.payload) && next === known.nextMs) return;
    const stored = { timing: job.timing, payload: job.payload, nextMs: next };
    await storedJobs.set(job.id, stored);
    enlist(job.id, stored, 1, next);
    tick();
  }

  async function remove(id: string): Promise<void> {
    await load();
    live.delete(id);
    await storedJobs.delete(id);
  }

  return {
    put,
    remove,
    async nextRunAt(id) {
      await load();
      const job = live.get(id);
      return job && Temporal.Instant.fromEpochMilliseconds(job.nextMs);
    },
    async reconcile(jobs) {
      await load();
      // Listed first: a job added while the others are read must not be removed.
      const surplus = new Set(live.keys());
      let count = 0;
      for await (const job of jobs) {
        surplus.delete(job.id);
        await put(job);
        count += 1;
        // Neither SQLite nor the arithmetic lets anything else happen in between.
        if (count % BATCH === 0) await nextTurn();
      }
      for (const id of surplus) await remove(id);
    },
    async start(run) {
      await load();
      callRun = run;
      tick();
    },
    async stop() {
      callRun = undefined;
      cancelTimer();
      await Promise.all(running.values());
    },
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
