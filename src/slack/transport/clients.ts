/** Two Web API clients: one for calls that are safe to repeat, one for calls that are not. */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Logger } from '../../observability/logger.ts';

export interface SlackClients {
  /** For calls that are safe to repeat: retried a few times, and after rate limits. */
  readonly read: WebClient;
  /** For calls with an effect: never retried by the SDK, so that every ambiguous outcome is known to the caller. */
  readonly post: WebClient;
}

const TIMEOUT_MS = 10_000;

export function createClients(token: string, apiUrl: string | undefined, log: Logger): SlackClients {
  const common = () => ({
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    timeout: TIMEOUT_MS,
    maxRequestConcurrency: 10,
    logger: slackLogger(log),
  });
  return {
    read: new WebClient(token, { ...common(), retryConfig: { retries: 3, minTimeout: 300, maxTimeout: 3_000 } }),
    post: new WebClient(token, { ...common(), retryConfig: { retries: 0 }, rejectRateLimitedCalls: true }),
  };
}

/** The SDK's log at debug level: what matters is logged where it is handled. */
export function slackLogger(log: Logger): SlackLogger {
  const debug = (...values: unknown[]): void => log.debug({ sdk: values.map(String).join(' ') }, 'slack sdk');
  return {
    debug: () => {},
    info: debug,
    warn: debug,
    error: debug,
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
