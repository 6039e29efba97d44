/** Who attacks, from services of both dialects, and that no more of an address is kept than may be shown. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceHabits } from '../../../playground/service/overviews.ts';
import { DAY, failing, HOUR, openStage, question, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const OVERVIEWS = { speaks: ['overviews'] } as const;
const window = question(DAY, START - HOUR);

const REGIONS: readonly [string, Partial<ServiceHabits>, readonly string[]][] = [
  ['events', {}, ['addresses']],
  ['overviews', OVERVIEWS, ['addresses', 'paths', 'hosts', 'countries']],
  ['overviews without classification', { ...OVERVIEWS, without: ['classification'] }, ['addresses']],
];

describe.each(REGIONS)('%s', (_, habits, told) => {
  it('names the largest, the addresses masked and put together', async () => {
    stage = await openStage({ habits });
    const sources = await stage.client('token', { dialect: 'auto' }).sources(window);
    const kinds = (['addresses', 'paths', 'hosts', 'countries'] as const).filter((kind) => sources[kind] !== null);
    expect(kinds).toEqual(told);
    expect(sources.addresses?.slice(0, 3).map(({ key, addresses }) => [key, addresses])).toEqual([
      ['203.0.113.x', 2],
      ['198.51.100.x', 1],
      ['2001:db8:17:0::/64', 1],
    ]);
    if (sources.paths !== null) expect(sources.paths[0]?.key).toBe('/login');
    if (sources.hosts !== null) expect(sources.hosts.map(({ key }) => key)).toContain('shop.example.org');
    expect(sources.shown).toBe('masked');
  });

  it('is asked once for everyone, and stores no address', async () => {
    stage = await openStage({ habits });
    const settings = { dialect: 'auto', showAddresses: 'no' } as const;
    const clients = [stage.client('token', settings), stage.client('token', settings)];
    await Promise.all(clients.map((client) => client.sources(window)));
    await Promise.all(clients.map((client) => client.close()));
    const asked = () => stage.service.calls('sources').length + stage.service.calls('classification').length;
    const before = asked();
    await stage.client('token', settings).sources(window);
    expect(asked()).toBe(before);
    const stored: ReadonlyMap<string, unknown> = stage.answers.store;
    expect(stored.size).toBeGreaterThan(0);
    for (const kept of [...stored.values(), ...stage.said])
      expect(String(kept)).not.toMatch(/203\.0\.113|198\.51\.100/);
    const shown = await stage.client('token', { dialect: 'auto', showAddresses: 'yes' }).sources(window);
    expect(shown.addresses?.[0]?.key).toBe('203.0.113.9');
  });
});

it.each([
  ['events', { without: ['sources'] }],
  ['overviews', { ...OVERVIEWS, without: ['classification', 'sources'], noSuchQuery: 'WAF.00014009' }],
] as const)('a service that does not tell says so: %s', async (_, habits) => {
  stage = await openStage({ habits });
  const error = await failing(stage.client('token', { dialect: 'auto' }).sources(window));
  expect([error.code, error.message]).toEqual(['limit', "This service doesn't show who attacks."]);
});

it('a service with fixed windows says which, and a longer time than a list can be of is refused', async () => {
  stage = await openStage({ habits: { ...OVERVIEWS, windows: 'fixed' } });
  const client = stage.client('token', { dialect: 'auto' });
  expect((await failing(client.sources(question(2 * HOUR, START - HOUR)))).message).toContain('today, yesterday');
  expect((await failing(client.sources(question(40 * DAY)))).message).toContain('30 days');
});
