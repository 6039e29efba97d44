/** What must hold for watches, whatever happened: an attack above the bar is reported as one episode and closed once. */
import { z } from 'zod';
import type { PostedMessage, SlackModel } from './slack-model.ts';
import type { StoreModel } from './store-model.ts';

export interface CreatedWatch {
  readonly owner: string;
  readonly job: string;
  /** A watch with a limit has one course, and its bar is exact; others may also report an unusual category. */
  readonly hasLimit: boolean;
  /** In the minutes of which the bar is exceeded, each an episode; a pause in one doesn't end it. */
  readonly attacks: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const courseState = z.object({
  message: z.object({ ts: z.string().nullable() }).nullable(),
  episode: z.object({ onsetMs: z.number(), endMs: z.number().nullable(), closedMs: z.number().nullable() }).nullable(),
  past: z.array(z.object({ onsetMs: z.number() })),
});
const watchState = courseState.extend({ drops: z.record(z.string(), courseState).optional() });

/** How much earlier or later than the attack an episode may begin: what is counted at once. */
const ONSET_TOLERANCE_MS = 15 * 60_000;
const OVER = '🟢 Over';

/** As it was posted: a later edit doesn't count. */
type WatchPost = Readonly<PostedMessage>;

export function createWatchChecks(store: StoreModel, slack: SlackModel) {
  const posts: WatchPost[] = [];

  return {
    posts,
    /** Returns the violations by this message alone. */
    seen(message: PostedMessage): string[] {
      const { id } = message;
      if (id === null || !id.startsWith('watch/')) return [];
      const isRepeated = posts.some((post) => post.id === id);
      posts.push({ ...message });
      return isRepeated ? [`message of a watch posted twice: ${id}`] : [];
    },
    missing: (watches: readonly CreatedWatch[]): string[] =>
      watches.flatMap((watch) => [
        ...coverage(watch, posts, store.peek('watch-states', watch.job)),
        ...outdated(watch, store.peek('watch-states', watch.job), slack.messages),
      ]),
  };
}

function coverage({ job, hasLimit, attacks }: CreatedWatch, all: readonly WatchPost[], stored: unknown): string[] {
  const posts = all.filter(({ id }) => id?.startsWith(`${job}@`));
  const messages = posts.filter(({ threadTs }) => threadTs === null);
  if (messages.length === 0) return [`episode never reported: ${job}`];
  const state = watchState.safeParse(stored);
  if (!state.success) return [`the state of ${job} is not what a watch stores`];
  const courses = [state.data, ...Object.values(state.data.drops ?? {})];
  const open = courses.filter(({ episode }) => episode !== null && episode.closedMs === null);
  const { episode, past } = state.data;
  // A message that comes after the end says so itself and gets no reply.
  const closings = posts.filter(({ threadTs, text }) => threadTs !== null || text.startsWith(OVER)).length;
  const episodes = courses.reduce((sum, course) => sum + course.past.length + (course.episode === null ? 0 : 1), 0);
  const onsets = [...past, ...(episode === null ? [] : [episode])].map(({ onsetMs }) => onsetMs);
  const isReported = ({ fromMs }: CreatedWatch['attacks'][number]): boolean =>
    onsets.some((ms) => Math.abs(ms - fromMs) <= ONSET_TOLERANCE_MS);
  return [
    ...(open.length > 0 ? [`episode never closed: ${job}`] : []),
    ...(closings === episodes ? [] : [`${episodes} episodes of ${job}, ${closings} of them closed`]),
    ...(hasLimit && onsets.length > attacks.length
      ? [`${attacks.length} attacks reported as ${onsets.length} episodes: ${job}`]
      : []),
    ...(attacks.every(isReported) ? [] : [`no episode of ${job} is that of an attack`]),
  ];
}

/** The last edit of a message says that its episode is over, whoever made it. */
function outdated({ job }: CreatedWatch, stored: unknown, messages: readonly PostedMessage[]): string[] {
  const state = watchState.safeParse(stored);
  if (!state.success) return [];
  const shown = [state.data, ...Object.values(state.data.drops ?? {})].flatMap(({ message, episode }) =>
    episode === null ? [] : messages.filter(({ ts }) => ts === message?.ts),
  );
  return shown.flatMap(({ text }) => (text.startsWith(OVER) ? [] : [`the message of ${job} ends with: ${text}`]));
}
