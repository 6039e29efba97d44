/**
 * Slack's `response_url`: a one-time address that reaches the asker even in channels the bot isn't in. What was sent there
 * can't be looked up, so it's repeated only if Slack certainly refused it.
 */
import type { Logger } from '../../observability/logger.ts';
import type { SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/web-api.ts';
import { slackFailure } from '../transport/web-api.ts';

/**
 * - `taken`: Slack confirmed it
 * - `refused_blocks`: not shown, because of its blocks
 * - `refused`: not shown, because the address has expired, can't be reached, or Slack failed
 * - `unknown`: no clear answer; it may have been shown
 */
type ResponseOutcome = 'taken' | 'refused_blocks' | 'refused' | 'unknown';

export interface ResponseOptions {
  readonly inChannel: boolean;
  readonly replace?: boolean;
  /** Deletes the message that the address belongs to instead of posting one. */
  readonly remove?: boolean;
  readonly threadTs?: string | undefined;
}

/** Slack accepts five responses within thirty minutes, then answers 404. Never rejects. */
export type Respond = (url: string, message: SlackMessage, options: ResponseOptions) => Promise<ResponseOutcome>;

const RESPONSE_LIMIT_MS = 5_000;

export function createRespond(clients: Pick<SlackClients, 'postToUrl'>, log: Logger): Respond {
  return async function respond(url, message, { inChannel, replace = false, remove = false, threadTs }) {
    const json = remove
      ? { delete_original: true }
      : {
          ...message,
          thread_ts: threadTs,
          response_type: inChannel ? 'in_channel' : 'ephemeral',
          replace_original: replace,
        };
    // Not Bolt's `respond`, which has no time limit and follows redirects.
    const outcome = await clients.postToUrl(url, { json, timeoutMs: RESPONSE_LIMIT_MS }).then(
      ({ status, text }) => outcomeOf(status, text),
      (error: unknown) => (slackFailure(error)?.kind === 'not_posted' ? 'refused' : 'unknown'),
    );
    if (outcome !== 'taken') log.warn({ outcome }, 'Slack did not confirm a response');
    return outcome;
  };
}

function outcomeOf(status: number, body: string): ResponseOutcome {
  // A gateway may have lost the answer of a Slack that showed the message.
  if (status === 502 || status === 504) return 'unknown';
  if (status < 300 && !/"ok":\s*false/.test(body)) return 'taken';
  return /invalid_blocks|invalid_attachments|msg_(blocks_)?too_long/.test(body) ? 'refused_blocks' : 'refused';
}
