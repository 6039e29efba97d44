/** Where a watch of the channel has told of an episode, every answer about it gives the same times. */
import { BotError } from '../errors.ts';
import { withEpisodeTimes } from '../insight/episode.ts';
import { type Assessment, type AssessmentQuery, assess } from './assess.ts';
import type { WindowContext } from './context.ts';

export async function assessAsWatched(
  { deps, question, range, hosts, zone }: WindowContext,
  categoriesAgainst: AssessmentQuery['categoriesAgainst'],
): Promise<Assessment> {
  const ids = hosts.map(({ id }) => id);
  const [assessment, episodes] = await Promise.all([
    assess(deps.statistics, { range, hosts: ids, zone, ...(categoriesAgainst && { categoriesAgainst }) }),
    // An answer that can be given is not withheld because the store is away.
    deps.watches.episodes(question.channel, range).catch(noneIfStored),
  ]);
  const isAbout = (names: readonly string[]): boolean =>
    names.length === hosts.length && hosts.every(({ id, name }) => names.includes(name) || names.includes(id));
  const same = episodes.filter((episode) => isAbout(episode.hosts));
  return { ...assessment, verdict: withEpisodeTimes(assessment.verdict, same) };
}

function noneIfStored(error: unknown): [] {
  if (error instanceof BotError) return [];
  throw error;
}
