/** What happened, for assertions: every call, every refusal, every delivery; and waiting for something to happen. */
import { BotError } from '../../src/errors.ts';
import type { JsonObject } from '../json.ts';
import type { Problem } from './checks/problem.ts';

export interface Call {
  /** A Web API method, or `response_url`, `upload`, `file`. */
  readonly method: string;
  readonly args: JsonObject;
  readonly atMs: number;
  /** Set once answered. */
  status?: number;
  reply?: JsonObject;
  /** The misbehaviour that was played on it. */
  fault?: string;
}

/** Something the sender did wrong. Ordered misbehaviour and files that are not ready yet are not in this list. */
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
  /** What is waited for, in words, for the failure. */
  readonly what?: string;
  readonly withinMs?: number;
}

export interface Journal {
  readonly calls: Call[];
  readonly refusals: Refusal[];
  changed(kind: string, subject?: unknown): void;
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first answer of `look` that is not undefined, null or false, asking again on every change. */
  waitFor<T>(look: () => T | undefined | null | false, options?: WaitOptions): Promise<T>;
}

const DEFAULT_WAIT_MS = 5_000;

export function createJournal(describe: () => string): Journal {
  const listeners = new Set<(change: Change) => void>();
  return {
    calls: [],
    refusals: [],
    changed(kind, subject) {
      for (const listener of [...listeners]) listener({ kind, subject });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    waitFor(look, { what = 'it', withinMs = DEFAULT_WAIT_MS } = {}) {
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer);
          listeners.delete(attempt);
        };
        const attempt = () => {
          try {
            const found = look();
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
          const message = `Waited ${withinMs} ms in vain for ${what}. What there is:\n${describe()}`;
          reject(new BotError('internal', message));
        }, withinMs);
        listeners.add(attempt);
        attempt();
      });
    },
  };
}
