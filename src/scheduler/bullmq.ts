/**
 * The scheduler for any number of replicas: BullMQ job schedulers on Redis, with our repeat strategy instead of cron. Each
 * due time is a delayed job that one worker takes; if a worker dies, its lock expires and another takes the job over.
 */
import { type Job as BullJob, DelayedError, type JobSchedulerJson, Queue, Worker } from 'bullmq';
import { systemClock, withTimeout } from '../clock.ts';
import {
  closeClient,
  connectRedis,
  ignoreErrors,
  lost,
  type RedisClient,
  trackDuplicates,
  unavailable,
} from '../store/redis/connect.ts';
import {
  contextFor,
  type EngineDeps,
  type Job,
  type NewJob,
  outcomeOfThrow,
  type Run,
  type RunContext,
  type RunOutcome,
  type Scheduler,
} from './scheduler.ts';

/** The part of a BullMQ job scheduler that shows whether it's up to date. */
type StoredScheduler = Pick<JobSchedulerJson<string>, 'pattern' | 'next' | 'template'>;

interface RunData<T, P> extends Pick<Job<T, P>, 'timing' | 'payload'> {
  /** Only for a recovered run; any other gets them from its job scheduler. */
  readonly id?: string;
  readonly dueMs?: number;
}

export interface BullmqSchedulerDeps<T> extends EngineDeps<T> {
  readonly url: string;
  /** A replica silent for this long loses its runs to the others. */
  readonly lockMs?: number;
  /** How often to check for stalled runs. With BullMQ's default of 30 s, the due time after a lost run was sometimes missed. */
  readonly stallCheckMs?: number;
  /** How long `stop` waits for runs in progress and for an unreachable Redis. */
  readonly stopLimitMs?: number;
}

/** BullMQ counts a connection that breaks while a run is being postponed as a failed attempt. A run survives any number. */
const RUN_OPTIONS = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 5_000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/** The ID that BullMQ gives to a scheduled run. */
const runIdOf = (id: string, dueMs: number): string => `repeat:${id}:${dueMs}`;

const QUEUE = 'jobs';
const PREFIX = 'wafbot-engine';
/** How many jobs are reconciled at once, and how many are listed at once. */
const BATCH = 10;
const PAGE = 50;
/** BullMQ's blocking read can be silent for up to ten seconds. */
const SILENCE_MS = 30_000;
const CALL_LIMIT_MS = 5_000;
/** Longer than any run takes. */
const STOP_LIMIT_MS = 10_000;

export async function createBullmqScheduler<T, P>(deps: BullmqSchedulerDeps<T>): Promise<Scheduler<T, P>> {
  const { url, log, stopLimitMs = STOP_LIMIT_MS } = deps;
  // Two connections: while Redis is away, calls on behalf of people fail at once and the worker waits.
  const client = await connectRedis(url, log, { waitUntilReachable: true });
  const workerClient = await connectRedis(url, log, {
    waitUntilReachable: true,
    queueWhileAway: true,
    silenceMs: SILENCE_MS,
  });
  const blocking = trackDuplicates(workerClient);
  const settings = repeatSettings(deps);
  const queue = new Queue<string>(QUEUE, { connection: client, prefix: PREFIX, settings });
  // Failed calls throw, and `connectRedis` logs connection trouble.
  queue.on('error', () => undefined);
  const jobs = createQueuedJobs<T, P>(deps, queue);
  let worker: Worker<string> | undefined;

  /** BullMQ would wait for a connection before sending anything; a call on behalf of people fails at once instead. */
  async function reachable<R>(work: () => Promise<R>): Promise<R> {
    if (!client.isReady) throw unavailable(new Error('away'));
    try {
      return await work();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** A connection that died unnoticed still looks ready, so calls about one job have a time limit. */
  function promptly<R>(work: () => Promise<R>): Promise<R> {
    return reachable(() =>
      withTimeout(systemClock, CALL_LIMIT_MS, work, () => {
        throw new Error('timeout');
      }),
    );
  }

  return {
    put: (job) => promptly(() => jobs.put(job)),
    remove: (id) => promptly(() => jobs.remove(id)),
    nextRunAt: (id) => promptly(() => jobs.nextRunAt(id)),
    reconcile: (expected) => reachable(() => jobs.reconcile(expected)),
    async start(run) {
      worker = startWorker(deps, workerClient, settings, run);
      await worker.waitUntilReady();
    },
    async stop() {
      // BullMQ stops listening while its connections can still fail, and an unhandled `error` ends the process.
      for (const connection of [client, workerClient, ...blocking]) ignoreErrors(connection);
      const closed = Promise.allSettled([worker?.close(), queue.close()]);
      // While Redis is away, BullMQ would wait for it forever. The delivery log resumes whatever is in progress.
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

/** The timing travels as BullMQ's "pattern", which BullMQ doesn't interpret when given a repeat strategy. */
function repeatSettings<T>({ repeatStrategy, log }: BullmqSchedulerDeps<T>) {
  return {
    repeatStrategy(afterMs: number, { pattern }: { pattern?: string }): number | undefined {
      try {
        const timing: T = JSON.parse(pattern ?? 'null');
        return repeatStrategy.next(timing, Temporal.Instant.fromEpochMilliseconds(afterMs)).at.epochMilliseconds;
      } catch (err) {
        // A throw would make BullMQ retry the same run forever.
        log.error({ err }, 'could not compute the next run of a job');
        return undefined;
      }
    },
  };
}

function createQueuedJobs<T, P>({ clock, repeatStrategy }: BullmqSchedulerDeps<T>, queue: Queue<string>) {
  const nowMs = () => clock.now().epochMilliseconds;
  const dataOf = ({ timing, payload }: Job<T, P>): string => {
    const data: RunData<T, P> = { timing, payload };
    return JSON.stringify(data);
  };

  /** `listed` is the job scheduler from a recent listing, which saves a call. */
  async function put(job: NewJob<T, P>, listed?: StoredScheduler): Promise<void> {
    // Upserting an equal scheduler would delete the late run that's waiting in it.
    if (!(await isUpToDate(job, listed)) && !(await isUpToDate(job, await queue.getJobScheduler(job.id)))) {
      const template = { name: 'run', data: dataOf(job), opts: RUN_OPTIONS };
      await queue.upsertJobScheduler(job.id, { pattern: JSON.stringify(job.timing) }, template);
    }
    await recoverLostRun(job);
  }

  async function isUpToDate(job: NewJob<T, P>, stored: StoredScheduler | undefined): Promise<boolean> {
    if (stored?.pattern !== JSON.stringify(job.timing) || stored.template?.data !== dataOf(job)) return false;
    if (!stored.next) return false;
    // Options of the previous version are replaced, but not while a late run waits in the scheduler.
    const isOutdated = stored.template.opts?.attempts !== RUN_OPTIONS.attempts;
    if (isOutdated && stored.next > nowMs()) return false;
    return (await queue.getJob(runIdOf(job.id, stored.next))) !== undefined;
  }

  /** Adds a run for a due time that passed without one, unless that run is waiting or in progress. */
  async function recoverLostRun({ id, timing, payload, since }: NewJob<T, P>): Promise<void> {
    if (since === undefined) return;
    const { epochMilliseconds: dueMs } = repeatStrategy.next(timing, since).at;
    if (dueMs > nowMs() || (await queue.getJob(runIdOf(id, dueMs)))) return;
    const lostRun: RunData<T, P> = { timing, payload, id, dueMs };
    // Adding the same ID again, here or on another replica, changes nothing.
    await queue.add('run', JSON.stringify(lostRun), { ...RUN_OPTIONS, jobId: `undone/${id}/${dueMs}` });
  }

  async function reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>): Promise<void> {
    // Listed first: a job that another replica adds during the loop must not be removed.
    const known = await listSchedulers(queue);
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

  return {
    put: (job: NewJob<T, P>) => put(job),
    reconcile,
    async remove(id: string): Promise<void> {
      await queue.removeJobScheduler(id);
    },
    async nextRunAt(id: string): Promise<Temporal.Instant | undefined> {
      const next = (await queue.getJobScheduler(id))?.next;
      return next ? Temporal.Instant.fromEpochMilliseconds(next) : undefined;
    },
  };
}

/** Page by page, so that reading many doesn't block other calls. A scheduler that moves during it may be missing. */
async function listSchedulers(queue: Queue<string>): Promise<Map<string, StoredScheduler>> {
  const listed = new Map<string, StoredScheduler>();
  for (let from = 0; ; from += PAGE) {
    const page = await queue.getJobSchedulers(from, from + PAGE - 1, true);
    for (const scheduler of page) listed.set(scheduler.key, scheduler);
    if (page.length < PAGE) return listed;
  }
}

function startWorker<T, P>(
  deps: BullmqSchedulerDeps<T>,
  connection: RedisClient,
  settings: ReturnType<typeof repeatSettings>,
  run: Run<T, P>,
): Worker<string> {
  const { log, concurrency = 50, lockMs = 30_000, stallCheckMs = 5_000 } = deps;
  const worker = new Worker<string>(QUEUE, (job, token) => perform(deps, run, job, token), {
    connection,
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
    if (connection.isReady) log.warn({ reason: error.name }, 'job queue error');
  });
  return worker;
}

async function perform<T, P>(
  deps: BullmqSchedulerDeps<T>,
  run: Run<T, P>,
  job: BullJob<string>,
  token: string | undefined,
): Promise<void> {
  const data: RunData<T, P> = JSON.parse(job.data);
  const { timing, payload, id = job.repeatJobKey ?? '' } = data;
  const nominalMs = data.dueMs ?? job.opts.prevMillis ?? job.timestamp + (job.opts.delay ?? 0);
  let outcome: RunOutcome;
  try {
    // Without a due time there's nothing to run; reconciliation recovers the run if that changes.
    const context = contextOrNull(deps, timing, nominalMs, job.attemptsStarted, id);
    outcome = context === null ? 'done' : await run({ id, timing, payload }, context);
  } catch (error) {
    outcome = outcomeOfThrow(error, id, job.attemptsStarted, deps.log);
  }
  if (outcome === 'done') return;
  // BullMQ uses the machine's clock, whatever `clock` says.
  await job.moveToDelayed(Date.now() + outcome.retryAfterMs, token);
  throw new DelayedError();
}

function contextOrNull<T>(
  { repeatStrategy, clock, log }: BullmqSchedulerDeps<T>,
  timing: T,
  nominalMs: number,
  attempt: number,
  id: string,
): RunContext | null {
  try {
    return contextFor(repeatStrategy, timing, nominalMs, clock.now(), attempt);
  } catch (err) {
    log.error({ job: id, err }, 'could not compute the due time of a job');
    return null;
  }
}
