/** The order in which answers name episodes: ongoing first, then the strongest. */
import type { EpisodeRecord, EpisodeSpan } from './episode.ts';

type Ranked = EpisodeSpan & Pick<EpisodeRecord, 'strength'>;

export function rankEpisodes<E extends Ranked>(episodes: readonly E[]): E[] {
  return episodes.toSorted(
    (a, b) => Number(b.endMs === null) - Number(a.endMs === null) || b.strength - a.strength || b.onsetMs - a.onsetMs,
  );
}

/** The one that an answer leads with. */
export const leadOf = <E extends Ranked>(episodes: readonly E[]): E | undefined => rankEpisodes(episodes)[0];
