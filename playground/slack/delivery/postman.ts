/** Brings things to the app: plays ordered losses and doubles, and brings events again that were not acknowledged. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import type { Journal } from '../journal.ts';
import type { Delivery, Envelope, Transport } from './envelope.ts';

export interface Postman {
  /** Commands and interactions: brought once, as Slack does. */
  once(type: 'slash_commands' | 'interactive', payload: JsonObject): Promise<Delivery>;
  /** Events: brought again on silence. Tells of the first try; `settled` of the last one. */
  event(payload: JsonObject): Promise<Delivery & { readonly settled: Promise<Delivery> }>;
  /** The next deliveries are lost on the way. */
  loseNext(count?: number): void;
  /** The next deliveries arrive twice. */
  doubleNext(count?: number): void;
  /** The next acknowledgements are lost on the way back: the app has it, and Slack does not know. */
  loseAckNext(count?: number): void;
  /** Waiting repetitions go out now. */
  retryNow(): void;
  readonly log: readonly LoggedDelivery[];
  stop(): Promise<void>;
}

export interface LoggedDelivery {
  readonly envelope: Envelope;
  readonly delivery: Delivery;
}

export function createPostman(options: {
  readonly transport: Transport;
  readonly journal: Journal;
  readonly ackTimeoutMs: number;
  readonly retryDelaysMs: readonly number[];
}): Postman {
  let lose = 0;
  let double = 0;
  let loseAck = 0;
  let stopped = false;
  const log: LoggedDelivery[] = [];
  const pending = new Set<() => void>();

  // Nobody can acknowledge what never arrived: no need to wait for it.
  const unheard: Delivery = { acked: false, error: 'operation_timeout', ack: {}, elapsedMs: options.ackTimeoutMs };

  const bring = async (envelope: Envelope): Promise<Delivery> => {
    let delivery: Delivery;
    if (lose > 0) {
      lose -= 1;
      delivery = unheard;
    } else {
      const copies = double > 0 ? 2 : 1;
      double = Math.max(0, double - 1);
      const ackLost = loseAck > 0;
      loseAck = Math.max(0, loseAck - 1);
      delivery = await options.transport.deliver(envelope, copies);
      if (ackLost) delivery = unheard;
    }
    log.push({ envelope, delivery });
    options.journal.changed('delivery', { envelope, delivery });
    return delivery;
  };

  const pause = (delayMs: number) =>
    new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        pending.delete(go);
        resolve();
      };
      const timer = setTimeout(go, delayMs).unref();
      pending.add(go);
    });

  const repeat = async (payload: JsonObject, first: Delivery): Promise<Delivery> => {
    let last = first;
    for (const [index, delayMs] of options.retryDelaysMs.entries()) {
      if (last.acked || stopped) return last;
      await pause(delayMs);
      if (stopped) return last;
      // A repetition is a new envelope around the same event.
      const retry = { attempt: index + 1, reason: last.error === 'operation_timeout' ? 'timeout' : 'http_error' };
      last = await bring({ id: randomUUID(), type: 'events_api', payload, retry });
    }
    return last;
  };

  return {
    once: (type, payload) => bring({ id: randomUUID(), type, payload }),
    async event(payload) {
      const first = await bring({ id: randomUUID(), type: 'events_api', payload });
      return { ...first, settled: repeat(payload, first) };
    },
    loseNext(count = 1) {
      lose += count;
    },
    doubleNext(count = 1) {
      double += count;
    },
    loseAckNext(count = 1) {
      loseAck += count;
    },
    retryNow() {
      for (const go of [...pending]) go();
    },
    log,
    async stop() {
      stopped = true;
      for (const go of [...pending]) go();
      await options.transport.stop();
    },
  };
}
