/** Signs a request without a body with an access key (`SDK-HMAC-SHA256`). */
import { createHash, createHmac } from 'node:crypto';
import { percentEncode, type QueryParameters } from '../wire/exchange.ts';

const ALGORITHM = 'SDK-HMAC-SHA256';
const EMPTY_BODY_HASH = createHash('sha256').digest('hex');

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
  const hash = createHash('sha256').update(canonicalRequest(request)).digest('hex');
  const signature = createHmac('sha256', key.secretKey).update(`${ALGORITHM}\n${date}\n${hash}`).digest('hex');
  const names = headers.map(([name]) => name).join(';');
  return `${ALGORITHM} Access=${key.accessKey}, SignedHeaders=${names}, Signature=${signature}`;
}
