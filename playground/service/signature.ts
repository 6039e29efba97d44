/**
 * The gateway's check of signed requests. Written from the description of the algorithm and independent of the client's
 * signer, so that each tests the other.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, refuse } from './refusals.ts';

const MAX_SKEW_MS = 15 * 60_000;
const LOCK_AFTER_FAILURES = 5;
const LOCK_MS = 5 * 60_000;

export interface AccessKey {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Required with a temporary key. */
  readonly securityToken?: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function canonical(request: SignedRequest, signedHeaders: readonly string[]): string {
  const path = request.url.pathname
    .split('/')
    .map((segment) => strict(decodeURIComponent(segment)))
    .join('/');
  const query = [...request.url.searchParams]
    .sort(([k1, v1], [k2, v2]) => byCode(k1, k2) || byCode(v1, v2))
    .map(([k, v]) => `${strict(k)}=${strict(v)}`)
    .join('&');
  const headers = signedHeaders.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('');
  const uri = path.endsWith('/') ? path : `${path}/`;
  return [request.method, uri, query, headers, signedHeaders.join(';'), sha256(request.body)].join('\n');
}

/** `20260115T083000Z` → milliseconds. */
function readStamp(stamp: string): number {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(stamp);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match.map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

export function createSignatureCheck(keys: readonly AccessKey[], now: () => number) {
  const failures = new Map<string, number>();
  const lockedUntil = new Map<string, number>();

  /** `undefined` if the signature is valid, otherwise the refusal. */
  function check(request: SignedRequest): Answer | undefined {
    const authorization = request.headers.authorization ?? '';
    const match = /^SDK-HMAC-SHA256 Access=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
    if (match === null) return refuse('APIG.0301');
    const [, accessKey = '', names = '', signature = ''] = match;
    const nowMs = now();
    const key = keys.find((known) => known.accessKey === accessKey);
    // The real gateway repeats the key it got; clients must not pass that on.
    const refused = (why: string) =>
      refuse('APIG.0301', { message: `Incorrect IAM authentication information: ${why}, AK:${accessKey}` });
    if ((lockedUntil.get(accessKey) ?? 0) > nowMs) return refused('the access key is locked');
    if (key === undefined) return refused('the access key does not exist');
    const stamp = String(request.headers['x-sdk-date'] ?? '');
    if (!(Math.abs(readStamp(stamp) - nowMs) <= MAX_SKEW_MS)) return refused('the request time is out of range');
    if (key.securityToken !== undefined && request.headers['x-security-token'] !== key.securityToken) {
      return refused('the security token is wrong');
    }
    const signed = names.split(';');
    const mandatory = ['host', 'x-sdk-date', ...(key.securityToken === undefined ? [] : ['x-security-token'])];
    const text = ['SDK-HMAC-SHA256', stamp, sha256(canonical(request, signed))].join('\n');
    const expected = createHmac('sha256', key.secretKey).update(text).digest();
    const good = timingSafeEqual(expected, Buffer.from(signature, 'hex'));
    if (good && mandatory.every((name) => signed.includes(name))) {
      failures.delete(accessKey);
      return undefined;
    }
    const inARow = (failures.get(accessKey) ?? 0) + 1;
    failures.set(accessKey, inARow);
    if (inARow >= LOCK_AFTER_FAILURES) {
      lockedUntil.set(accessKey, nowMs + LOCK_MS);
      failures.delete(accessKey);
    }
    return refused('verify signature fail');
  }

  return { check, isLocked: (accessKey: string) => (lockedUntil.get(accessKey) ?? 0) > now() };
}
