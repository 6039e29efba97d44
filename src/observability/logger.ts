/**
 * The logger, on pino: one JSON line per entry on standard output, the only place for stack traces. Every line is scrubbed of
 * URLs and configured secrets.
 */
import { type DestinationStream, pino } from 'pino';
import { BotError } from '../errors.ts';
import { inSource } from './source-places.ts';

type LogMethod = (facts: object, message: string) => void;

/** Facts are structured and must not contain secrets, URLs or request bodies; scrubbing is only a safety net. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

const ADDRESS = /\b(?:https?|wss?|rediss?):\/\/[^\s"'\\]+/g;
const SLACK_TOKEN = /\bx(?:ox[a-z]|app|wfp)-[\w-]+/g;
/** A shorter secret would match ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** Lines are shortened only after scrubbing, which would not find half a secret. */
const MAX_LINE_LENGTH = 32_768;
const MAX_TEXT_LENGTH = 2_000;

export function createLogger(level: string, secrets: readonly string[], destination?: DestinationStream): Logger {
  // Longest first: one secret may start with another.
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).toSorted((a, b) => b.length - a.length);
  const scrub = (line: string): string => {
    let clean = line;
    for (const secret of known) {
      clean = clean.replaceAll(secret, '[redacted]').replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
    }
    return shorten(clean.replace(SLACK_TOKEN, '[redacted]').replace(ADDRESS, '[address]'));
  };
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError, error: describeError },
    hooks: { streamWrite: scrub },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function shorten(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
  const entry: Record<string, unknown> = JSON.parse(line);
  const text = JSON.stringify(entry, short);
  if (text.length <= MAX_LINE_LENGTH) return `${text}\n`;
  const { level, time, msg } = entry;
  return `${JSON.stringify({ level, time, tooLong: line.length, msg }, short)}\n`;
}

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly detail?: object;
  /** The first frame of the project in the stack. */
  readonly at?: string;
  /** Only for unexpected errors. */
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

/** Limits the errors of an AggregateError and the depth of causes. */
const MAX_PARTS = 5;

function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map(inSource);
  const at = /\/((?:src|test)\/[\w./-]+\.ts:\d+)/.exec(frames.join('\n'))?.[1];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const expected = error instanceof BotError && error.code !== 'internal';
  const parts = error instanceof AggregateError ? error.errors.slice(0, MAX_PARTS) : [];
  const deeper = depth < MAX_PARTS;
  return {
    name: error.name,
    message: error.message,
    code,
    ...(error instanceof BotError && Object.keys(error.detail).length > 0 ? { detail: error.detail } : {}),
    at,
    ...(expected || frames.length === 0 ? {} : { stack: frames.map((frame) => frame.trim()) }),
    ...(error.cause === undefined || !deeper ? {} : { cause: describeError(error.cause, depth + 1) }),
    ...(parts.length === 0 || !deeper ? {} : { errors: parts.map((part) => describeError(part, depth + 1)) }),
  };
}
