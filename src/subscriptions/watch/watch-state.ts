/** What is stored of a watch: its episodes, what the channel has been shown of the last one, and what people said of them. */
import type { Episode } from '../../episodes/episode.ts';
import type { Drop } from '../../episodes/verdict/index.ts';
import type { Records } from '../repository.ts';
import { jobIdOf, type SubscriptionRef } from '../subscription.ts';
import type { FeedbackAnswer } from './feedback.ts';
import type { ObservedLevel } from './observation.ts';

/** Why people are told with a message of its own; edits notify nobody. */
export type News = 'new' | 'back' | 'worse' | 'another kind';

export interface WatchedEpisode extends Episode {
  readonly openedMs: number;
  /** How it is now. */
  readonly level: 'elevated' | 'surge';
  /** The end of the last evaluation that was not calm. */
  readonly lastSeenMs: number;
  /** Calm evaluations in a row. */
  readonly calmLooks: number;
  /** Since when there are no numbers; `null` while the service answers. */
  readonly blindSinceMs: number | null;
  /** When it was called over, which is later than its end. */
  readonly closedMs: number | null;
  /** The episode shortly before that this is the return of. */
  readonly backAfter: { readonly onsetMs: number; readonly endMs: number } | null;
  /** What the newest message told of it, when, and the categories that are no news any more. */
  readonly told: { readonly level: 'elevated' | 'surge'; readonly known: readonly string[]; readonly atMs: number };
  /** Evaluations in a row that would be news. */
  readonly worseLooks: number;
  readonly anotherLooks: number;
  /** Messages of its own so far. */
  readonly posts: number;
  /** The first of them, for links; `null` while the channel has none. */
  readonly firstTs: string | null;
}

/** A message, or a reply, that the channel must get exactly once. */
interface OwedMessage {
  readonly key: string;
  /** `null` until the channel certainly has the message; empty when it never will. */
  readonly ts: string | null;
  /** The mark of a post that may have gone out; `null` when none is in doubt. */
  readonly sendingMs: number | null;
}

/** The message of an episode that is kept up to date. Which update of the channel is pending follows from it. */
interface LiveMessage extends OwedMessage {
  /** The revision that the channel shows. */
  readonly shown: number;
  readonly news: News;
}

/** Shown of a message that is not there to be edited any more. */
export const GONE = Number.MAX_SAFE_INTEGER;

/** A message that a newer one has replaced, until its last edit says so. */
interface ReplacedMessage {
  readonly key: string;
  readonly ts: string;
  readonly by: News;
  readonly atMs: number;
}

/** The course of one thing that a watch follows. */
export interface WatchState {
  readonly episode: WatchedEpisode | null;
  readonly message: LiveMessage | null;
  readonly replaced: readonly ReplacedMessage[];
  /** The reply that closes the thread; `null` when none is owed. */
  readonly closing: (OwedMessage & { readonly threadTs: string }) | null;
  /** Counts changes that the channel should see. */
  readonly revision: number;
  readonly snoozed: { readonly untilMs: number; readonly by: string } | null;
  /** The end of what was evaluated last, so that the same evaluation twice counts once. */
  readonly lookedMs: number;
  /** The level at the last evaluation, for the list. */
  readonly seen: ObservedLevel | null;
  /** Evaluations in a row that were not calm, while no episode is open, and the end of the first of them. */
  readonly suspicion: { readonly looks: number; readonly sinceMs: number } | null;
  /** Episodes before the current one, the oldest first. */
  readonly past: readonly PastEpisode[];
  readonly feedback: readonly FeedbackAnswer[];
}

/** What is kept of an episode when the next one has begun. */
export interface PastEpisode extends Episode {
  readonly openedMs: number;
  readonly firstTs: string | null;
}

export const INITIAL_STATE: WatchState = {
  episode: null,
  message: null,
  replaced: [],
  closing: null,
  revision: 0,
  snoozed: null,
  lookedMs: Number.MIN_SAFE_INTEGER,
  seen: null,
  suspicion: null,
  past: [],
  feedback: [],
};

const MOST_EPISODES = 40;

function asPast(episode: WatchedEpisode): PastEpisode {
  const { id, drop, openedMs, onsetMs, endMs, worst, shape, leading, figures, acknowledged, firstTs } = episode;
  const past = { id, openedMs, onsetMs, endMs, worst, shape, leading, figures, acknowledged, firstTs };
  return drop === undefined ? past : { ...past, drop };
}

/** All episodes that are known, the oldest first, the current one last. */
export function episodesOf({ past, episode, message }: WatchState): readonly PastEpisode[] {
  const firstTs = episode?.firstTs ?? (message?.ts === '' ? null : (message?.ts ?? null));
  return episode === null ? past : [...past, { ...asPast(episode), firstTs }].slice(-MOST_EPISODES);
}

export function isOpen(state: WatchState): boolean {
  return state.episode !== null && state.episode.closedMs === null;
}

/**
 * What a watch follows side by side, each with episodes and messages of its own: more attacks than usual, visitors who
 * are gone, and attacks that have stopped.
 */
export type Course = 'rise' | Drop['what'];
export const DROP_COURSES = ['requests', 'attacks'] as const;
export const COURSES: readonly Course[] = ['rise', ...DROP_COURSES];

/** All of a watch: the course of rises, as versions without drops have stored it, with the others beside it. */
export interface WatchRecord extends WatchState {
  readonly drops?: Readonly<Partial<Record<Drop['what'], Omit<WatchState, 'snoozed' | 'feedback'>>>>;
}

/** What people ask of a watch holds for all that it follows; only the bar of rises is moved by answers. */
export function courseOf(record: WatchRecord, course: Course): WatchState {
  if (course === 'rise') return record;
  return { ...INITIAL_STATE, ...record.drops?.[course], snoozed: record.snoozed };
}

export function withCourse(record: WatchRecord, course: Course, state: WatchState): WatchRecord {
  const { drops } = record;
  if (course === 'rise') return drops === undefined ? state : { ...state, drops };
  const { snoozed, feedback: _, ...rest } = state;
  return { ...record, snoozed, drops: { ...drops, [course]: rest } };
}

/** The same change in each course that has begun. */
export function inEachCourse(record: WatchRecord, next: (state: WatchState) => WatchState): WatchRecord {
  const begun = COURSES.filter((course) => course === 'rise' || record.drops?.[course] !== undefined);
  // Each of them starts from what people have asked before, not from what the change of another has made of it.
  const changed = begun.map((course) => [course, next(courseOf(record, course))] as const);
  return changed.reduce((all, [course, state]) => withCourse(all, course, state), record);
}

/** Those of all courses, in the order of time. */
export const allEpisodesOf = (record: WatchRecord): readonly PastEpisode[] =>
  COURSES.flatMap((course) => episodesOf(courseOf(record, course))).toSorted((a, b) => a.onsetMs - b.onsetMs);

const SPACE = 'watch-states';

export function createWatchStates(records: Records) {
  const space = records.space<WatchRecord | EarlierState>(SPACE);
  return {
    read: async (ref: SubscriptionRef): Promise<WatchRecord> => readState(await space.get(jobIdOf(ref))),
    change: async (ref: SubscriptionRef, next: (record: WatchRecord) => WatchRecord): Promise<WatchRecord> =>
      readState(
        await records.update<WatchRecord | EarlierState>(SPACE, jobIdOf(ref), (state) => next(readState(state))),
      ),
    remove: (ref: SubscriptionRef) => records.update<WatchRecord>(SPACE, jobIdOf(ref), () => undefined),
  };
}

export type WatchStates = ReturnType<typeof createWatchStates>;

/** As version 0.1 stored it: an episode with its counts in itself, and one message for all of its course. */
interface EarlierState extends Pick<WatchState, 'revision' | 'snoozed' | 'lookedMs' | 'seen'> {
  readonly episode: EarlierEpisode | null;
  readonly message: Omit<LiveMessage, 'news'> | null;
}

interface EarlierEpisode
  extends Pick<
    WatchedEpisode,
    'id' | 'openedMs' | 'onsetMs' | 'level' | 'worst' | 'shape' | 'calmLooks' | 'blindSinceMs' | 'closedMs'
  > {
  readonly peak: { readonly count: number; readonly endMs: number; readonly intervalMs: number } | null;
  readonly total: number;
  readonly countedToMs: number;
  readonly categories: readonly { readonly category: string; readonly count: number }[];
  readonly acknowledged: WatchedEpisode['acknowledged'];
}

function readState(stored: WatchRecord | EarlierState | undefined): WatchRecord {
  if (stored === undefined) return INITIAL_STATE;
  if ('past' in stored) return stored;
  const { episode, message } = stored;
  return {
    ...INITIAL_STATE,
    ...stored,
    episode: episode === null ? null : upgraded(episode),
    message: message === null ? null : { ...message, news: 'new' },
  };
}

function upgraded({ peak, total, countedToMs, categories, ...episode }: EarlierEpisode): WatchedEpisode {
  const { id, openedMs, onsetMs, level, worst, shape, calmLooks, blindSinceMs, closedMs, acknowledged } = episode;
  const leading = categories.map(({ category }) => category);
  return {
    ...{ id, openedMs, onsetMs, level, worst, shape, calmLooks, blindSinceMs, closedMs, acknowledged },
    endMs: closedMs === null ? null : countedToMs,
    figures: {
      untilMs: countedToMs,
      total,
      expected: null,
      peak,
      categories: categories.map((each) => ({ ...each, expected: null })),
    },
    lastSeenMs: countedToMs,
    backAfter: null,
    leading: leading.slice(0, 1),
    told: { level: worst, known: leading, atMs: openedMs },
    worseLooks: 0,
    anotherLooks: 0,
    posts: 1,
    firstTs: null,
  };
}
