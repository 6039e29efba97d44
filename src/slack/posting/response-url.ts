/**
 * Slack's `response_url`: an address for one request that reaches the asker even where the bot is not a member. What was
 * sent there cannot be looked up, so it is repeated only where Slack certainly refused it.
 */
import { type Clock, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/clients.ts';

/**
 * - `taken`: Slack confirmed it
 * - `refused_blocks`: not shown, because of its blocks
 * - `refused`: not shown, because the address is used up or out of reach
 * - `unknown`: no clear answer, so it may have been shown
 */
type ResponseOutcome = 'taken' | 'refused_blocks' | 'refused' | 'unknown';

export interface ResponseOptions {
  readonly inChannel: boolean;
  readonly replace?: boolean;
  /** Takes the message away that the address belongs to, instead of saying something. */
  readonly remove?: boolean;
  readonly threadTs?: string | undefined;
}

/** Slack takes five responses within thirty minutes, then answers 404. Never rejects. */
export type Respond = (url: string, message: SlackMessage, options: ResponseOptions) => Promise<ResponseOutcome>;

interface RespondDependencies {
  readonly clients: Pick<SlackClients, 'send'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const RESPONSE_LIMIT_MS = 5_000;
/** The connection was not made, so nothing was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

export function createRespond({ clients, clock, log }: RespondDependencies): Respond {
  return async function respond(url, message, { inChannel, replace = false, remove = false, threadTs }) {
    const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
    const said = {
      ...message,
      ...thread,
      response_type: inChannel ? 'in_channel' : 'ephemeral',
      replace_original: replace,
    };
    const json = remove ? { delete_original: true } : said;
    // Not Bolt's `respond`, which has no time limit and follows redirects.
    const send = async (signal: AbortSignal): Promise<ResponseOutcome> => {
      const headers = { 'content-type': 'application/json' };
      const { status, text } = await clients.send(url, { headers, body: JSON.stringify(json), signal });
      return outcomeOf(status, text);
    };
    const outcome = await withTimeout(clock, RESPONSE_LIMIT_MS, send, () => 'unknown' as const).catch(
      (error: unknown) => (isNotConnected(error) ? 'refused' : 'unknown'),
    );
    if (outcome !== 'taken') log.warn({ outcome }, 'Slack did not confirm a response');
    return outcome;
  };
}

function outcomeOf(status: number, body: string): ResponseOutcome {
  if (status >= 500) return 'unknown';
  if (status < 300 && !/"ok":\s*false/.test(body)) return 'taken';
  return /invalid_blocks|invalid_attachments|msg_(blocks_)?too_long/.test(body) ? 'refused_blocks' : 'refused';
}

function isNotConnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && NOT_CONNECTED.has(String(error.code))) || isNotConnected(error.cause);
}
