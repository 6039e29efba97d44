/** The deliveryLogs of all subscriptions, kept in the store: each change is one atomic step on one record. */
import type { Records } from '../ports.ts';
import {
  type DeliveryLog,
  delivered,
  emptyDeliveryLog,
  gaveUp,
  notSent,
  type OpenRun,
  opened,
  type RunEntry,
  skippedTo,
  superseded,
  troubled,
} from './delivery-log.ts';

const SPACE = 'ledgers';

export function createDeliveryLogs(records: Records) {
  const shelf = records.space<DeliveryLog>(SPACE);
  const change = async (job: string, step: (deliveryLog: DeliveryLog) => DeliveryLog): Promise<DeliveryLog> =>
    (await records.update<DeliveryLog>(SPACE, job, (deliveryLog) => step(deliveryLog ?? emptyDeliveryLog))) ??
    emptyDeliveryLog;

  return {
    read: async (job: string): Promise<DeliveryLog> => (await shelf.get(job)) ?? emptyDeliveryLog,
    /** False when another attempt is open or the run is done: then nothing may be sent. */
    opened: async (job: string, run: OpenRun): Promise<boolean> =>
      (await change(job, (deliveryLog) => opened(deliveryLog, run))).open?.token === run.token,
    notSent: (job: string, token: string) => change(job, (deliveryLog) => notSent(deliveryLog, token)),
    delivered: (job: string, run: OpenRun, outcome: 'sent' | 'found', at: string, ts: string) =>
      change(job, (deliveryLog) => delivered(deliveryLog, run, outcome, at, ts)),
    gaveUp: (job: string, entry: RunEntry) => change(job, (deliveryLog) => gaveUp(deliveryLog, entry)),
    superseded: (job: string, entry: RunEntry) => change(job, (deliveryLog) => superseded(deliveryLog, entry)),
    troubled: (job: string, since: string) => change(job, (deliveryLog) => troubled(deliveryLog, since)),
    skipTo: (job: string, instant: Temporal.Instant) => change(job, (deliveryLog) => skippedTo(deliveryLog, instant)),
    forget: (job: string) => records.update<DeliveryLog>(SPACE, job, () => undefined),
  };
}

export type DeliveryLogs = ReturnType<typeof createDeliveryLogs>;
