/** The episodes of the question's window, as every other answer about the same time has them. */
import type { EpisodeRecord } from '../episodes/episode.ts';
import { nullIfUnavailable } from '../errors.ts';
import type { WindowContext } from './context.ts';

/** `null` if they're unknown: the window is too long, or the service doesn't answer now. */
export async function episodesIn({ range, hosts, deps }: WindowContext): Promise<readonly EpisodeRecord[] | null> {
  const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
  const list = await nullIfUnavailable(deps.episodes.within({ fromMs, toMs, hosts: hosts.map(({ id }) => id) }));
  return list === null || list.stale ? null : list.episodes;
}
