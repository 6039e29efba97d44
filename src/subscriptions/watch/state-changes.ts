/** What people and the channel tell a watch: it was shown, it is known, it should be silent for a while. */

import { type Effect, type Step, settled } from './step.ts';
import { isOpen, type WatchState } from './watch-state.ts';

/** The channel has it, by the answer to a post or an edit. */
export function delivered(state: WatchState, effect: Exclude<Effect, { is: 'nothing' }>, ts: string): WatchState {
  const { message } = state;
  if (message === null || message.key !== effect.key) return state;
  const shown = Math.max(message.shown, effect.revision);
  return { ...state, message: { ...message, ts, shown, sendingMs: null } };
}

/** A post is about to go out, or certainly did not. */
export function sending(state: WatchState, key: string, sinceMs: number | null): WatchState {
  const { message } = state;
  if (message === null || message.key !== key || message.ts !== null) return state;
  return { ...state, message: { ...message, sendingMs: sinceMs } };
}

/** A message that may have been posted is there, from an attempt before this one: what it shows may be old. */
export function found(state: WatchState, key: string, ts: string): Step {
  const { message } = state;
  return settled(
    message === null || message.key !== key ? state : { ...state, message: { ...message, ts, sendingMs: null } },
  );
}

/** The message is gone from the channel, or will never be taken by it: nothing more is said of this episode. */
export function lost(state: WatchState, key: string): WatchState {
  if (state.message?.key !== key) return state;
  return { ...state, message: { ...state.message, ts: state.message.ts ?? '', shown: Number.MAX_SAFE_INTEGER } };
}

/** Someone has it in hand. The first to say so stands; `null` when there is nothing to acknowledge. */
export function acknowledge(state: WatchState, by: string, atMs: number): Step | null {
  const { episode } = state;
  if (episode === null || !isOpen(state)) return null;
  if (episode.acknowledged !== null) return settled(state);
  return settled({ ...state, episode: { ...episode, acknowledged: { by, atMs } }, revision: state.revision + 1 });
}

/** No new message until then. One that is there goes on being edited: that calls nobody. */
export function snooze(state: WatchState, by: string, untilMs: number): Step {
  const revision = isOpen(state) ? state.revision + 1 : state.revision;
  return settled({ ...state, snoozed: { untilMs, by }, revision });
}

export function wake(state: WatchState): Step {
  const revision = isOpen(state) ? state.revision + 1 : state.revision;
  return settled({ ...state, snoozed: null, revision });
}
