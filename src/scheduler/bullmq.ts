/**
 * The scheduler for any number of replicas: BullMQ job schedulers on Redis, with our repeat strategy in place of cron. Each
 * due time is a delayed job that one worker takes; a worker that dies loses its lock and another takes the job over.
 */
import { type Job as BullJob, DelayedError, type JobSchedulerJson, Queue, Worker } from 'bullmq';
import { type Clock, systemClock, withTimeout } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { closeClient, connectRedis, ignoreErrors, lost, trackDuplicates, unavailable } from '../store/redis/connect.ts';
import {
  contextFor,
  type Job,
  type NewJob,
  outcomeOfThrow,
  type RepeatStrategy,
  type RunContext,
  type RunOutcome,
  type Scheduler,
} from './scheduler.ts';

/** Of a job's scheduler in BullMQ, what tells whether it is in order. */
type StoredScheduler = Pick<JobSchedulerJson<string>, 'pattern' | 'next' | 'template'>;

interface RunData<T, P> extends Pick<Job<T, P>, 'timing' | 'payload'> {
  /** Of a run that was brought back; any other has them from its scheduler. */
  readonly id?: string;
  readonly dueMs?: number;
}

interface BullmqSchedulerDeps<T> {
  readonly url: string;
  readonly clock: Clock;
  readonly repeatStrategy: RepeatStrategy<T>;
  readonly log: Logger;
  /** How many runs one replica may have under way at once. */
  readonly concurrency?: number;
  /** A replica silent for this long loses its runs to the others. */
  readonly lockMs?: number;
  /** How often lost runs are looked for. With BullMQ's default of 30 s the due time after a lost run was sometimes missed. */
  readonly stallCheckMs?: number;
  /** How long a stop waits for runs under way and for a Redis that does not answer. */
  readonly stopLimitMs?: number;
}

/**
 * BullMQ counts it as a failed attempt when it cannot even put a run off, because its connection breaks at that moment. A
 * run must survive any number of them.
 */
const RUN_OPTIONS = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 5_000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/** The id that BullMQ gives to a scheduler's run. */
const runIdOf = (id: string, dueMs: number): string => `repeat:${id}:${dueMs}`;

const QUEUE = 'jobs';
const PREFIX = 'wafbot-engine';
/** How many jobs are reconciled at the same time, and how many are listed. */
const BATCH = 10;
const PAGE = 50;
/** BullMQ's blocking read is silent for up to ten seconds. */
const SILENCE_MS = 30_000;
const CALL_LIMIT_MS = 5_000;
/** Longer than any run takes to finish or to fail. */
const STOP_LIMIT_MS = 10_000;

export async function createBullmqScheduler<T, P>(deps: BullmqSchedulerDeps<T>): Promise<Scheduler<T, P>> {
  const {
    url,
    clock,
    repeatStrategy,
    log,
    concurrency = 50,
    lockMs = 30_000,
    stallCheckMs = 5_000,
    stopLimitMs = STOP_LIMIT_MS,
  } = deps;
  // Two connections: while Redis is away, calls for people fail at once and the worker waits.
  const client = await connectRedis(url, log, { waitUntilReachable: true });
  const workerClient = await connectRedis(url, log, {
    waitUntilReachable: true,
    queueWhileAway: true,
    silenceMs: SILENCE_MS,
  });
  // The timing travels as BullMQ's "pattern", which is opaque to it once there is a strategy of our own.
  const settings = {
    repeatStrategy(afterMs: number, { pattern }: { pattern?: string }): number | undefined {
      try {
        const after = Temporal.Instant.fromEpochMilliseconds(afterMs);
        return repeatStrategy.next(timingOf(pattern), after).at.epochMilliseconds;
      } catch (error) {
        // A throw would make BullMQ take the same run up again and again.
        log.error({ error }, 'the next run of a job cannot be computed');
        return undefined;
      }
    },
  };
  const blocking = trackDuplicates(workerClient);
  const timingOf = (pattern: string | undefined): T => JSON.parse(pattern ?? 'null');
  const queue = new Queue<string>(QUEUE, { connection: client, prefix: PREFIX, settings });
  queue.on('error', () => undefined);
  let worker: Worker<string> | undefined;
  const dataOf = ({ timing, payload }: Job<T, P>): string => {
    const data: RunData<T, P> = { timing, payload };
    return JSON.stringify(data);
  };

  /** `seen` is the job's scheduler as a list had it a moment ago, which saves a look. */
  async function put(job: NewJob<T, P>, seen?: StoredScheduler): Promise<void> {
    // Upserting an equal scheduler would delete the late run that is waiting in it.
    if (!(await isInOrder(job, seen)) && !(await isInOrder(job, await queue.getJobScheduler(job.id)))) {
      const template = { name: 'run', data: dataOf(job), opts: RUN_OPTIONS };
      await queue.upsertJobScheduler(job.id, { pattern: JSON.stringify(job.timing) }, template);
    }
    await bringBack(job);
  }

  async function isInOrder(job: NewJob<T, P>, stored: StoredScheduler | undefined): Promise<boolean> {
    if (stored?.pattern !== JSON.stringify(job.timing) || stored.template?.data !== dataOf(job)) return false;
    if (!stored.next) return false;
    // Of the version before. A late run that waits in it comes first.
    const isOutdated = stored.template.opts?.attempts !== RUN_OPTIONS.attempts;
    if (isOutdated && stored.next > clock.now().epochMilliseconds) return false;
    return (await queue.getJob(runIdOf(job.id, stored.next))) !== undefined;
  }

  /** Adds a run for a due time that has passed without one, unless it is still waiting or under way. */
  async function bringBack({ id, timing, payload, since }: NewJob<T, P>): Promise<void> {
    if (since === undefined) return;
    const { epochMilliseconds: undoneMs } = repeatStrategy.next(timing, since).at;
    if (undoneMs > clock.now().epochMilliseconds || (await queue.getJob(runIdOf(id, undoneMs)))) return;
    const lost: RunData<T, P> = { timing, payload, id, dueMs: undoneMs };
    // Adding the same id again, here or from another replica, changes nothing.
    await queue.add('run', JSON.stringify(lost), { ...RUN_OPTIONS, jobId: `undone/${id}/${undoneMs}` });
  }

  function contextIfPossible(timing: T, nominalMs: number, attempt: number, id: string): RunContext | null {
    try {
      return contextFor(repeatStrategy, timing, nominalMs, clock.now(), attempt);
    } catch (error) {
      log.error({ job: id, error }, 'the due time of a job cannot be computed');
      return null;
    }
  }

  async function process(
    job: BullJob<string>,
    token: string | undefined,
    run: Parameters<Scheduler<T, P>['start']>[0],
  ) {
    const data: RunData<T, P> = JSON.parse(job.data);
    const { timing, payload, id = job.repeatJobKey ?? '' } = data;
    const nominalMs = data.dueMs ?? job.opts.prevMillis ?? job.timestamp + (job.opts.delay ?? 0);
    let outcome: RunOutcome;
    try {
      // Where the due time cannot be computed there is nothing to run; reconciliation brings it back if that changes.
      const context = contextIfPossible(timing, nominalMs, job.attemptsStarted, id);
      outcome = context === null ? 'done' : await run({ id, timing, payload }, context);
    } catch (error) {
      outcome = outcomeOfThrow(error, id, job.attemptsStarted, log);
    }
    if (outcome === 'done') return;
    // BullMQ uses the machine's clock, whatever `clock` says.
    await job.moveToDelayed(Date.now() + outcome.retryAfterMs, token);
    throw new DelayedError();
  }

  /** In parts, so that reading many does not hold up everything else. One that moves meanwhile may be missing. */
  async function listSchedulers(): Promise<Map<string, StoredScheduler>> {
    const listed = new Map<string, StoredScheduler>();
    for (let from = 0; ; from += PAGE) {
      const page = await queue.getJobSchedulers(from, from + PAGE - 1, true);
      for (const scheduler of page) listed.set(scheduler.key, scheduler);
      if (page.length < PAGE) return listed;
    }
  }

  async function reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>): Promise<void> {
    // Listed first: a job that another replica adds meanwhile must not be removed.
    const known = await listSchedulers();
    const surplus = new Set(known.keys());
    let batch: Promise<void>[] = [];
    for await (const job of jobs) {
      surplus.delete(job.id);
      batch.push(put(job, known.get(job.id)));
      if (batch.length < BATCH) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
    for (const key of surplus) await queue.removeJobScheduler(key);
  }

  async function nextRunAt(id: string): Promise<Temporal.Instant | undefined> {
    const next = (await queue.getJobScheduler(id))?.next;
    return next ? Temporal.Instant.fromEpochMilliseconds(next) : undefined;
  }

  /** BullMQ would wait for a connection before it sends anything; a call for people fails at once instead. */
  async function reachable<R>(work: () => Promise<R>): Promise<R> {
    if (!client.isReady) throw unavailable(new Error('away'));
    try {
      return await work();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** A connection that died unnoticed still looks ready; a call about one job does not wait for it to come back. */
  function promptly<R>(work: () => Promise<R>): Promise<R> {
    return reachable(() =>
      withTimeout(systemClock, CALL_LIMIT_MS, work, () => {
        throw new Error('no answer');
      }),
    );
  }

  return {
    put: (job) => promptly(() => put(job)),
    remove: (id) =>
      promptly(async () => {
        await queue.removeJobScheduler(id);
      }),
    nextRunAt: (id) => promptly(() => nextRunAt(id)),
    reconcile: (jobs) => reachable(() => reconcile(jobs)),
    async start(run) {
      worker = new Worker<string>(QUEUE, (job, token) => process(job, token, run), {
        connection: workerClient,
        prefix: PREFIX,
        settings,
        concurrency,
        lockDuration: lockMs,
        stalledInterval: stallCheckMs,
        // Every crash counts as a stall; a job must survive any number of them.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: 1_000,
      });
      worker.on('error', (error) => {
        if (workerClient.isReady) log.warn({ reason: error.name }, 'the job queue reports a fault');
      });
      await worker.waitUntilReady();
    },
    async stop() {
      // BullMQ stops listening while its connections can still fail, and an `error` without a listener ends the process.
      for (const connection of [client, workerClient, ...blocking]) ignoreErrors(connection);
      const closed = Promise.allSettled([worker?.close(), queue.close()]);
      // While Redis is away BullMQ would wait for it for ever; the delivery log takes up whatever is under way.
      await withTimeout(
        systemClock,
        stopLimitMs,
        () => Promise.race([closed, lost(workerClient)]),
        () => undefined,
      );
      await Promise.all([client, workerClient].map(closeClient));
    },
  };
}
