/** A project that the bot answers for, with all that is kept apart from the others. */

import type { LastVerdicts } from '../episodes/last-verdicts.ts';
import type { HostAlias, HostSources } from '../grammar/hosts.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { KeyValueStore } from '../store/key-value-store.ts';

export interface Project extends HostSources {
  /** As people say it; empty where there is no file of projects, and nothing to say. */
  readonly name: string;
  /** What answers call it; `null` for the only one, which nobody has to name. */
  readonly label: string | null;
  /** What its digests and watches are stored with; `null` for the project that was there before there were several. */
  readonly storedAs: string | null;
  /** `null`: every channel that the bot may use. */
  readonly allowedChannels: readonly string[] | null;
  readonly statistics: Statistics;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries' | 'set' | 'delete'>;
  readonly lastVerdicts: LastVerdicts;
}

/** The default first. */
export type Projects = readonly [Project, ...Project[]];

/** The one project of a bot without a file of them. */
export function onlyProject(parts: Pick<Project, 'statistics' | 'hosts' | 'listedHosts' | 'lastVerdicts'>): Projects {
  return [{ name: '', label: null, storedAs: null, allowedChannels: null, ...parts }];
}

/** The project of a digest or a watch; undefined when it is not set up any more. */
export function storedProject(projects: Projects, storedAs: string | undefined): Project | undefined {
  return projects.find((project) => project.storedAs === (storedAs ?? null));
}

/** What people read of the project of a digest or a watch. */
export function labelOf(projects: Projects, storedAs: string | undefined): string | null {
  const project = storedProject(projects, storedAs);
  return project === undefined ? (storedAs ?? null) : project.label;
}
