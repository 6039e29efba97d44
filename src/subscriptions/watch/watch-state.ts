/** The stored record of a watch: its episodes, what the channel has seen of the last one, and people's answers. */
import { z } from 'zod';
import type { Acknowledgment, Episode } from '../../episodes/episode.ts';
import type { LeadingHost } from '../../episodes/which-host.ts';
import type { EpisodePage } from '../../pagers/page.ts';
import type { Mentioned } from '../../replies/reply.ts';
import { createValidRecords } from '../../store/create-store.ts';
import type { Records } from '../../store/store.ts';
import type { HoldReason } from '../recurrence/time-window.ts';
import { jobIdOf, type SubscriptionRef } from '../subscription.ts';
import { type Course, type ObservedLevel, STANDING_COURSES } from './observation.ts';
import type { FeedbackAnswer } from './sensitivity.ts';

/** Why an episode gets a new message; edits notify nobody. `again` and `escalated`: nobody has acknowledged it. */
export type News = 'new' | 'back' | 'worse' | 'jump' | 'again' | 'escalated';

export interface WatchedEpisode extends Episode {
  readonly openedMs: number;
  /** The current level. */
  readonly level: 'elevated' | 'surge';
  /** The end of the last evaluation that wasn't calm. */
  readonly lastSeenMs: number;
  /** Calm evaluations in a row. */
  readonly calmLooks: number;
  /** Since when there's no data; `null` while the service is available. */
  readonly blindSinceMs: number | null;
  /** The hosts that carry most of a rise, found for its first message; none if it's spread or unknown. */
  readonly on?: readonly LeadingHost[];
  /** When it was declared over, which is later than its end. */
  readonly closedMs: number | null;
  /** The recent episode that this one is a return of. */
  readonly backAfter: { readonly onsetMs: number; readonly endMs: number } | null;
  /** What the newest message reported and when, with the attacks per minute at that time, and before a jump. */
  readonly told: {
    readonly level: 'elevated' | 'surge';
    readonly atMs: number;
    readonly pace?: number | undefined;
    readonly before?: number | undefined;
  };
  /** The most attacks per minute so far, if known. */
  readonly pace?: number | undefined;
  /** Messages so far. */
  readonly posts: number;
  /** The acknowledgment and snooze from before it got worse, which no longer apply. */
  readonly outdated?: {
    readonly acknowledgedBy?: string | undefined;
    readonly acknowledgedVia?: Acknowledgment['via'] | undefined;
    readonly snoozedBy?: string | undefined;
  };
  /** How often people were reminded of the current alert, and since when the next reminder is waited for. */
  readonly waiting?: { readonly reminders: number; readonly fromMs: number } | undefined;
  /** The messages so far that were reminders. */
  readonly reminded?: number;
  /** Whether one of its earlier messages has mentioned people. */
  readonly hasMentioned?: boolean;
  /** The first message, for links; `null` while there's none. */
  readonly firstTs: string | null;
  readonly heldBack?: HeldBack | undefined;
  /** The episode whose alert it has joined. */
  readonly joins?: string | undefined;
  /** What has joined its alert. */
  readonly also?: readonly JoinedEpisode[];
}

/** An episode that has joined the alert of another one. */
export interface JoinedEpisode extends Pick<Episode, 'mix'> {
  readonly episode: string;
  /** The highest level that was told. */
  readonly level: 'elevated' | 'surge';
  readonly isOver: boolean;
}

/** Whether something that has joined its alert goes on. */
export const hasJoinedOngoing = ({ also = [] }: WatchedEpisode): boolean => also.some(({ isOver }) => !isOver);

/** The highest level that people were told of, here or of what has joined. */
export const levelTold = ({ told, also = [] }: WatchedEpisode): 'elevated' | 'surge' =>
  also.some(({ level }) => level === 'surge') ? 'surge' : told.level;

/** What held back an alert about an episode, and whether the channel has heard of it since. */
interface HeldBack {
  readonly by: HoldReason;
  readonly reported: boolean;
}

/** A time in which alerts are held back, until it's decided whether it needs a summary. */
export interface HeldAlerts {
  readonly fromMs: number;
  readonly untilMs: number;
  /** What holds them back; `null` once that's over. */
  readonly now: HoldReason | null;
  /** All that has held them back since then. */
  readonly by: readonly HoldReason[];
}

/** A message or reply that the channel must get exactly once. */
interface OwedMessage {
  readonly key: string;
  /** `null` until Slack confirmed the message; empty if it never will. */
  readonly ts: string | null;
  /** When an unconfirmed post was sent; `null` if there's none. */
  readonly sendingMs: number | null;
}

/** The message of an episode that's being edited. It determines which update is pending. */
interface LiveMessage extends OwedMessage {
  /** The revision that the channel shows. */
  readonly shown: number;
  readonly news: News;
  /** Whom it mentioned when it was sent. */
  readonly mentions?: readonly Mentioned[];
  /** The message whose thread it's in; `null` until that is posted. Missing in the channel. */
  readonly threadTs?: string | null | undefined;
}

/** The value of `shown` for a message that can no longer be edited. */
export const GONE = Number.MAX_SAFE_INTEGER;

/** A message replaced by a newer one, until its final edit says so. */
interface ReplacedMessage {
  readonly key: string;
  readonly ts: string;
  readonly by: News;
  readonly atMs: number;
  /** Its own, in case the newer one isn't sent after all. */
  readonly news?: News;
  readonly mentions?: readonly Mentioned[];
  readonly told?: WatchedEpisode['told'] | undefined;
  readonly threadTs?: string | null | undefined;
}

/** The message after a time in which alerts were held back. */
export interface HoldSummary extends OwedMessage, Omit<HeldAlerts, 'now'> {
  /** What nobody was alerted to, oldest first. */
  readonly episodes: readonly PastEpisode[];
}

/** The last state of an episode that pagers know of. */
export interface PagedSoFar {
  readonly episode: string;
  /** Counts from 1 how often a watch has started to page about it: once more after each pause. */
  readonly round: number;
  /** How many pages of this round there are. */
  readonly count: number;
  readonly level: WatchedEpisode['level'];
  /** When the last jump was reported. */
  readonly jumpMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly isOver: boolean;
  /** Pagers were told that nobody watches it any longer. */
  readonly isAbandoned?: boolean;
}

/** The state of one course of a watch. */
export interface WatchState {
  readonly episode: WatchedEpisode | null;
  readonly message: LiveMessage | null;
  readonly replaced: readonly ReplacedMessage[];
  /** The reply that closes the thread; `null` if none is due. */
  readonly closing: (OwedMessage & { readonly threadTs: string }) | null;
  /** Counts changes that the channel should see. */
  readonly revision: number;
  readonly snoozed: { readonly untilMs: number; readonly by: string } | null;
  /** The end of the last evaluation, so that a repeated evaluation counts once. */
  readonly lookedMs: number;
  /** The level at the last evaluation, for the list. */
  readonly seen: ObservedLevel | null;
  /** What is unusual but below this watch's sensitivity; `null` or missing if nothing is. */
  readonly below?: (Pick<Episode, 'drop' | 'mix'> & { readonly strength: number; readonly sinceMs: number }) | null;
  /** Episodes before the current one, oldest first. */
  readonly past: readonly PastEpisode[];
  readonly feedback: readonly FeedbackAnswer[];
  /** Missing or `null` if no alerts are held back. */
  readonly held?: HeldAlerts | null | undefined;
  /** The last one; only in the course of rises, for all of them. */
  readonly summary?: HoldSummary | null | undefined;
  /** What pagers have been told of the episode; missing if there are none. */
  readonly paged?: PagedSoFar | undefined;
  /** The last page, for an end that comes when the episode itself is gone. */
  readonly lastPage?: EpisodePage | undefined;
  /** What they're about to be told. */
  readonly pages?: readonly EpisodePage[] | undefined;
}

/** What's stored of an episode once the next one has begun. */
export interface PastEpisode extends Episode {
  readonly openedMs: number;
  readonly firstTs: string | null;
  readonly heldBack?: HeldBack | undefined;
  /** Missing if it was no return; earlier versions didn't store it. */
  readonly backAfter?: WatchedEpisode['backAfter'];
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
  below: null,
  past: [],
  feedback: [],
};

const MAX_EPISODES = 40;

function asPast(episode: WatchedEpisode): PastEpisode {
  const { id, record, drop, mix, openedMs, onsetMs, endMs, worst, leading, figures, acknowledged, firstTs } = episode;
  const { history, heldBack, backAfter } = episode;
  return {
    id,
    record,
    drop,
    mix,
    openedMs,
    onsetMs,
    endMs,
    worst,
    leading,
    figures,
    acknowledged,
    firstTs,
    ...(history && { history }),
    ...(heldBack && { heldBack }),
    ...(backAfter && { backAfter }),
  };
}

/** All stored episodes, oldest first, the current one last. */
export function episodesOf({ past, episode, message }: WatchState): readonly PastEpisode[] {
  const firstTs = episode?.firstTs ?? (message?.ts === '' ? null : (message?.ts ?? null));
  return episode === null ? past : [...past, { ...asPast(episode), firstTs }].slice(-MAX_EPISODES);
}

export function isOpen(state: WatchState): boolean {
  return state.episode !== null && state.episode.closedMs === null;
}

/** The most that was reported or is now. What was reported of an earlier pulse isn't news when it returns. */
export const mostTold = ({ told, worst, pace = told.pace }: WatchedEpisode): Pick<typeof told, 'level' | 'pace'> => ({
  level: told.level === 'surge' ? 'surge' : worst,
  pace: pace === undefined ? undefined : Math.max(pace, told.pace ?? pace),
});

/** With a message that replaces the newest one. */
export function withNextMessage(state: WatchState, episode: WatchedEpisode, news: News, nowMs: number): WatchState {
  const { message } = state;
  if (message?.ts == null) return { ...state, episode };
  const { key, ts, news: oldNews, mentions, threadTs } = message;
  const posts = episode.posts + 1;
  const told = state.episode?.told;
  const where = threadTs === undefined ? {} : { threadTs };
  const whom = mentions === undefined ? {} : { mentions };
  const old = { key, ts, by: news, atMs: nowMs, news: oldNews, told, ...whom, ...where };
  return {
    ...state,
    episode: {
      ...episode,
      posts,
      firstTs: episode.firstTs ?? ts,
      ...(mentions !== undefined && mentions.length > 0 ? { hasMentioned: true } : {}),
    },
    message: { key: `${episode.id}-${posts}`, ts: null, shown: -1, sendingMs: null, news },
    replaced: [...state.replaced, old],
  };
}

/** Without the newest message, which hasn't been sent: the one before it is the newest again. `null` if there's none. */
export function withoutNextMessage(state: WatchState, episode: WatchedEpisode): WatchState | null {
  const before = state.replaced.at(-1);
  if (before === undefined) return null;
  const { key, ts, news = 'new', mentions, told = episode.told, threadTs } = before;
  const where = threadTs === undefined ? {} : { threadTs };
  const restored: WatchState = {
    ...state,
    episode: { ...episode, told },
    message: { key, ts, shown: -1, sendingMs: null, news, ...(mentions === undefined ? {} : { mentions }), ...where },
    replaced: state.replaced.slice(0, -1),
  };
  return episode.closedMs === null ? restored : withClosing(restored);
}

/** With the reply that closes the thread of the newest message. One that isn't posted yet will itself say that it's over. */
export function withClosing(state: WatchState): WatchState {
  const { message } = state;
  if (message === null || message.ts === null || message.shown === GONE) return state;
  const threadTs = message.threadTs ?? message.ts;
  return { ...state, closing: { key: `${message.key}-over`, threadTs, ts: null, sendingMs: null } };
}

type OtherCourse = Exclude<Course, 'rise'>;

type SharedPart = 'snoozed' | 'feedback' | 'held' | 'summary';

/** The whole record: the course of rises at the top level, as versions without drops stored it, and the others in `drops`. */
export interface WatchRecord extends WatchState {
  readonly drops?: Readonly<Partial<Record<OtherCourse, Omit<WatchState, SharedPart>>>>;
}

/** The courses that a watch has followed so far. */
export const coursesOf = ({ drops = {} }: WatchRecord): readonly Course[] => [
  ...STANDING_COURSES,
  ...Object.keys(drops).filter(isMixCourse),
];

const isMixCourse = (course: string): course is `mix-${string}` => course.startsWith('mix-');

/** A snooze, quiet hours and maintenance apply to all courses; answers only to rises. */
export function courseOf(record: WatchRecord, course: Course): WatchState {
  if (course === 'rise') return record;
  return { ...INITIAL_STATE, ...record.drops?.[course], snoozed: record.snoozed, held: record.held };
}

export function withCourse(record: WatchRecord, course: Course, state: WatchState): WatchRecord {
  const { drops } = record;
  if (course === 'rise') return drops === undefined ? state : { ...state, drops };
  const { snoozed, feedback: _, held: _held, summary: _summary, ...rest } = state;
  return { ...record, snoozed, drops: { ...drops, [course]: rest } };
}

/** The same change in each course that has begun. */
export function inEachCourse(record: WatchRecord, next: (state: WatchState) => WatchState): WatchRecord {
  const begun = coursesOf(record).filter((course) => course === 'rise' || record.drops?.[course] !== undefined);
  // Each starts from the record as it was, not from another course's change.
  const changed = begun.flatMap((course) => {
    const state = courseOf(record, course);
    const after = next(state);
    return after === state ? [] : [[course, after] as const];
  });
  return changed.reduce((all, [course, state]) => withCourse(all, course, state), record);
}

/** The episodes of all courses, in chronological order. */
export const allEpisodesOf = (record: WatchRecord): readonly PastEpisode[] =>
  coursesOf(record)
    .flatMap((course) => episodesOf(courseOf(record, course)))
    .toSorted((a, b) => a.onsetMs - b.onsetMs);

const SPACE = 'watch-states';

const message = z.object({ key: z.string(), ts: z.string().nullable(), sendingMs: z.number().nullable() });
const episode = z.object({ id: z.string(), onsetMs: z.number(), openedMs: z.number() });
/** Only requires fields that version 0.1 had and that are read before the state is shown. */
const courseSchema = z.object({
  episode: episode.nullable(),
  message: message.nullable(),
  replaced: z.array(z.object({ key: z.string(), ts: z.string() })).optional(),
  closing: message.nullable().optional(),
  revision: z.number(),
  lookedMs: z.number(),
  past: z.array(episode).optional(),
});
const watchRecordSchema = courseSchema.extend({
  snoozed: z.object({ untilMs: z.number(), by: z.string() }).nullable(),
  feedback: z.array(z.object({})).optional(),
  drops: z.record(z.string(), courseSchema).optional(),
});

export function createWatchStates(records: Records) {
  const stored = createValidRecords<WatchRecord | EarlierState>(records, SPACE, watchRecordSchema);
  return {
    read: async (ref: SubscriptionRef): Promise<WatchRecord> => readState(await stored.get(jobIdOf(ref))),
    change: async (ref: SubscriptionRef, next: (record: WatchRecord) => WatchRecord): Promise<WatchRecord> =>
      readState(await stored.update(jobIdOf(ref), (state) => next(readState(state)))),
    remove: (ref: SubscriptionRef) => stored.update(jobIdOf(ref), () => undefined),
  };
}

export type WatchStates = ReturnType<typeof createWatchStates>;

/** The format of version 0.1: an episode includes its counts and has only one message. */
interface EarlierState extends Pick<WatchState, 'revision' | 'snoozed' | 'lookedMs' | 'seen'> {
  readonly episode: EarlierEpisode | null;
  readonly message: Omit<LiveMessage, 'news'> | null;
}

interface EarlierEpisode
  extends Pick<
    WatchedEpisode,
    'id' | 'openedMs' | 'onsetMs' | 'level' | 'worst' | 'calmLooks' | 'blindSinceMs' | 'closedMs'
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
  const { id, openedMs, onsetMs, level, worst, calmLooks, blindSinceMs, closedMs, acknowledged } = episode;
  const leading = categories.map(({ category }) => category);
  return {
    ...{ id, openedMs, onsetMs, level, worst, calmLooks, blindSinceMs, closedMs, acknowledged },
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
    told: { level: worst, atMs: openedMs },
    posts: 1,
    firstTs: null,
  };
}
