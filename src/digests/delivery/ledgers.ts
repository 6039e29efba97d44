/** The ledgers of all bookings, kept in the store: each change is one atomic step on one record. */
import type { Records } from '../ports.ts';
import {
  delivered,
  emptyLedger,
  gaveUp,
  type Ledger,
  notSent,
  type OpenRun,
  opened,
  type RunEntry,
  skippedTo,
  superseded,
  troubled,
} from './ledger.ts';

const SPACE = 'ledgers';

export function createLedgers(records: Records) {
  const shelf = records.space<Ledger>(SPACE);
  const change = async (job: string, step: (ledger: Ledger) => Ledger): Promise<Ledger> =>
    (await records.update<Ledger>(SPACE, job, (ledger) => step(ledger ?? emptyLedger))) ?? emptyLedger;

  return {
    read: async (job: string): Promise<Ledger> => (await shelf.get(job)) ?? emptyLedger,
    /** False when another attempt is open or the run is done: then nothing may be sent. */
    opened: async (job: string, run: OpenRun): Promise<boolean> =>
      (await change(job, (ledger) => opened(ledger, run))).open?.token === run.token,
    notSent: (job: string, token: string) => change(job, (ledger) => notSent(ledger, token)),
    delivered: (job: string, run: OpenRun, outcome: 'sent' | 'found', at: string, ts: string) =>
      change(job, (ledger) => delivered(ledger, run, outcome, at, ts)),
    gaveUp: (job: string, entry: RunEntry) => change(job, (ledger) => gaveUp(ledger, entry)),
    superseded: (job: string, entry: RunEntry) => change(job, (ledger) => superseded(ledger, entry)),
    troubled: (job: string, since: string) => change(job, (ledger) => troubled(ledger, since)),
    skipTo: (job: string, instant: Temporal.Instant) => change(job, (ledger) => skippedTo(ledger, instant)),
    forget: (job: string) => records.update<Ledger>(SPACE, job, () => undefined),
  };
}

export type Ledgers = ReturnType<typeof createLedgers>;
