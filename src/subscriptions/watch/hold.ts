/**
 * Quiet hours and maintenance as pure steps of a watch's state: what they hold back, and the one message afterwards about
 * what nobody was alerted to.
 */
import { DAY_MS } from '../../time-units.ts';
import type { Hold } from '../recurrence/time-window.ts';
import {
  allEpisodesOf,
  courseOf,
  coursesOf,
  inEachCourse,
  isOpen,
  type PastEpisode,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withoutNextMessage,
} from './watch-state.ts';

/** Whether a new message about the episode has to wait. Quiet hours let a surge through. */
export const holdsBack = ({ held }: WatchState, { worst }: WatchedEpisode): boolean =>
  held?.now === 'maintenance' || (held?.now === 'quiet' && worst !== 'surge');

export function withHeldBack(state: WatchState, episode: WatchedEpisode): WatchState {
  const by = state.held?.now;
  if (by == null || episode.heldBack?.reported === false) return state;
  return { ...state, episode: { ...episode, heldBack: { by, reported: false } } };
}

/**
 * Takes back an alert that certainly hasn't been sent, and would now come while alerts are held back. It alerts afterwards if it
 * goes on, and is in the summary otherwise.
 */
export function withoutLateAlert(state: WatchState): WatchState {
  const { episode, message } = state;
  if (episode === null || message === null || message.ts !== null || !holdsBack(state, episode)) return state;
  const unsent = withoutNextMessage(state, episode) ?? { ...state, message: null };
  return withHeldBack(unsent, unsent.episode ?? episode);
}

/** Its alert was held back, and by now it may be over: it alerts if it goes on, and else is in the summary. */
export const isUndecided = ({ heldBack, calmLooks, endMs, blindSinceMs }: WatchedEpisode): boolean =>
  heldBack?.reported === false && (calmLooks > 0 || endMs !== null || blindSinceMs !== null);

/** Times that follow each other without an evaluation between them count as one. */
export function underHold(record: WatchRecord, hold: Hold | null, nowMs: number): WatchRecord {
  const { held = null } = record;
  if (hold === null) {
    if (held === null || held.now === null) return record;
    return { ...record, held: { ...held, now: null, untilMs: Math.min(held.untilMs, nowMs) } };
  }
  const { why: now, fromMs, untilMs } = hold;
  const by = [...new Set([...(held?.by ?? []), now])];
  return { ...record, held: { fromMs: held?.fromMs ?? fromMs, untilMs, now, by } };
}

/** After a longer interruption, what was held back before it isn't reported any more. */
const MAX_SUMMARY_AGE_MS = 3 * DAY_MS;

/** Plans the summary once the time is over and each episode has either alerted or ended; none if there's nothing to say. */
export function withSummary(record: WatchRecord, nowMs: number): WatchRecord {
  const { held = null, summary = null, snoozed } = record;
  const isPosted = summary === null || summary.ts !== null;
  if (held === null || held.now !== null || !isPosted) return record;
  const isWaiting = (state: WatchState): boolean => snoozed === null && isUnreported(state.episode) && isSilent(state);
  if (coursesOf(record).some((course) => isWaiting(courseOf(record, course)))) return record;
  const open = new Set(coursesOf(record).flatMap((course) => openIn(courseOf(record, course))));
  const episodes = allEpisodesOf(record).filter((episode) => isUnreported(episode) && !open.has(episode.id));
  const reported = { ...inEachCourse(record, withReported), held: null };
  if (episodes.length === 0 || nowMs - held.untilMs > MAX_SUMMARY_AGE_MS) return reported;
  const { fromMs, untilMs, by } = held;
  return { ...reported, summary: { key: `held-${nowMs}`, ts: null, sendingMs: null, fromMs, untilMs, by, episodes } };
}

const isUnreported = (episode: Pick<PastEpisode, 'heldBack'> | null): boolean => episode?.heldBack?.reported === false;

/** It goes on, and the channel has no message about it. */
const isSilent = (state: WatchState): boolean => isOpen(state) && state.message === null;

const openIn = (state: WatchState): string[] => (isOpen(state) && state.episode !== null ? [state.episode.id] : []);

/** A snoozed episode may still alert. */
function withReported(state: WatchState): WatchState {
  const { episode, past } = state;
  const asReported = <E extends Pick<PastEpisode, 'heldBack'>>(each: E): E =>
    each.heldBack?.reported === false ? { ...each, heldBack: { ...each.heldBack, reported: true } } : each;
  return {
    ...state,
    episode: episode === null || isSilent(state) ? episode : asReported(episode),
    past: past.map(asReported),
  };
}
