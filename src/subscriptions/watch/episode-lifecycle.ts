/**
 * The course of a watch as pure steps from one state to the next: by an evaluation, or by what people ask for. Which update
 * the channel needs follows from the stored state alone, so whatever a crash interrupts is still pending afterwards.
 *
 * People are told with a message of its own when they should look again: a new episode, one that comes back after it was
 * over, a worse level, another kind of attack. In between the newest message is edited, and a reply closes its thread.
 */

import type { EpisodeFigures } from '../../episodes/episode.ts';
import type { EpisodeMeasure } from '../../episodes/measure-episode.ts';
import { type FeedbackAnswer, withAnswer, withoutAnswer } from './feedback.ts';
import type { Observation } from './observation.ts';
import { episodesOf, GONE, isOpen, type News, type WatchedEpisode, type WatchState } from './watch-state.ts';

/** What the channel has not been shown yet. */
export type PendingUpdate =
  /** A message of its own, posted exactly once under its key. */
  | { readonly is: 'post'; readonly key: string; readonly revision: number }
  /** The message as it should be now. */
  | { readonly is: 'edit'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit: it says that the episode is over. */
  | { readonly is: 'close'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit of a message that a newer one has replaced. */
  | { readonly is: 'retire'; readonly key: string; readonly ts: string; readonly by: News; readonly atMs: number }
  /** The reply that closes the thread, posted exactly once under its key. */
  | { readonly is: 'reply'; readonly key: string; readonly threadTs: string };

/** This many calm evaluations in a row end an episode. */
const CALM_TO_CLOSE = 3;
/** An episode that begins within this time after the last one was over is its return, and takes one more look. */
const RETURN_MS = 2 * 3_600_000;
/** Without numbers for this long, an open episode says so. */
const NO_DATA_MS = 15 * 60_000;
/** The categories that show in the first minutes belong to what was called. */
const FORMS_MS = 15 * 60_000;
/** So many evaluations in a row must see what is worth another message of the same episode. */
const LOOKS_FOR_NEWS = 2;
/** Two messages of one episode are at least this far apart, and there are at most so many. */
const BETWEEN_POSTS_MS = 10 * 60_000;
const MOST_POSTS = 4;
/** The beginning of an episode is known better a little later: for this long it may move by so much. */
const ONSET_SETTLES_MS = 30 * 60_000;
const ONSET_EARLIER_MS = 60 * 60_000;
const ONSET_LATER_MS = 15 * 60_000;

/** The state after an evaluation. */
export function advance(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const awake = state.snoozed !== null && state.snoozed.untilMs <= nowMs ? { ...state, snoozed: null } : state;
  // The same evaluation again, after a crash or by another replica, changes nothing.
  if (observation.level !== 'unknown' && observation.atMs <= state.lookedMs) return withPendingMessage(awake);
  const lookedMs = observation.level === 'unknown' ? awake.lookedMs : observation.atMs;
  return withPendingMessage(next({ ...awake, lookedMs, seen: observation.level }, observation, nowMs));
}

const isBad = ({ level }: Observation): boolean => level === 'elevated' || level === 'surge';

function next(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const { episode, suspicion } = state;
  if (episode !== null && episode.closedMs === null) return proceed(state, episode, observation, nowMs);
  if (observation.level === 'unknown') return state;
  if (!isBad(observation)) return { ...state, suspicion: null };
  const looks = (suspicion?.looks ?? 0) + 1;
  const suspected = { ...state, suspicion: { looks, sinceMs: suspicion?.sinceMs ?? observation.sinceMs } };
  const isReturn = episode !== null && nowMs - (episode.closedMs ?? nowMs) < RETURN_MS;
  const isConfirmed = looks > 1 || !isReturn || observation.level === 'surge';
  // What the channel has not seen of the last episode comes first.
  if (pendingUpdate(state) !== null) return suspected;
  return isConfirmed ? begin(suspected, observation, nowMs, isReturn) : suspected;
}

function begin(state: WatchState, observation: Observation, nowMs: number, isReturn: boolean): WatchState {
  const { episode: before, suspicion } = state;
  const level = observation.level === 'surge' ? 'surge' : 'elevated';
  const endedMs = before?.endMs ?? Number.NEGATIVE_INFINITY;
  const fresh: WatchedEpisode = {
    // Messages are told apart by it, also those of two things that begin at the same look.
    ...(observation.drop === undefined
      ? { id: String(nowMs) }
      : { id: `${observation.drop}-${nowMs}`, drop: observation.drop }),
    openedMs: nowMs,
    // A return begins after the end of what it is the return of.
    onsetMs: Math.max(observation.onsetMs ?? suspicion?.sinceMs ?? observation.sinceMs, endedMs),
    endMs: null,
    level,
    worst: level,
    shape: null,
    figures: null,
    lastSeenMs: observation.atMs,
    calmLooks: 0,
    blindSinceMs: null,
    closedMs: null,
    backAfter:
      isReturn && before !== null ? { onsetMs: before.onsetMs, endMs: before.endMs ?? before.lastSeenMs } : null,
    acknowledged: null,
    leading: [],
    told: { level, known: [], atMs: nowMs },
    worseLooks: 0,
    anotherLooks: 0,
    posts: 0,
    firstTs: null,
  };
  const begun = { ...state, suspicion: null, past: episodesOf(state), message: null, closing: null, replaced: [] };
  const followed = follow(fresh, observation);
  const known = union(observation.moved, observation.leading);
  return changed(begun, { ...followed, told: { ...followed.told, known } });
}

function proceed(state: WatchState, episode: WatchedEpisode, observation: Observation, nowMs: number): WatchState {
  if (observation.level === 'unknown') {
    const blindSinceMs = episode.blindSinceMs ?? nowMs;
    const withoutData = { ...episode, blindSinceMs };
    const isLong = episode.blindSinceMs !== null && nowMs - blindSinceMs >= NO_DATA_MS;
    return isLong ? changed(state, withoutData) : { ...state, episode: withoutData };
  }
  const seeing = { ...episode, blindSinceMs: null };
  if (observation.level === 'calm') return calmer(state, seeing, observation, nowMs);
  return tellNews(changed(state, follow(seeing, observation)), observation, nowMs);
}

function calmer(state: WatchState, episode: WatchedEpisode, observation: Observation, nowMs: number): WatchState {
  const calmLooks = episode.calmLooks + 1;
  const { endedMs } = observation;
  const endMs = endedMs !== null && endedMs > episode.onsetMs ? endedMs : (episode.endMs ?? episode.lastSeenMs);
  const quieter = { ...episode, calmLooks, endMs, worseLooks: 0, anotherLooks: 0 };
  if (calmLooks < CALM_TO_CLOSE) return changed(state, quieter);
  const over = changed(state, { ...quieter, closedMs: nowMs });
  const { message } = over;
  // A message that is still to be posted will say itself that it is over.
  if (message === null || message.ts === null || message.shown === GONE) return over;
  return { ...over, closing: { key: `${message.key}-over`, threadTs: message.ts, ts: null, sendingMs: null } };
}

/** The episode with what an evaluation that is not calm adds to it. */
function follow(episode: WatchedEpisode, observation: Observation): WatchedEpisode {
  const { level, atMs, kind, onsetMs, leading } = observation;
  return {
    ...episode,
    onsetMs: onsetMs === null ? episode.onsetMs : refined(episode, atMs, onsetMs),
    endMs: null,
    calmLooks: 0,
    lastSeenMs: Math.max(episode.lastSeenMs, atMs),
    level: level === 'elevated' || level === 'surge' ? level : episode.level,
    worst: level === 'surge' ? 'surge' : episode.worst,
    shape: kind ?? episode.shape,
    leading: isLedBy(episode, leading) ? episode.leading : ledOn(episode.leading, leading[0]),
  };
}

/** One that is still near the first goes on leading, so that two alike do not take turns. */
const isLedBy = ({ leading }: WatchedEpisode, seen: readonly string[]): boolean =>
  seen.length === 0 || leading.slice(-1).some((name) => seen.includes(name));

/** The first kind and the latest are kept. */
const MOST_KINDS = 4;

function ledOn(leading: readonly string[], name: string | undefined): readonly string[] {
  if (name === undefined || leading.at(-1) === name) return leading;
  const [first, ...later] = leading;
  return first === undefined ? [name] : [first, ...later.slice(-(MOST_KINDS - 2)), name];
}

function refined({ onsetMs: known, openedMs, backAfter }: WatchedEpisode, atMs: number, onsetMs: number): number {
  if (atMs - openedMs > ONSET_SETTLES_MS) return known;
  const near = onsetMs >= known - ONSET_EARLIER_MS && onsetMs <= known + ONSET_LATER_MS;
  return near ? Math.max(onsetMs, backAfter?.endMs ?? onsetMs) : known;
}

/** Plans another message where the channel was told of something milder, or of something else. */
function tellNews(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const { episode } = state;
  if (episode === null) return state;
  const isWorse = observation.level === 'surge' && episode.told.level === 'elevated';
  const { known } = episode.told;
  // Which categories make it up is seen some looks later than that there are more attacks.
  const isForming = nowMs - episode.openedMs <= FORMS_MS;
  const another = observation.leading.find((name) => !known.includes(name));
  const isAnother = isBad(observation) && !isForming && known.length > 0 && another !== undefined;
  const shown = union(known, union(observation.moved, observation.leading));
  const counted = {
    ...episode,
    told: isForming || known.length === 0 ? { ...episode.told, known: shown } : episode.told,
    worseLooks: isWorse ? episode.worseLooks + 1 : 0,
    anotherLooks: isAnother ? episode.anotherLooks + 1 : 0,
  };
  const news = newsOf(counted);
  const { message, snoozed } = state;
  const told = { level: counted.worst, known: union(counted.told.known, observation.leading), atMs: nowMs };
  if (message === null || snoozed !== null || message.shown === GONE) return { ...state, episode: counted };
  const { key: oldKey, ts } = message;
  // A message that is not out yet will tell it anyway.
  if (ts === null) return { ...state, episode: { ...counted, told } };
  const isSoon = nowMs - counted.told.atMs < BETWEEN_POSTS_MS || counted.posts >= MOST_POSTS;
  if (news === null || isSoon) return { ...state, episode: counted };
  const posts = counted.posts + 1;
  // What people are called for is what leads from now on.
  const leading = news === 'another kind' ? ledOn(counted.leading, another) : counted.leading;
  return {
    ...state,
    episode: { ...counted, told, leading, posts, firstTs: counted.firstTs ?? ts, worseLooks: 0, anotherLooks: 0 },
    message: { key: `${counted.id}-${posts}`, ts: null, shown: -1, sendingMs: null, news },
    replaced: [...state.replaced, { key: oldKey, ts, by: news, atMs: nowMs }],
  };
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

function newsOf({ worseLooks, anotherLooks }: WatchedEpisode): News | null {
  if (worseLooks >= LOOKS_FOR_NEWS) return 'worse';
  return anotherLooks >= LOOKS_FOR_NEWS ? 'another kind' : null;
}

const changed = (state: WatchState, episode: WatchedEpisode): WatchState => ({
  ...state,
  episode,
  revision: state.revision + 1,
});

/** What was counted from the onset to the end, once that is known. Until the channel has read a name, it is the one counted. */
export function withMeasure(state: WatchState, measure: EpisodeMeasure | null): WatchState {
  const { episode, message } = state;
  if (episode === null || measure === null) return state;
  const { figures, leading: counted } = measure;
  const isUnnamed = episode.leading.length === 0 || (episode.posts <= 1 && (message?.ts ?? null) === null);
  const leading = isUnnamed && counted !== null ? [counted] : episode.leading;
  const expected = figures.expected ?? expectedByNow(episode, figures);
  return { ...state, episode: { ...episode, figures: { ...figures, expected }, leading } };
}

/** Where the service does not tell what to compare with, as much a minute is expected as a look before. */
function expectedByNow({ onsetMs, figures: before }: WatchedEpisode, { untilMs }: EpisodeFigures): number | null {
  if (before === null || before.untilMs <= onsetMs) return null;
  const { expected = null } = before;
  return expected === null ? null : (expected * (untilMs - onsetMs)) / (before.untilMs - onsetMs);
}

/** Plans a message for an open episode that has none, unless people asked for silence. */
export function withPendingMessage(state: WatchState): WatchState {
  const { episode, message, snoozed } = state;
  if (episode === null || !isOpen(state) || message !== null || snoozed !== null) return state;
  const news: News = episode.backAfter === null ? 'new' : 'back';
  return {
    ...state,
    episode: { ...episode, posts: 1, told: { ...episode.told, level: episode.worst } },
    message: { key: episode.id, ts: null, shown: -1, sendingMs: null, news },
  };
}

export function pendingUpdate({ episode, message, replaced, closing, revision }: WatchState): PendingUpdate | null {
  if (episode === null || message === null) return null;
  const { key, ts, shown } = message;
  if (ts === null) return { is: 'post', key, revision };
  const [old] = replaced;
  if (old !== undefined) return { is: 'retire', ...old };
  if (shown < revision) return { is: episode.closedMs === null ? 'edit' : 'close', key, ts, revision };
  return closing === null || closing.ts !== null ? null : { is: 'reply', key: closing.key, threadTs: closing.threadTs };
}

/** The first to acknowledge stands. Nothing changes when there is nothing to acknowledge. */
export function acknowledge(state: WatchState, by: string, atMs: number): WatchState {
  const { episode } = state;
  if (episode === null || !isOpen(state)) return state;
  if (episode.acknowledged !== null) return withPendingMessage(state);
  return withPendingMessage(changed(state, { ...episode, acknowledged: { by, atMs } }));
}

/** No new message until then. One that is there is still edited, which notifies nobody. */
export function snooze(state: WatchState, by: string, untilMs: number): WatchState {
  return withPendingMessage({ ...state, snoozed: { untilMs, by }, revision: revisionIfShown(state) });
}

export function wake(state: WatchState): WatchState {
  return withPendingMessage({ ...state, snoozed: null, revision: revisionIfShown(state) });
}

/** What somebody thinks of an episode; `null` takes it back. The message of the last one shows it. */
export function answered(
  state: WatchState,
  episode: string,
  answer: Omit<FeedbackAnswer, 'episode'> | null,
): WatchState {
  const { feedback, message, revision } = state;
  const isShown = state.episode?.id === episode && message !== null && message.shown !== GONE;
  return {
    ...state,
    feedback: answer === null ? withoutAnswer(feedback, episode) : withAnswer(feedback, { ...answer, episode }),
    revision: isShown ? revision + 1 : revision,
  };
}

const revisionIfShown = (state: WatchState): number => (isOpen(state) ? state.revision + 1 : state.revision);
