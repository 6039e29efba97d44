/** Misbehaviour on demand for the Web API, response_urls and uploads. Without an order nothing goes wrong. */
import type { JsonObject } from '../json.ts';

export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds?: number | undefined }
  /** `afterEffect`: all is done before the bad answer. */
  | { readonly kind: 'status'; readonly status: number; readonly afterEffect?: boolean }
  | { readonly kind: 'error'; readonly error: string; readonly extra?: JsonObject }
  /** Waits before anything happens. */
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'held'; readonly gate: Gate }
  /** Nothing is done and the connection is cut. */
  | { readonly kind: 'cut' }
  /** All is done, and the connection is cut instead of answering: the sender cannot know. */
  | { readonly kind: 'answer_lost' };

export interface Gate {
  /** Resolves when a call has arrived and waits. */
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  arrive(): void;
  release(): void;
}

export interface FaultOrder {
  /** How many calls it meets; endless with `Infinity`. Once by default. */
  readonly times?: number;
  readonly when?: (args: JsonObject) => boolean;
}

export interface Faults {
  /** `method` as in the calls recorded; `*` is every Web API method. Gives back a way to end it. */
  order(method: string, fault: Fault, order?: FaultOrder): () => void;
  /** Holds calls of the method until released. */
  hold(method: string, order?: FaultOrder): Gate;
  /** Refuses messages with such a block, as a workspace does where a new block has not arrived yet. */
  refuseBlockType(type: string): () => void;
  refusedBlockTypes(): ReadonlySet<string>;
  take(method: string, args: JsonObject): Fault | undefined;
  clear(): void;
}

export function createGate(): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    released: released.promise,
    arrive: () => reached.resolve(),
    release: () => released.resolve(),
  };
}

export function createFaults(): Faults {
  const orders: { method: string; fault: Fault; left: number; when: (args: JsonObject) => boolean }[] = [];
  const refusedTypes = new Set<string>();
  const gates = new Set<Gate>();

  const order: Faults['order'] = (method, fault, { times = 1, when = () => true } = {}) => {
    const entry = { method, fault, left: times, when };
    orders.push(entry);
    return () => {
      entry.left = 0;
    };
  };

  return {
    order,
    hold(method, options) {
      const gate = createGate();
      gates.add(gate);
      order(method, { kind: 'held', gate }, options);
      return gate;
    },
    refuseBlockType(type) {
      refusedTypes.add(type);
      return () => void refusedTypes.delete(type);
    },
    refusedBlockTypes: () => refusedTypes,
    take(method, args) {
      const entry = orders.find(
        (candidate) =>
          candidate.left > 0 &&
          (candidate.method === method || (candidate.method === '*' && method.includes('.'))) &&
          candidate.when(args),
      );
      if (entry === undefined) return undefined;
      entry.left -= 1;
      return entry.fault;
    },
    clear() {
      orders.length = 0;
      refusedTypes.clear();
      for (const gate of gates) gate.release();
      gates.clear();
    },
  };
}
