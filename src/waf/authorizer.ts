/** The two ways of proving who asks, behind one face: headers for a request, and what to do when they are refused. */
import { BotError } from '../errors.ts';
import type { Failure, HttpReply, Way } from './failure.ts';
import type { Hold } from './hold.ts';
import { sign, signingDate } from './sign.ts';
import type { TokenProvider } from './token.ts';

export interface Target {
  readonly host: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

export type Proof = Readonly<Record<string, string>>;

export interface Authorizer {
  readonly way: Way;
  /** Waits until one more request may be on its way; the caller must release its place. */
  admit(): Promise<() => void>;
  prove(target: Target): Promise<Proof>;
  accepted(proof: Proof): void;
  /** `undefined` when the request may be sent once more with a new proof, otherwise the error to end with. */
  refused(proof: Proof, failure: Failure, reply: HttpReply | undefined): Promise<BotError | undefined>;
}

const TOKEN_HEADER = 'x-auth-token';
/** A 403 is blamed on the token only when it is old enough to have been revoked. */
const DOUBTFUL_AGE_MS = 10 * 60_000;

export function createTokenAuthorizer(tokens: TokenProvider): Authorizer {
  return {
    way: 'token',
    admit: async () => () => {},
    async prove() {
      return { [TOKEN_HEADER]: await tokens.get() };
    },
    accepted: (proof) => tokens.proved(proof[TOKEN_HEADER] ?? ''),
    async refused(proof, { credentials, error }) {
      const token = proof[TOKEN_HEADER] ?? '';
      const blamed =
        credentials === 'refused' || (credentials === 'doubtful' && tokens.ageMs(token) >= DOUBTFUL_AGE_MS);
      return blamed && (await tokens.replace(token)) ? undefined : error;
    },
  };
}

export interface KeyCredentials {
  readonly kind: 'aksk';
  readonly accessKey: string;
  readonly secretKey: string;
  readonly securityToken?: string | undefined;
}

export interface KeyAuthorizerOptions {
  readonly key: KeyCredentials;
  readonly projectId: string;
  readonly hold: Hold;
  readonly now: () => number;
}

/** Five bad signatures in a row lock a key for five minutes; one in five minutes never does. */
const KEY_HOLD_MS = 5 * 60_000;
const MAX_SKEW_MS = 15 * 60_000;

export function createKeyAuthorizer({ key, projectId, hold, now }: KeyAuthorizerOptions): Authorizer {
  let proven = false;
  let first: PromiseWithResolvers<void> | undefined;
  return {
    way: 'aksk',
    /** Until the key has been good once, requests go one by one: a wrong one must not fail five times in a row. */
    async admit() {
      while (!proven && first !== undefined) await first.promise;
      if (proven) return () => {};
      const mine = Promise.withResolvers<void>();
      first = mine;
      return () => {
        first = undefined;
        mine.resolve();
      };
    },
    async prove({ host, path, query }) {
      const held = await hold.check();
      if (held !== undefined) throw held;
      const headers: Record<string, string> = { 'x-project-id': projectId, 'x-sdk-date': signingDate(now()) };
      if (key.securityToken !== undefined) headers['x-security-token'] = key.securityToken;
      const authorization = sign({ method: 'GET', path, query, headers: { ...headers, host } }, key);
      return { ...headers, authorization };
    },
    accepted() {
      proven = true;
    },
    async refused(_, { credentials, error }, reply) {
      if (credentials !== 'refused') return error;
      proven = false;
      const skewMs = reply === undefined ? undefined : clockSkewMs(reply, now());
      const skewed = skewMs !== undefined && Math.abs(skewMs) > MAX_SKEW_MS;
      return hold.begin(skewed ? wrongClock(skewMs, error) : error, KEY_HOLD_MS);
    },
  };
}

/** How far our clock is ahead of theirs, where they say what it is. */
export function clockSkewMs(reply: HttpReply, nowMs: number): number | undefined {
  const theirsMs = Date.parse(reply.headers.get('date') ?? '');
  return Number.isNaN(theirsMs) ? undefined : nowMs - theirsMs;
}

function wrongClock(skewMs: number, error: BotError): BotError {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const side = skewMs > 0 ? 'ahead' : 'behind';
  return new BotError(
    'upstream_auth',
    `The clock of this machine is ${minutes} min ${side}: its signatures are refused.`,
    {
      hint: 'Set it right; the service allows 15 min.',
      detail: { ...error.detail, skewMs },
    },
  );
}
