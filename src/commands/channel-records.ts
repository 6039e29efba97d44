/** What is stored about a channel: its settings, its last handover, and the last question of each of its conversations. */
import { z } from 'zod';
import type { AskedText } from '../projects/permissions.ts';
import {
  createKeyValueStore,
  createValidRecords,
  type KeyValueStore,
  undefinedIfDamaged,
} from '../store/create-store.ts';
import type { Records, Store } from '../store/store.ts';
import type { LastHandover } from '../subscriptions/watch/handover.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';

export interface ChannelSettings {
  readonly zone?: string;
  /** The project for sentences that name none. */
  readonly project?: string;
  /** Aliases or domain IDs of that project, for sentences that name none. */
  readonly hosts?: readonly string[];
  readonly privately?: boolean;
}

export const channelSettingsSchema = z.object({
  zone: z.string().optional(),
  project: z.string().optional(),
  hosts: z.array(z.string()).optional(),
  privately: z.boolean().optional(),
});

const handoverSchema = z.object({
  atMs: z.number(),
  beforeMs: z.number(),
  by: z.string(),
  isDigest: z.boolean().optional(),
});

/** A damaged one counts as none: the next handover covers a day. */
export function storedHandovers(store: Pick<Store, keyof Records>): Pick<KeyValueStore<LastHandover>, 'get' | 'set'> {
  const handovers = createKeyValueStore<LastHandover>(store, 'handovers', handoverSchema);
  return { set: handovers.set, get: (channel) => handovers.get(channel).catch(undefinedIfDamaged) };
}

/** A channel with damaged settings is answered privately, since that may be what it asked for. */
export function storedSettings(store: Pick<Store, keyof Records>): KeyValueStore<ChannelSettings> {
  const settings = createKeyValueStore<ChannelSettings>(store, 'settings', channelSettingsSchema);
  return {
    ...settings,
    get: (channel) => settings.get(channel).catch((error: unknown) => undefinedIfDamaged(error) ?? { privately: true }),
  };
}

export interface RememberedQuestion {
  /** The thread, or empty for the direct message itself; for a private question with its asker. */
  readonly key: string;
  /** As one sentence that means the same at any time. */
  readonly sentence: string;
  readonly atMs: number;
}

/** `thread`: `null` outside of threads, undefined where there is no conversation. */
type ConversationPlace = Pick<AskedText, 'channel' | 'user'> & { readonly thread?: string | null | undefined };

/**
 * The last question of each conversation: of a thread, or of a direct message for ten minutes. In the store, a few per
 * channel, so that follow-ups work after a restart. What was asked privately is only remembered for the one who asked.
 */
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

const conversationsSchema = z.array(z.object({ key: z.string(), sentence: z.string(), atMs: z.number() }));

/** Damaged ones count as none. */
export function storedConversations(store: Records, now: () => Temporal.Instant): Conversations {
  const stored = createValidRecords<readonly RememberedQuestion[]>(store, 'conversations', conversationsSchema);
  return createConversations(
    { get: (channel) => stored.get(channel).catch(undefinedIfDamaged), update: stored.update },
    () => now().epochMilliseconds,
  );
}
