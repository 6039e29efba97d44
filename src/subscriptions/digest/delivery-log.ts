/**
 * The delivery log of one digest, stored as one record: what's covered, what's being sent, what was sent. Pure functions
 * from one state to the next; `delivery-record.ts` applies them to the store.
 */
import type { DueTime } from '../../scheduler/index.ts';
import type { Range } from '../../time/index.ts';

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
export interface OpenRun extends Pick<RunEntry, 'key' | 'due' | 'late'> {
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
export const EMPTY_LOG: DeliveryLog = { runs: [] };

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
export function withOpenRun(log: DeliveryLog, run: OpenRun, replacesToken: string | undefined): DeliveryLog {
  const due = { key: run.key, at: Temporal.Instant.from(run.due) };
  if (isDone(log, due) || (log.open !== undefined && log.open.token !== replacesToken)) return log;
  return { ...log, open: run };
}

/** Removes an attempt's mark: its message was definitely not posted. */
export function withoutOpenRun(log: DeliveryLog, token: string): DeliveryLog {
  if (log.open?.token !== token) return log;
  const { open: _, ...rest } = log;
  return rest;
}

/** The message was posted: the run is over, and its time is covered unless the message was only an apology. */
export function withDelivered(
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
export function withFailed(log: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { open: _, troubleSince: __, ...rest } = log;
  return { ...rest, lastDue: entry.due, lastKey: entry.key, runs: appended(log.runs, entry) };
}

/**
 * Nothing could be posted to the channel. The run isn't over and an unconfirmed message stays unconfirmed: both continue
 * when the digest is resumed, unless that time is skipped.
 */
export function withUndeliverable(log: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { troubleSince: _, ...rest } = log;
  return { ...rest, runs: appended(log.runs, entry) };
}

/** The message of an earlier due time was never posted. The current run covers its time too. */
export function withSuperseded(log: DeliveryLog, at: string): DeliveryLog {
  const { open, ...rest } = log;
  if (open === undefined) return log;
  return { ...rest, runs: appended(log.runs, { ...entryOf(open), at, outcome: 'superseded' }) };
}

/** Not tied to one due time: with a short interval, the next one would always come before the apology. */
export function withTrouble(log: DeliveryLog, since: string): DeliveryLog {
  return log.troubleSince === undefined ? { ...log, troubleSince: since } : log;
}

/** Skips the due times up to one, for example those of a pause, and the time that its digest would have covered. */
export function coveredFrom(log: DeliveryLog, dueAt: Temporal.Instant, to: Temporal.Instant): DeliveryLog {
  const isDue = log.lastDue !== undefined && !isAfter(dueAt, log.lastDue);
  const { open, tail: _, ...rest } = isDue ? log : { ...log, lastDue: dueAt.toString() };
  if (log.coveredTo !== undefined && !isAfter(to, log.coveredTo)) return { ...log, lastDue: rest.lastDue };
  const isSkipped = open !== undefined && !isAfter(Temporal.Instant.from(open.to), to.toString());
  return { ...rest, ...(isSkipped ? {} : { open }), coveredTo: to.toString() };
}

export function entryOf({ key, due, late }: OpenRun): Pick<RunEntry, 'key' | 'due' | 'late'> {
  return { key, due, late };
}

function appended(runs: readonly RunEntry[], entry: RunEntry): readonly RunEntry[] {
  return [...runs, entry].slice(-HISTORY_LENGTH);
}

function isAfter(instant: Temporal.Instant, other: string): boolean {
  return Temporal.Instant.compare(instant, Temporal.Instant.from(other)) > 0;
}
