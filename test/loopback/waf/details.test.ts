/** What was blocked, how servers responded, and single attacks: from the overviews dialect, and said to be missing in the other. */
import { afterEach, describe, expect, it } from 'vitest';
import { actionsOf, codesOf } from '../../../playground/service/details.ts';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import { bucketsOf } from '../../../playground/service/statistics.ts';
import type { TrafficModel } from '../../../playground/service/traffic.ts';
import { DAY, failing, HOUR, MINUTE, openStage, question, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const SEED = 3;
const world: TrafficModel = { seed: SEED, hosts: DEFAULT_HOSTS, waves: [], seededWaves: false };
const TO = Math.floor((START - HOUR) / MINUTE) * MINUTE;
const asked = question(6 * HOUR, TO);
const window = { fromMs: TO - 6 * HOUR, toMs: TO, hosts: [] };

async function open(kind: keyof typeof SERVICE_KINDS, habits = {}) {
  const options = SERVICE_KINDS[kind];
  const own = 'habits' in options ? options.habits : {};
  stage = await openStage({ ...options, seed: SEED, seededWaves: false, habits: { ...own, ...habits } });
  return stage.client('token', { dialect: 'auto' });
}

function upstreamCodes(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { tally } of bucketsOf(world, window, 0, START)) {
    for (const [code, count] of Object.entries(codesOf(tally, world, 'UPSTREAM')))
      sums[code] = (sums[code] ?? 0) + count;
  }
  return sums;
}

describe.each(['overviews', 'numbers as strings'] as const)('%s', (kind) => {
  it('counts what was blocked and what was only logged', async () => {
    const client = await open(kind);
    const { block, log } = actionsOf(world, window, START);
    expect(block).toBeGreaterThan(0);
    expect(await client.actions(asked)).toMatchObject({ blocked: block, logged: log, other: 0, stale: false });
  });

  it('counts the responses of the servers by code, with the path that leads', async () => {
    const client = await open(kind);
    const { codes } = await client.responses(asked);
    expect(Object.fromEntries(codes.map(({ code, count }) => [code, count]))).toEqual(upstreamCodes());
    const paths = Object.fromEntries(codes.map(({ code, path }) => [code, path]));
    expect(paths).toMatchObject({ '200': null, '404': null, '500': '/cart/checkout', '502': '/api/orders' });
  });

  it('lists the latest ten attacks, without anything that a visitor sent', async () => {
    const client = await open(kind);
    const { block, log } = actionsOf(world, window, START);
    const { total, events } = await client.events(asked);
    expect([total, events.length]).toEqual([Math.min(block + log, 10_000), 10]);
    expect(events.map(({ atMs }) => atMs)).toEqual(events.map(({ atMs }) => atMs).toSorted((a, b) => b - a));
    for (const event of events) {
      expect(event.atMs).toBeGreaterThanOrEqual(window.fromMs);
      expect(event.address).toMatch(/^203\.0\.113\.x$/);
      expect(event.path).toMatch(/^\/[^?]*$/);
    }
    const everything = [JSON.stringify(events), ...stage.said, ...[...stage.answers.store.values()].map(String)].join();
    expect(everything).not.toMatch(/secret-|do-not-show|OR 1=1|203\.0\.113\.\d/);
  });
});

it.each([
  ['actions', "This service doesn't report what was blocked."],
  ['responses', "This service doesn't report how your servers responded."],
  ['events', "This service doesn't list single events."],
] as const)('the events dialect says that it has no %s, without a call', async (detail, message) => {
  const client = await open('events');
  await client.timeline(asked);
  const before = stage.service.requests.length;
  expect(await failing(client[detail](asked))).toMatchObject({ code: 'limit', message });
  expect(stage.service.requests.length).toBe(before);
  expect((await client.sources(asked)).hasEvents).toBe(false);
});

it('a query that a region lacks is called once, and then no more', async () => {
  const client = await open('overviews', { without: ['action types', 'events', 'abnormal'] });
  for (const back of [1, 2, 3]) {
    await failing(client.actions(question(back * HOUR, TO)));
    await failing(client.events(question(back * HOUR, TO)));
  }
  expect([stage.service.calls('action types').length, stage.service.calls('events').length]).toEqual([1, 1]);
  expect((await client.sources(asked)).hasEvents).toBe(false);
  const { codes } = await client.responses(asked);
  expect(codes.find(({ code }) => code === '502')).toMatchObject({ count: upstreamCodes()['502'], path: null });
});

it('a region with one host per query is asked host by host', async () => {
  const client = await open('one host per query');
  const hosts = DEFAULT_HOSTS.slice(0, 3).map(({ id }) => id);
  const { block, log } = actionsOf(world, { ...window, hosts }, START);
  expect(await client.actions(question(6 * HOUR, TO, hosts))).toMatchObject({ blocked: block, logged: log });
});

it('answers are shared and cached like all others, and a failing detail does not open the circuit', async () => {
  const client = await open('overviews');
  await Promise.all([client.actions(asked), client.actions(asked)]);
  await client.actions(asked);
  expect(stage.service.calls('action types')).toHaveLength(1);
  stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'action types' });
  for (let minutes = 1; minutes <= 12; minutes++) {
    await failing(client.actions(question(HOUR + minutes * MINUTE, TO)));
    stage.clock.nowMs += 5_000;
  }
  expect(stage.service.calls('action types')).toHaveLength(13);
  expect((await client.distribution(question(DAY, TO))).stale).toBe(false);
});
