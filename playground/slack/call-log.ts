/** Every API call and every refused one, for assertions; change notifications, and waiting for a condition. */
import type { JsonObject } from './json.ts';
import type { Problem } from './validation/problem.ts';

export interface Call {
  /** A Web API method, or `response_url`, `upload`, `file`. */
  readonly method: string;
  readonly args: JsonObject;
  readonly atMs: number;
  /** Set once the response ended or was cut off. */
  tookMs?: number;
  status?: number;
  reply?: JsonObject;
  /** The injected fault's kind, if any. */
  fault?: string;
}

/** A mistake of the app. Injected faults and files that are not ready yet are not counted as refusals. */
export interface Refusal {
  readonly method: string;
  readonly error: string;
  readonly problems: readonly Problem[];
  readonly args: JsonObject;
}

export interface Change {
  readonly kind: string;
  readonly subject?: unknown;
}

export interface WaitOptions {
  /** What the wait is for, in the error message. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

export interface CallLog {
  readonly calls: Call[];
  readonly refusals: Refusal[];
  underWay(): number;
  /** Notifies listeners and waiting conditions of a change. */
  notify(kind: string, subject?: unknown): void;
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first result of `condition` that is not undefined, null or false; checked again on every change. */
  waitFor<T>(condition: () => T | undefined | null | false, options?: WaitOptions): Promise<T>;
}

const RECENT = 200;

export function createCallLog(options: {
  readonly waitTimeoutMs: number;
  /** What has happened so far, for the error of a wait that timed out. */
  readonly describe: () => string;
}): CallLog {
  const calls: Call[] = [];
  const listeners = new Set<(change: Change) => void>();
  return {
    calls,
    refusals: [],
    // Calls under way are among the newest.
    underWay: () => calls.slice(-RECENT).filter(({ tookMs }) => tookMs === undefined).length,
    notify(kind, subject) {
      for (const listener of [...listeners]) listener({ kind, subject });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    waitFor(condition, { what = 'a condition', timeoutMs = options.waitTimeoutMs } = {}) {
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer);
          listeners.delete(attempt);
        };
        const attempt = () => {
          try {
            const found = condition();
            if (found === undefined || found === null || found === false) return;
            settle();
            resolve(found);
          } catch (error) {
            settle();
            reject(error);
          }
        };
        const timer = setTimeout(() => {
          settle();
          reject(new Error(`Timed out after ${timeoutMs} ms waiting for ${what}. So far:\n${options.describe()}`));
        }, timeoutMs);
        listeners.add(attempt);
        attempt();
      });
    },
  };
}
