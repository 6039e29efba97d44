/**
 * The scheduler for a single process: jobs in the store, due times in memory, one timer. A job's next due time is written
 * only after its run is done, so after a crash the same run is due again.
 */
import TinyQueue from 'tinyqueue';
import { nextTurn } from '../clock.ts';
import type { Store } from '../store/store.ts';
import {
  contextFor,
  type EngineDeps,
  type NewJob,
  outcomeOfThrow,
  type Run,
  type RunOutcome,
  type Scheduler,
} from './scheduler.ts';

interface EmbeddedSchedulerDeps<T> extends EngineDeps<T> {
  readonly store: Pick<Store, 'space' | 'list'>;
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

/** Entries are never removed from the queue; one whose job has changed since is skipped when it comes up. */
interface WakeUp {
  readonly dueMs: number;
  readonly id: string;
  readonly version: number;
}

const SPACE = 'jobs';
/** How many jobs are reconciled before other work gets the event loop. */
const BATCH = 5;

/** The timer fires at least this often, to notice that the machine slept or that the clock was set. */
const MAX_TIMER_MS = 30_000;

export function createEmbeddedScheduler<T, P>(deps: EmbeddedSchedulerDeps<T>): Scheduler<T, P> {
  const { store, clock, repeatStrategy } = deps;
  const storedJobs = store.space<StoredJob<T, P>>(SPACE);
  const live = createLiveJobs<T, P>();
  const runner = createRunner<T, P>(deps, live, storedJobs);
  let loading: Promise<void> | undefined;

  const nextMs = (timing: T, after: Temporal.Instant) => repeatStrategy.next(timing, after).at.epochMilliseconds;

  function load(): Promise<void> {
    loading ??= (async () => {
      for await (const [id, job] of store.list<StoredJob<T, P> | null>(SPACE)) {
        // A damaged job is left out: reconciliation creates it again from its subscription.
        if (Number.isFinite(job?.nextMs) && job !== null) live.enlist(id, job, 1, job.nextMs);
      }
    })();
    return loading;
  }

  async function put(job: NewJob<T, P>): Promise<void> {
    await load();
    const known = live.get(job.id);
    const sameTiming = known && same(known.timing, job.timing);
    const plannedMs = sameTiming ? known.nextMs : nextMs(job.timing, clock.now());
    // A run in progress isn't lost.
    const missedMs = job.since && !runner.isRunning(job.id) ? nextMs(job.timing, job.since) : plannedMs;
    const next = Math.min(plannedMs, missedMs);
    if (sameTiming && same(known.payload, job.payload) && next === known.nextMs) return;
    const stored = { timing: job.timing, payload: job.payload, nextMs: next };
    await storedJobs.set(job.id, stored);
    live.enlist(job.id, stored, 1, next);
    runner.tick();
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
      // Listed first: a job added during the loop must not be removed.
      const surplus = new Set(live.ids());
      let count = 0;
      for await (const job of jobs) {
        surplus.delete(job.id);
        await put(job);
        count += 1;
        // SQLite and the arithmetic are synchronous and would otherwise block everything else.
        if (count % BATCH === 0) await nextTurn();
      }
      for (const id of surplus) await remove(id);
    },
    async start(run) {
      await load();
      runner.start(run);
    },
    stop: () => runner.stop(),
  };
}

/** The jobs in memory, and when to wake them. */
function createLiveJobs<T, P>() {
  const jobs = new Map<string, LiveJob<T, P>>();
  const wakeUps = new TinyQueue<WakeUp>([], (a, b) => a.dueMs - b.dueMs);
  let versions = 0;
  return {
    get: (id: string) => jobs.get(id),
    ids: () => jobs.keys(),
    delete: (id: string) => jobs.delete(id),
    isCurrent: (id: string, { version }: LiveJob<T, P>): boolean => jobs.get(id)?.version === version,
    /** Adds or replaces a job, to be woken at `wakeMs`. Its earlier wake-ups become outdated. */
    enlist(id: string, { timing, payload, nextMs }: StoredJob<T, P>, attempt: number, wakeMs: number): void {
      versions += 1;
      jobs.set(id, { timing, payload, nextMs, attempt, version: versions });
      wakeUps.push({ dueMs: wakeMs, id, version: versions });
    },
    /** The next job to wake. */
    next(): { readonly id: string; readonly job: LiveJob<T, P>; readonly dueMs: number } | undefined {
      for (let top = wakeUps.peek(); top; top = wakeUps.peek()) {
        const job = jobs.get(top.id);
        if (job?.version === top.version) return { id: top.id, job, dueMs: top.dueMs };
        wakeUps.pop();
      }
      return undefined;
    },
    /** Takes the job that `next` returned off the queue. */
    take: () => void wakeUps.pop(),
  };
}

type LiveJobs<T, P> = ReturnType<typeof createLiveJobs<T, P>>;

function createRunner<T, P>(
  { clock, repeatStrategy, log, concurrency = 50 }: EmbeddedSchedulerDeps<T>,
  live: LiveJobs<T, P>,
  storedJobs: Pick<ReturnType<Store['space']>, 'set' | 'delete'>,
) {
  const running = new Map<string, Promise<void>>();
  let callRun: Run<T, P> | undefined;
  let cancelTimer = () => {};
  const nowMs = () => clock.now().epochMilliseconds;

  /** Starts what's due, within the concurrency limit, then sets the timer for the next. */
  function tick(): void {
    cancelTimer();
    if (!callRun) return;
    let next = live.next();
    for (; next && next.dueMs <= nowMs() && running.size < concurrency; next = live.next()) {
      const { id, job } = next;
      live.take();
      const done = perform(id, job, callRun).finally(() => {
        running.delete(id);
        tick();
      });
      running.set(id, done);
    }
    if (next === undefined || running.size >= concurrency) return;
    cancelTimer = clock.after(Math.min(Math.max(0, next.dueMs - nowMs()), MAX_TIMER_MS), tick);
  }

  async function perform(id: string, job: LiveJob<T, P>, run: Run<T, P>): Promise<void> {
    const { timing, payload, nextMs, attempt } = job;
    let outcome: RunOutcome;
    try {
      const context = contextFor(repeatStrategy, timing, nextMs, clock.now(), attempt);
      outcome = await run({ id, timing, payload }, context);
      if (outcome === 'done') await advance(id, job, context.due.at);
    } catch (error) {
      outcome = outcomeOfThrow(error, id, attempt, log);
    }
    // If the job was changed or removed during the run, its newer entry decides.
    if (outcome === 'done' || !live.isCurrent(id, job)) return;
    live.enlist(id, job, attempt + 1, nowMs() + outcome.retryAfterMs);
  }

  async function advance(id: string, job: LiveJob<T, P>, dueAt: Temporal.Instant): Promise<void> {
    if (!live.isCurrent(id, job)) return;
    const { timing, payload } = job;
    const next = { timing, payload, nextMs: repeatStrategy.next(timing, dueAt).at.epochMilliseconds };
    await storedJobs.set(id, next);
    if (live.isCurrent(id, job)) live.enlist(id, next, 1, next.nextMs);
    else if (live.get(id) === undefined) await storedJobs.delete(id);
  }

  return {
    tick,
    isRunning: (id: string): boolean => running.has(id),
    start(run: Run<T, P>): void {
      callRun = run;
      tick();
    },
    async stop(): Promise<void> {
      callRun = undefined;
      cancelTimer();
      await Promise.all(running.values());
    },
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
