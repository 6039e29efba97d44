/**
 * The delivery log of one digest, stored as one record: what's covered, what's being sent, what was sent. Pure functions
 * from one state to the next; the stored logs; and the record of one due time's message for `postExactlyOnce`.
 */
import { z } from 'zod';
import type { DigestOutcome } from '../../observability/observers.ts';
import type { DueTime, RunContext } from '../../scheduler/index.ts';
import { createValidRecords, storedInstant } from '../../store/create-store.ts';
import type { Records } from '../../store/store.ts';
import type { Range } from '../../time/index.ts';
import type { PauseReason } from '../delivery/outbox.ts';
import type { ComposedPost, PostRecord } from '../delivery/post-exactly-once.ts';

type DeliveryOutcome =
  /** Slack confirmed it. */
  | 'sent'
  /** The response was lost, and the message was found in the channel. */
  | 'found'
  /** A short message said that the digest could not be composed. */
  | 'apologised'
  /** It could not be delivered at all; the digest was paused. */
  | 'failed'
  /** It was never sent, and a later run covers its time. */
  | 'superseded';

/**
 * What was reported of the end of a digest's window. Attacks can be logged later than that, so the next digest counts this
 * time again and adds the difference.
 */
export interface ReportedTail {
  readonly from: string;
  /** The end of the digest's window. */
  readonly to: string;
  /** `null` if the service had no number. */
  readonly requests: number | null;
  readonly attacks: number | null;
}

export interface RunEntry {
  /** Wall-clock name and instant of the due time. */
  readonly key: string;
  readonly due: string;
  /** When the outcome was known. */
  readonly at: string;
  readonly late: boolean;
  readonly outcome: DeliveryOutcome;
  readonly reason?: string;
  readonly ts?: string;
}

/** A message that's about to be posted, or may have been. */
interface OpenRun extends Pick<RunEntry, 'key' | 'due' | 'late'> {
  readonly runId: string;
  readonly from: string;
  readonly to: string;
  readonly tail?: ReportedTail | undefined;
  readonly apology: boolean;
  readonly sendingAt: string;
  readonly token: string;
}

export interface DeliveryLog {
  /** Everything before this has been reported. */
  readonly coveredTo?: string;
  /** Missing in the records of earlier versions and before the first digest. */
  readonly tail?: ReportedTail | undefined;
  readonly lastDue?: string;
  readonly lastKey?: string;
  readonly open?: OpenRun;
  /** Since when composing has failed; cleared as soon as something is posted. */
  readonly troubleSince?: string;
  readonly runs: readonly RunEntry[];
}

const HISTORY_LENGTH = 20;
const EMPTY_LOG: DeliveryLog = { runs: [] };

/** Whether a due time has had its run, by key or because a later one has. */
export function isDone(log: DeliveryLog, due: DueTime): boolean {
  return log.lastKey === due.key || (log.lastDue !== undefined && !isAfter(due.at, log.lastDue));
}

export interface Coverage {
  readonly window: Range;
  /** What the previous digest reported of the time just before the window. */
  readonly tail: ReportedTail | null;
}

/**
 * The time since the previous digest: no gap and no overlap, whatever happened in between. If that's empty, because a
 * digest was requested right after another, the time since `previousTo` is reported again.
 */
export function coverageOf(
  { coveredTo, tail }: DeliveryLog,
  to: Temporal.Instant,
  previousTo: Temporal.Instant,
): Coverage {
  if (coveredTo === undefined || !isAfter(to, coveredTo)) return { window: { from: previousTo, to }, tail: null };
  return { window: { from: Temporal.Instant.from(coveredTo), to }, tail: tail?.to === coveredTo ? tail : null };
}

/** Until when every due time has had its run; undefined before the first. */
export function completedUntil({ coveredTo, lastDue }: DeliveryLog): Temporal.Instant | undefined {
  return [coveredTo, lastDue]
    .flatMap((text) => (text === undefined ? [] : [Temporal.Instant.from(text)]))
    .sort(Temporal.Instant.compare)
    .at(-1);
}

/** Compare-and-set: returns the same log if the run is done or the log's mark isn't the one to replace. */
function withOpenRun(log: DeliveryLog, run: OpenRun, replacesToken: string | undefined): DeliveryLog {
  const due = { key: run.key, at: Temporal.Instant.from(run.due) };
  if (isDone(log, due) || (log.open !== undefined && log.open.token !== replacesToken)) return log;
  return { ...log, open: run };
}

/** Removes an attempt's mark: its message was definitely not posted. */
function withoutOpenRun(log: DeliveryLog, token: string): DeliveryLog {
  if (log.open?.token !== token) return log;
  const { open: _, ...rest } = log;
  return rest;
}

/** The message was posted: the run is over, and its time is covered unless the message was only an apology. */
function withDelivered(
  log: DeliveryLog,
  runId: string,
  { outcome, at, ts }: { outcome: 'sent' | 'found'; at: string; ts: string },
): DeliveryLog {
  const { open: run, troubleSince, ...rest } = log;
  if (run === undefined || run.runId !== runId) return log;
  const entry: RunEntry = {
    ...entryOf(run),
    at,
    outcome: run.apology ? 'apologised' : outcome,
    reason: run.apology && troubleSince !== undefined ? 'service' : undefined,
    ts,
  };
  // A digest that repeats covered time leaves what comes late to the next one.
  const isNew = log.coveredTo === undefined || isAfter(Temporal.Instant.from(run.to), log.coveredTo);
  const covered = run.apology || !isNew ? {} : { coveredTo: run.to, tail: run.tail };
  return { ...rest, ...covered, lastDue: run.due, lastKey: run.key, runs: appended(log.runs, entry) };
}

/** The run is over without a message. Its time stays uncovered, so a later run reports it. */
function withFailed(log: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { open: _, troubleSince: __, ...rest } = log;
  return { ...rest, lastDue: entry.due, lastKey: entry.key, runs: appended(log.runs, entry) };
}

/**
 * Nothing could be posted to the channel. The run isn't over and an unconfirmed message stays unconfirmed: both continue
 * when the digest is resumed, unless that time is skipped.
 */
function withUndeliverable(log: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { troubleSince: _, ...rest } = log;
  return { ...rest, runs: appended(log.runs, entry) };
}

/** The message of an earlier due time was never posted. The current run covers its time too. */
function withSuperseded(log: DeliveryLog, at: string): DeliveryLog {
  const { open, ...rest } = log;
  if (open === undefined) return log;
  return { ...rest, runs: appended(log.runs, { ...entryOf(open), at, outcome: 'superseded' }) };
}

/**
 * Not tied to one due time: with a short interval, the next one would always come before the apology. A run that
 * another process has finished in the meantime records no trouble.
 */
function withTrouble(log: DeliveryLog, since: string, due: DueTime): DeliveryLog {
  return log.troubleSince === undefined && !isDone(log, due) ? { ...log, troubleSince: since } : log;
}

/** Skips the due times up to one, for example those of a pause, and the time that its digest would have covered. */
function coveredFrom(
  { troubleSince: _, ...log }: DeliveryLog,
  dueAt: Temporal.Instant,
  to: Temporal.Instant,
): DeliveryLog {
  const isDue = log.lastDue !== undefined && !isAfter(dueAt, log.lastDue);
  const { open, tail: __, ...rest } = isDue ? log : { ...log, lastDue: dueAt.toString() };
  if (log.coveredTo !== undefined && !isAfter(to, log.coveredTo)) return { ...log, lastDue: rest.lastDue };
  const isSkipped = open !== undefined && !isAfter(Temporal.Instant.from(open.to), to.toString());
  return { ...rest, ...(isSkipped ? {} : { open }), coveredTo: to.toString() };
}

/**
 * After an edit: the due times of the new schedule up to one count as done, and what wasn't reported yet comes with the next
 * digest. What was reported of the end of the last window can't be compared with the numbers of other hosts.
 */
function withEdit({ tail, ...log }: DeliveryLog, latest: Temporal.Instant, hasSameHosts: boolean): DeliveryLog {
  const isLater = log.lastDue === undefined || isAfter(latest, log.lastDue);
  return {
    ...log,
    ...(hasSameHosts && { tail }),
    lastDue: isLater ? latest.toString() : log.lastDue,
  };
}

function entryOf({ key, due, late }: OpenRun): Pick<RunEntry, 'key' | 'due' | 'late'> {
  return { key, due, late };
}

function appended(runs: readonly RunEntry[], entry: RunEntry): readonly RunEntry[] {
  return [...runs, entry].slice(-HISTORY_LENGTH);
}

function isAfter(instant: Temporal.Instant, other: string): boolean {
  return Temporal.Instant.compare(instant, Temporal.Instant.from(other)) > 0;
}

const SPACE = 'ledgers';

const run = { key: z.string(), due: storedInstant, late: z.boolean() };
const deliveryLogSchema = z.object({
  coveredTo: storedInstant.optional(),
  tail: z.object({ from: storedInstant, to: storedInstant }).optional(),
  lastDue: storedInstant.optional(),
  lastKey: z.string().optional(),
  open: z
    .object({
      ...run,
      runId: z.string(),
      from: storedInstant,
      to: storedInstant,
      sendingAt: storedInstant,
      token: z.string(),
    })
    .optional(),
  troubleSince: storedInstant.optional(),
  runs: z.array(z.object({ ...run, at: storedInstant, outcome: z.string() })),
});

export interface ComposedDigest<M> extends ComposedPost<M> {
  readonly window: Range;
  readonly tail: ReportedTail | null;
  /** The message says that it is late. */
  readonly late: boolean;
  /** A short message in place of a digest that could not be composed or was refused. */
  readonly apology: boolean;
}

export function createDeliveryLogs(records: Records) {
  const stored = createValidRecords<DeliveryLog>(records, SPACE, deliveryLogSchema);
  const change = async (job: string, next: (log: DeliveryLog) => DeliveryLog): Promise<DeliveryLog> =>
    (await stored.update(job, (log) => next(log ?? EMPTY_LOG))) ?? EMPTY_LOG;
  return {
    read: async (job: string): Promise<DeliveryLog> => (await stored.get(job)) ?? EMPTY_LOG,
    change,
    startFrom: (job: string, dueAt: Temporal.Instant, to: Temporal.Instant) =>
      change(job, (log) => coveredFrom(log, dueAt, to)),
    edited: (job: string, latest: Temporal.Instant, hasSameHosts: boolean) =>
      change(job, (log) => withEdit(log, latest, hasSameHosts)),
    trouble: (job: string, since: string, due: DueTime) => change(job, (log) => withTrouble(log, since, due)),
    remove: (job: string) => stored.update(job, () => undefined),
  };
}

export type DeliveryLogs = ReturnType<typeof createDeliveryLogs>;

interface DeliveryRecordDeps<M> {
  readonly logs: DeliveryLogs;
  readonly now: () => Temporal.Instant;
  readonly job: string;
  readonly context: RunContext;
  readonly apologise: (window: Range, error: unknown) => M;
  readonly pause: (reason: PauseReason) => Promise<void>;
  readonly observe?: ((outcome: DigestOutcome) => void) | undefined;
}

export function createDeliveryRecord<M>(deps: DeliveryRecordDeps<M>): PostRecord<ComposedDigest<M>> {
  const { logs, now, job, context, apologise, pause, observe } = deps;
  const { due, late } = context;
  const change = (next: (log: DeliveryLog) => DeliveryLog) => logs.change(job, next);
  const at = () => now().toString();
  const thisRun = { key: due.key, due: due.at.toString(), late };
  const failure = (log: DeliveryLog, reason: string): RunEntry => {
    const run = log.open === undefined ? thisRun : entryOf(log.open);
    return { ...run, at: at(), outcome: 'failed', reason };
  };

  return {
    async unconfirmed() {
      const log = await logs.read(job);
      if (log.open === undefined || isDone(log, due)) return null;
      const { runId, sendingAt, token } = log.open;
      return { runId, sendingAt: Temporal.Instant.from(sendingAt), token };
    },
    found: ({ runId }, ts) => change((log) => withDelivered(log, runId, { outcome: 'found', at: at(), ts })),
    absent: ({ token }) =>
      change((log) => {
        const isEarlierRun = log.open?.token === token && log.open.key !== due.key;
        return isEarlierRun ? withSuperseded(log, at()) : log;
      }),
    async markSending({ runId, window, tail, apology, late: isLate }, { sendingAt, token }, replaces) {
      const open: OpenRun = {
        ...thisRun,
        late: isLate,
        runId,
        from: window.from.toString(),
        to: window.to.toString(),
        tail: tail ?? undefined,
        apology,
        sendingAt: sendingAt.toString(),
        token,
      };
      return (await change((log) => withOpenRun(log, open, replaces?.token))).open?.token === token;
    },
    async sent({ runId, apology, late: isLate }, ts) {
      observe?.(apology ? 'apologised' : isLate ? 'late' : 'sent');
      await change((log) => withDelivered(log, runId, { outcome: 'sent', at: at(), ts }));
    },
    notSent: ({ token }) => change((log) => withoutOpenRun(log, token)),
    async refused(composed, reason) {
      if (!composed.apology) {
        return { ...composed, message: apologise(composed.window, new Error(reason)), apology: true };
      }
      observe?.('failed');
      await change((log) => withFailed(log, failure(log, reason)));
      return 'done';
    },
    async undeliverable(reason) {
      observe?.('failed');
      await pause(reason);
      await change((log) => withUndeliverable(log, failure(log, reason)));
    },
  };
}
