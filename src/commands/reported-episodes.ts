/** The episodes that a channel's watches have already reported, for answers about the same time and hosts. */
import type { ReportedEpisode } from '../episodes/episode.ts';
import { BotError } from '../errors.ts';
import type { Host } from '../grammar/hosts.ts';
import type { WindowContext } from './context.ts';

/** The episodes that a watch for anything odd has told this channel of, on the same hosts. */
export async function toldEpisodes({
  deps,
  question,
  project,
  range,
  hosts,
}: WindowContext): Promise<ReportedEpisode[]> {
  // An answer that can be given is not withheld because the store is away.
  const told = await deps.watches.episodes(question.channel, range, project.storedAs).catch(noneIfStored);
  return told.filter(({ limit, hosts: names }) => limit === null && isOn(names, hosts));
}

function noneIfStored(error: unknown): [] {
  if (error instanceof BotError) return [];
  throw error;
}

/** Whether the names, as a watch or a digest has them, are exactly these hosts. */
const isOn = (names: readonly string[], hosts: readonly Host[]): boolean =>
  names.length === hosts.length && names.every((name) => hosts.some((host) => host.name === name || host.id === name));
