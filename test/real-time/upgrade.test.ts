/**
 * A store that the version before this one has written is opened and continued. The fixtures are such stores: of a bot
 * that was killed at 2026-03-09T08:00:30Z, half a minute after its digests were due, with one of them posted but not yet
 * confirmed. Expiries were moved to the year 2100, and large cache entries left out.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@keyv/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../../playground/service/server.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { ChannelSettings } from '../../src/commands/channel-records.ts';
import { channelSettingsSchema } from '../../src/commands/channel-records.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import type { ProjectConfig } from '../../src/config/projects-file.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import { hostAliasSchema, openProjects } from '../../src/projects/open-projects.ts';
import { onlyProject } from '../../src/projects/project.ts';
import type { Reply } from '../../src/replies/reply.ts';
import { Secret } from '../../src/secret.ts';
import { createKeyValueStore } from '../../src/store/create-store.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createJobs, type Jobs } from '../../src/subscriptions/jobs.ts';
import { createTokenCache, createTokenCipher } from '../../src/waf/auth/token-provider.ts';
import { createBestEffortCache } from '../../src/waf/cache.ts';
import { createWafClient, type WafClient } from '../../src/waf/index.ts';
import { runChaos } from '../chaos/chaos.ts';
import { createFakeOutbox } from '../support/channel.ts';
import { eventually } from '../support/clock.ts';
import { episodeLog } from '../support/episodes.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
/** The services of the bot that wrote the fixtures; nobody listens there any more. */
const OLD_SERVICE = 'http://127.0.0.1:39871';
const OLD_IDENTITY = 'http://127.0.0.1:39872';
const SHOP = '3f1c9a7e52b84d06a1e0c47d95b2f8a1';
/** The digests of 9:00 in Berlin are 20 minutes late, on the day after the bot was killed. */
const UPGRADED_AT = Temporal.Instant.from('2026-03-10T08:20:00Z');

interface StoredKey {
  readonly key: string;
  readonly type: 'string' | 'hash' | 'zset';
  readonly value: string | Record<string, string> | readonly (readonly [string, number])[];
}

/** Writes the SQLite fixture into a new file. */
function restoreSqlite(dir: string): string {
  const path = join(dir, 'wafbot.db');
  const db = new DatabaseSync(path);
  db.exec(readFileSync(join(FIXTURES, 'previous-store.sql'), 'utf8'));
  db.close();
  return `sqlite:${path}`;
}

/** Whether no run of a digest for one of these due times is left in BullMQ. */
async function areDone(url: string, dueTimes: readonly string[]): Promise<boolean> {
  const client = createClient({ url });
  await client.connect();
  const left = await client.keys('wafbot-engine:jobs:repeat:digest/*');
  await client.close();
  return left.every((key) => !dueTimes.some((dueMs) => key.endsWith(`:${dueMs}`)));
}

/** Makes the database exactly what the Redis fixture says. */
async function restoreRedis(url: string): Promise<void> {
  const client = createClient({ url });
  await client.connect();
  await client.flushAll();
  const lines = readFileSync(join(FIXTURES, 'previous-redis.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const { key, type, value }: StoredKey = JSON.parse(line);
    if (type === 'string') await client.sendCommand(['SET', key, String(value)]);
    else if (type === 'hash') await client.sendCommand(['HSET', key, ...Object.entries(value).flat()]);
    else if (Array.isArray(value)) {
      await client.sendCommand(['ZADD', key, ...value.flatMap(([member, score]) => [String(score), String(member)])]);
    }
  }
  await client.close();
}

/** `isIdle` says whether nothing is due any more that was due at the start. */
function upgradeContract(prepare: () => Promise<string>, isIdle: () => Promise<boolean>): void {
  const log = createRecordingLog();
  const offsetMs = UPGRADED_AT.epochMilliseconds - Date.now();
  const clock: Clock = {
    now: () => systemClock.now().add({ milliseconds: offsetMs }),
    after: systemClock.after,
  };
  const nowMs = () => clock.now().epochMilliseconds;
  let url: string;
  let store: Store;
  let service: StatisticsService;
  let waf: WafClient;
  let jobs: Jobs;
  let slack: ReturnType<typeof createFakeOutbox<Reply>>;
  let edits: string[];

  beforeEach(async () => {
    url = await prepare();
    store = await openStore(url, { log, now: clock.now });
    service = await startStatisticsService({ now: nowMs, seed: 3 });
    waf = createWafClient({
      baseUrl: service.url,
      projectId: service.projectId,
      auth: { kind: 'aksk', ...service.key },
      tokens: store.space('cache-tokens'),
      answers: store.space('cache-answers'),
      locks: store.exclusive ? undefined : store.locks,
      now: nowMs,
      log,
    });
    slack = createFakeOutbox<Reply>(clock.now);
    edits = [];
    jobs = await createJobs({
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
  });
  afterEach(async () => {
    await jobs.stop();
    await waf.close();
    await service.close();
    await store.close();
  });

  it('reads subscriptions, hosts and settings', async () => {
    const digests = await jobs.digests.list('C-ops');
    expect(digests.map(({ owner, hosts, zone, paused }) => ({ owner, hosts, zone, paused }))).toEqual([
      { owner: 'U1', hosts: ['shop'], zone: 'Europe/Berlin', paused: null },
      { owner: 'U2', hosts: [], zone: 'Europe/Berlin', paused: { by: 'U2', reason: expect.any(String) } },
    ]);
    expect((await jobs.digests.list('C-gone'))[0]?.paused).toMatchObject({ by: null });
    const watches = await jobs.watches.list('C-ops');
    expect(watches.map(({ owner, paused }) => [owner, paused === null])).toEqual([
      ['U1', true],
      ['U2', false],
    ]);
    const [open] = watches;
    expect(await jobs.watches.isOpen('C-ops', open?.id ?? '')).toBe(true);
    expect(await jobs.digests.listOwned('U3')).toHaveLength(1);
    expect(await createKeyValueStore<HostAlias>(store, 'hosts', hostAliasSchema).entries()).toEqual([
      ['shop', { name: 'shop', id: SHOP, addedBy: 'U1' }],
    ]);
    expect(await createKeyValueStore<ChannelSettings>(store, 'settings', channelSettingsSchema).get('C-ops')).toEqual({
      zone: 'Europe/Berlin',
      hosts: ['shop'],
      privately: true,
    });
    const [daily] = digests;
    const runs = await jobs.digests.history('C-ops', daily?.id ?? '');
    expect(runs.map(({ due, ok, late }) => [due.toString(), ok, late])).toEqual([
      ['2026-03-09T08:00:00Z', true, false],
    ]);
  });

  it('delivers what is late once, confirms what was posted before the crash, and continues the open episode', async () => {
    const [crashed] = await jobs.digests.list('C-crash');
    const [daily] = await jobs.digests.list('C-ops');
    const [watch] = await jobs.watches.list('C-ops');
    const before = {
      channel: 'C-crash',
      message: { title: 'Digest', headline: [] },
      runId: `digest/C-crash/${crashed?.id}@2026-03-09T09:00`,
      threadTs: undefined,
      ts: '1.0',
      at: Temporal.Instant.from('2026-03-09T08:00:01Z'),
    };
    slack.posted.push(before);
    await jobs.start();
    const digestRuns = () => slack.posted.map(({ runId }) => runId).filter((runId) => runId.startsWith('digest/'));
    const history = async (channel: string, id = '') =>
      (await jobs.digests.history(channel, id)).map(({ due, ok, late }) => [due.toString(), ok, late]).toSorted();
    await eventually(async () => (await history('C-ops', daily?.id)).length === 2, 'the daily digest');
    await eventually(async () => (await history('C-crash', crashed?.id)).length === 2, 'the digest of the crash');
    await eventually(() => edits.length > 0, 'the message of the episode to be edited');
    // Whatever could be posted twice has had its turn after that.
    await eventually(() => isIdle(), 'all waiting runs to be done');
    const runs = [
      ['2026-03-09T08:00:00Z', true, false],
      ['2026-03-10T08:00:00Z', true, true],
    ];
    expect(await history('C-ops', daily?.id)).toEqual(runs);
    expect(await history('C-crash', crashed?.id)).toEqual(runs);
    expect(digestRuns().toSorted()).toEqual([
      before.runId,
      `digest/C-crash/${crashed?.id}@2026-03-10T09:00`,
      `digest/C-ops/${daily?.id}@2026-03-10T09:00`,
    ]);
    // One message for one episode: it is edited, and no second one is posted.
    expect(slack.posted.filter(({ runId }) => runId.startsWith(`watch/C-ops/${watch?.id}`))).toEqual([]);
    expect(await jobs.watches.isOpen('C-ops', watch?.id ?? '')).toBe(true);
    expect(new Set(edits).size).toBe(1);
  });

  it('is taken over by the default of several projects, which keeps it when another becomes the default', async () => {
    // The same service and the same ID: what differs is the name.
    const config = (name: string): ProjectConfig => ({
      name,
      allowedChannels: null,
      baseUrl: OLD_SERVICE,
      iamUrl: undefined,
      projectId: DEFAULT_PROJECT_ID,
      dialect: 'events',
      enterpriseProject: undefined,
      auth: {
        kind: 'aksk',
        accessKey: new Secret(service.key.accessKey),
        secretKey: new Secret(service.key.secretKey),
        securityToken: undefined,
      },
    });
    for (const [first, second] of [
      ['eu', 'us'],
      ['us', 'eu'],
    ] as const) {
      const opened = await openProjects([config(first), config(second)], {
        store,
        clock,
        zone: 'UTC',
        log,
      });
      const { projects } = opened;
      expect(projects.map(({ name }) => name)).toEqual([first, second]);
      const [eu, us] = ['eu', 'us'].map((name) => projects.find((project) => project.name === name));
      if (eu === undefined || us === undefined) throw new Error('a project is missing');
      expect((await eu.hosts.entries()).map(([name]) => name)).toEqual(['shop']);
      expect(await us.hosts.entries()).toEqual([]);
      const several = await createJobs({
        store,
        storeUrl: url,
        projects,
        clock,
        log,
        command: '/waf',
        commands: COMMANDS,
        whyForbidden: () => null,
        outbox() {
          throw new Error('nothing is posted here');
        },
      });
      const listed = [...(await several.digests.list('C-ops')), ...(await several.watches.list('C-ops'))];
      expect(listed.map(({ project }) => project)).toEqual(['eu', 'eu', 'eu', 'eu']);
      const to = Temporal.Instant.from('2026-03-09T07:00:00Z');
      const query = { range: { from: to.subtract({ minutes: 30 }), to }, zone: 'UTC', hosts: [SHOP] };
      expect((await eu.statistics.timeline(query)).points).toHaveLength(30);
      await expect(us.statistics.timeline(query)).rejects.toMatchObject({ code: 'upstream_unavailable' });
      await several.stop();
      await opened.close();
    }
  });

  it('knows the answers and the token that were cached', async () => {
    const client = createWafClient({
      baseUrl: OLD_SERVICE,
      projectId: DEFAULT_PROJECT_ID,
      auth: { kind: 'aksk', ...service.key },
      tokens: store.space('cache-tokens'),
      answers: store.space('cache-answers'),
      now: nowMs,
      log,
    });
    const to = Temporal.Instant.from('2026-03-09T07:00:00Z');
    const query = { range: { from: to.subtract({ minutes: 30 }), to }, zone: 'UTC' };
    const timeline = await client.timeline({ ...query, hosts: [SHOP] });
    const requests = timeline.points.reduce((sum, point) => sum + (point.requests ?? 0), 0);
    expect([timeline.points.length, requests, timeline.stale]).toEqual([30, 6613, false]);
    expect((await client.distribution({ ...query, hosts: [] })).counts.length).toBeGreaterThan(0);
    await client.close();
    const identity = [OLD_IDENTITY, DEFAULT_USER.domainName, DEFAULT_USER.username, DEFAULT_PROJECT_ID];
    const cipher = createTokenCipher(identity, DEFAULT_USER.password);
    const token = await createTokenCache(createBestEffortCache(store.space('cache-tokens'), log), cipher).read();
    expect(token?.token).toHaveLength(64);
  });
}

describe('a SQLite file of the version before', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'wafbot-upgrade-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  upgradeContract(
    async () => restoreSqlite(dir),
    // One run for each job, which the history has by then.
    async () => true,
  );
});

describe.skipIf(!redisAvailable)(`a Redis of the version before${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  upgradeContract(
    async () => {
      await restoreRedis(redis.url);
      return redis.url;
    },
    // The digest of the crash has two runs waiting: the retry, and the one of the next day.
    () => areDone(redis.url, ['1773043200000', '1773129600000']),
  );
});

// Each run has its own processes, store and Slack, and mostly waits.
describe('digests that fall due while a version with a migration is rolled out', { concurrent: true }, () => {
  it.each(redisAvailable ? (['embedded', 'redis'] as const) : (['embedded'] as const))(
    `come once each, and the migration reaches all (%s)${redisNote}`,
    async (scheduler) => {
      const report = await runChaos({ scheduler, due: 'once', digests: 30, kills: 1, upgrade: {}, seed: 34 });
      expect(report).toMatchObject({ expected: 30, lost: 0, duplicated: 0, unmarked: 0, unmigrated: 0 });
    },
    180_000,
  );
});
