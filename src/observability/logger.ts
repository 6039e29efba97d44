/**
 * The one logger type and its implementation on pino: one JSON line per entry on standard output. Errors are written
 * without stack traces, and every finished line is scrubbed of addresses and configured secrets, whoever logged them.
 */
import { type DestinationStream, pino } from 'pino';
import { BotError } from '../errors.ts';

type LogMethod = (facts: object, message: string) => void;

/** Facts are structured. Secrets, addresses and request bodies do not belong in them; scrubbing is only a safety net. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

const ADDRESS = /\b(?:https?|wss?|rediss?):\/\/[^\s"'\\]+/g;
const SLACK_TOKEN = /\bx(?:ox[a-z]|app)-[\w-]+/g;
/** A shorter secret would match ordinary words and redact most of the log. */
const SHORTEST_SECRET = 4;

export function createLogger(level: string, secrets: readonly string[], destination?: DestinationStream): Logger {
  // Longest first: one secret may be the beginning of another.
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).toSorted((a, b) => b.length - a.length);
  const scrub = (line: string): string => {
    let clean = line;
    for (const secret of known) {
      clean = clean.replaceAll(secret, '[redacted]').replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
    }
    return clean.replace(SLACK_TOKEN, '[redacted]').replace(ADDRESS, '[address]');
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

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly detail?: object;
  /** The first line of the project in the stack: enough to find the place, without the whole trace. */
  readonly at?: string;
  readonly cause?: LoggedError;
}

function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const at = /\/((?:src|test)\/[\w./-]+\.ts:\d+)/.exec(error.stack ?? '')?.[1];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof BotError && Object.keys(error.detail).length > 0 ? { detail: error.detail } : {}),
    ...(at === undefined ? {} : { at }),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}
