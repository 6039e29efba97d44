/** What a channel's watches do about the hosts of a question: whether there is one, and what they have already reported. */
import type { ReportedEpisode } from '../episodes/episode.ts';
import { BotError } from '../errors.ts';
import type { WindowContext } from './context.ts';

/** Only watches for anything unusual: those with a limit report something else. */
export async function reportedEpisodes(context: WindowContext): Promise<ReportedEpisode[]> {
  const { deps, question, project, range } = context;
  const reported = await orNone(deps.watches.episodes(question.channel, range, project.storedAs));
  return reported.filter(({ limit, hosts }) => limit === null && areHostsOf(context, hosts));
}

/** Whether the channel has a watch for anything unusual on exactly these hosts. */
export async function isWatched(context: WindowContext): Promise<boolean> {
  const { deps, question, project } = context;
  const watches = await orNone(deps.watches.list(question.channel));
  return watches.some(
    (watch) => watch.isTunable === true && watch.project === project.label && areHostsOf(context, watch.hosts),
  );
}

const areHostsOf = ({ hosts }: WindowContext, names: readonly string[]): boolean =>
  names.length === hosts.length && names.every((name) => hosts.some((host) => host.name === name || host.id === name));

/** An answer doesn't depend on the store. */
async function orNone<T>(list: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof BotError) return [];
    throw error;
  }
}
