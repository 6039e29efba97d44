/** What the commands about the statistics service share: the option `--project`, and a log that writes nothing. */
import type { ProjectConfig, ProjectConfigs } from '../config/projects-file.ts';
import { UsageError } from '../errors.ts';

export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export function namedProject(projects: ProjectConfigs, name: string): ProjectConfig {
  const config = projects.find((each) => each.name === name);
  if (config !== undefined) return config;
  const names = projects.flatMap((each) => each.name ?? []).join(', ');
  throw new UsageError(`--project must be a project from WAFBOT_PROJECTS_FILE${names && `: ${names}`}.`);
}
