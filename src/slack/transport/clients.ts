/** Two Web API clients: one for calls that are safe to repeat, one for calls that are not. */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { type WebAPICallResult, WebClient } from '@slack/web-api';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { createSlackFetch, type SlackFetch } from './slack-fetch.ts';

export interface SlackClients extends Omit<SlackFetch, 'fetch'> {
  /** For calls that are safe to repeat: retried a few times. */
  readonly read: WebClient;
  /** For calls with an effect: never retried by the SDK, so that every ambiguous outcome is known to the caller. */
  readonly post: WebClient;
}

interface ClientOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const TIMEOUT_MS = 10_000;

/**
 * The SDK walks through every argument for a log that nobody reads, and writes it as JSON in the end; of a text that is
 * JSON already it does neither. For a message with its blocks that is most of the cost of a call.
 */
class LeanWebClient extends WebClient {
  override apiCall(method: string, options: Record<string, unknown> = {}): Promise<WebAPICallResult> {
    const flat = Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ]);
    return super.apiCall(method, Object.fromEntries(flat));
  }
}

export function createClients({ token, apiUrl, clock, log }: ClientOptions): SlackClients {
  const { fetch, ...control } = createSlackFetch(clock);
  const common = () => ({
    slackApiUrl: apiUrl,
    timeout: TIMEOUT_MS,
    logger: slackLogger(log),
    fetch,
    // Otherwise a limit on one method would pause all of them.
    rejectRateLimitedCalls: true,
  });
  return {
    ...control,
    read: new LeanWebClient(token, { ...common(), retryConfig: { retries: 3, minTimeout: 300, maxTimeout: 3_000 } }),
    post: new LeanWebClient(token, { ...common(), retryConfig: { retries: 0 } }),
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
