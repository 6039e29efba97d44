/** What is kept of a watch: the episode it is in or had last, and what the channel has been shown of it. Plain data. */
import type { Shape } from '../../insight/verdict/index.ts';
import type { ObservedLevel, ObservedPeak } from './observation.ts';

export interface EpisodeCategory {
  readonly category: string;
  /** The most that one look has shown. */
  readonly count: number;
  readonly isNew: boolean;
}

export interface Episode {
  /** Names its message, also for those who look for it after a crash. */
  readonly id: string;
  readonly openedMs: number;
  /** When it began by the numbers; the first look that saw it, where they do not say. */
  readonly onsetMs: number;
  /** How it is now, and how it was at its worst. */
  readonly level: 'elevated' | 'surge';
  readonly worst: 'elevated' | 'surge';
  readonly worstStep: number;
  readonly peak: ObservedPeak | null;
  /** Events since the onset, and up to where they are counted. */
  readonly total: number;
  readonly countedToMs: number;
  readonly categories: readonly EpisodeCategory[];
  readonly shape: Shape | null;
  /** Calm looks in a row. */
  readonly calmLooks: number;
  /** Since when nothing is known; `null` while the service answers. */
  readonly blindSinceMs: number | null;
  readonly closedMs: number | null;
  /** How often it came back after it had been closed. */
  readonly returns: number;
  readonly acknowledged: { readonly by: string; readonly atMs: number } | null;
}

/** The one message of an episode. What is owed to the channel follows from it: nothing is remembered elsewhere. */
export interface EpisodeMessage {
  readonly key: string;
  /** `null` until the channel has it for certain. */
  readonly ts: string | null;
  /** The revision that the channel shows. */
  readonly shown: number;
  /** Since when it may have been posted without our knowing; `null` when it certainly has not. */
  readonly sendingMs: number | null;
}

export interface WatchState {
  readonly episode: Episode | null;
  readonly message: EpisodeMessage | null;
  /** Counts changes that the channel should see. */
  readonly revision: number;
  readonly snoozed: { readonly untilMs: number; readonly by: string } | null;
  /** The end of the last look, so that a look twice counts once. */
  readonly lookedMs: number;
  /** What the last look saw, for the list. */
  readonly seen: ObservedLevel | null;
}

export const RESTING: WatchState = {
  episode: null,
  message: null,
  revision: 0,
  snoozed: null,
  lookedMs: Number.MIN_SAFE_INTEGER,
  seen: null,
};

export function isOpen(state: WatchState): boolean {
  return state.episode !== null && state.episode.closedMs === null;
}
