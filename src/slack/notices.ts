/**
 * While a slow question runs, the asker sees that it does. In a channel the notice is a message that becomes the
 * answer. Where only the asker may see it, Slack lets nobody change it afterwards, so it says that the answer follows.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Question, Reply } from '../commands/index.ts';
import { escapeUpTo } from './blocks/mrkdwn.ts';
import type { Log } from './log.ts';
import type { Place } from './place.ts';
import type { Poster } from './poster.ts';

export interface Notice {
  /** Ends the waiting and says what is to be delivered where now. */
  settle(reply: Reply): Promise<{ readonly reply: Reply; readonly place: Place }>;
}

export interface Notices {
  watch(question: Question, place: Place): Notice;
}

export interface NoticeDependencies {
  readonly poster: Poster;
  readonly log: Log;
  readonly clock: Clock;
  /** Whether the answer will be for the asker alone. */
  readonly isPrivate: (question: Question) => Promise<boolean>;
}

export const SLOW_AFTER_MS = 2_500;

export function createNotices({ poster, log, clock, isPrivate }: NoticeDependencies): Notices {
  const words = ({ text }: Question): string =>
    `Working on \`${escapeUpTo(text || 'your question', 200).replaceAll('`', "'")}\` …`;

  async function post(question: Question, place: Place): Promise<string | null> {
    if (place.ephemeral || (await isPrivate(question))) return null;
    const where = place.threadTs === undefined ? {} : { thread_ts: place.threadTs };
    try {
      const { ts } = await poster.postOnce({ channel: place.channel, text: words(question), ...where }, randomUUID());
      return ts;
    } catch (error) {
      log.debug({ err: error }, 'the notice could not be posted in the channel');
      return null;
    }
  }

  /** The message that will become the answer, or `null` when there is none. */
  async function show(question: Question, place: Place): Promise<string | null> {
    const ts = await post(question, place);
    if (ts !== null || place.responder === undefined) return ts;
    // It costs one of the five uses of the address; an answer needs three at most.
    await place.responder
      .respond({ text: `${words(question)} The answer follows.` }, { inChannel: false })
      .catch((error: unknown) => log.warn({ err: error }, 'the notice could not be shown'));
    return null;
  }

  return {
    watch(question, place) {
      // An edit of the bot's own message needs no notice: the old answer stands until the new one is there.
      if (place.replaceTs !== undefined) return { settle: async (reply) => ({ reply, place }) };
      let shown: Promise<string | null> | undefined;
      const cancel = clock.after(SLOW_AFTER_MS, () => {
        shown = show(question, place);
      });
      return {
        async settle(reply) {
          cancel();
          const ts = await shown;
          if (ts === undefined || ts === null) return { reply, place };
          // Everyone has seen that it was asked: a failure is told there too, instead of leaving the notice standing.
          return { reply: { ...reply, privately: false }, place: { ...place, replaceTs: ts } };
        },
      };
    },
  };
}
