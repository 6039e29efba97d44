/** Fault injection for the Web API, response_urls and uploads. */
import type { JsonObject } from './json.ts';

export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds?: number | string | undefined }
  /** `afterEffect`: the call takes effect before the error is sent. */
  | { readonly kind: 'status'; readonly status: number; readonly afterEffect?: boolean }
  | { readonly kind: 'error'; readonly error: string; readonly extra?: JsonObject }
  /** Waits before the call takes effect. */
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'held'; readonly gate: Gate }
  /** Sends the caller to another address. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** Responds 200 with this text instead of making the call. */
  | { readonly kind: 'body'; readonly body: string }
  /** The connection is cut and the call has no effect. */
  | { readonly kind: 'cut' }
  /** The call takes effect, but the connection is cut before the response. */
  | { readonly kind: 'response_lost' };

/** Network distance in milliseconds: per call, and per new connection for its handshakes. */
export interface Distance {
  readonly callMs: number;
  readonly connectionMs: number;
}

export interface Gate {
  /** Resolves when a call has arrived and is held. */
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  arrive(): void;
  release(): void;
}

interface FaultScope {
  /** How many calls it applies to; one by default, `Infinity` for all. */
  readonly times?: number;
  readonly when?: (args: JsonObject) => boolean;
}

export interface Faults {
  /** `method` as in the call log; `*` is every Web API method. Returns a function that removes the fault. */
  inject(method: string, fault: Fault, scope?: FaultScope): () => void;
  /** Holds calls of the method until released. */
  hold(method: string, scope?: FaultScope): Gate;
  /** Refuses messages with such a block, like a workspace where a new block type isn't rolled out yet. */
  refuseBlockType(type: string): () => void;
  refusedBlockTypes(): ReadonlySet<string>;
  take(method: string, args: JsonObject): Fault | undefined;
  clear(): void;
}

export function createGate(): Gate {
  let arrive = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { reached, released, arrive, release };
}

export function createFaults(): Faults {
  const injected: { method: string; fault: Fault; left: number; when: (args: JsonObject) => boolean }[] = [];
  const refusedTypes = new Set<string>();
  const gates = new Set<Gate>();

  const inject: Faults['inject'] = (method, fault, { times = 1, when = () => true } = {}) => {
    const entry = { method, fault, left: times, when };
    injected.push(entry);
    return () => {
      entry.left = 0;
    };
  };

  return {
    inject,
    hold(method, scope) {
      const gate = createGate();
      gates.add(gate);
      inject(method, { kind: 'held', gate }, scope);
      return gate;
    },
    refuseBlockType(type) {
      refusedTypes.add(type);
      return () => void refusedTypes.delete(type);
    },
    refusedBlockTypes: () => refusedTypes,
    take(method, args) {
      const entry = injected.find(
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
      injected.length = 0;
      refusedTypes.clear();
      for (const gate of gates) gate.release();
      gates.clear();
    },
  };
}
