/**
 * One question, one asking: whoever needs the same answer at the same time, in this process or in another replica,
 * waits for the one that asks. Answers are kept for a while in a cache space of the store.
 */
import { type Clock, sleep } from '../../clock.ts';
import { BotError, type BotErrorCode } from '../../errors.ts';
import type { Store } from '../../store/store.ts';

export interface SharedAnswersDeps {
  readonly store: Pick<Store, 'space' | 'locks' | 'exclusive'>;
  readonly clock: Clock;
  /** This process. */
  readonly owner: string;
  /** The cache space; by convention its name starts with `cache`. */
  readonly space: `cache${string}`;
  /** How long the asker may be silent before another asks in its place. */
  readonly askLimitMs?: number;
}

export interface SharedAnswers {
  /** `key` names the question whole. The answer must be plain JSON. */
  get<A>(key: string, ttlMs: number, ask: () => Promise<A>): Promise<A>;
}

type Kept =
  | { readonly answer: unknown }
  | { readonly failure: { readonly code: BotErrorCode; readonly message: string } };

const POLL_MS = 100;

/** A failure is shared too, briefly: a thousand waiting digests must not ask a struggling service one by one. */
const FAILURE_TTL_MS = 2_000;

export function createSharedAnswers(deps: SharedAnswersDeps): SharedAnswers {
  const { store, clock, owner, askLimitMs = 60_000 } = deps;
  const shelf = store.space<Kept>(deps.space);
  const flights = new Map<string, Promise<Kept>>();

  async function fly<A>(key: string, ttlMs: number, ask: () => Promise<A>): Promise<Kept> {
    const claim = `ask/${deps.space}/${key}`;
    for (;;) {
      const kept = await shelf.get(key);
      if (kept) return kept;
      if (store.exclusive || (await store.locks.acquire(claim, owner, askLimitMs))) {
        try {
          // Between our look and our claim another may have finished.
          return (await shelf.get(key)) ?? (await keep(key, ttlMs, ask));
        } finally {
          if (!store.exclusive) await store.locks.release(claim, owner);
        }
      }
      await sleep(clock, POLL_MS);
    }
  }

  async function keep<A>(key: string, ttlMs: number, ask: () => Promise<A>): Promise<Kept> {
    try {
      const kept: Kept = { answer: await ask() };
      await shelf.set(key, kept, ttlMs);
      return kept;
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      await shelf.set(key, { failure: { code: error.code, message: error.message } }, FAILURE_TTL_MS);
      throw error;
    }
  }

  return {
    async get<A>(key: string, ttlMs: number, ask: () => Promise<A>): Promise<A> {
      let flight = flights.get(key);
      if (!flight) {
        flight = fly(key, ttlMs, ask).finally(() => flights.delete(key));
        flights.set(key, flight);
      }
      const kept = await flight;
      if ('failure' in kept) throw new BotError(kept.failure.code, kept.failure.message);
      // What the same key was asked with decides its type; the store keeps JSON.
      return kept.answer as A;
    },
  };
}
