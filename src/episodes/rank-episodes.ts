/** The order in which answers name episodes: ongoing first, then the strongest. */
import type { EpisodeRecord, EpisodeSpan } from './episode.ts';
import { BARS } from './verdict/index.ts';

type Ranked = EpisodeSpan & Pick<EpisodeRecord, 'strength'>;

export function rankEpisodes<E extends Ranked>(episodes: readonly E[]): E[] {
  return episodes.toSorted(
    (a, b) => Number(b.endMs === null) - Number(a.endMs === null) || b.strength - a.strength || b.onsetMs - a.onsetMs,
  );
}

/** What is over and was no rarer than this is named, but no answer leads with it: days have one now and then. */
export const isMinor = ({ endMs, strength }: Ranked): boolean => endMs !== null && strength < BARS.normal;

/** The one that an answer leads with. */
export const leadOf = <E extends Ranked>(episodes: readonly E[]): E | undefined =>
  rankEpisodes(episodes).find((episode) => !isMinor(episode));
