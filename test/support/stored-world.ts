/** Digests and watches on a store that an earlier version has written, at a time of the test's choosing that goes on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@keyv/redis';
import { startStatisticsService } from '../../playground/service/server.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import { hostAliasSchema } from '../../src/projects/open-projects.ts';
import { onlyProject } from '../../src/projects/project.ts';
import type { Reply } from '../../src/replies/reply.ts';
import { createKeyValueStore } from '../../src/store/create-store.ts';
import { openStore } from '../../src/store/index.ts';
import { migrateStore } from '../../src/store/layout.ts';
import { createJobs } from '../../src/subscriptions/jobs.ts';
import { createWafClient } from '../../src/waf/index.ts';
import { createFakeOutbox } from './channel.ts';
import { episodeLog } from './episodes.ts';
import { createRecordingLog } from './log.ts';

export type StoredWorld = Awaited<ReturnType<typeof openStoredWorld>>;

export async function openStoredWorld(url: string, at: Temporal.Instant) {
  const log = createRecordingLog();
  const offsetMs = at.epochMilliseconds - Date.now();
  const clock: Clock = {
    now: () => systemClock.now().add({ milliseconds: offsetMs }),
    after: systemClock.after,
  };
  const nowMs = () => clock.now().epochMilliseconds;
  const store = await openStore(url, { log, now: clock.now });
  await migrateStore(store, { log, now: clock.now });
  const service = await startStatisticsService({ now: nowMs, seed: 3 });
  const waf = createWafClient({
    baseUrl: service.url,
    projectId: service.projectId,
    auth: { kind: 'aksk', ...service.key },
    tokens: store.space('cache-tokens'),
    answers: store.space('cache-answers'),
    locks: store.exclusive ? undefined : store.locks,
    now: nowMs,
    log,
  });
  const slack = createFakeOutbox<Reply>(clock.now);
  const edits: string[] = [];
  const jobs = await createJobs({
    store,
    storeUrl: url,
    projects: onlyProject({
      statistics: waf,
      episodes: episodeLog(waf, clock.now),
      hosts: createKeyValueStore<HostAlias>(store, 'hosts', hostAliasSchema),
      lastVerdicts: createLastVerdicts(),
    }),
    clock,
    log,
    command: '/waf',
    commands: COMMANDS,
    whyForbidden: () => null,
    outbox: () => ({
      ...slack.outbox,
      async edit(_, ts) {
        edits.push(ts);
        return { is: 'sent', ts };
      },
      linkTo: async () => null,
      sendDirect: async () => undefined,
    }),
  });
  async function close(): Promise<void> {
    await jobs.stop();
    await waf.close();
    await service.close();
    await store.close();
  }
  return { url, log, clock, nowMs, store, service, jobs, slack, edits, close };
}

export const FIXTURES = join(import.meta.dirname, '../fixtures');

interface StoredKey {
  readonly key: string;
  readonly type: 'string' | 'hash' | 'zset';
  readonly value: string | Record<string, string> | readonly (readonly [string, number])[];
}

/** Writes the SQLite fixture of a version into a new file. */
export function fillSqlite(version: string, folder: string): string {
  const path = join(folder, 'wafbot.db');
  const db = new DatabaseSync(path);
  db.exec(readFileSync(join(FIXTURES, version, 'store.sql'), 'utf8'));
  db.close();
  return `sqlite:${path}`;
}

/** Makes the database exactly what the Redis fixture of a version says. */
export async function fillRedis(version: string, url: string): Promise<string> {
  const client = createClient({ url });
  await client.connect();
  await client.flushAll();
  const lines = readFileSync(join(FIXTURES, version, 'redis.jsonl'), 'utf8')
    .trim()
    .split('\n');
  for (const line of lines) {
    const { key, type, value }: StoredKey = JSON.parse(line);
    if (type === 'string') await client.sendCommand(['SET', key, String(value)]);
    else if (type === 'hash') await client.sendCommand(['HSET', key, ...Object.entries(value).flat()]);
    else if (Array.isArray(value)) {
      await client.sendCommand(['ZADD', key, ...value.flatMap(([member, score]) => [String(score), String(member)])]);
    }
  }
  await client.close();
  return url;
}
