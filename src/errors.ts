/**
 * The project's error type. It carries what people see: a sentence, a hint, and for usage errors the span of text at fault.
 * `detail` and `cause` are for the log. Any other error that reaches a listener is a bug, shown as `internal` with a reference.
 */
export type BotErrorCode =
  | 'usage'
  | 'forbidden'
  | 'not_found'
  | 'limit'
  | 'upstream_timeout'
  | 'upstream_rate_limited'
  | 'upstream_auth'
  | 'upstream_unavailable'
  | 'upstream_bad_response'
  | 'not_posted'
  /** The bot is restarting and could not finish. */
  | 'stopping'
  | 'storage'
  | 'config'
  | 'internal';

/** What code may branch on besides the error code. `detail` is only for the log. */
export type FailureReason =
  | { readonly is: 'unknown_host'; readonly name: string }
  | { readonly is: 'no_such_query' }
  /** `dialect`: the dialect whose error codes the refusal uses, if its code shows one. */
  | { readonly is: 'request_refused'; readonly dialect?: 'events' | 'overviews' }
  | { readonly is: 'not_permitted' }
  | { readonly is: 'answer_too_large' }
  /** `why`: what was wrong with it, for the operator. */
  | { readonly is: 'unreadable_answer'; readonly why: string }
  /** The service has this for some windows, but not for the one requested. */
  | { readonly is: 'window_not_offered' }
  /** Everything that was stored is gone, or the storage is full. */
  | { readonly is: 'storage_lost' }
  | { readonly is: 'storage_full' }
  | { readonly is: 'storage_migrating' }
  /** A stored record isn't what the bot wrote. */
  | { readonly is: 'damaged_record' }
  /** `sinceMs`: when the first call of the outage failed. */
  | { readonly is: 'outage'; readonly sinceMs: number };

/** Half-open UTF-16 offsets into the text as typed. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A button next to the error: sends the sentence, or opens a form. */
export interface NextStep {
  readonly label: string;
  readonly sentence: string;
  readonly opensForm?: true;
}

export interface OutageImpact {
  /** The clock time since which questions have failed; `null` if that was just now. */
  readonly since: string | null;
  /** How many of the channel's watches have no data. */
  readonly watches: number;
}

interface BotErrorOptions {
  /** What to do next, one sentence. */
  readonly hint?: string;
  readonly next?: readonly NextStep[];
  /** IDs of users who can help. */
  readonly people?: readonly string[];
  /** IDs of channels where the question is allowed. */
  readonly channels?: readonly string[];
  readonly reason?: FailureReason;
  /** The service that failed; the identity service is where the bot signs in. */
  readonly service?: 'statistics' | 'identity';
  /** Structured facts for the log. Never a secret, a URL or a body. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class BotError extends Error {
  override readonly name: string = 'BotError';
  readonly code: BotErrorCode;
  readonly hint: string | undefined;
  readonly next: readonly NextStep[];
  readonly people: readonly string[];
  readonly channels: readonly string[];
  readonly reason: FailureReason | undefined;
  readonly service: BotErrorOptions['service'];
  /** The project whose service failed, if it isn't the one that was asked about. */
  readonly project: string | undefined;
  /** What the channel of the question should know while a service fails. */
  readonly impact: OutageImpact | undefined;
  readonly detail: Readonly<Record<string, unknown>>;

  /** `message` is shown to the asker: no secret, no URL. */
  constructor(code: BotErrorCode, message: string, options: BotErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.next = options.next ?? [];
    this.people = options.people ?? [];
    this.channels = options.channels ?? [];
    this.reason = options.reason;
    this.service = options.service;
    this.project = undefined;
    this.impact = undefined;
    this.detail = options.detail ?? {};
  }

  /** A copy with other properties and the same stack. */
  changed(change: Readonly<Record<string, unknown>>): this {
    const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    for (const [name, value] of Object.entries(change)) Object.defineProperty(copy, name, { value, enumerable: true });
    return copy;
  }
}

interface UsageErrorOptions extends BotErrorOptions {
  /** The whole text as typed, for the caret under the span. */
  readonly text?: string;
  readonly span?: Span;
  readonly suggestion?: string;
  /** The whole sentence, corrected. */
  readonly corrected?: string;
  /** An example that works when copied. */
  readonly example?: string;
  /** Used instead of `example`: the examples nearest to what was typed. They get no buttons. */
  readonly examples?: readonly string[];
}

export class UsageError extends BotError {
  override readonly name = 'UsageError';
  readonly text: string | undefined;
  readonly span: Span | undefined;
  readonly suggestion: string | undefined;
  readonly corrected: string | undefined;
  readonly example: string | undefined;
  readonly examples: readonly string[];

  constructor(message: string, options: UsageErrorOptions = {}) {
    super('usage', message, options);
    this.text = options.text;
    this.span = options.span;
    this.suggestion = options.suggestion;
    this.corrected = options.corrected;
    this.example = options.example;
    this.examples = options.examples ?? [];
  }
}

/** For optional data: `null` if the service failed or has no data that far back. Bugs still throw. */
export async function nullIfUnavailable<T>(answer: Promise<T>): Promise<T | null> {
  const found = await orFailure(answer);
  return found instanceof BotError ? null : found;
}

/** The same with the failure instead of `null`, for answers that say what is missing and why. */
export async function orFailure<T>(answer: Promise<T>): Promise<T | BotError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BotError && (error.code.startsWith('upstream_') || error.code === 'limit')) return error;
    throw error;
  }
}

/** For data a service may not offer for this window. Failures still throw. */
export async function nullIfNotOffered<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BotError && error.code === 'limit') return null;
    throw error;
  }
}

/** For logs and metrics. */
export const codeOf = (error: unknown): BotErrorCode => (error instanceof BotError ? error.code : 'internal');

/** Whether only the operator or the service can do something about it. */
export const isOperatorFault = (code: BotErrorCode): boolean =>
  /^(upstream_|not_posted$|storage$|config$|internal$)/.test(code);
