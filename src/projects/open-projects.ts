/** Opens the projects: each has its own client, caches, tokens and host names. */

import { z } from 'zod';
import { type Clock, epochMsOf } from '../clock.ts';
import { inFile, type ProjectConfig, type ProjectConfigs } from '../config/projects-file.ts';
import { serviceOptions } from '../config/service.ts';
import { createEpisodeLog, type StoredBlock, storedBlockSchema } from '../episodes/episode-log.ts';
import { type IgnoredCategory, ignoredCategoriesSchema, storedIgnored, withIgnored } from '../episodes/ignored.ts';
import { createLastVerdicts } from '../episodes/last-verdicts.ts';
import type { HostAlias } from '../grammar/hosts.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServiceObserver } from '../observability/observers.ts';
import type { Finding } from '../replies/finding.ts';
import { createKeyValueStore, createPartOfStore, createValidRecords } from '../store/create-store.ts';
import type { Store } from '../store/store.ts';
import { createWafClient, type WafClientOptions } from '../waf/index.ts';
import type { Project, Projects } from './project.ts';
import { createRunbooks, type Runbook } from './runbooks.ts';

interface OpenProjectsDeps {
  readonly store: Store;
  /** Called once per query; without a project if there is only one. */
  /** `project`: its name, if there are several. */
  readonly observerOf?: (project: string | undefined) => ServiceObserver;
  readonly clock: Clock;
  /** How much of attackers' addresses may be shown. */
  readonly showAddresses?: WafClientOptions['showAddresses'];
  /** The addresses that runbooks may have; none by default. */
  readonly runbookHosts?: readonly string[];
  /** The zone whose wall clock decides which hours of earlier days are the same. */
  readonly zone: string;
  readonly log: Logger;
}

interface OpenProjects {
  readonly projects: Projects;
  /** For the doctor: what each service says. */
  examine(project: Project): Promise<readonly Finding[]>;
  abort(): void;
  close(): Promise<unknown>;
}

const runbookSchema = z.object({ name: z.string(), url: z.string(), by: z.string() });
export const hostAliasSchema = z.object({ name: z.string(), id: z.string(), addedBy: z.string() });

/** Where the store records which project it belonged to before there were several. */
const TAKEN_OVER = { space: 'projects', key: 'first' };

export async function openProjects(
  configs: ProjectConfigs,
  { store, observerOf, clock, showAddresses, runbookHosts = [], zone, log }: OpenProjectsDeps,
): Promise<OpenProjects> {
  const [standard, ...others] = configs;
  const first = await firstProject(store, configs);
  const isNamed = others.length > 0;

  function open(config: ProjectConfig) {
    const { name, allowedChannels, ...service } = config;
    const storedAs = name === first ? null : name;
    const part = partOf(store, storedAs);
    const label = isNamed ? name : null;
    const client = createWafClient({
      ...serviceOptions(service),
      tokens: part.space('cache-tokens'),
      answers: part.space('cache-answers'),
      // A process with its own store needs no locks to share requests.
      locks: part.exclusive ? undefined : part.locks,
      observer: observerOf?.(label ?? undefined),
      now: epochMsOf(clock),
      clock,
      showAddresses,
      log: label === null ? log : logOf(log, label),
    });
    const blocks = part.space<StoredBlock>('episodes');
    const ignored = storedIgnored(
      createValidRecords<readonly IgnoredCategory[]>(part, 'ignored', ignoredCategoriesSchema),
    );
    const episodes = createEpisodeLog({
      statistics: client,
      blocks: {
        ...createValidRecords<StoredBlock>(part, 'episodes', storedBlockSchema),
        set: blocks.set.bind(blocks),
      },
      nowMs: epochMsOf(clock),
      zone,
    });
    const project: Project = {
      name: name ?? '',
      label,
      storedAs,
      allowedChannels,
      statistics: client,
      heldBack: client.heldBack,
      hosts: createKeyValueStore<HostAlias>(part, 'hosts', hostAliasSchema),
      listedHosts: client.hosts,
      runbooks: createRunbooks(createKeyValueStore<Runbook>(part, 'runbooks', runbookSchema), runbookHosts),
      lastVerdicts: createLastVerdicts(),
      episodes: withIgnored(episodes, { statistics: client, ignored }),
      ignored,
    };
    return { project, client };
  }
  const opened = [open(standard), ...others.map(open)] as const;
  return {
    projects: [opened[0].project, ...opened.slice(1).map(({ project }) => project)],
    async examine(project) {
      const findings = await opened.find((each) => each.project === project)?.client.probe();
      return (findings ?? []).map((finding) => ({
        ...finding,
        fix: finding.fix === undefined || project.name === '' ? finding.fix : inFile(finding.fix),
        project: project.label,
      }));
    },
    abort() {
      for (const { client } of opened) client.abort();
    },
    close: () => Promise.all(opened.map(({ client }) => client.close())),
  };
}

/** The default project of the first start with several ones keeps what was stored before, for good. */
async function firstProject(store: Store, [{ name }]: ProjectConfigs): Promise<string | null> {
  if (name === null) return null;
  const { space, key } = TAKEN_OVER;
  return (await store.update<string>(space, key, (current) => current ?? name)) ?? name;
}

const partOf = (store: Store, storedAs: string | null) =>
  storedAs === null ? store : createPartOfStore(store, storedAs);

/** The part of the store that belongs to a project, for shell commands. */
export async function storeOf({ name }: ProjectConfig, configs: ProjectConfigs, store: Store) {
  return partOf(store, name === (await firstProject(store, configs)) ? null : name);
}

function logOf(log: Logger, project: string): Logger {
  const write = (level: keyof Logger) => (facts: object, message: string) => log[level]({ ...facts, project }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
