/**
 * Failures of calls to both services, mapped once from ky's errors: the sentence for the person, and what the retry
 * policy and the authentication need to know. What each error code means is in `rules.ts`.
 */
import { isHTTPError, isTimeoutError } from 'ky';
import { BotError, type BotErrorCode } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';
import { type AuthMethod, reasonFor, ruleFor, type ServiceName, type ServiceRule } from '../rules.ts';

/** Removes secrets and addresses from the services' texts before anyone sees them. */
export interface Scrubber {
  (text: string): string;
  /** Adds a secret that is known only later, such as a token. */
  readonly learn: (secret: string) => void;
}

interface FailureFacts {
  readonly service: ServiceName;
  /** The status of the reply, if there was one. */
  readonly status?: number;
  /** Another try may succeed. */
  readonly retry?: boolean;
  /** How long the service asked us to wait. */
  readonly waitMs?: number;
  /** Counts toward opening the circuit. */
  readonly outage?: boolean;
  /** What the failure says about the credentials that were sent. */
  readonly credentials?: ServiceRule['credentials'];
}

/** Never holds the request, the response or ky's error: all three carry credentials and addresses. */
export class ServiceFailure extends BotError {
  override readonly service: ServiceName;
  readonly status: number | undefined;
  readonly retry: boolean;
  readonly waitMs: number | undefined;
  readonly outage: boolean;
  readonly credentials: ServiceRule['credentials'];

  constructor(
    code: BotErrorCode,
    message: string,
    { service, status, retry = false, waitMs, outage = false, credentials = 'unknown' }: FailureFacts,
    { detail, ...options }: NonNullable<ConstructorParameters<typeof BotError>[2]> = {},
  ) {
    super(code, message, { ...options, service, detail: { service, ...detail } });
    this.service = service;
    this.status = status;
    this.retry = retry;
    this.waitMs = waitMs;
    this.outage = outage;
    this.credentials = credentials;
  }
}

/** A complete reply with a success status. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface FailureContext {
  readonly service: ServiceName;
  readonly method: AuthMethod;
  readonly now: () => number;
  readonly scrub: Scrubber;
}

const NAMES: Readonly<Record<ServiceName, string>> = {
  statistics: 'The statistics service',
  identity: 'The identity service',
};
const ADDRESS_SETTING: Readonly<Record<ServiceName, string>> = { statistics: 'WAF_BASE_URL', identity: 'WAF_IAM_URL' };

/** A service may ask for a longer pause by mistake, and nobody would know why the bot is silent. */
const MAX_WAIT_MS = 5 * MINUTE_MS;

/** The error to throw for whatever ky threw. Our hooks throw a `BotError`, which stays as it is. */
export function failureFrom(thrown: unknown, timeoutMs: number, context: FailureContext): BotError {
  if (thrown instanceof BotError) return thrown;
  if (isHTTPError(thrown)) return refusal(thrown.response, thrown.data, context);
  if (isTimeoutError(thrown)) return timedOut(context.service, timeoutMs);
  return unreachable(context.service, thrown);
}

/** For hooks, which see a refusal before ky throws it. */
export async function readRefusal(response: Response, context: FailureContext): Promise<ServiceFailure> {
  // A body that is too long or breaks off says nothing; the status still does.
  return refusal(response, await response.text().catch(() => undefined), context);
}

function refusal({ status, headers }: Response, data: unknown, context: FailureContext): ServiceFailure {
  const { service, method, now, scrub } = context;
  const body = readErrorBody(data);
  const rule = ruleFor(service, method, status, body.key);
  const requestedMs =
    rule.code === 'upstream_rate_limited'
      ? (retryAfterMs(headers.get('retry-after'), now()) ?? throttleWindowMs(body.message))
      : undefined;
  const waitMs = requestedMs === undefined ? undefined : Math.min(MAX_WAIT_MS, requestedMs);
  const { retry, outage, credentials } = rule;
  const facts = { service, status, retry, outage, credentials, waitMs };
  return new ServiceFailure(rule.code, rule.says.replace('{service}', NAMES[service]), facts, {
    hint: waitMs === undefined ? rule.hint : askAgainIn(waitMs),
    reason: service === 'statistics' ? reasonFor(status, body.code ?? '') : undefined,
    detail: {
      status,
      serviceCode: body.code === undefined ? undefined : scrub(body.code),
      serviceMessage: scrub(body.message),
      requestId: scrub(headers.get('x-request-id') ?? body.requestId ?? ''),
      waitMs,
    },
  });
}

/** Longer waits are shown in minutes. */
const MAX_SHOWN_IN_SECONDS_MS = 89_000;

/** Rounded up, so that nobody asks again too early. */
function waitInWords(ms: number): string {
  const unit = ms <= MAX_SHOWN_IN_SECONDS_MS ? 'second' : 'minute';
  return duration(Math.max(1_000, ms), { units: [unit], rounding: 'up', form: 'short' });
}

const askAgainIn = (ms: number): string => `Ask again in ${waitInWords(ms)}.`;

/** The same refusal for a question that arrives during the wait. */
export function stillThrottled(failure: ServiceFailure, leftMs: number): ServiceFailure {
  const message = `${NAMES[failure.service]} asked me to pause: no requests for ${waitInWords(leftMs)} more.`;
  return failure.changed({ message, hint: askAgainIn(leftMs) });
}

/** Adds when the outage began. */
export function since(failure: ServiceFailure, sinceMs: number): ServiceFailure {
  return failure.changed({ detail: { ...failure.detail, sinceMs }, reason: { is: 'outage', sinceMs } });
}

export function timedOut(service: ServiceName, timeoutMs: number): ServiceFailure {
  const facts = { service, retry: true, outage: true };
  return new ServiceFailure('upstream_timeout', `${NAMES[service]} did not answer in time.`, facts, {
    hint: 'Try again in a moment.',
    detail: { timeoutMs },
  });
}

/** `forMs`: since the first failed call. `leftMs`: until the next try; none while one is under way. */
export function circuitOpen(service: ServiceName, forMs: number, leftMs: number): ServiceFailure {
  const style = { units: ['hour', 'minute', 'second'], rounding: 'whole', form: 'short' } as const;
  const message = `${NAMES[service]} hasn't answered for ${duration(Math.max(1_000, forMs), style)}.`;
  return new ServiceFailure(
    'upstream_unavailable',
    message,
    { service, outage: true },
    {
      hint: leftMs > 0 ? `I hold back for ${waitInWords(leftMs)} more. Then ask again.` : 'Ask again in a moment.',
      detail: { circuit: 'open' },
    },
  );
}

const UNTRUSTED = /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
/** Another try can't help until the operator changes something. */
const LASTING = /^(UND_ERR_HEADERS_OVERFLOW|HPE_)/;

/** A failure below HTTP. Only its code is used: messages and causes carry addresses and headers. */
function unreachable(service: ServiceName, thrown: unknown): ServiceFailure {
  const reason = errorCodeOf(thrown);
  const untrusted = UNTRUSTED.test(reason);
  const facts = { service, retry: !untrusted && !LASTING.test(reason), outage: true };
  const what = untrusted ? "has a certificate that this machine doesn't trust." : 'cannot be reached.';
  return new ServiceFailure('upstream_unavailable', `${NAMES[service]} ${what}`, facts, {
    hint: untrusted
      ? "Install the service's certificate authority (NODE_EXTRA_CA_CERTS)."
      : `Check ${ADDRESS_SETTING[service]} and the network in between.`,
    detail: { reason },
  });
}

function errorCodeOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return thrown instanceof Error ? thrown.name : 'unknown';
}

/** A success that is longer than any answer. The rest of it is not read, and it is not requested again. */
export function tooLarge(service: ServiceName, maxBytes: number): ServiceFailure {
  const message = `${NAMES[service]} sent an answer that is too large.`;
  return new ServiceFailure(
    'upstream_bad_response',
    message,
    { service },
    {
      hint: "Ask for a shorter window or fewer hosts. If that doesn't help, something else may be answering at its address.",
      reason: { is: 'answer_too_large' },
      detail: { maxBytes },
    },
  );
}

/** A success whose content makes no sense. */
export function badAnswer(service: ServiceName, why: string, requestId: string | null = null): BotError {
  return new BotError('upstream_bad_response', `${NAMES[service]} sent an answer that doesn't make sense.`, {
    hint: "I'd rather show nothing than wrong numbers. The log says what was odd.",
    service,
    reason: { is: 'unreadable_answer', why },
    detail: { service, why, requestId: requestId ?? undefined },
  });
}

export const isNoSuchQuery = (error: unknown): error is BotError =>
  error instanceof BotError && error.reason?.is === 'no_such_query';

/** The service has the query, but doesn't accept what was asked for. */
export const isRequestRefused = (error: unknown): error is BotError =>
  error instanceof BotError && error.reason?.is === 'request_refused';

interface ErrorBody {
  /** As the service wrote it, for the log. */
  readonly code: string | undefined;
  /** The code for the rules: the gateway has two prefixes for the same four digits. */
  readonly key: string;
  readonly message: string;
  readonly requestId: string | undefined;
}

const GATEWAY_CODE = /^APIGW?\.(\d{4})$/;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** `data` is parsed JSON or text, as ky read it. */
export function readErrorBody(data: unknown): ErrorBody {
  const parsed = typeof data === 'string' ? parseJson(data) : data;
  const outer = isRecord(parsed) ? parsed : {};
  const inner = isRecord(outer.error) ? outer.error : {};
  const code = text(outer.error_code) ?? text(inner.error_code) ?? text(inner.code);
  return {
    code,
    key: code === undefined ? '' : code.replace(GATEWAY_CODE, '.$1'),
    message: text(outer.error_msg) ?? text(inner.error_msg) ?? text(inner.message) ?? '',
    requestId: text(outer.request_id),
  };
}

/** `…,limit:5,time:1 minute` → 60 000: how long the throttled window is. */
export function throttleWindowMs(message: string): number | undefined {
  const match = /\btime:\s*(\d+)\s*(second|minute|hour|day)/i.exec(message);
  if (match === null) return undefined;
  const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };
  return Number(match[1]) * (unitMs[match[2]?.toLowerCase() as keyof typeof unitMs] ?? 0);
}

/** Seconds or an HTTP date; anything else is ignored. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
