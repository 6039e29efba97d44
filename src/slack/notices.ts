/** While a slow question runs, the asker sees that it does; the answer then takes the notice's place. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Question, Reply } from '../commands/index.ts';
import { escapeUpTo } from './blocks/mrkdwn.ts';
import type { Log } from './log.ts';
import type { Place } from './place.ts';
import type { Poster } from './poster.ts';

export interface Settled {
  readonly reply: Reply;
  readonly place: Place;
  /** Call once the answer is there. */
  done(): Promise<void>;
}

export interface Notice {
  /** Ends the waiting and says where the answer goes now. */
  settle(reply: Reply): Promise<Settled>;
}

export interface Notices {
  watch(question: Question, place: Place): Notice;
}

export interface NoticeDependencies {
  readonly poster: Poster;
  readonly log: Log;
  readonly clock: Clock;
}

export const SLOW_AFTER_MS = 2_500;

export function createNotices({ poster, log, clock }: NoticeDependencies): Notices {
  async function show(question: Question, place: Place): Promise<'nothing' | 'response' | { ts: string }> {
    const text = `Working on \`${escapeUpTo(question.text || 'your question', 200).replaceAll('`', "'")}\` …`;
    try {
      if (place.responder !== undefined) {
        // Only the asker sees it, and it costs one of the five uses of the address.
        await place.responder.respond({ text }, { inChannel: false });
        return 'response';
      }
      const where = place.threadTs === undefined ? {} : { thread_ts: place.threadTs };
      return await poster.postOnce({ channel: place.channel, text, ...where }, randomUUID());
    } catch (error) {
      log.warn({ err: error }, 'the notice could not be shown');
      return 'nothing';
    }
  }

  return {
    watch(question, place) {
      // An edit of the bot's own message needs no notice: the old answer stands until the new one is there.
      if (place.replaceTs !== undefined) return { settle: async (reply) => ({ reply, place, done: async () => {} }) };
      let shown: ReturnType<typeof show> | undefined;
      const cancel = clock.after(SLOW_AFTER_MS, () => {
        shown = show(question, place);
      });
      return {
        async settle(reply) {
          cancel();
          const what = await (shown ?? 'nothing');
          if (what === 'nothing') return { reply, place, done: async () => {} };
          if (what === 'response') {
            return {
              reply,
              place,
              async done() {
                await place.responder?.takeBack().catch(() => log.debug({}, 'the notice could not be taken back'));
              },
            };
          }
          // A notice in the channel becomes the answer, even one that would have been private: it says nothing more.
          const { privately: _privately, ...open } = reply;
          return { reply: reply.failed ? open : reply, place: { ...place, replaceTs: what.ts }, done: async () => {} };
        },
      };
    },
  };
}
