/**
 * The course of a watch, as a pure step from one state to the next. What is to be done follows from the state alone:
 * keep the state first, then do it, then record it with `delivered`. Whatever dies in between is simply owed still.
 */

import type { Observation } from './observation.ts';
import { type Episode, isOpen, type WatchState } from './watch-state.ts';

export type Effect =
  | { readonly is: 'nothing' }
  /** A message of its own. Posted at most once under its key: whoever is not sure looks for the key first. */
  | { readonly is: 'post'; readonly key: string; readonly revision: number }
  /** The message as it should now be. */
  | { readonly is: 'edit'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The same, for the last time: it says that it is over. */
  | { readonly is: 'close'; readonly key: string; readonly ts: string; readonly revision: number };

export interface Step {
  readonly state: WatchState;
  readonly effect: Effect;
}

export interface StepOptions {
  /** So many calm looks end an episode. */
  readonly calmLooks: number;
  /** After an episode nothing new is posted for this long, unless it is worse than that one. */
  readonly quietMs: number;
  /** Without numbers for this long, an open episode says so. */
  readonly blindMs: number;
}

export const STEP_OPTIONS: StepOptions = { calmLooks: 2, quietMs: 2 * 3_600_000, blindMs: 15 * 60_000 };

const MOST_CATEGORIES = 6;

export function step(
  state: WatchState,
  observation: Observation,
  nowMs: number,
  options: StepOptions = STEP_OPTIONS,
): Step {
  const awake = state.snoozed !== null && state.snoozed.untilMs <= nowMs ? { ...state, snoozed: null } : state;
  // The same look again, after a crash or by another replica, changes nothing.
  if (observation.level !== 'unknown' && observation.atMs <= state.lookedMs) return settled(awake);
  const lookedMs = observation.level === 'unknown' ? awake.lookedMs : observation.atMs;
  const looked = { ...awake, lookedMs, seen: observation.level };
  return settled(next(looked, observation, nowMs, options));
}

function next(state: WatchState, observation: Observation, nowMs: number, options: StepOptions): WatchState {
  const { episode } = state;
  const bad = observation.level === 'elevated' || observation.level === 'surge';
  if (episode !== null && episode.closedMs === null) return goOn(state, episode, observation, nowMs, options);
  if (!bad) return state;
  if (episode === null || isPast(state, episode, observation, nowMs, options)) return begin(state, observation, nowMs);
  // Back within the quiet hours: the old message says so, and nobody is called again.
  const back = { ...episode, closedMs: null, calmLooks: 0, returns: episode.returns + 1 };
  return changed(state, follow(back, observation));
}

/** Whether the last episode is far enough behind, or mild enough beside this, for a message of its own. */
function isPast(
  { message, revision }: WatchState,
  { closedMs, worstStep }: Episode,
  { step: now }: Observation,
  nowMs: number,
  { quietMs }: StepOptions,
): boolean {
  // A farewell that could not be said yet is said first; until then it is the same episode.
  if (message !== null && (message.ts === null || message.shown < revision)) return false;
  return nowMs - (closedMs ?? nowMs) >= quietMs || now > worstStep;
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

function goOn(
  state: WatchState,
  episode: Episode,
  observation: Observation,
  nowMs: number,
  { calmLooks, blindMs }: StepOptions,
): WatchState {
  if (observation.level === 'unknown') {
    const blindSinceMs = episode.blindSinceMs ?? nowMs;
    const blind = { ...episode, blindSinceMs };
    const tells = episode.blindSinceMs !== null && nowMs - blindSinceMs >= blindMs;
    return tells ? changed(state, blind) : { ...state, episode: blind };
  }
  const followed = follow({ ...episode, blindSinceMs: null }, observation);
  const looks = observation.level === 'calm' ? episode.calmLooks + 1 : 0;
  const closedMs = looks >= calmLooks ? nowMs : null;
  return changed(state, { ...followed, calmLooks: looks, closedMs });
}

/** The episode with what this look adds to it. */
function follow(episode: Episode, observation: Observation): Episode {
  const { level, step: now, peak, points, categories, shape } = observation;
  const worse = level === 'surge' ? 'surge' : episode.worst;
  const fresh = points.filter(({ endMs }) => endMs > episode.countedToMs);
  return {
    ...episode,
    level: level === 'elevated' || level === 'surge' ? level : episode.level,
    worst: worse,
    worstStep: Math.max(episode.worstStep, now),
    peak: peak === null || peak.count <= (episode.peak?.count ?? 0) ? episode.peak : peak,
    total: episode.total + fresh.reduce((sum, { count }) => sum + count, 0),
    countedToMs: Math.max(episode.countedToMs, ...fresh.map(({ endMs }) => endMs)),
    categories: merged(episode.categories, categories),
    shape: shape ?? episode.shape,
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

/** A message for an open episode that has none, unless people asked for silence. */
export function settled(state: WatchState): Step {
  const { episode, message, snoozed } = state;
  const speaks = episode !== null && isOpen(state) && message === null && snoozed === null;
  const now = speaks ? { ...state, message: { key: episode.id, ts: null, shown: -1, sendingMs: null } } : state;
  return { state: now, effect: owed(now) };
}

/** What the channel has not been shown yet. */
export function owed({ episode, message, revision }: WatchState): Effect {
  if (episode === null || message === null) return { is: 'nothing' };
  const { key, ts, shown } = message;
  if (ts === null) return { is: 'post', key, revision };
  if (shown >= revision) return { is: 'nothing' };
  return { is: episode.closedMs === null ? 'edit' : 'close', key, ts, revision };
}
