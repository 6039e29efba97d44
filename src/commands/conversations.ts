/**
 * The last question of each conversation: of a thread, or of a direct message for ten minutes. Kept in the store, a few per
 * channel, so that follow-ups work after a restart. What was asked privately is only remembered for the one who asked.
 */

import type { AskedText } from '../projects/permissions.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';

export interface RememberedQuestion {
  /** The thread, or empty for the direct message itself; for a private question with its asker. */
  readonly key: string;
  /** As one sentence that means the same at any time. */
  readonly sentence: string;
  readonly atMs: number;
}

/** `thread`: `null` outside of threads, undefined where there is no conversation. */
type ConversationPlace = Pick<AskedText, 'channel' | 'user'> & { readonly thread?: string | null | undefined };

export interface Conversations {
  /** The last question that this person may have seen there. */
  last(place: ConversationPlace): Promise<string | null>;
  remember(place: ConversationPlace, sentence: string, privately: boolean): Promise<void>;
}

/** The questions of each channel, oldest first. */
interface RememberedQuestions {
  get(channel: string): Promise<readonly RememberedQuestion[] | undefined>;
  update(
    channel: string,
    change: (all: readonly RememberedQuestion[] | undefined) => readonly RememberedQuestion[],
  ): Promise<unknown>;
}

/** Per channel; the oldest is forgotten first. */
const MAX_REMEMBERED = 50;
const THREAD_MS = 7 * DAY_MS;
const MESSAGE_MS = 10 * MINUTE_MS;

export function createConversations(questions: RememberedQuestions, nowMs: () => number): Conversations {
  const isFresh = ({ key, atMs }: RememberedQuestion): boolean =>
    nowMs() - atMs <= (key.startsWith(' ') || key === '' ? MESSAGE_MS : THREAD_MS);
  return {
    async last({ channel, user, thread }) {
      if (thread === undefined) return null;
      const keys = [thread ?? '', `${thread ?? ''} ${user}`];
      const remembered = (await questions.get(channel)) ?? [];
      return remembered.findLast((each) => keys.includes(each.key) && isFresh(each))?.sentence ?? null;
    },
    async remember({ channel, user, thread }, sentence, privately) {
      if (thread === undefined) return;
      const key = privately ? `${thread ?? ''} ${user}` : (thread ?? '');
      await questions.update(channel, (all = []) => [
        ...all.filter((each) => each.key !== key && isFresh(each)).slice(1 - MAX_REMEMBERED),
        { key, sentence, atMs: nowMs() },
      ]);
    },
  };
}
