/** The episodes that a channel's watches have already reported, for answers about the same window and hosts. */
import type { ReportedEpisode } from '../episodes/episode.ts';
import { BotError } from '../errors.ts';
import type { WindowContext } from './context.ts';

/** Only of watches for anything unusual: those with a limit of their own report something else. */
export async function reportedEpisodes(context: WindowContext): Promise<ReportedEpisode[]> {
  const { deps, question, project, range, hosts } = context;
  const isOnHosts = (names: readonly string[]): boolean =>
    names.length === hosts.length &&
    names.every((name) => hosts.some((host) => host.name === name || host.id === name));
  try {
    const reported = await deps.watches.episodes(question.channel, range, project.storedAs);
    return reported.filter(({ limit, hosts: names }) => limit === null && isOnHosts(names));
  } catch (error) {
    // The answer doesn't depend on the store.
    if (error instanceof BotError) return [];
    throw error;
  }
}
