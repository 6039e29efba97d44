/**
 * Tells the asker that a slow answer is on its way. In a channel, the notice is a message that is edited into the answer. An
 * ephemeral notice can't be edited later, so it announces that the answer follows.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, withTimeout } from '../../clock.ts';
import type { Reply } from '../../commands/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { renderLine } from '../blocks/mrkdwn.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { PostAndConfirm } from './post-and-confirm.ts';
import { ephemeralPlace, ephemeralThreadTs, type ReplyTarget } from './reply-target.ts';
import type { Respond } from './response-url.ts';

/** Schedules the notice for a question that is about to be answered. */
export type StartProgressNotice = (question: NoticedQuestion, target: ReplyTarget) => ProgressNotice;

interface NoticedQuestion {
  readonly text: string;
  /** Whether only the asker will see the answer. */
  readonly isPrivate: () => Promise<boolean>;
}

interface ProgressNotice {
  /** Cancels a notice that isn't shown yet; returns what to deliver and where: a posted notice is edited. */
  finish(reply: Reply): Promise<{ readonly reply: Reply; readonly target: ReplyTarget }>;
}

interface ProgressNoticeDependencies {
  readonly clients: SlackClients;
  readonly postAndConfirm: PostAndConfirm;
  readonly respond: Respond;
  readonly log: Logger;
  readonly clock: Clock;
}

export const SLOW_AFTER_MS = 2_500;
/** How long a finished answer waits for its notice to be posted. */
export const NOTICE_LIMIT_MS = 3_000;
const MAX_QUOTE = 200;

export function createProgressNotices(deps: ProgressNoticeDependencies): StartProgressNotice {
  const { clients, postAndConfirm, respond, log, clock } = deps;

  async function postNotice(text: string, { channel, threadTs }: ReplyTarget): Promise<string> {
    const { ts } = await postAndConfirm({ channel, thread_ts: threadTs, text }, randomUUID());
    return ts;
  }

  /** Uses one of the five responses of a response_url; the answer needs at most three. */
  async function postEphemeralNotice(notice: string, target: ReplyTarget): Promise<null> {
    const text = `${notice} The answer follows.`;
    const { responseUrl } = target;
    if (responseUrl === undefined) await clients.post.chat.postEphemeral({ ...ephemeralPlace(target), text });
    else await respond(responseUrl, { text }, { inChannel: false, threadTs: ephemeralThreadTs(target) });
    return null;
  }

  const ignore = (error: unknown): null => {
    log.debug({ err: error }, 'could not show a progress notice');
    return null;
  };

  /** The message to edit into the answer, or `null`. */
  async function show({ text, isPrivate }: NoticedQuestion, target: ReplyTarget): Promise<string | null> {
    const notice = noticeText(text);
    // If it isn't known whether the answer is private, it's treated as private.
    const ephemeral = target.ephemeral || (await isPrivate().catch(() => true));
    const ts = ephemeral ? null : await postNotice(notice, target).catch(ignore);
    return ts ?? postEphemeralNotice(notice, target);
  }

  /** The notice to edit. If Slack is still posting it when the answer is ready, it's deleted once it appears. */
  async function settled(shown: Promise<string | null> | undefined, { channel }: ReplyTarget): Promise<string | null> {
    if (shown === undefined) return null;
    return withTimeout(
      clock,
      NOTICE_LIMIT_MS,
      () => shown,
      () => {
        void shown
          .then((ts) => (ts === null ? null : clients.read.chat.delete({ channel, ts })))
          .catch((error: unknown) => log.debug({ err: error }, 'could not delete a late progress notice'));
        return null;
      },
    );
  }

  return function startProgressNotice(question, target) {
    // The bot's own message will be edited: its old content stays until the new answer is ready.
    if (target.replaceTs !== undefined) return { finish: async (reply) => ({ reply, target }) };
    let shown: Promise<string | null> | undefined;
    const cancel = clock.after(SLOW_AFTER_MS, () => {
      shown = show(question, target).catch(ignore);
    });
    return {
      async finish(reply) {
        cancel();
        const ts = await settled(shown, target);
        if (ts === null) return { reply, target };
        // Everyone has seen the notice, so even a reply meant only for the asker has to replace it.
        return { reply: { ...reply, quiet: false }, target: { ...target, replaceTs: ts } };
      },
    };
  };
}

function noticeText(question: string): string {
  return renderLine(['Working on ', question === '' ? 'your question' : { code: question.slice(0, MAX_QUOTE) }, ' …']);
}
