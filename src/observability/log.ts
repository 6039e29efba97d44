/**
 * The log: one JSON line a fact, on standard output. Errors are written as what they mean, without stack traces, and
 * the finished line is scrubbed of addresses and of every configured secret, whoever put them there.
 */
import { type DestinationStream, pino } from 'pino';
import { BotError } from '../errors.ts';
import type { Logger } from './logger.ts';

const ADDRESS = /\b(?:https?|wss?|rediss?):\/\/[^\s"'\\]+/g;
const SLACK_TOKEN = /\bx(?:ox[a-z]|app)-[\w-]+/g;

export function createLog(level: string, secrets: readonly string[], destination?: DestinationStream): Logger {
  const known = secrets.filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
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

interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly detail?: object;
  /** Where in the project it was made: enough to find the line, not a trace. */
  readonly at?: string;
  readonly cause?: ErrorFacts;
}

export function describeError(error: unknown, depth = 0): ErrorFacts {
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
