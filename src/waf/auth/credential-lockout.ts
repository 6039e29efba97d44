/**
 * A pause after the credentials were refused, because every further try would bring the account or the key closer to being
 * locked by the service. It is stored under the fingerprint of the credentials: a restart does not forget it, and
 * corrected credentials are not affected.
 */
import { BotError, type BotErrorCode } from '../../errors.ts';
import { duration } from '../../insight/format.ts';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import type { TokenCipher } from './token-cache.ts';

const READ_EVERY_MS = 30_000;

interface StoredLockout {
  readonly untilMs: number;
  readonly code: BotErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface CredentialLockout {
  /** The error to throw instead of trying, or `undefined` when a try is allowed. */
  check(): Promise<BotError | undefined>;
  /** Starts the pause and returns the refusal with the time of the next try. */
  start(refusal: BotError, lockoutMs: number): Promise<BotError>;
}

function isLockout(value: unknown): value is StoredLockout {
  return typeof value === 'object' && value !== null && 'untilMs' in value && 'message' in value && 'code' in value;
}

export function createCredentialLockout(deps: {
  readonly cache: BestEffortCache;
  readonly cipher: TokenCipher;
  readonly now: () => number;
}): CredentialLockout {
  const { cache, cipher, now } = deps;
  let lockout: StoredLockout | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  const key = async () => `hold:${await cipher.fingerprint()}`;

  function explain(reason: StoredLockout, detail: Readonly<Record<string, unknown>> = {}): BotError {
    const leftMs = Math.max(60_000, reason.untilMs - now());
    const left = duration(leftMs, { units: ['minute'], rounding: 'up', form: 'short' });
    const wait = `The next attempt is made in ${left}, so that nothing gets locked.`;
    const hint = reason.hint === undefined ? wait : `${reason.hint} ${wait}`;
    return new BotError(reason.code, reason.message, { hint, detail: { ...detail, heldUntilMs: reason.untilMs } });
  }

  return {
    async check() {
      // Another replica may have been refused too; reading that now and then is enough.
      if (lockout === undefined && now() - readMs >= READ_EVERY_MS) {
        readMs = now();
        const stored = await cache.get(await key());
        if (isLockout(stored)) lockout = stored;
      }
      if (lockout !== undefined && lockout.untilMs <= now()) lockout = undefined;
      return lockout === undefined ? undefined : explain(lockout, { held: true });
    },
    async start(refusal, lockoutMs) {
      lockout = { untilMs: now() + lockoutMs, code: refusal.code, message: refusal.message, hint: refusal.hint };
      // Written before anyone hears of the refusal, because they may end the process and start the next one.
      await cache.set(await key(), lockout, lockoutMs);
      return explain(lockout, refusal.detail);
    },
  };
}
