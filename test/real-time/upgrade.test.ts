/**
 * A store that an earlier version has written is opened and continued. The fixtures are such stores. The one of 0.1.0 is of a
 * bot that was killed at 2026-03-09T08:00:30Z, half a minute after its digests were due, with one of them posted but not
 * yet confirmed. Expiries were moved to the year 2100, and large cache entries left out. `test/fixtures/run.ts` writes the next.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keyv/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { DEFAULT_PROJECT_ID, DEFAULT_USER } from '../../playground/service/server.ts';
import type { ChannelSettings } from '../../src/commands/channel-records.ts';
import { channelSettingsSchema } from '../../src/commands/channel-records.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import type { ProjectConfig } from '../../src/config/projects-file.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import { hostAliasSchema, openProjects } from '../../src/projects/open-projects.ts';
import { Secret } from '../../src/secret.ts';
import { createKeyValueStore } from '../../src/store/create-store.ts';
import { createJobs } from '../../src/subscriptions/jobs.ts';
import { createTokenCache, createTokenCipher } from '../../src/waf/auth/token-provider.ts';
import { createBestEffortCache } from '../../src/waf/cache.ts';
import { createWafClient } from '../../src/waf/index.ts';
import { eventually } from '../support/clock.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { FIXTURES, fillRedis, fillSqlite, openStoredWorld, type StoredWorld } from '../support/stored-world.ts';

/** The services of the bot that wrote the fixtures; nobody listens there any more. */
const OLD_SERVICE = 'http://127.0.0.1:39871';
const OLD_IDENTITY = 'http://127.0.0.1:39872';
const SHOP = '3f1c9a7e52b84d06a1e0c47d95b2f8a1';

interface Fixture {
  /** The digests of 9:00 in Berlin are 20 minutes late then, on the day after the bot ended. */
  readonly upgradedAt: string;
  /** Of the daily digest, before: when it was due, and whether it was late. */
  readonly runs: readonly (readonly [due: string, late: boolean])[];
  /** One was posted when the bot was killed, and is unconfirmed. */
  readonly isInDoubt?: boolean;
  readonly hasCaches?: boolean;
  /** Due times whose runs wait in Redis, in milliseconds. */
  readonly waiting: readonly string[];
}

const VERSIONS: Readonly<Record<string, Fixture>> = {
  '0.1.0': {
    upgradedAt: '2026-03-10T08:20:00Z',
    runs: [['2026-03-09T08:00:00Z', false]],
    isInDoubt: true,
    hasCaches: true,
    waiting: ['1773043200000', '1773129600000'],
  },
  '1.0.0': {
    upgradedAt: '2026-03-11T08:20:00Z',
    runs: [
      ['2026-03-09T08:00:00Z', false],
      ['2026-03-10T08:00:00Z', true],
    ],
    waiting: ['1773216000000'],
  },
};

it('there are fixtures of every version', () => {
  const versions = readdirSync(FIXTURES).filter((name) => /^\d/.test(name));
  expect(versions.sort()).toEqual(Object.keys(VERSIONS));
  expect(versions).toContain(packageJson.version);
});

/** Whether no run of a digest for one of these due times is left in BullMQ. */
async function areDone(url: string, dueTimes: readonly string[]): Promise<boolean> {
  const client = createClient({ url });
  await client.connect();
  const left = await client.keys('wafbot-engine:jobs:repeat:digest/*');
  await client.close();
  return left.every((key) => !dueTimes.some((dueMs) => key.endsWith(`:${dueMs}`)));
}

/** `isIdle` says whether nothing is due any more that was due at the start. */
function upgradeContract(fixture: Fixture, prepare: () => Promise<string>, isIdle: () => Promise<boolean>): void {
  const { upgradedAt, runs: earlierRuns, isInDoubt = false, hasCaches = false } = fixture;
  let world: StoredWorld;
  beforeEach(async () => {
    world = await openStoredWorld(await prepare(), Temporal.Instant.from(upgradedAt));
  });
  afterEach(() => world.close());

  it('reads subscriptions, hosts and settings', async () => {
    const { jobs, store } = world;
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
    expect(runs.map(({ due, ok, late }) => [due.toString(), ok, late]).toSorted()).toEqual(
      earlierRuns.map(([due, late]) => [due, true, late]),
    );
  });

  it('delivers what is late once, confirms what was posted before the crash, and continues the open episode', async () => {
    const { jobs, slack, edits } = world;
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
    if (isInDoubt) slack.posted.push(before);
    await jobs.start();
    const digestRuns = () => slack.posted.map(({ runId }) => runId).filter((runId) => runId.startsWith('digest/'));
    const history = async (channel: string, id = '') =>
      (await jobs.digests.history(channel, id)).map(({ due, ok, late }) => [due.toString(), ok, late]).toSorted();
    const due = Temporal.Instant.from(upgradedAt).subtract({ minutes: 20 });
    const runs = [...earlierRuns.map(([at, late]) => [at, true, late]), [due.toString(), true, true]];
    const hasAll = async (channel: string, id = '') => (await history(channel, id)).length === runs.length;
    await eventually(() => hasAll('C-ops', daily?.id), 'the daily digest');
    await eventually(() => hasAll('C-crash', crashed?.id), 'the digest of the crash');
    await eventually(() => edits.length > 0, 'the message of the episode to be edited');
    // Whatever could be posted twice has had its turn after that.
    await eventually(() => isIdle(), 'all waiting runs to be done');
    expect(await history('C-ops', daily?.id)).toEqual(runs);
    expect(await history('C-crash', crashed?.id)).toEqual(runs);
    const day = due.toString().slice(0, 10);
    expect(digestRuns().toSorted()).toEqual([
      ...(isInDoubt ? [before.runId] : []),
      `digest/C-crash/${crashed?.id}@${day}T09:00`,
      `digest/C-ops/${daily?.id}@${day}T09:00`,
    ]);
    // One message for one episode: it is edited, and no second one is posted.
    expect(slack.posted.filter(({ runId }) => runId.startsWith(`watch/C-ops/${watch?.id}`))).toEqual([]);
    expect(await jobs.watches.isOpen('C-ops', watch?.id ?? '')).toBe(true);
    expect(new Set(edits).size).toBe(1);
  });

  if (!hasCaches) return;

  it('is taken over by the default of several projects, which keeps it when another becomes the default', async () => {
    const { store, service, clock, log, url } = world;
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
    const { store, service, nowMs, log } = world;
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

describe.each(Object.entries(VERSIONS))('a SQLite file of version %s', (version, fixture) => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'wafbot-upgrade-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  upgradeContract(
    fixture,
    async () => fillSqlite(version, dir),
    // One run for each job, which the history has by then.
    async () => true,
  );
});

describe.skipIf(!redisAvailable)(`a Redis${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  describe.each(Object.entries(VERSIONS))('of version %s', (version, fixture) =>
    upgradeContract(
      fixture,
      () => fillRedis(version, redis.url),
      // The digest of the crash has two runs waiting: the retry, and the one of the next day.
      () => areDone(redis.url, fixture.waiting),
    ),
  );
});
