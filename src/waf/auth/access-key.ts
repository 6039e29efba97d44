/** Authentication with an access key: every request is signed, and a refused key is not tried again for a while. */
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import type { HttpReply } from '../client/failure.ts';
import type { Authorizer } from '../client/request.ts';
import { sign, signingDate } from './signing.ts';
import type { CredentialLockout } from './token-cache.ts';

export interface KeyCredentials {
  readonly kind: 'aksk';
  readonly accessKey: string;
  readonly secretKey: string;
  readonly securityToken?: string | undefined;
}

interface KeyAuthorizerOptions {
  readonly key: KeyCredentials;
  readonly projectId: string;
  readonly lockout: CredentialLockout;
  readonly now: () => number;
}

/** Five bad signatures in a row lock a key for five minutes; one in five minutes never does. */
const LOCKOUT_MS = 5 * 60_000;
const MAX_SKEW_MS = 15 * 60_000;

export function createKeyAuthorizer({ key, projectId, lockout, now }: KeyAuthorizerOptions): Authorizer {
  let accepted = false;
  let first: PromiseWithResolvers<void> | undefined;
  return {
    method: 'aksk',
    /** One request at a time until the key was accepted once: a wrong one must not fail five times in a row. */
    async admit() {
      while (!accepted && first !== undefined) await first.promise;
      if (accepted) return () => {};
      const mine = Promise.withResolvers<void>();
      first = mine;
      return () => {
        first = undefined;
        mine.resolve();
      };
    },
    async authorize({ host, path, query, headers: more }) {
      const lockedOut = await lockout.check();
      if (lockedOut !== undefined) throw lockedOut;
      const headers: Record<string, string> = { 'x-project-id': projectId, 'x-sdk-date': signingDate(now()) };
      if (key.securityToken !== undefined) headers['x-security-token'] = key.securityToken;
      const authorization = sign({ method: 'GET', path, query, headers: { ...more, ...headers, host } }, key);
      return { ...headers, authorization };
    },
    accepted() {
      accepted = true;
    },
    async refused(_, { credentials, error }, reply) {
      if (credentials !== 'refused') return error;
      accepted = false;
      const skewMs = reply === undefined ? undefined : clockSkewMs(reply, now());
      const skewed = skewMs !== undefined && Math.abs(skewMs) > MAX_SKEW_MS;
      return lockout.start(skewed ? wrongClock(skewMs, error) : error, LOCKOUT_MS);
    },
  };
}

/** How far our clock is ahead of the service's, where the reply names a time. */
export function clockSkewMs(reply: HttpReply, nowMs: number): number | undefined {
  const theirsMs = Date.parse(reply.headers.get('date') ?? '');
  return Number.isNaN(theirsMs) ? undefined : nowMs - theirsMs;
}

function wrongClock(skewMs: number, error: BotError): BotError {
  const off = duration(Math.abs(skewMs), { units: ['minute'], rounding: 'whole', form: 'short' });
  const side = skewMs > 0 ? 'ahead' : 'behind';
  return new BotError('upstream_auth', `The clock of this machine is ${off} ${side}: its signatures are refused.`, {
    hint: 'Set it right; the service allows 15 min.',
    detail: { ...error.detail, skewMs },
  });
}
