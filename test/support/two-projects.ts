/** A world whose bot answers for two projects, at local services that speak different dialects. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type StatisticsService,
  type StatisticsServiceOptions,
  startStatisticsService,
} from '../../playground/service/server.ts';
import type { Clock } from '../../src/clock.ts';
import { startWorldOn, type World, type WorldOptions } from './world.ts';

export interface TwoProjects<C extends Clock> extends World<C> {
  /** `service` is that of the default project, eu. */
  readonly us: StatisticsService;
  /** Writes the file anew, for the next start. */
  writeFile(changes?: ProjectsFile): void;
}

/** Lines of YAML to add to a project, or `null` for one that is not there. */
interface ProjectsFile {
  readonly eu?: readonly string[] | null;
  readonly us?: readonly string[] | null;
  readonly default?: string;
}

interface TwoProjectsOptions extends WorldOptions {
  readonly usService?: StatisticsServiceOptions;
  readonly file?: ProjectsFile;
}

export async function startTwoProjects<C extends Clock>(
  clock: C,
  options: TwoProjectsOptions,
): Promise<TwoProjects<C>> {
  const nowMs = (): number => clock.now().epochMilliseconds;
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-two-'));
  const eu = await startStatisticsService({ now: nowMs, seed: 7, projectId: 'project-eu', ...options.service });
  const us = await startStatisticsService({
    now: nowMs,
    seed: 8,
    projectId: 'project-us',
    habits: { speaks: ['overviews'] },
    ...options.usService,
  });
  const file = path.join(folder, 'projects.yaml');

  function lines(name: string, { url, iamUrl, projectId, user, key }: StatisticsService, more: readonly string[]) {
    const { username, password, domainName } = user;
    const credentials =
      name === 'eu'
        ? [`iam_url: ${iamUrl}`, `username: ${username}`, `password: ${password}`, `domain_name: ${domainName}`]
        : [`access_key: ${key.accessKey}`, `secret_key: ${key.secretKey}`];
    const own = [`base_url: ${url}`, `project_id: ${projectId}`, ...credentials, ...more];
    return [`  ${name}:`, ...own.map((line) => `    ${line}`)];
  }

  function writeFile({ eu: ofEu = [], us: ofUs = [], default: first = 'eu' }: ProjectsFile = {}): void {
    const projects = [...(ofEu === null ? [] : lines('eu', eu, ofEu)), ...(ofUs === null ? [] : lines('us', us, ofUs))];
    writeFileSync(file, [`default: ${first}`, 'projects:', ...projects, ''].join('\n'));
  }
  writeFile(options.file);
  const world = await startWorldOn(clock, {
    ...options,
    givenService: eu,
    environment: { ...options.environment, WAFBOT_PROJECTS_FILE: file },
  });
  return {
    ...world,
    get bot() {
      return world.bot;
    },
    us,
    writeFile,
    async stop() {
      await world.stop();
      await us.close();
      rmSync(folder, { recursive: true });
    },
  };
}
