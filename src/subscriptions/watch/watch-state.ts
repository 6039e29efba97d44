/** What is stored of a watch: its current or last episode, and what the channel has been shown of it. */
import type { AnomalyKind } from '../../insight/verdict/index.ts';
import type { Records } from '../repository.ts';
import { jobIdOf, type SubscriptionRef } from '../subscription.ts';
import type { ObservedLevel, ObservedPeak } from './observation.ts';

interface EpisodeCategory {
  readonly category: string;
  /** The most that one evaluation has counted. */
  readonly count: number;
  readonly isNew: boolean;
}

export interface Episode {
  /** Identifies its message, also in the search after a crash. */
  readonly id: string;
  readonly openedMs: number;
  /** When it began by the numbers; the first evaluation that noticed it, where they do not say. */
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
  readonly shape: AnomalyKind | null;
  /** Calm evaluations in a row. */
  readonly calmLooks: number;
  /** Since when there are no numbers; `null` while the service answers. */
  readonly blindSinceMs: number | null;
  readonly closedMs: number | null;
  /** How often it came back after it had been closed. */
  readonly returns: number;
  readonly acknowledged: { readonly by: string; readonly atMs: number } | null;
}

/** The one message of an episode. Which update of the channel is pending follows from it. */
interface EpisodeMessage {
  readonly key: string;
  /** `null` until the channel certainly has the message; empty when it never will. */
  readonly ts: string | null;
  /** The revision that the channel shows. */
  readonly shown: number;
  /** The mark of a post that may have gone out; `null` when none is in doubt. */
  readonly sendingMs: number | null;
}

export interface WatchState {
  readonly episode: Episode | null;
  readonly message: EpisodeMessage | null;
  /** Counts changes that the channel should see. */
  readonly revision: number;
  readonly snoozed: { readonly untilMs: number; readonly by: string } | null;
  /** The end of what was evaluated last, so that the same evaluation twice counts once. */
  readonly lookedMs: number;
  /** The level at the last evaluation, for the list. */
  readonly seen: ObservedLevel | null;
}

export const INITIAL_STATE: WatchState = {
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

const SPACE = 'watch-states';

export function createWatchStates(records: Records) {
  const space = records.space<WatchState>(SPACE);
  return {
    read: async (ref: SubscriptionRef): Promise<WatchState> => (await space.get(jobIdOf(ref))) ?? INITIAL_STATE,
    change: async (ref: SubscriptionRef, next: (state: WatchState) => WatchState): Promise<WatchState> =>
      (await records.update<WatchState>(SPACE, jobIdOf(ref), (state) => next(state ?? INITIAL_STATE))) ?? INITIAL_STATE,
    remove: (ref: SubscriptionRef) => records.update<WatchState>(SPACE, jobIdOf(ref), () => undefined),
  };
}

export type WatchStates = ReturnType<typeof createWatchStates>;
