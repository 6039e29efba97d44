/** The commands over the real client and the local statistics service, at a standing clock, with a wave of our own. */

import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { StatisticsServiceOptions } from '../../../playground/service/server.ts';
import { type TrafficModel, trafficBetween } from '../../../playground/service/traffic.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import { type Commands, createCommands } from '../../../src/commands/index.ts';
import { createLastVerdicts } from '../../../src/episodes/last-verdicts.ts';
import { onlyProject } from '../../../src/projects/project.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import type { KeyValueStore } from '../../../src/store/create-store.ts';
import { NO_DIGESTS, NO_WATCHES } from '../../../src/subscriptions/none.ts';
import type { WafClient, WafClientOptions } from '../../../src/waf/index.ts';
import { episodeLog } from '../../support/episodes.ts';
import { text } from '../../support/ground-truth.ts';
import { openStage, START, type Stage } from '../../support/waf-stage.ts';

export const MINUTE_MS = 60_000;
export const NOW_MINUTE = Math.floor(START / MINUTE_MS);
export const SHOP = DEFAULT_HOSTS[0]?.id ?? '';

function memorySpace<T>(entries: readonly (readonly [string, T])[]): KeyValueStore<T> {
  const records = new Map(entries);
  return {
    get: async (key) => records.get(key),
    set: async (key, value) => void records.set(key, value),
    delete: async (key) => void records.delete(key),
    entries: async () => [...records],
  };
}

export interface VerdictStage {
  readonly stage: Stage;
  readonly statistics: WafClient;
  readonly commands: Commands;
  readonly world: TrafficModel;
  ask(text: string): Promise<Reply>;
  /** Attacks and requests that happened in whole minutes, straight from the traffic. */
  truth(fromMinute: number, toMinute: number, hosts?: readonly string[]): { attacks: number; requests: number };
}

/** The commands of a bot that was just started. */
export function commandsOn({ clock }: Pick<Stage, 'clock'>, statistics: WafClient): Commands {
  return createCommands({
    projects: onlyProject({
      statistics,
      listedHosts: statistics.hosts,
      hosts: memorySpace([['shop', { name: 'shop', id: SHOP, addedBy: 'U1' }]]),
      lastVerdicts: createLastVerdicts(),
      episodes: episodeLog(statistics, () => Temporal.Instant.fromEpochMilliseconds(clock.nowMs)),
    }),
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    settings: memorySpace([]),
    digests: NO_DIGESTS,
    watches: NO_WATCHES,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    policy: { allowedChannels: null, admins: null },
    now: () => Temporal.Instant.fromEpochMilliseconds(clock.nowMs),
    zone: 'UTC',
    command: '/waf',
  });
}

export async function openVerdictStage(
  seed: number,
  waves: readonly Wave[] = [],
  options: StatisticsServiceOptions = {},
  client: Partial<WafClientOptions> = {},
): Promise<VerdictStage> {
  const stage = await openStage({ seed, waves, seededWaves: false, ...options });
  const statistics = stage.client('aksk', client);
  const commands = commandsOn(stage, statistics);
  const world: TrafficModel = { seed, hosts: DEFAULT_HOSTS, waves, seededWaves: false };
  return {
    stage,
    statistics,
    commands,
    world,
    ask: (text) => commands.answer({ text, user: 'U1', channel: 'C1', userZone: null }),
    truth(fromMinute, toMinute, hosts = []) {
      const { requests, categories } = trafficBetween(world, fromMinute, toMinute, hosts);
      return { requests, attacks: Object.values(categories).reduce((sum, count) => sum + count, 0) };
    },
  };
}

/** The lines below the first, with what they rest on. */
export const linesOf = ({ body = [], also = [], why }: Reply): string =>
  text([...body, ...also, ...(why?.lines ?? []), ...(why?.more?.numbers.lines ?? [])]);

export { text };
