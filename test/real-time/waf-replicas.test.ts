/** Questions that several replicas ask at the same time: people, digests and watches all use the same client. */
import { setTimeout as delay } from 'node:timers/promises';
import { Keyv } from 'keyv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createPartOfStore } from '../../src/store/create-store.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { DAY, failing, HOUR, MINUTE, openStage, question, START, type Stage, type Way } from '../support/waf-stage.ts';

let stage: Stage;
let stores: Store[] = [];
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  await Promise.all(stores.map((store) => store.close()));
  stores = [];
});

const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });

async function replica(url: string, way: Way = 'aksk', project: string | null = null) {
  const whole = await openStore(url, { log: createRecordingLog(), now: systemClock.now });
  stores.push(whole);
  const store = project === null ? whole : createPartOfStore(whole, project);
  const spaces = { answers: store.space('cache-answers'), tokens: store.space('cache-tokens') };
  return stage.client(way, { locks: store.locks, ...spaces, sleep });
}

/** Two clients on one store in memory are enough like two replicas, whatever the store. */
async function twoOn(store: Store) {
  stores.push(store);
  const options = { locks: store.locks, answers: store.space('cache-answers'), sleep };
  return [stage.client('aksk', options), stage.client('aksk', options)] as const;
}

const openMemory = () => openStore('memory:', { log: createRecordingLog(), now: systemClock.now });

describe('two replicas', () => {
  it('share a failure for a moment, with its hint, and ask again afterwards', async () => {
    const [one, two] = await twoOn(await openMemory());
    const held = stage.service.hold({ on: 'timeline' });
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.1003' }, { on: 'timeline', times: 1 });
    const both = [one, two].map((client) => failing(client.timeline(question(HOUR, START - HOUR))));
    await expect.poll(() => stage.service.calls('timeline').length).toBe(1);
    held.release();
    const [first, second] = await Promise.all(both);
    expect(second).toMatchObject({ code: 'not_found', message: first?.message, hint: first?.hint });
    expect(stage.service.calls('timeline')).toHaveLength(1);
    await expect
      .poll(() => two.timeline(question(HOUR, START - HOUR)).catch(() => null), { timeout: 10_000 })
      .not.toBe(null);
  });

  it('do without the locks when the store fails', async () => {
    const broken = {
      acquire: () => Promise.reject(new Error('away')),
      renew: () => Promise.reject(new Error('away')),
      release: () => Promise.reject(new Error('away')),
    };
    const client = stage.client('aksk', { locks: broken, answers: new Keyv(), sleep });
    expect((await client.timeline(question(HOUR, START - HOUR))).points.length).toBeGreaterThan(0);
  });

  it('stop waiting when nobody wants the answer any more', async () => {
    const [one, two] = await twoOn(await openMemory());
    const held = stage.service.hold({ on: 'timeline' });
    const first = one.timeline(question(HOUR, START - HOUR));
    await expect.poll(() => stage.service.calls('timeline').length).toBe(1);
    const abort = new AbortController();
    const second = two.timeline({ ...question(HOUR, START - HOUR), signal: abort.signal });
    abort.abort(new RangeError('enough'));
    await expect(second).rejects.toThrow(RangeError);
    held.release();
    await first;
    expect(stage.service.calls('timeline')).toHaveLength(1);
  });
});

describe.skipIf(!redisAvailable)(`two replicas on one Redis${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('list the hosts once for both, and one that starts later finds the list', async () => {
    await stage.close();
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    const clients = [await replica(redis.url), await replica(redis.url)] as const;
    const held = stage.service.hold({ on: 'cloud hosts' });
    const both = clients.map(({ hosts }) => hosts.renewed());
    await expect.poll(() => stage.service.calls('cloud hosts').length).toBe(1);
    held.release();
    await Promise.all(both);
    for (const { hosts } of clients) await expect.poll(async () => (await hosts.known()).length).toBe(4);
    expect(await (await replica(redis.url)).hosts.known()).toHaveLength(4);
    expect(stage.service.calls('cloud hosts')).toHaveLength(1);
  });

  it('ask each question once, and both get the answer', async () => {
    const clients = [await replica(redis.url), await replica(redis.url)] as const;
    const ask = (n: number) => {
      const hosts = [`host-${Math.floor(n / 2) % 5}`];
      return clients[n % 2 === 0 ? 0 : 1].timeline(question(HOUR, START, hosts));
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)));
    expect(stage.service.calls('timeline')).toHaveLength(5);
    expect(answers.every((answer, n) => answer.points.length === 60 && answer.asOfMs === answers[n % 10]?.asOfMs)).toBe(
      true,
    );
    await Promise.all(clients.map((client) => client.distribution(question(HOUR, START))));
    expect(stage.service.calls('distribution')).toHaveLength(1);
  });

  it('ask once for each project, also where both are of the same service and at the same time', async () => {
    const open = (project: string | null) => replica(redis.url, 'token', project);
    const clients = await Promise.all([open(null), open(null), open('us'), open('us')]);
    const held = stage.service.hold({ on: 'timeline' });
    const asked = clients.map((client) => client.timeline(question(HOUR, START - 3 * HOUR, ['shared'])));
    // Neither waits for a lock of the other.
    await expect.poll(() => stage.service.calls('timeline').length).toBe(2);
    held.release();
    const answers = await Promise.all(asked);
    expect(answers.every(({ points }) => points.length === 60)).toBe(true);
    expect(stage.service.calls('timeline')).toHaveLength(2);
    expect(stage.service.calls('token')).toHaveLength(2);
  });

  it('ask for one token for all of them, and for one more after it was revoked', async () => {
    const clients = [await replica(redis.url, 'token'), await replica(redis.url, 'token')];
    const all = (hours: number) =>
      Promise.all(clients.map((client, n) => client.distribution(question(HOUR, START - (hours + n) * HOUR))));
    await all(10);
    expect(stage.service.calls('token')).toHaveLength(1);
    stage.service.revokeTokens();
    await all(20);
    expect(stage.service.calls('token')).toHaveLength(2);
  });

  it('continue a moving window from each other’s answers', async () => {
    const [one, two] = [await replica(redis.url), await replica(redis.url)];
    await one.timeline(question(7 * HOUR, START, ['moving']));
    stage.clock.nowMs += 5 * MINUTE;
    await two.timeline(question(7 * HOUR, stage.clock.nowMs, ['moving']));
    const [whole, tail] = stage.service
      .calls('timeline')
      .map(({ search }) => Number(search.get('to')) - Number(search.get('from')));
    // Today so far, in whole minutes.
    expect(whole).toBe(Math.floor(START / MINUTE) * MINUTE - Math.floor(START / DAY) * DAY);
    expect(tail).toBeLessThan(HOUR);
  });
});
