/** Two Web API clients: one for calls that are safe to repeat, one for calls that are not. */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { type LimitedMethod, pauseLimitedMethods } from './rate-limits.ts';
import { createSlackHttp, type SlackHttp } from './slack-http.ts';

export interface SlackClients {
  /** For calls that are safe to repeat: retried a few times. */
  readonly read: WebClient;
  /** For calls with an effect: never retried by the SDK, so that the caller learns of every ambiguous outcome. */
  readonly post: WebClient;
  /** For the one-time addresses that Slack hands out. */
  readonly postToUrl: SlackHttp['post'];
  /** The methods that Slack limits right now. */
  limited(): LimitedMethod[];
  /** Aborts the calls under way and refuses new ones: the process is stopping. */
  cutOff(): void;
}

interface ClientOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const TIMEOUT_MS = 10_000;

export function createClients({ token, apiUrl, clock, log }: ClientOptions): SlackClients {
  const http = createSlackHttp();
  const { fetch, limited, clear } = pauseLimitedMethods(http.fetch, clock);
  const common = () => ({
    slackApiUrl: apiUrl,
    timeout: TIMEOUT_MS,
    logger: slackLogger(log),
    fetch,
    // Otherwise the SDK would pause all methods when Slack limits one.
    rejectRateLimitedCalls: true,
  });
  return {
    read: new WebClient(token, { ...common(), retryConfig: { retries: 3, minTimeout: 300, maxTimeout: 3_000 } }),
    post: new WebClient(token, { ...common(), retryConfig: { retries: 0 } }),
    postToUrl: http.post,
    limited,
    cutOff() {
      clear();
      http.cutOff();
    },
  };
}

/** Sends the SDK's log to ours at debug level: failures are logged where they are handled. */
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
