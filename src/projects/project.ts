/** A project of the bot, with everything that is separate from other projects. */

import type { EpisodeLog } from '../episodes/episode-log.ts';
import { type IgnoredCategories, rememberIgnored, withIgnored } from '../episodes/ignored.ts';
import type { LastVerdicts } from '../episodes/last-verdicts.ts';
import type { HostAlias, HostSources } from '../grammar/hosts.ts';
import type { ServicePause, Statistics } from '../statistics/statistics.ts';
import type { KeyValueStore } from '../store/create-store.ts';
import type { Runbooks } from './runbooks.ts';

export interface Project extends HostSources {
  /** The name in the projects file; empty without one. */
  readonly name: string;
  /** The name in answers; `null` if it's the only project. */
  readonly label: string | null;
  /** The name its digests and watches are stored with; `null` for the project that existed before there were several. */
  readonly storedAs: string | null;
  /** `null`: every channel that the bot answers in. */
  readonly allowedChannels: readonly string[] | null;
  readonly statistics: Statistics;
  /** Why requests to its service are paused, and until when; `null` if they aren't. */
  readonly heldBack?: () => ServicePause | null;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries' | 'set' | 'delete'>;
  readonly lastVerdicts: LastVerdicts;
  /** What happened, the same for every answer, digest and watch. */
  readonly episodes: EpisodeLog;
  readonly runbooks?: Runbooks;
  /** Ignored categories: nothing alerts about them, and no answer leads with them. */
  readonly ignored: IgnoredCategories;
}

/** The default first. */
export type Projects = readonly [Project, ...Project[]];

/** The project of a bot without a projects file. */
export function onlyProject(
  parts: Pick<Project, 'statistics' | 'hosts' | 'listedHosts' | 'lastVerdicts' | 'episodes' | 'runbooks'>,
  ignored: IgnoredCategories = rememberIgnored(),
): Projects {
  const episodes = withIgnored(parts.episodes, { ...parts, ignored });
  return [{ name: '', label: null, storedAs: null, allowedChannels: null, ...parts, episodes, ignored }];
}

/** The project of a digest or watch; undefined if it's no longer configured. */
export function storedProject(projects: Projects, storedAs: string | undefined): Project | undefined {
  return projects.find((project) => project.storedAs === (storedAs ?? null));
}

/** The name in answers of a digest's or watch's project. */
export function labelOf(projects: Projects, storedAs: string | undefined): string | null {
  const project = storedProject(projects, storedAs);
  return project === undefined ? (storedAs ?? null) : project.label;
}
