/** Delivers payloads to the app: retries events that were not acknowledged, loses or duplicates deliveries on demand. */
import { randomUUID } from 'node:crypto';
import type { CallLog } from '../call-log.ts';
import type { JsonObject } from '../json.ts';
import type { Delivery, Envelope, Transport } from './envelope.ts';

export interface Deliverer {
  /** Commands and interactions, which Slack never retries. */
  deliverOnce(type: 'slash_commands' | 'interactive', payload: JsonObject): Promise<Delivery>;
  /** Events, retried until acknowledged. Resolves with the first attempt; `settled` with the last one. */
  deliverEvent(payload: JsonObject): Promise<Delivery & { readonly settled: Promise<Delivery> }>;
  /** The next deliveries never reach the app. */
  loseNext(count?: number): void;
  /** The next deliveries arrive twice. */
  duplicateNext(count?: number): void;
  /** The next deliveries reach the app, but their acknowledgements are lost. */
  loseAckNext(count?: number): void;
  /** Sends pending retries now. */
  retryNow(): void;
  readonly log: readonly LoggedDelivery[];
  clearLog(): void;
  stop(): Promise<void>;
}

export interface LoggedDelivery {
  readonly envelope: Envelope;
  readonly delivery: Delivery;
}

export function createDeliverer(options: {
  readonly transport: Transport;
  readonly callLog: CallLog;
  readonly ackTimeoutMs: number;
  readonly retryDelaysMs: readonly number[];
}): Deliverer {
  let lose = 0;
  let duplicate = 0;
  let loseAck = 0;
  let stopped = false;
  const log: LoggedDelivery[] = [];
  const pending = new Set<() => void>();

  // A lost delivery cannot be acknowledged, so there is no point in waiting for the timeout.
  const unacknowledged: Delivery = {
    acked: false,
    error: 'operation_timeout',
    ack: {},
    elapsedMs: options.ackTimeoutMs,
  };

  const attempt = async (envelope: Envelope): Promise<Delivery> => {
    let delivery: Delivery;
    if (lose > 0) {
      lose -= 1;
      delivery = unacknowledged;
    } else {
      const copies = duplicate > 0 ? 2 : 1;
      duplicate = Math.max(0, duplicate - 1);
      const ackLost = loseAck > 0;
      loseAck = Math.max(0, loseAck - 1);
      delivery = await options.transport.deliver(envelope, copies);
      if (ackLost) delivery = unacknowledged;
    }
    log.push({ envelope, delivery });
    options.callLog.notify('delivery', { envelope, delivery });
    return delivery;
  };

  const pause = (delayMs: number) =>
    new Promise<void>((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        pending.delete(proceed);
        resolve();
      };
      const timer = setTimeout(proceed, delayMs).unref();
      pending.add(proceed);
    });

  const retry = async (payload: JsonObject, first: Delivery): Promise<Delivery> => {
    let last = first;
    for (const [index, delayMs] of options.retryDelaysMs.entries()) {
      if (last.acked || stopped) return last;
      await pause(delayMs);
      if (stopped) return last;
      // A retry is a new envelope around the same event.
      const retried = { attempt: index + 1, reason: last.error === 'operation_timeout' ? 'timeout' : 'http_error' };
      last = await attempt({ id: randomUUID(), type: 'events_api', payload, retry: retried });
    }
    return last;
  };

  return {
    deliverOnce: (type, payload) => attempt({ id: randomUUID(), type, payload }),
    async deliverEvent(payload) {
      const first = await attempt({ id: randomUUID(), type: 'events_api', payload });
      return { ...first, settled: retry(payload, first) };
    },
    loseNext(count = 1) {
      lose += count;
    },
    duplicateNext(count = 1) {
      duplicate += count;
    },
    loseAckNext(count = 1) {
      loseAck += count;
    },
    retryNow() {
      for (const proceed of [...pending]) proceed();
    },
    log,
    clearLog() {
      log.length = 0;
    },
    async stop() {
      stopped = true;
      for (const proceed of [...pending]) proceed();
      await options.transport.stop();
    },
  };
}
