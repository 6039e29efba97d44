/**
 * How the runs of one subscription went, in one record that changes in one step: what is covered, what is being sent, what
 * was sent. All that "exactly once" rests on is here, as pure changes from one state to the next.
 */
import type { Range } from '../../time/index.ts';
import type { Due } from '../recurrence/due-times.ts';

export type Outcome =
  /** Slack said ok. */
  | 'sent'
  /** The answer was lost, the message was found in the channel. */
  | 'found'
  /** A short message said that the digest could not be made. */
  | 'apologised'
  /** It can not be delivered at all; the subscription was paused. */
  | 'failed'
  /** It never went out, and a later run covers its time. */
  | 'superseded';

export interface RunEntry {
  /** Wall-clock name and instant of the due time. */
  readonly key: string;
  readonly due: string;
  /** When the outcome was known. */
  readonly at: string;
  readonly late: boolean;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly ts?: string;
}

/** A message that is about to be posted, or may have been. */
export interface OpenRun {
  readonly key: string;
  readonly due: string;
  readonly runId: string;
  readonly from: string;
  readonly to: string;
  readonly late: boolean;
  readonly apology: boolean;
  readonly sendingAt: string;
  /** Whose attempt it is; a finisher that finds another's token has been overtaken. */
  readonly token: string;
}

export interface DeliveryLog {
  /** Everything before this has been told. */
  readonly coveredTo?: string;
  readonly lastDue?: string;
  readonly lastKey?: string;
  readonly open?: OpenRun;
  /** Since when no digest can be made; over as soon as something is posted. */
  readonly troubleSince?: string;
  readonly runs: readonly RunEntry[];
}

export const HISTORY = 20;
export const emptyDeliveryLog: DeliveryLog = { runs: [] };

/** Whether a due time has had its run: by name, or because a later one has. */
export function isDone(deliveryLog: DeliveryLog, due: Due): boolean {
  return (
    deliveryLog.lastKey === due.key || (deliveryLog.lastDue !== undefined && !isAfter(due.at, deliveryLog.lastDue))
  );
}

/**
 * The time since the previous digest: no gap and no overlap, whatever happened in between. Only when there is no such
 * time, because one is asked for by hand right after another, the period before is told again.
 */
export function windowOf(deliveryLog: DeliveryLog, to: Temporal.Instant, previousDueAt: Temporal.Instant): Range {
  const fresh = deliveryLog.coveredTo !== undefined && isAfter(to, deliveryLog.coveredTo);
  return { from: fresh ? Temporal.Instant.from(deliveryLog.coveredTo ?? to) : previousDueAt, to };
}

export function settledUntil({ coveredTo, lastDue }: DeliveryLog): Temporal.Instant | undefined {
  const [first, ...others] = [coveredTo, lastDue].flatMap((text) => (text ? [Temporal.Instant.from(text)] : []));
  return others.reduce((latest, one) => (latest && Temporal.Instant.compare(latest, one) > 0 ? latest : one), first);
}

/** Marks a message as being posted. Hands the same deliveryLog back when another attempt is open or the run is done. */
export function opened(deliveryLog: DeliveryLog, run: OpenRun): DeliveryLog {
  const due = { key: run.key, at: Temporal.Instant.from(run.due) };
  if (isDone(deliveryLog, due) || (deliveryLog.open && deliveryLog.open.runId !== run.runId)) return deliveryLog;
  return { ...deliveryLog, open: run };
}

/** Takes the mark back: the message was certainly not posted. */
export function notSent(deliveryLog: DeliveryLog, token: string): DeliveryLog {
  if (deliveryLog.open?.token !== token) return deliveryLog;
  const { open: _, ...rest } = deliveryLog;
  return rest;
}

/** The message is out: the run is over and its time is covered, unless it only was an apology. */
export function delivered(
  deliveryLog: DeliveryLog,
  run: OpenRun,
  outcome: 'sent' | 'found',
  at: string,
  ts: string,
): DeliveryLog {
  if (deliveryLog.open?.runId !== run.runId) return deliveryLog;
  const { open: _, troubleSince: __, ...rest } = deliveryLog;
  const entry: RunEntry = {
    key: run.key,
    due: run.due,
    at,
    late: run.late,
    outcome: run.apology ? 'apologised' : outcome,
    ...(run.apology && deliveryLog.troubleSince !== undefined ? { reason: 'service' } : {}),
    ts,
  };
  return {
    ...rest,
    ...(run.apology ? {} : { coveredTo: run.to }),
    lastDue: run.due,
    lastKey: run.key,
    runs: logged(deliveryLog.runs, entry),
  };
}

/** The run is over without a message; its time stays uncovered, so a later run tells of it. */
export function gaveUp(deliveryLog: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { open: _, troubleSince: __, ...rest } = deliveryLog;
  return { ...rest, lastDue: entry.due, lastKey: entry.key, runs: logged(deliveryLog.runs, entry) };
}

/** An earlier message turned out not to be there. It gets no run of its own any more: the one at hand covers it. */
export function superseded(deliveryLog: DeliveryLog, entry: RunEntry): DeliveryLog {
  const { open: _, ...rest } = deliveryLog;
  return { ...rest, runs: logged(deliveryLog.runs, entry) };
}

/** Not bound to one due time: with a short interval the next one would come before patience is over, again and again. */
export function troubled(deliveryLog: DeliveryLog, since: string): DeliveryLog {
  return deliveryLog.troubleSince === undefined ? { ...deliveryLog, troubleSince: since } : deliveryLog;
}

/** After a pause the time of the pause is not told: the next digest starts where a regular one would. */
export function skippedTo(deliveryLog: DeliveryLog, instant: Temporal.Instant): DeliveryLog {
  if (deliveryLog.coveredTo !== undefined && !isAfter(instant, deliveryLog.coveredTo)) return deliveryLog;
  return { ...deliveryLog, coveredTo: instant.toString() };
}

function logged(runs: readonly RunEntry[], entry: RunEntry): readonly RunEntry[] {
  return [...runs, entry].slice(-HISTORY);
}

function isAfter(instant: Temporal.Instant, other: string): boolean {
  return Temporal.Instant.compare(instant, Temporal.Instant.from(other)) > 0;
}
