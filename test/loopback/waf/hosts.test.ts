/** The hosts that the service lists: every way of paging, kept for everyone, and never in the way of a question. */
import { afterEach, describe, expect, it } from 'vitest';
import type { HostListHabits } from '../../../playground/service/host-lists.ts';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { WafClient } from '../../../src/waf/index.ts';
import { eventually } from '../../support/clock.ts';
import { HOUR, MINUTE, openStage, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const site = (at: number) => ({
  ...(DEFAULT_HOSTS[0] as (typeof DEFAULT_HOSTS)[number]),
  id: `id${String(at).padStart(30, '0')}`,
  name: `site${at}`,
});
const sites = (count: number) => Array.from({ length: count }, (_, at) => site(at));
const calls = () => [...stage.service.calls('cloud hosts'), ...stage.service.calls('dedicated hosts')];

/** Whoever asks first waits a moment, which a slow machine may need longer than. */
async function listed(hosts: WafClient['hosts'], count: number) {
  await hosts.renewed();
  await eventually(async () => (await hosts.known()).length === count, `${count} hosts`);
  return hosts.known();
}

describe('a list', () => {
  const REGIONS: readonly HostListHabits[] = (['cloud', 'dedicated', 'both'] as const).flatMap((hostLists) =>
    (['pages', 'rows', 'page numbers'] as const).map((paging) => ({ hostLists, paging, engines: [] })),
  );

  it.each(REGIONS)('$hostLists, by $paging: every host once, with the ID that queries take', async (habits) => {
    for (const count of [0, 10, 137]) {
      stage = await openStage({ habits, hosts: sites(count) });
      const found = await listed(stage.client('token').hosts, count);
      expect(Object.fromEntries(found.map(({ name, id }) => [name, id]))).toEqual(
        Object.fromEntries(sites(count).map(({ name, id }) => [`${name}.example.org`, id])),
      );
      expect(found).toHaveLength(count);
      await stage.close();
    }
  });

  it('1,000 hosts are ten pages, with the names that the console has', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' }, hosts: sites(1_000) });
    const found = await listed(stage.client('token').hosts, 1_000);
    expect(found).toHaveLength(1_000);
    expect(found[0]).toEqual({ id: site(0).id, name: 'site0.example.org', tag: 'Site0' });
    expect(stage.service.calls('cloud hosts')).toHaveLength(10);
  });

  it('entries that cannot be used in a sentence are left out, and the others stay', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    const items = [
      { id: 'a1', hostname: 'good.example.org', web_tag: null },
      { id: 'a2', hostname: 'two words' },
      { id: 'a3', hostname: '<!channel>' },
      { id: '../a4', hostname: 'path.example.org' },
      { id: 'a5' },
      'nonsense',
    ];
    stage.service.misbehave({ kind: 'change', change: () => ({ total: 6, items }) }, { on: 'cloud hosts' });
    expect(await stage.client('token').hosts.renewed()).toEqual([{ id: 'a1', name: 'good.example.org', tag: null }]);
    expect(stage.service.calls('cloud hosts')).toHaveLength(1);
  });
});

describe('kept', () => {
  it('one list an hour, for every replica and after a restart', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    const [first, second] = [stage.client('token'), stage.client('token')];
    await first.hosts.renewed();
    const once = calls().length;
    for (let minute = 0; minute < 59; minute += 7) {
      stage.clock.nowMs += 6 * MINUTE;
      expect(await second.hosts.known()).toHaveLength(4);
      expect(await second.hosts.renewed()).toHaveLength(4);
      expect(await stage.client('token').hosts.known()).toHaveLength(4);
    }
    expect(calls()).toHaveLength(once);
    stage.clock.nowMs += HOUR;
    expect(await second.hosts.known()).toHaveLength(4);
    await eventually(() => calls().length === 2 * once, 'the next list');
  });

  it('nobody waits for the next one, and a host that is new is found after it', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    const { hosts } = stage.client('token');
    await hosts.renewed();
    stage.clock.nowMs += HOUR;
    const { release } = stage.service.hold({ on: 'cloud hosts' });
    const items = [{ id: 'n1', hostname: 'new.example.org' }];
    stage.service.misbehave({ kind: 'change', change: () => ({ total: 1, items }) }, { on: 'cloud hosts' });
    expect(await hosts.known()).toHaveLength(4);
    expect(await hosts.renewed()).toHaveLength(4);
    release();
    await eventually(async () => (await hosts.known())[0]?.name === 'new.example.org', 'the new host');
  });

  it('a list that fails leaves the last one, and is tried again later', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    const { hosts } = stage.client('token');
    await hosts.renewed();
    stage.clock.nowMs += HOUR;
    const end = stage.service.misbehave({ kind: 'refuse', code: 'APIG.0101' }, { on: 'cloud hosts' });
    const before = calls().length;
    expect(await hosts.known()).toHaveLength(4);
    await eventually(() => calls().length > before && stage.service.requestsUnderWay() === 0, 'the failed list');
    expect(await hosts.renewed()).toHaveLength(4);
    end();
    expect(await stage.client('token').hosts.known()).toHaveLength(4);
  });

  it('whoever names no host of the list costs no call', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    expect(await stage.client('token').hosts.known()).toEqual([]);
    expect(stage.service.requests).toEqual([]);
  });
});

describe('what the doctor is told', () => {
  const told = async () => {
    const findings = await stage.client('token').probe();
    return findings.find(({ what }) => what === 'host names');
  };

  it.each([
    ['no dedicated engines', []],
    ['1 dedicated engine', [{ name: 'engine-a', hosts: ['api', 'admin'] }]],
  ])('how many there are, and %s', async (engines, listedEngines) => {
    stage = await openStage({ habits: { hostLists: 'both', engines: listedEngines } });
    expect(await told()).toMatchObject({ ok: true, says: `The service lists 4 hosts and ${engines}.` });
  });

  it.each(['WAF.9002', 'WAF.00012003', 'APIG.0101'] as const)('no list: %s', async (code) => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    stage.service.misbehave({ kind: 'refuse', code }, { on: ['cloud hosts', 'dedicated hosts'] });
    const finding = await told();
    const isRefused = code !== 'APIG.0101';
    expect(finding?.ok).toBe(!isRefused);
    expect(finding?.says).toContain(isRefused ? "isn't allowed to list" : 'no list of hosts');
    expect(finding?.fix ?? '').toContain(isRefused ? 'waf:instance:list' : '');
    // Whoever has fixed it sees that at once.
    stage.service.resetFaults();
    expect(await told()).toMatchObject({ ok: true, says: 'The service lists 4 hosts and no dedicated engines.' });
  });

  it('a list that fails for now fails nothing else', async () => {
    stage = await openStage({ habits: { hostLists: 'cloud' } });
    stage.service.misbehave({ kind: 'answer', answer: { status: 200, body: '<html>' } }, { on: 'cloud hosts' });
    expect(await told()).toMatchObject({ ok: false, says: expect.stringContaining('The list of hosts failed') });
    const findings = await stage.client('token').probe();
    expect(findings.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(['host names']);
  });
});
