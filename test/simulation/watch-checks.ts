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
  episode: z
    .object({ id: z.string(), onsetMs: z.number(), endMs: z.number().nullable(), closedMs: z.number().nullable() })
    .nullable(),
  past: z.array(z.object({ onsetMs: z.number() })),
});
const watchState = courseState.extend({ drops: z.record(z.string(), courseState).optional() });

/** How much earlier or later than the attack an episode may begin: what is counted at once. */
const ONSET_TOLERANCE_MS = 15 * 60_000;
const OVER = '🟢 Over';

/** Whom alerts mention, and whom they escalate to. */
export const ONCALL = 'S0ONCALL';
export const LEAD = 'U0LEAD';
const MENTIONS = [`<!subteam^${ONCALL}>`, `<@${LEAD}>`];
const REMINDER = 'Nobody is on it';

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
        ...wronglyMentioned(watch, posts, store.peek('watch-states', watch.job), slack.messages),
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

/** An alert mentions people once, and once more for each reminder; edits never do, and nobody is reminded of what is over. */
function wronglyMentioned(
  { job }: CreatedWatch,
  all: readonly WatchPost[],
  stored: unknown,
  messages: readonly PostedMessage[],
): string[] {
  const posts = all.filter(({ id }) => id?.startsWith(`${job}@`));
  const isMentioning = ({ blocks, text }: WatchPost): boolean =>
    MENTIONS.some((mention) => blocks.includes(mention) || text.includes(mention));
  const isReminder = ({ text }: WatchPost): boolean => text.includes(REMINDER);
  const alerts = posts.filter((post) => isMentioning(post) && !isReminder(post));
  // Of several messages of an episode, those after the first have a number.
  const perEpisode = Map.groupBy(alerts, ({ id }) => id?.replace(/(@(?:[a-z-]+-)?\d{12,}(?:-\d{6,})?)-\d$/, '$1'));
  const state = watchState.safeParse(stored);
  const courses = state.success ? [state.data, ...Object.values(state.data.drops ?? {})] : [];
  const late = courses.flatMap(({ episode }) =>
    posts.filter(
      (post) =>
        isReminder(post) &&
        post.id?.includes(`@${episode?.id}`) &&
        post.atMs > (episode?.closedMs ?? Number.POSITIVE_INFINITY),
    ),
  );
  const edited = messages.filter(({ id, text }) => id?.startsWith(`${job}@`) && text.startsWith(OVER));
  return [
    ...[...perEpisode].flatMap(([id, mentions]) => (mentions.length > 1 ? [`mentioned twice: ${id}`] : [])),
    ...late.map(({ id }) => `a reminder after the end: ${id}`),
    ...edited.filter(isMentioning).map(({ id }) => `an edit mentions people: ${id}`),
  ];
}
