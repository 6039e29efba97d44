/**
 * While a slow question runs, the asker sees that it does. In a channel the notice is a message that becomes the
 * answer. Where only the asker may see it, Slack lets nobody change it afterwards, so it says that the answer follows.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Commands, Reply } from '../../commands/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Asked } from '../asked.ts';
import { renderLine } from '../blocks/mrkdwn.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { Poster } from './post-once.ts';
import { privateThread, type ReplyTarget } from './reply-target.ts';

export interface Notice {
  /** Ends the waiting and says what is to be delivered where now. */
  settle(reply: Reply): Promise<{ readonly reply: Reply; readonly place: ReplyTarget }>;
}

export interface Notices {
  watch(asked: Asked, place: ReplyTarget): Notice;
}

export interface NoticeDependencies {
  readonly clients: SlackClients;
  readonly poster: Poster;
  readonly log: Logger;
  readonly clock: Clock;
  readonly commands: Pick<Commands, 'isPrivate'>;
}

export const SLOW_AFTER_MS = 2_500;
const LONGEST_QUOTE = 200;

export function createNotices({ clients, poster, log, clock, commands }: NoticeDependencies): Notices {
  const words = ({ text }: Asked): string =>
    renderLine(['Working on ', text === '' ? 'your question' : { code: text.slice(0, LONGEST_QUOTE) }, ' …']);

  /** For everyone in the channel; gives the message that will become the answer. */
  async function post(asked: Asked, { channel, threadTs }: ReplyTarget): Promise<string> {
    const where = threadTs === undefined ? { channel } : { channel, thread_ts: threadTs };
    const { ts } = await poster.postOnce({ ...where, text: words(asked) }, randomUUID());
    return ts;
  }

  /** For the asker alone. It costs one of the five uses of a responder; an answer needs three at most. */
  async function whisper(asked: Asked, place: ReplyTarget): Promise<null> {
    const text = `${words(asked)} The answer follows.`;
    const threadTs = privateThread(place);
    const { responder, channel, user } = place;
    if (responder !== undefined) await responder.respond({ text }, { inChannel: false, threadTs });
    else {
      const where = threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
      await clients.post.chat.postEphemeral({ ...where, text });
    }
    return null;
  }

  /** The message that will become the answer, or `null`. Never rejects: a notice must not cost the answer. */
  async function show(asked: Asked, place: ReplyTarget): Promise<string | null> {
    const note = (error: unknown): null => {
      log.debug({ err: error }, 'no notice could be shown');
      return null;
    };
    // Where it cannot be said whether the answer is private, it is.
    const alone = place.ephemeral || (await commands.isPrivate({ ...asked, userZone: null }).catch(() => true));
    const ts = alone ? null : await post(asked, place).catch(note);
    return ts ?? whisper(asked, place).catch(note);
  }

  return {
    watch(asked, place) {
      // An edit of the bot's own message needs no notice: the old answer stands until the new one is there.
      if (place.replaceTs !== undefined) return { settle: async (reply) => ({ reply, place }) };
      let shown: Promise<string | null> | undefined;
      const cancel = clock.after(SLOW_AFTER_MS, () => {
        shown = show(asked, place);
      });
      return {
        async settle(reply) {
          cancel();
          const ts = (await shown) ?? null;
          if (ts === null) return { reply, place };
          // Everyone has seen that it was asked: a failure is told there too, instead of leaving the notice standing.
          return { reply: { ...reply, quiet: false }, place: { ...place, replaceTs: ts } };
        },
      };
    },
  };
}
