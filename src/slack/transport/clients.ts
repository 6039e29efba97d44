/** The two ways of calling Slack: reading, which may be repeated, and posting, which may not. */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Logger } from '../../observability/logger.ts';

export interface SlackClients {
  /** For calls that are safe to repeat: retried a few times, waits out rate limits. */
  readonly read: WebClient;
  /** For calls with an effect: never repeated behind our back, every doubtful outcome comes back to us. */
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

/** The SDK's own words, one level down: what matters is logged where it is handled. They may name addresses. */
export function slackLogger(log: Logger): SlackLogger {
  const quiet = (...words: unknown[]): void => log.debug({ sdk: words.map(String).join(' ') }, 'slack sdk');
  return {
    debug: () => {},
    info: quiet,
    warn: quiet,
    error: quiet,
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
