/**
 * The course of a watch as pure steps from one state to the next: by an evaluation, or by what people ask for. Which update
 * the channel needs follows from the stored state alone, so whatever a crash interrupts is still pending afterwards.
 */
import type { Observation } from './observation.ts';
import { type Episode, isOpen, type WatchState } from './watch-state.ts';

/** What the channel has not been shown yet. */
export type PendingUpdate =
  /** A message of its own, posted exactly once under its key. */
  | { readonly is: 'post'; readonly key: string; readonly revision: number }
  /** The message as it should be now. */
  | { readonly is: 'edit'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit: it says that the episode is over. */
  | { readonly is: 'close'; readonly key: string; readonly ts: string; readonly revision: number };

/** This many calm evaluations in a row end an episode. */
const CALM_TO_CLOSE = 2;
/** After an episode nothing new is posted for this long, unless it is worse than that one. */
const QUIET_MS = 2 * 3_600_000;
/** Without numbers for this long, an open episode says so. */
const NO_DATA_MS = 15 * 60_000;
const MOST_CATEGORIES = 6;

/** The state after an evaluation. */
export function advance(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const awake = state.snoozed !== null && state.snoozed.untilMs <= nowMs ? { ...state, snoozed: null } : state;
  // The same evaluation again, after a crash or by another replica, changes nothing.
  if (observation.level !== 'unknown' && observation.atMs <= state.lookedMs) return withPendingMessage(awake);
  const lookedMs = observation.level === 'unknown' ? awake.lookedMs : observation.atMs;
  return withPendingMessage(next({ ...awake, lookedMs, seen: observation.level }, observation, nowMs));
}

function next(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const { episode } = state;
  const bad = observation.level === 'elevated' || observation.level === 'surge';
  if (episode !== null && episode.closedMs === null) return proceed(state, episode, observation, nowMs);
  if (!bad) return state;
  if (episode === null || isPast(state, episode, observation, nowMs)) return begin(state, observation, nowMs);
  // Back within the quiet time: the old message says so, and nobody is notified again.
  const back = { ...episode, closedMs: null, calmLooks: 0, returns: episode.returns + 1 };
  return changed(state, follow(back, observation));
}

/** Whether the last episode is far enough behind, or mild enough beside this, for a message of its own. */
function isPast(
  { message, revision }: WatchState,
  { closedMs, worstStep }: Episode,
  { severity }: Observation,
  nowMs: number,
): boolean {
  // A final edit that is still pending comes first; until then it is the same episode.
  if (message !== null && (message.ts === null || message.shown < revision)) return false;
  return nowMs - (closedMs ?? nowMs) >= QUIET_MS || severity > worstStep;
}

function begin(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const onsetMs = observation.onsetMs ?? observation.atMs;
  const fresh: Episode = {
    id: String(nowMs),
    openedMs: nowMs,
    onsetMs,
    level: 'elevated',
    worst: 'elevated',
    worstStep: 0,
    peak: null,
    total: 0,
    countedToMs: onsetMs,
    categories: [],
    shape: null,
    calmLooks: 0,
    blindSinceMs: null,
    closedMs: null,
    returns: 0,
    acknowledged: null,
  };
  return changed({ ...state, message: null }, follow(fresh, observation));
}

function proceed(state: WatchState, episode: Episode, observation: Observation, nowMs: number): WatchState {
  if (observation.level === 'unknown') {
    const blindSinceMs = episode.blindSinceMs ?? nowMs;
    const withoutData = { ...episode, blindSinceMs };
    const isLong = episode.blindSinceMs !== null && nowMs - blindSinceMs >= NO_DATA_MS;
    return isLong ? changed(state, withoutData) : { ...state, episode: withoutData };
  }
  const followed = follow({ ...episode, blindSinceMs: null }, observation);
  const calmLooks = observation.level === 'calm' ? episode.calmLooks + 1 : 0;
  const closedMs = calmLooks >= CALM_TO_CLOSE ? nowMs : null;
  return changed(state, { ...followed, calmLooks, closedMs });
}

/** The episode with what this evaluation adds to it. */
function follow(episode: Episode, observation: Observation): Episode {
  const { level, severity, peak, points, categories, kind } = observation;
  const fresh = points.filter(({ endMs }) => endMs > episode.countedToMs);
  return {
    ...episode,
    level: level === 'elevated' || level === 'surge' ? level : episode.level,
    worst: level === 'surge' ? 'surge' : episode.worst,
    worstStep: Math.max(episode.worstStep, severity),
    peak: peak === null || peak.count <= (episode.peak?.count ?? 0) ? episode.peak : peak,
    total: episode.total + fresh.reduce((sum, { count }) => sum + count, 0),
    countedToMs: Math.max(episode.countedToMs, ...fresh.map(({ endMs }) => endMs)),
    categories: merged(episode.categories, categories),
    shape: kind ?? episode.shape,
  };
}

/** New ones first, then the largest. */
function merged(known: Episode['categories'], seen: Observation['categories']): Episode['categories'] {
  const all = new Map(known.map((each) => [each.category, each]));
  for (const { category, count, isNew } of seen) {
    const before = all.get(category);
    all.set(category, {
      category,
      count: Math.max(count, before?.count ?? 0),
      isNew: isNew || (before?.isNew ?? false),
    });
  }
  return [...all.values()]
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.count - a.count)
    .slice(0, MOST_CATEGORIES);
}

const changed = (state: WatchState, episode: Episode): WatchState => ({
  ...state,
  episode,
  revision: state.revision + 1,
});

/** Plans a message for an open episode that has none, unless people asked for silence. */
export function withPendingMessage(state: WatchState): WatchState {
  const { episode, message, snoozed } = state;
  if (episode === null || !isOpen(state) || message !== null || snoozed !== null) return state;
  return { ...state, message: { key: episode.id, ts: null, shown: -1, sendingMs: null } };
}

export function pendingUpdate({ episode, message, revision }: WatchState): PendingUpdate | null {
  if (episode === null || message === null) return null;
  const { key, ts, shown } = message;
  if (ts === null) return { is: 'post', key, revision };
  if (shown >= revision) return null;
  return { is: episode.closedMs === null ? 'edit' : 'close', key, ts, revision };
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

const revisionIfShown = (state: WatchState): number => (isOpen(state) ? state.revision + 1 : state.revision);
