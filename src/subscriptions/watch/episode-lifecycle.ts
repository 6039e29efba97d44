/**
 * The lifecycle of a watch's episodes as pure steps from one state to the next, caused by evaluations or by people. The
 * stored state alone determines which update the channel needs, so an update that a crash interrupts is still pending.
 *
 * A new message notifies people when they should look again: a new episode, one that returns, a worse level, another kind
 * of attack. In between the newest message is edited, and a reply closes its thread.
 */
import type { EpisodeFigures } from '../../episodes/episode.ts';
import type { EpisodeMeasure } from '../../episodes/measure-episode.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { type FeedbackAnswer, withAnswer, withoutAnswer } from './feedback.ts';
import type { Observation } from './observation.ts';
import { episodesOf, GONE, isOpen, type News, type WatchedEpisode, type WatchState } from './watch-state.ts';

/** What the channel hasn't been shown yet. */
export type PendingUpdate =
  /** A new message, posted exactly once under its key. */
  | { readonly is: 'post'; readonly key: string; readonly revision: number }
  /** The message needs an edit. */
  | { readonly is: 'edit'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit: it says that the episode is over. */
  | { readonly is: 'close'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit of a message that a newer one has replaced. */
  | { readonly is: 'retire'; readonly key: string; readonly ts: string; readonly by: News; readonly atMs: number }
  /** The reply that closes the thread, posted exactly once under its key. */
  | { readonly is: 'reply'; readonly key: string; readonly threadTs: string };

/** This many calm evaluations in a row end an episode. */
const CALM_TO_CLOSE = 3;
/** An episode that begins this soon after the last one ended counts as its return, and needs a second evaluation. */
const RETURN_MS = 2 * HOUR_MS;
/** After this long without data, the message of an open episode says so. */
const NO_DATA_MS = 15 * MINUTE_MS;
/** Categories that appear this early are part of the original alert. */
const FORMING_MS = 15 * MINUTE_MS;
/** This many evaluations in a row must agree before an episode gets another message. */
const MIN_NEWS_EVALUATIONS = 2;
/** The minimum time between two messages of an episode, and their maximum number. */
const BETWEEN_POSTS_MS = 10 * MINUTE_MS;
const MAX_POSTS = 4;
/** An onset is estimated better a little later: for this long it may move by this much. */
const ONSET_SETTLES_MS = 30 * MINUTE_MS;
const ONSET_EARLIER_MS = HOUR_MS;
const ONSET_LATER_MS = 15 * MINUTE_MS;

/** The state after an evaluation. */
export function advance(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const awake = state.snoozed !== null && state.snoozed.untilMs <= nowMs ? { ...state, snoozed: null } : state;
  // Repeating an evaluation, after a crash or on another replica, changes nothing.
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
  // Pending updates of the last episode come first.
  if (pendingUpdate(state) !== null) return suspected;
  return isConfirmed ? begin(suspected, observation, nowMs, isReturn) : suspected;
}

function begin(state: WatchState, observation: Observation, nowMs: number, isReturn: boolean): WatchState {
  const { episode: before, suspicion } = state;
  const level = observation.level === 'surge' ? 'surge' : 'elevated';
  const endedMs = before?.endMs ?? Number.NEGATIVE_INFINITY;
  const fresh: WatchedEpisode = {
    // Identifies the messages, also if two courses begin at the same evaluation.
    ...(observation.drop === undefined
      ? { id: String(nowMs) }
      : { id: `${observation.drop}-${nowMs}`, drop: observation.drop }),
    openedMs: nowMs,
    // A return begins after the end of the previous episode.
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
  return planNews(changed(state, follow(seeing, observation)), observation, nowMs);
}

function calmer(state: WatchState, episode: WatchedEpisode, observation: Observation, nowMs: number): WatchState {
  const calmLooks = episode.calmLooks + 1;
  const { endedMs } = observation;
  const endMs = endedMs !== null && endedMs > episode.onsetMs ? endedMs : (episode.endMs ?? episode.lastSeenMs);
  const quieter = { ...episode, calmLooks, endMs, worseLooks: 0, anotherLooks: 0 };
  if (calmLooks < CALM_TO_CLOSE) return changed(state, quieter);
  const over = changed(state, { ...quieter, closedMs: nowMs });
  const { message } = over;
  // A message that isn't posted yet will itself say that it's over.
  if (message === null || message.ts === null || message.shown === GONE) return over;
  return { ...over, closing: { key: `${message.key}-over`, threadTs: message.ts, ts: null, sendingMs: null } };
}

/** The episode after an evaluation that wasn't calm. */
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
    leading: isStillLeading(episode, leading) ? episode.leading : withLeading(episode.leading, leading[0]),
  };
}

/** A category that's still near the top keeps the lead, so that two similar ones don't alternate. */
const isStillLeading = ({ leading }: WatchedEpisode, seen: readonly string[]): boolean =>
  seen.length === 0 || leading.slice(-1).some((name) => seen.includes(name));

/** The first category and the latest ones are stored. */
const MAX_LEADING = 4;

function withLeading(leading: readonly string[], name: string | undefined): readonly string[] {
  if (name === undefined || leading.at(-1) === name) return leading;
  const [first, ...later] = leading;
  return first === undefined ? [name] : [first, ...later.slice(-(MAX_LEADING - 2)), name];
}

function refined({ onsetMs: known, openedMs, backAfter }: WatchedEpisode, atMs: number, onsetMs: number): number {
  if (atMs - openedMs > ONSET_SETTLES_MS) return known;
  const near = onsetMs >= known - ONSET_EARLIER_MS && onsetMs <= known + ONSET_LATER_MS;
  return near ? Math.max(onsetMs, backAfter?.endMs ?? onsetMs) : known;
}

/** Plans another message if the episode is now worse, or of another kind, than last reported. */
function planNews(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const { episode } = state;
  if (episode === null) return state;
  const isWorse = observation.level === 'surge' && episode.told.level === 'elevated';
  const { known } = episode.told;
  // The categories show up a few evaluations after the rise itself.
  const isForming = nowMs - episode.openedMs <= FORMING_MS;
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
  const reported = { level: counted.worst, known: union(counted.told.known, observation.leading), atMs: nowMs };
  if (message === null || snoozed !== null || message.shown === GONE) return { ...state, episode: counted };
  const { key: oldKey, ts } = message;
  // A message that isn't posted yet will include it anyway.
  if (ts === null) return { ...state, episode: { ...counted, told: reported } };
  const isSoon = nowMs - counted.told.atMs < BETWEEN_POSTS_MS || counted.posts >= MAX_POSTS;
  if (news === null || isSoon) return { ...state, episode: counted };
  const posts = counted.posts + 1;
  // The category that people are alerted about leads from now on.
  const leading = news === 'another kind' ? withLeading(counted.leading, another) : counted.leading;
  return {
    ...state,
    episode: {
      ...counted,
      told: reported,
      leading,
      posts,
      firstTs: counted.firstTs ?? ts,
      worseLooks: 0,
      anotherLooks: 0,
    },
    message: { key: `${counted.id}-${posts}`, ts: null, shown: -1, sendingMs: null, news },
    replaced: [...state.replaced, { key: oldKey, ts, by: news, atMs: nowMs }],
  };
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

function newsOf({ worseLooks, anotherLooks }: WatchedEpisode): News | null {
  if (worseLooks >= MIN_NEWS_EVALUATIONS) return 'worse';
  return anotherLooks >= MIN_NEWS_EVALUATIONS ? 'another kind' : null;
}

const changed = (state: WatchState, episode: WatchedEpisode): WatchState => ({
  ...state,
  episode,
  revision: state.revision + 1,
});

/** Adds the counts from onset to end. Until the channel has seen a category name, the counts choose it. */
export function withMeasure(state: WatchState, measure: EpisodeMeasure | null): WatchState {
  const { episode, message } = state;
  if (episode === null || measure === null) return state;
  const { figures, leading: counted } = measure;
  const isUnnamed = episode.leading.length === 0 || (episode.posts <= 1 && (message?.ts ?? null) === null);
  const leading = isUnnamed && counted !== null ? [counted] : episode.leading;
  const expected = figures.expected ?? expectedByNow(episode, figures);
  return { ...state, episode: { ...episode, figures: { ...figures, expected }, leading } };
}

/** If the service gives nothing to compare with, the expected rate of the previous evaluation continues. */
function expectedByNow({ onsetMs, figures: before }: WatchedEpisode, { untilMs }: EpisodeFigures): number | null {
  if (before === null || before.untilMs <= onsetMs) return null;
  const { expected = null } = before;
  return expected === null ? null : (expected * (untilMs - onsetMs)) / (before.untilMs - onsetMs);
}

/** Plans a message for an open episode that has none, unless the watch is snoozed. */
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

/** The first acknowledgment stands. Does nothing without an open episode. */
export function acknowledge(state: WatchState, by: string, atMs: number): WatchState {
  const { episode } = state;
  if (episode === null || !isOpen(state)) return state;
  if (episode.acknowledged !== null) return withPendingMessage(state);
  return withPendingMessage(changed(state, { ...episode, acknowledged: { by, atMs } }));
}

/** Posts no new message until then. An existing one is still edited, which notifies nobody. */
export function snooze(state: WatchState, by: string, untilMs: number): WatchState {
  return withPendingMessage({ ...state, snoozed: { untilMs, by }, revision: revisionIfShown(state) });
}

export function wake(state: WatchState): WatchState {
  return withPendingMessage({ ...state, snoozed: null, revision: revisionIfShown(state) });
}

/** Stores somebody's opinion of an episode; `null` withdraws it. The last episode's message shows it. */
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
