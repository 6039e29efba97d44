/** Authentication with an access key: every request is signed, and a refused key is not tried again for a while. */
import { createHmac, hash } from 'node:crypto';
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { type FailureContext, readRefusal } from '../client/failure.ts';
import type { Authorizer } from '../client/http.ts';
import { percentEncode, type QueryParameters } from '../wire/exchange.ts';
import type { CredentialLockout } from './token-provider.ts';

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
  readonly context: FailureContext;
}

/** Five bad signatures in a row lock a key for five minutes; one in five minutes never does. */
const LOCKOUT_MS = 5 * MINUTE_MS;
const MAX_SKEW_MS = 15 * MINUTE_MS;

/** Adds the headers and the signature. It covers the URL and the headers exactly as they are sent. */
function signRequest(request: Request, key: KeyCredentials, projectId: string, nowMs: number): void {
  const { headers } = request;
  headers.set('x-project-id', projectId);
  headers.set('x-sdk-date', signingDate(nowMs));
  if (key.securityToken !== undefined) headers.set('x-security-token', key.securityToken);
  // Others, such as `user-agent`, may be changed by a proxy on the way.
  const signed = [...headers].filter(([name]) => name === 'content-type' || name.startsWith('x-'));
  const { host, pathname, searchParams } = new URL(request.url);
  const target = { method: request.method, path: pathname, query: [...searchParams] };
  headers.set('authorization', sign({ ...target, headers: { ...Object.fromEntries(signed), host } }, key));
}

export function createKeyAuthorizer({ key, projectId, lockout, context }: KeyAuthorizerOptions): Authorizer {
  let accepted = false;
  let first: PromiseWithResolvers<void> | undefined;
  return {
    /** One request at a time until the key has been accepted: a wrong one must not fail five times in a row. */
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
    async prepare() {
      const lockedOut = await lockout.check();
      if (lockedOut !== undefined) throw lockedOut;
    },
    hooks: {
      beforeRequest: [({ request }) => signRequest(request, key, projectId, context.now())],
      afterResponse: [
        async ({ response }) => {
          if (response.ok) {
            accepted = true;
            return;
          }
          const failure = await readRefusal(response, context);
          if (failure.credentials !== 'refused') return;
          accepted = false;
          const skewMs = clockSkewMs(response.headers, context.now());
          const skewed = skewMs !== undefined && Math.abs(skewMs) > MAX_SKEW_MS;
          throw await lockout.start(skewed ? wrongClock(skewMs, failure) : failure, LOCKOUT_MS);
        },
      ],
    },
  };
}

/** How far our clock is ahead of the service's, if the reply has a date. */
export function clockSkewMs(headers: Headers, nowMs: number): number | undefined {
  const theirsMs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(theirsMs) ? undefined : nowMs - theirsMs;
}

function wrongClock(skewMs: number, error: BotError): BotError {
  const off = duration(Math.abs(skewMs), { units: ['minute'], rounding: 'whole', form: 'short' });
  const side = skewMs > 0 ? 'ahead' : 'behind';
  return new BotError('upstream_auth', `This machine's clock is ${off} ${side}, so its signatures are refused.`, {
    hint: 'Synchronize the clock; the service tolerates 15 minutes.',
    service: error.service,
    detail: { ...error.detail, skewMs },
  });
}

const ALGORITHM = 'SDK-HMAC-SHA256';
const EMPTY_BODY_HASH = hash('sha256', '');

interface RequestToSign {
  readonly method: string;
  readonly path: string;
  readonly query: QueryParameters;
  /** All of these are signed; `host` and `x-sdk-date` must be among them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `20260115T083000Z` */
export function signingDate(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The text whose hash is signed. The path ends in a slash here, even where it does not in the URL. */
export function canonicalRequest(request: RequestToSign): string {
  const path = request.path
    .split('/')
    .map((segment) => percentEncode(decodeSegment(segment)))
    .join('/');
  const query = request.query
    .toSorted(([name1, value1], [name2, value2]) => inOrder(name1, name2) || inOrder(value1, value2))
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join('&');
  const headers = signedHeaders(request);
  return [
    request.method,
    path.endsWith('/') ? path : `${path}/`,
    query,
    headers.map(([name, value]) => `${name}:${value.trim()}\n`).join(''),
    headers.map(([name]) => name).join(';'),
    EMPTY_BODY_HASH,
  ].join('\n');
}

function signedHeaders(request: RequestToSign): [name: string, value: string][] {
  return Object.entries(request.headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(([a], [b]) => inOrder(a, b));
}

/** The value of the `Authorization` header. */
export function sign(request: RequestToSign, key: { readonly accessKey: string; readonly secretKey: string }): string {
  const headers = signedHeaders(request);
  const date = headers.find(([name]) => name === 'x-sdk-date')?.[1] ?? '';
  const requestHash = hash('sha256', canonicalRequest(request));
  const signature = createHmac('sha256', key.secretKey).update(`${ALGORITHM}\n${date}\n${requestHash}`).digest('hex');
  const names = headers.map(([name]) => name).join(';');
  return `${ALGORITHM} Access=${key.accessKey}, SignedHeaders=${names}, Signature=${signature}`;
}
