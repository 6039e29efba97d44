/**
 * Holding back after the credentials were refused: every further try would bring the account or the key closer to being
 * locked. It is kept in the store under the fingerprint of the credentials, so that a restart does not forget it and
 * corrected credentials are not held by it.
 */
import { BotError, type BotErrorCode } from '../errors.ts';
import type { Kept } from './kept.ts';
import type { Vault } from './vault.ts';

const LOOK_EVERY_MS = 30_000;

interface Held {
  readonly untilMs: number;
  readonly code: BotErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface Hold {
  /** The error to throw instead of trying, or `undefined` when a try is allowed. */
  check(): Promise<BotError | undefined>;
  /** Remembers the refusal and returns it with the time of the next try. */
  begin(refusal: BotError, holdMs: number): Promise<BotError>;
}

function isHeld(value: unknown): value is Held {
  return typeof value === 'object' && value !== null && 'untilMs' in value && 'message' in value && 'code' in value;
}

export function createHold({ kept, vault, now }: { kept: Kept; vault: Vault; now: () => number }): Hold {
  let held: Held | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  const name = async () => `hold:${await vault.fingerprint()}`;

  function explain(reason: Held, detail: Readonly<Record<string, unknown>> = {}): BotError {
    const minutes = Math.max(1, Math.ceil((reason.untilMs - now()) / 60_000));
    const wait = `The next attempt is made in ${minutes} min, so that nothing gets locked.`;
    const hint = reason.hint === undefined ? wait : `${reason.hint} ${wait}`;
    return new BotError(reason.code, reason.message, { hint, detail: { ...detail, heldUntilMs: reason.untilMs } });
  }

  return {
    async check() {
      // Another replica may hold back too; a look now and then is enough to hear of it.
      if (held === undefined && now() - lookedMs >= LOOK_EVERY_MS) {
        lookedMs = now();
        const stored = await kept.get(await name());
        if (isHeld(stored)) held = stored;
      }
      if (held !== undefined && held.untilMs <= now()) held = undefined;
      return held === undefined ? undefined : explain(held, { held: true });
    },
    async begin(refusal, holdMs) {
      held = { untilMs: now() + holdMs, code: refusal.code, message: refusal.message, hint: refusal.hint };
      kept.set(await name(), held, holdMs);
      // Whoever hears of the refusal may end the process at once; the next one must know.
      await kept.flush();
      return explain(held, refusal.detail);
    },
  };
}
