/**
 * Every way a call can fail, understood once: what the person is told, whether another try helps, what it says about the
 * token, and whether the service is to be counted as down. Codes come before statuses, for the service answers 400 to
 * things that others answer 401 to.
 */
import { BotError, type BotErrorCode } from '../errors.ts';
import { readRefusal, retryAfterMs, throttleWindowMs } from './refusal.ts';
import { type Rule, ruleFor } from './rules.ts';
import type { Scrubber } from './scrub.ts';

export type Service = 'statistics' | 'identity';

export interface Failure {
  readonly error: BotError;
  /** Another try may succeed. */
  readonly retry: boolean;
  /** How long the service wants to be left alone, where it said so. */
  readonly waitMs?: number;
  /** Counts towards opening the circuit. */
  readonly outage: boolean;
  /** What the failure says about the credentials that were sent. */
  readonly credentials: Rule['credentials'];
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** How the statistics service was authenticated to; the same code means different things. */
export type Way = 'token' | 'aksk';

export interface ReplyContext {
  readonly service: Service;
  readonly way: Way;
  readonly nowMs: number;
  readonly scrub: Scrubber;
}

const NAMES: Readonly<Record<Service, string>> = {
  statistics: 'The statistics service',
  identity: 'The identity service',
};
const ADDRESS_SETTING: Readonly<Record<Service, string>> = { statistics: 'WAF_BASE_URL', identity: 'WAF_IAM_URL' };

/** A reply that is not a success. */
export function failureOf(reply: HttpReply, { service, way, nowMs, scrub }: ReplyContext): Failure {
  const refusal = readRefusal(reply.body);
  const rule = ruleFor(service, way, reply.status, refusal.key);
  const waitMs =
    rule.code === 'upstream_rate_limited'
      ? (retryAfterMs(reply.headers.get('retry-after'), nowMs) ?? throttleWindowMs(refusal.message))
      : undefined;
  const hint = waitMs === undefined ? rule.hint : `Ask again in ${inWords(waitMs)}.`;
  const error = new BotError(rule.code, rule.says.replace('{service}', NAMES[service]), {
    ...(hint === undefined ? {} : { hint }),
    detail: {
      service,
      status: reply.status,
      serviceCode: refusal.code === undefined ? undefined : scrub(refusal.code),
      serviceMessage: scrub(refusal.message),
      requestId: scrub(reply.headers.get('x-request-id') ?? refusal.requestId ?? ''),
      ...(waitMs === undefined ? {} : { waitMs }),
    },
  });
  return {
    error,
    retry: rule.retry,
    outage: rule.outage,
    credentials: rule.credentials,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function down(service: Service, code: BotErrorCode, says: string, hint: string, detail: object, retry = true): Failure {
  const error = new BotError(code, `${NAMES[service]} ${says}`, { hint, detail: { service, ...detail } });
  return { error, retry, outage: true, credentials: 'unknown' };
}

export function timedOut(service: Service, timeoutMs: number): Failure {
  return down(service, 'upstream_timeout', 'did not answer in time.', 'Try again in a moment.', { timeoutMs });
}

export function circuitOpen(service: Service): Failure {
  const says = 'has not been answering for a while.';
  const hint = 'It is tried again every few seconds; ask again in a moment.';
  return down(service, 'upstream_unavailable', says, hint, { circuit: 'open' }, false);
}

/** Another try cannot help while the operator has not changed something. */
const LASTING = /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|HPE_)/;

/** A failure below HTTP. Only its code is taken: messages and causes carry addresses and headers. */
export function unreachable(service: Service, thrown: unknown): Failure {
  const reason = reasonOf(thrown);
  const check = `Check ${ADDRESS_SETTING[service]} and the network between.`;
  if (/^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(reason)) {
    const says = 'has a certificate that is not trusted here.';
    const hint = 'Install the certificate authority of the service (NODE_EXTRA_CA_CERTS).';
    return down(service, 'upstream_unavailable', says, hint, { reason }, false);
  }
  return down(service, 'upstream_unavailable', 'cannot be reached.', check, { reason }, !LASTING.test(reason));
}

/** A success whose content makes no sense. */
export function untrusted(service: Service, why: string, requestId: string | null = null): BotError {
  return new BotError('upstream_bad_response', `${NAMES[service]} gave an answer that cannot be trusted.`, {
    hint: 'Nothing is shown rather than a wrong number; the log says what was odd.',
    detail: { service, why, ...(requestId === null ? {} : { requestId }) },
  });
}

function reasonOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return thrown instanceof Error ? thrown.name : 'unknown';
}
