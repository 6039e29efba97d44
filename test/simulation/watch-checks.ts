/** What must hold for watches, whatever happened: an attack above the bar is reported as one episode and closed once. */
import { z } from 'zod';
import { categoryName } from '../../src/statistics/categories.ts';
import { SECOND_MS } from '../../src/time-units.ts';
import type { PostedMessage, SlackModel } from './slack-model.ts';
import type { StoreModel } from './store-model.ts';
import { holdsAt, maxSummaries, type PlannedHold } from './watch-people.ts';

export interface CreatedWatch {
  readonly owner: string;
  readonly channel: string;
  readonly id: string;
  readonly job: string;
  /** What it finds is of this category, which is ignored; `null` in most histories. */
  readonly ignored: string | null;
  /** A watch with a limit has one course, and its bar is exact; others may also report an unusual category. */
  readonly hasLimit: boolean;
  /** In the minutes of which the bar is exceeded, each an episode; a pause in one doesn't end it. */
  readonly attacks: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const heldBack = z.object({ reported: z.boolean() }).optional();
const past = z.object({ id: z.string(), onsetMs: z.number(), firstTs: z.string().nullish(), heldBack });
const courseState = z.object({
  message: z.object({ key: z.string(), ts: z.string().nullable() }).nullable(),
  episode: past
    .extend({
      worst: z.string(),
      endMs: z.number().nullable(),
      closedMs: z.number().nullable(),
      acknowledged: z.object({ atMs: z.number() }).nullable(),
    })
    .nullable(),
  past: z.array(past),
});
const watchState = courseState.extend({
  drops: z.record(z.string(), courseState).optional(),
  summary: z.object({ key: z.string(), episodes: z.array(z.object({ id: z.string() })) }).nullish(),
});
type WatchStateSeen = z.infer<typeof watchState>;
type CourseSeen = z.infer<typeof courseState>;

const coursesIn = (state: WatchStateSeen): readonly CourseSeen[] => [state, ...Object.values(state.drops ?? {})];

/** How much earlier or later than the attack an episode may begin: what is counted at once. */
const ONSET_TOLERANCE_MS = 15 * 60_000;
const OVER = '🟢 Over';

/** Whom alerts mention, and whom they escalate to. */
export const ONCALL = 'S0ONCALL';
export const LEAD = 'U0LEAD';
export const MANAGER = 'U0MANAGER';
const NEXT_IN_LINE = [`<@${LEAD}>`, `<@${MANAGER}>`];
const MENTIONS = [`<!subteam^${ONCALL}>`, ...NEXT_IN_LINE];
const REMINDER = 'Nobody is on it';
/** What was sent before somebody acknowledged the alert may still come: for as long as a process can have its lease, and a call takes. */
const ON_ITS_WAY_MS = 45 * SECOND_MS;

/** As it was posted: a later edit doesn't count. */
interface WatchPost extends Readonly<PostedMessage> {
  /** The episodes that a message about what was held back has; none for others. */
  readonly sumsUp: readonly string[];
}

const isReminder = ({ text }: WatchPost): boolean => text.includes(REMINDER);
const isSummary = ({ id }: Pick<WatchPost, 'id'>): boolean => id?.includes('@held-') === true;

export function createWatchChecks(store: StoreModel, slack: SlackModel, holds: readonly PlannedHold[]) {
  const posts: WatchPost[] = [];
  const stateOf = (job: string): WatchStateSeen | null => {
    const parsed = watchState.safeParse(store.peek('watch-states', job));
    return parsed.success ? parsed.data : null;
  };

  return {
    posts,
    /** Returns the violations by this message alone. */
    seen(message: PostedMessage): string[] {
      const { id } = message;
      if (id === null || !id.startsWith('watch/')) return [];
      const isRepeated = posts.some((post) => post.id === id);
      const [job = '', key] = id.split('@');
      const state = stateOf(job);
      const sumsUp = state?.summary?.key === key ? (state?.summary?.episodes.map((each) => each.id) ?? []) : [];
      const post: WatchPost = { ...message, sumsUp };
      posts.push(post);
      return [
        ...(isRepeated ? [`message of a watch posted twice: ${id}`] : []),
        ...(state === null || store.emptiedMs() !== null ? [] : untimely(post, state, holds)),
      ];
    },
    missing: (watches: readonly CreatedWatch[]): string[] =>
      watches.flatMap((watch) => {
        const state = stateOf(watch.job);
        if (state === null)
          return watch.ignored === null ? [`the state of ${watch.job} is not what a watch stores`] : [];
        const own = posts.filter(({ id }) => id?.startsWith(`${watch.job}@`));
        return [
          ...(watch.ignored === null ? coverage(watch, own, state) : alertsAbout(watch.ignored, own)),
          ...outdated(watch, state, slack.messages),
          ...wronglyMentioned(watch, own, state, slack.messages),
          ...escalatedTwice(own),
          ...wronglySummedUp(watch, own, state, holds),
        ];
      }),
  };
}

/** While the service doesn't say of which categories something is, nobody can know that it's ignored. */
const alertsAbout = (category: string, posts: readonly WatchPost[]): string[] =>
  posts
    .filter(({ threadTs, blocks, text }) => threadTs === null && `${text} ${blocks}`.includes(categoryName(category)))
    .map(({ id }) => `alert about what is ignored: ${id}`);

/** Nothing alerts in maintenance, only surges in quiet hours, and nobody is reminded of what somebody is on. */
function untimely(post: WatchPost, state: WatchStateSeen, holds: readonly PlannedHold[]): string[] {
  const { id, threadTs, atMs } = post;
  if (threadTs !== null) return [];
  const episode = coursesIn(state).find(({ message }) => id?.endsWith(`@${message?.key}`))?.episode;
  const held = holdsAt(holds, atMs);
  const takenMs = episode?.acknowledged?.atMs ?? Number.POSITIVE_INFINITY;
  return [
    ...(held.includes('maintenance') ? [`alert in maintenance: ${id}`] : []),
    ...(held.includes('quiet') && episode?.worst !== 'surge' ? [`alert below a surge in quiet hours: ${id}`] : []),
    ...(isReminder(post) && takenMs + ON_ITS_WAY_MS < atMs ? [`reminder of an acknowledged alert: ${id}`] : []),
  ];
}

/** Whom an alert is escalated to is mentioned once, unless it has become worse since. */
function escalatedTwice(posts: readonly WatchPost[]): string[] {
  return [...Map.groupBy(posts, episodeOf)].flatMap(([episode, own]) => {
    const found: string[] = [];
    let mentioned = new Set<string>();
    for (const post of own) {
      if (!isReminder(post)) mentioned = new Set();
      for (const who of NEXT_IN_LINE.filter((each) => post.blocks.includes(each) || post.text.includes(each))) {
        if (mentioned.has(who)) found.push(`escalated to ${who} twice: ${episode}`);
        mentioned.add(who);
      }
    }
    return found;
  });
}

/** Of several messages of an episode, those after the first have a number. */
const episodeOf = ({ id }: WatchPost): string | undefined =>
  id?.replace(/-over$/, '').replace(/(@(?:[a-z-]+-)?\d{12,}(?:-\d{6,})?)-\d$/, '$1');

/** What was held back and never alerted is in exactly one message afterwards, and there's one for each time at most. */
function wronglySummedUp(
  { job }: CreatedWatch,
  posts: readonly WatchPost[],
  state: WatchStateSeen,
  holds: readonly PlannedHold[],
): string[] {
  const summaries = posts.filter(isSummary);
  const times = (id: string): number => summaries.filter(({ sumsUp }) => sumsUp.includes(id)).length;
  const silent = silentIn(state).filter(({ heldBack }) => heldBack !== undefined);
  return [
    ...(summaries.length > maxSummaries(holds)
      ? [`${summaries.length} messages about what was held back, for ${maxSummaries(holds)} times: ${job}`]
      : []),
    ...summaries.flatMap(({ id, sumsUp }) => (sumsUp.length === 0 ? [`nothing was held back: ${id}`] : [])),
    ...[...new Set(summaries.flatMap(({ sumsUp }) => sumsUp))].flatMap((id) =>
      times(id) > 1 ? [`summed up ${times(id)} times: ${job}@${id}`] : [],
    ),
    ...silent.flatMap(({ id }) =>
      times(id) === 1 ? [] : [`held back and summed up ${times(id)} times: ${job}@${id}`],
    ),
  ];
}

/** The episodes without a message of their own. */
const silentIn = (state: WatchStateSeen) =>
  coursesIn(state).flatMap(({ episode, message, past }) => [
    ...past.filter(({ firstTs }) => !firstTs),
    ...(episode === null || episode.firstTs || message?.ts ? [] : [episode]),
  ]);

function coverage(
  { job, hasLimit, attacks }: CreatedWatch,
  posts: readonly WatchPost[],
  state: WatchStateSeen,
): string[] {
  if (!posts.some(({ threadTs }) => threadTs === null)) return [`episode never reported: ${job}`];
  const courses = coursesIn(state);
  const open = courses.filter(({ episode }) => episode !== null && episode.closedMs === null);
  const { episode, past } = state;
  // A message that comes after the end says so itself and gets no reply.
  const closings = posts.filter(({ id, text }) => id?.endsWith('-over') === true || text.startsWith(OVER)).length;
  // What returned before it was over shares a message with what it returned from.
  const messages = courses.flatMap(({ episode, message, past }) => [
    ...past.map(({ firstTs }) => firstTs),
    ...(episode === null ? [] : [episode.firstTs || message?.ts]),
  ]);
  const episodes = new Set(messages.filter((ts) => !!ts)).size;
  const onsets = [...past, ...(episode === null ? [] : [episode])].map(({ onsetMs }) => onsetMs);
  const isReported = ({ fromMs }: CreatedWatch['attacks'][number]): boolean =>
    onsets.some((ms) => Math.abs(ms - fromMs) <= ONSET_TOLERANCE_MS);
  return [
    ...(open.length > 0 ? [`episode never closed: ${job}`] : []),
    ...(closings === episodes ? [] : [`${episodes} alerts of ${job}, ${closings} of them closed`]),
    ...(hasLimit && onsets.length > attacks.length
      ? [`${attacks.length} attacks reported as ${onsets.length} episodes: ${job}`]
      : []),
    ...(attacks.every(isReported) ? [] : [`no episode of ${job} is that of an attack`]),
    ...silentIn(state).flatMap(({ id, heldBack }) => (heldBack === undefined ? [`never alerted: ${job}@${id}`] : [])),
  ];
}

/** The last edit of a message says that its episode is over, whoever made it. */
function outdated({ job }: CreatedWatch, state: WatchStateSeen, messages: readonly PostedMessage[]): string[] {
  const shown = coursesIn(state).flatMap(({ message, episode }) =>
    episode === null ? [] : messages.filter(({ ts }) => ts === message?.ts),
  );
  return shown.flatMap(({ text }) => (text.startsWith(OVER) ? [] : [`the message of ${job} ends with: ${text}`]));
}

/** An alert mentions people once, and once more for each reminder; edits never do, and nobody is reminded of what is over. */
function wronglyMentioned(
  { job }: CreatedWatch,
  posts: readonly WatchPost[],
  state: WatchStateSeen,
  messages: readonly PostedMessage[],
): string[] {
  const isMentioning = ({ blocks, text }: Pick<PostedMessage, 'blocks' | 'text'>): boolean =>
    MENTIONS.some((mention) => blocks.includes(mention) || text.includes(mention));
  const alerts = posts.filter((post) => isMentioning(post) && !isReminder(post));
  const perEpisode = Map.groupBy(alerts, episodeOf);
  const courses = coursesIn(state);
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
