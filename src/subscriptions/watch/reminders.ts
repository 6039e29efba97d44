/**
 * What follows an alert that nobody acknowledges, as pure steps of an episode's lifecycle: it alerts once more, then
 * mentions one person after another. Never while it's snoozed or held back, and never once it's over.
 */
import { SECOND_MS } from '../../time-units.ts';
import { type AlertPolicy, reaches } from './alert-policy.ts';
import { holdsBack } from './hold.ts';
import {
  GONE,
  hasJoinedOngoing,
  isOpen,
  mostTold,
  type News,
  type WatchedEpisode,
  type WatchState,
  withNextMessage,
  withoutNextMessage,
} from './watch-state.ts';

/** A run may begin a moment earlier than the one that alerted. */
const TOLERANCE_MS = 30 * SECOND_MS;

/** Plans a reminder if nobody has acknowledged the episode in time. */
export function remind(state: WatchState, nowMs: number, policy: AlertPolicy): WatchState {
  const { episode, snoozed } = state;
  const { escalation } = policy;
  if (episode === null || !isOpen(state)) return state;
  // If it gets worse after that, reminders start over.
  if (episode.acknowledged !== null) return withWaiting(state, episode, undefined);
  if (escalation === undefined || !reaches(episode.worst, policy.mention?.from ?? 'elevated')) return state;
  const { reminders, fromMs } = episode.waiting ?? { reminders: 0, fromMs: episode.told.atMs };
  const isHeld = snoozed !== null || holdsBack(state, episode);
  if (isHeld) return withWaiting(state, episode, { reminders, fromMs: nowMs });
  const sinceMs = Math.max(fromMs, episode.told.atMs);
  const isDue = nowMs - sinceMs >= escalation.afterMs - TOLERANCE_MS;
  const { message } = state;
  if (!isDue || !goesOn(episode) || !message?.ts || message.shown === GONE) return state;
  // People are reminded of the alert that it has joined.
  if (episode.joins !== undefined && message.threadTs !== undefined) return state;
  if (reminders > escalation.to.length) return state;
  const reminded: WatchedEpisode = {
    ...episode,
    waiting: { reminders: reminders + 1, fromMs: nowMs },
    reminded: (episode.reminded ?? 0) + 1,
    told: { ...mostTold(episode), atMs: nowMs },
  };
  return withNextMessage(state, reminded, reminders === 0 ? 'again' : 'escalated', nowMs);
}

function withWaiting(state: WatchState, episode: WatchedEpisode, waiting: WatchedEpisode['waiting']): WatchState {
  return waiting === undefined && episode.waiting === undefined
    ? state
    : { ...state, episode: { ...episode, waiting } };
}

/** Whether it goes on, or something that has joined its alert does. */
const goesOn = (episode: WatchedEpisode): boolean =>
  episode.closedMs === null && (episode.endMs === null || hasJoinedOngoing(episode));

export const isReminder = (news: News): boolean => news === 'again' || news === 'escalated';

/** Takes back a reminder that hasn't been sent: somebody has acted, or it's over. One that may have been sent stays. */
export function withoutReminder(state: WatchState): WatchState {
  return state.message?.sendingMs === null ? withoutUnsentReminder(state) : state;
}

/** Takes back a reminder that certainly hasn't been sent, if nobody needs it any more. */
export function withoutLateReminder(state: WatchState): WatchState {
  const { episode, snoozed } = state;
  const isNeeded = episode?.acknowledged === null && goesOn(episode) && snoozed === null && !holdsBack(state, episode);
  return isNeeded ? state : withoutUnsentReminder(state);
}

function withoutUnsentReminder(state: WatchState): WatchState {
  const { message, episode } = state;
  if (episode === null || message === null) return state;
  if (message.ts !== null || !isReminder(message.news)) return state;
  const { waiting, reminded = 1, history } = episode;
  const noted = history?.findLastIndex(({ what }) => what === 'reminded') ?? -1;
  const unreminded: WatchedEpisode = {
    ...episode,
    waiting: waiting && { ...waiting, reminders: waiting.reminders - 1 },
    reminded: reminded - 1,
    ...(history === undefined || noted < 0 ? {} : { history: history.toSpliced(noted, 1) }),
  };
  return withoutNextMessage(state, unreminded) ?? state;
}
