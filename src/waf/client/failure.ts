/**
 * Every way a call to a service can fail: what the person is told, whether another try helps, what it means for the
 * credentials, and whether the service counts as down. What each code means is in `rules.ts`.
 */
import { BotError, type BotErrorCode } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { type AuthMethod, ruleFor, type ServiceName, type ServiceRule } from '../rules.ts';
import { readErrorBody, retryAfterMs, throttleWindowMs } from '../wire/error-body.ts';
import type { Scrubber } from './scrub.ts';

export interface CallFailure {
  readonly error: BotError;
  /** Another try may succeed. */
  readonly retry: boolean;
  /** How long the service wants to be left alone, where it said so. */
  readonly waitMs?: number;
  /** Counts towards opening the circuit. */
  readonly outage: boolean;
  /** What the failure says about the credentials that were sent. */
  readonly credentials: ServiceRule['credentials'];
}

export interface HttpReply {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: { get(name: string): string | null };
  readonly body: string;
}

interface ReplyContext {
  readonly service: ServiceName;
  readonly method: AuthMethod;
  readonly nowMs: number;
  readonly scrub: Scrubber;
}

const NAMES: Readonly<Record<ServiceName, string>> = {
  statistics: 'The statistics service',
  identity: 'The identity service',
};
const ADDRESS_SETTING: Readonly<Record<ServiceName, string>> = { statistics: 'WAF_BASE_URL', identity: 'WAF_IAM_URL' };

/** Whatever a service asks for: it may be wrong, and nobody would see why the bot is silent. */
const MAX_WAIT_MS = 5 * 60_000;

/** A reply that is not a success. */
export function failureOf(reply: HttpReply, { service, method, nowMs, scrub }: ReplyContext): CallFailure {
  const body = readErrorBody(reply.body);
  const rule = ruleFor(service, method, reply.status, body.key);
  const askedForMs =
    rule.code === 'upstream_rate_limited'
      ? (retryAfterMs(reply.headers.get('retry-after'), nowMs) ?? throttleWindowMs(body.message))
      : undefined;
  const waitMs = askedForMs === undefined ? undefined : Math.min(MAX_WAIT_MS, askedForMs);
  const hint = waitMs === undefined ? rule.hint : askAgainIn(waitMs);
  const error = new BotError(rule.code, rule.says.replace('{service}', NAMES[service]), {
    hint,
    detail: {
      service,
      status: reply.status,
      serviceCode: body.code === undefined ? undefined : scrub(body.code),
      serviceMessage: scrub(body.message),
      requestId: scrub(reply.headers.get('x-request-id') ?? body.requestId ?? ''),
      waitMs,
    },
  });
  return {
    error,
    retry: rule.retry,
    outage: rule.outage,
    credentials: rule.credentials,
    waitMs,
  };
}

/** Longer waits are told in minutes. */
const LONGEST_IN_SECONDS_MS = 89_000;

/** Rounded up, so that nobody asks again too early. */
function askAgainIn(ms: number): string {
  const unit = ms <= LONGEST_IN_SECONDS_MS ? 'second' : 'minute';
  return `Ask again in ${duration(Math.max(1_000, ms), { units: [unit], rounding: 'up', form: 'short' })}.`;
}

/** The same refusal for somebody who asks during the wait, with what is left of it. */
export function stillThrottled({ error, ...failure }: CallFailure, leftMs: number): CallFailure {
  const { code, message, detail } = error;
  return { ...failure, error: new BotError(code, message, { hint: askAgainIn(leftMs), detail }) };
}

/** With the time of the first question that failed, for whoever is told. */
export function since({ error, ...failure }: CallFailure, sinceMs: number): CallFailure {
  const { code, message, hint, detail } = error;
  const options = { hint, detail: { ...detail, sinceMs } };
  return { ...failure, error: new BotError(code, message, options) };
}

function down(
  service: ServiceName,
  code: BotErrorCode,
  says: string,
  hint: string,
  detail: object,
  retry = true,
): CallFailure {
  const error = new BotError(code, `${NAMES[service]} ${says}`, { hint, detail: { service, ...detail } });
  return { error, retry, outage: true, credentials: 'unknown' };
}

export function timedOut(service: ServiceName, timeoutMs: number): CallFailure {
  return down(service, 'upstream_timeout', 'did not answer in time.', 'Try again in a moment.', { timeoutMs });
}

/** `forMs`: since the first question that failed. */
export function circuitOpen(service: ServiceName, forMs: number): CallFailure {
  const style = { units: ['hour', 'minute', 'second'], rounding: 'whole', form: 'short' } as const;
  const says = `has not been answering for ${duration(Math.max(1_000, forMs), style)}.`;
  const hint = 'It is tried again every few seconds; ask again in a moment.';
  return down(service, 'upstream_unavailable', says, hint, { circuit: 'open' }, false);
}

/** Another try cannot help while the operator has not changed something. */
const LASTING = /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|HPE_)/;

/** A failure below HTTP. Only its code is taken: messages and causes carry addresses and headers. */
export function unreachable(service: ServiceName, thrown: unknown): CallFailure {
  const reason = reasonOf(thrown);
  const check = `Check ${ADDRESS_SETTING[service]} and the network between.`;
  if (/^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(reason)) {
    const says = 'has a certificate that is not trusted here.';
    const hint = 'Install the certificate authority of the service (NODE_EXTRA_CA_CERTS).';
    return down(service, 'upstream_unavailable', says, hint, { reason }, false);
  }
  return down(service, 'upstream_unavailable', 'cannot be reached.', check, { reason }, !LASTING.test(reason));
}

/** A success that does not end where any answer would. It is not read to its end, and not asked for again. */
export function tooLarge(service: ServiceName, maxBytes: number): CallFailure {
  const error = new BotError('upstream_bad_response', `${NAMES[service]} sent more than an answer can be long.`, {
    hint: 'Ask for a shorter window or fewer hosts; if that does not help, something else answers at its address.',
    detail: { service, maxBytes },
  });
  return { error, retry: false, outage: false, credentials: 'unknown' };
}

/** A success whose content makes no sense. */
export function badAnswer(service: ServiceName, why: string, requestId: string | null = null): BotError {
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
