/** The stored delivery logs, and the record of one due time's message for `postExactlyOnce`. */
import { z } from 'zod';
import type { RunContext } from '../../scheduler/index.ts';
import { createValidRecords, storedInstant } from '../../store/create-store.ts';
import type { Records } from '../../store/store.ts';
import type { Range } from '../../time/index.ts';
import type { PauseReason } from '../delivery/outbox.ts';
import type { ComposedPost, PostRecord } from '../delivery/post-exactly-once.ts';
import {
  coveredFrom,
  type DeliveryLog,
  EMPTY_LOG,
  entryOf,
  isDone,
  type OpenRun,
  type ReportedTail,
  type RunEntry,
  withDelivered,
  withFailed,
  withOpenRun,
  withoutOpenRun,
  withSuperseded,
  withTrouble,
  withUndeliverable,
} from './delivery-log.ts';

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
    trouble: (job: string, since: string) => change(job, (log) => withTrouble(log, since)),
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
}

export function createDeliveryRecord<M>(deps: DeliveryRecordDeps<M>): PostRecord<ComposedDigest<M>> {
  const { logs, now, job, context, apologise, pause } = deps;
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
    sent: ({ runId }, ts) => change((log) => withDelivered(log, runId, { outcome: 'sent', at: at(), ts })),
    notSent: ({ token }) => change((log) => withoutOpenRun(log, token)),
    async refused(composed, reason) {
      if (!composed.apology) {
        return { ...composed, message: apologise(composed.window, new Error(reason)), apology: true };
      }
      await change((log) => withFailed(log, failure(log, reason)));
      return 'done';
    },
    async undeliverable(reason) {
      await pause(reason);
      await change((log) => withUndeliverable(log, failure(log, reason)));
    },
  };
}
