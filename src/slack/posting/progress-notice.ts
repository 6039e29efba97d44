/**
 * Shows the asker that a slow question is being worked on. In a channel the notice is a message that is edited into
 * the answer. An ephemeral notice cannot be edited afterwards, so it announces that the answer follows.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, withTimeout } from '../../clock.ts';
import type { Reply } from '../../commands/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { renderLine } from '../blocks/mrkdwn.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { PostOnce } from './post-once.ts';
import { ephemeralPlace, ephemeralThreadTs, type ReplyTarget } from './reply-target.ts';
import type { Respond } from './response-url.ts';

/** Schedules the notice for a question that is about to be answered. */
export type StartProgressNotice = (question: NoticedQuestion, target: ReplyTarget) => ProgressNotice;

interface NoticedQuestion {
  readonly text: string;
  /** Whether the answer will be for the asker alone. */
  readonly isPrivate: () => Promise<boolean>;
}

interface ProgressNotice {
  /** Cancels a notice not shown yet; returns what to deliver and where, now that a shown one may be edited. */
  finish(reply: Reply): Promise<{ readonly reply: Reply; readonly target: ReplyTarget }>;
}

interface ProgressNoticeDependencies {
  readonly clients: SlackClients;
  readonly postOnce: PostOnce;
  readonly respond: Respond;
  readonly log: Logger;
  readonly clock: Clock;
}

export const SLOW_AFTER_MS = 2_500;
/** How long a finished answer waits for its notice to be posted. */
export const NOTICE_LIMIT_MS = 3_000;
const MAX_QUOTE = 200;

export function createProgressNotices(deps: ProgressNoticeDependencies): StartProgressNotice {
  const { clients, postOnce, respond, log, clock } = deps;

  async function postNotice(text: string, { channel, threadTs }: ReplyTarget): Promise<string> {
    const where = threadTs === undefined ? { channel } : { channel, thread_ts: threadTs };
    const { ts } = await postOnce({ ...where, text }, randomUUID());
    return ts;
  }

  /** Uses up one of the five responses of a response_url; the answer needs three at most. */
  async function postEphemeralNotice(notice: string, target: ReplyTarget): Promise<null> {
    const text = `${notice} The answer follows.`;
    const { responseUrl } = target;
    if (responseUrl === undefined) await clients.post.chat.postEphemeral({ ...ephemeralPlace(target), text });
    else await respond(responseUrl, { text }, { inChannel: false, threadTs: ephemeralThreadTs(target) });
    return null;
  }

  const ignore = (error: unknown): null => {
    log.debug({ err: error }, 'no notice could be shown');
    return null;
  };

  /** The message to edit into the answer, or `null`. */
  async function show({ text, isPrivate }: NoticedQuestion, target: ReplyTarget): Promise<string | null> {
    const notice = noticeText(text);
    // When it is not known whether the answer is private, it is treated as private.
    const ephemeral = target.ephemeral || (await isPrivate().catch(() => true));
    const ts = ephemeral ? null : await postNotice(notice, target).catch(ignore);
    return ts ?? postEphemeralNotice(notice, target);
  }

  /** The notice to edit. One that Slack is still posting when the answer is there is taken away when it appears. */
  async function settled(shown: Promise<string | null> | undefined, { channel }: ReplyTarget): Promise<string | null> {
    if (shown === undefined) return null;
    return withTimeout(
      clock,
      NOTICE_LIMIT_MS,
      () => shown,
      () => {
        void shown
          .then((ts) => (ts === null ? null : clients.read.chat.delete({ channel, ts })))
          .catch((error: unknown) => log.debug({ err: error }, 'a late notice could not be taken away'));
        return null;
      },
    );
  }

  return function startProgressNotice(question, target) {
    // The bot's own message is going to be edited: its old content stays until the new answer is there.
    if (target.replaceTs !== undefined) return { finish: async (reply) => ({ reply, target }) };
    let shown: Promise<string | null> | undefined;
    const cancel = clock.after(SLOW_AFTER_MS, () => {
      // A notice must not cost the answer.
      shown = show(question, target).catch(ignore);
    });
    return {
      async finish(reply) {
        cancel();
        const ts = await settled(shown, target);
        if (ts === null) return { reply, target };
        // Everyone has seen the notice, so even a reply for the asker alone has to replace it.
        return { reply: { ...reply, quiet: false }, target: { ...target, replaceTs: ts } };
      },
    };
  };
}

function noticeText(question: string): string {
  return renderLine(['Working on ', question === '' ? 'your question' : { code: question.slice(0, MAX_QUOTE) }, ' …']);
}
