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
  const { transport, callLog, ackTimeoutMs, retryDelaysMs } = options;
  const faults = { lose: 0, duplicate: 0, loseAck: 0 };
  const pauses = createPauses();
  let stopped = false;
  const log: LoggedDelivery[] = [];

  const attempt = async (envelope: Envelope): Promise<Delivery> => {
    const delivery = await deliverWithFaults(envelope, transport, faults, ackTimeoutMs);
    log.push({ envelope, delivery });
    callLog.notify('delivery', { envelope, delivery });
    return delivery;
  };

  const retry = async (payload: JsonObject, first: Delivery): Promise<Delivery> => {
    let last = first;
    for (const [index, delayMs] of retryDelaysMs.entries()) {
      if (last.acked || stopped) return last;
      await pauses.pause(delayMs);
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
      faults.lose += count;
    },
    duplicateNext(count = 1) {
      faults.duplicate += count;
    },
    loseAckNext(count = 1) {
      faults.loseAck += count;
    },
    retryNow: pauses.endAll,
    log,
    clearLog: () => void log.splice(0),
    async stop() {
      stopped = true;
      pauses.endAll();
      await transport.stop();
    },
  };
}

/** How many of the next deliveries each fault applies to. */
interface DeliveryFaults {
  lose: number;
  duplicate: number;
  loseAck: number;
}

async function deliverWithFaults(
  envelope: Envelope,
  transport: Transport,
  faults: DeliveryFaults,
  ackTimeoutMs: number,
): Promise<Delivery> {
  // A lost delivery can't be acknowledged, so there's no point in waiting for the timeout.
  const unacknowledged: Delivery = { acked: false, error: 'operation_timeout', ack: {}, elapsedMs: ackTimeoutMs };
  if (faults.lose > 0) {
    faults.lose -= 1;
    return unacknowledged;
  }
  const copies = faults.duplicate > 0 ? 2 : 1;
  faults.duplicate = Math.max(0, faults.duplicate - 1);
  const isAckLost = faults.loseAck > 0;
  faults.loseAck = Math.max(0, faults.loseAck - 1);
  const delivery = await transport.deliver(envelope, copies);
  return isAckLost ? unacknowledged : delivery;
}

/** Pauses between retries that can all be ended early. */
function createPauses() {
  const pending = new Set<() => void>();
  return {
    pause: (delayMs: number) =>
      new Promise<void>((resolve) => {
        const proceed = () => {
          clearTimeout(timer);
          pending.delete(proceed);
          resolve();
        };
        const timer = setTimeout(proceed, delayMs).unref();
        pending.add(proceed);
      }),
    endAll(): void {
      for (const proceed of [...pending]) proceed();
    },
  };
}
