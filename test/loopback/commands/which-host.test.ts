/** `which host is under attack`, against attacks on single hosts of the local service. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { formatCount } from '../../../src/statistics/format.ts';
import { NOW_MINUTE, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
afterEach(() => open.stage.close());

const BLOG = DEFAULT_HOSTS[2]?.id ?? '';
const ADMIN = DEFAULT_HOSTS[3]?.id ?? '';
const LISTED = { habits: { hostLists: 'cloud' } } as const;

const attackOn = (host: string, perMinute: number, fromMinute = NOW_MINUTE - 40, minutes = 40): Wave => ({
  kind: 'step',
  fromMinute,
  minutes,
  perMinute,
  hosts: [host],
});

/** The calls for timelines of single hosts, by host. */
function callsByHost(): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { call, search } of open.stage.service.requests) {
    const hosts = search.getAll('hosts').flatMap((value) => value.split(','));
    const [host = ''] = hosts;
    if (call?.includes('timeline') && hosts.length === 1 && host !== '') calls.set(host, (calls.get(host) ?? 0) + 1);
  }
  return calls;
}

describe('one host is under attack', () => {
  it('names it with its share, each host with its numbers, and offers a check of it', async () => {
    open = await openVerdictStage(53, [attackOn(SHOP, 60)], LISTED);
    const reply = await open.ask('which host is under attack?');
    expect(reply.title).toMatch(/^shop: 9\d % of the excess since 11:5\d$/);
    expect(reply.level).toBe('surge');
    expect(text(reply.body)).toMatch(
      /^shop [\d,]+ \(\d+ expected\), \S+ \d+ \(\d+\), \S+ \d+ \(\d+\), \S+ \d+ \(\d+\)\.$/,
    );
    expect(reply.table?.rows[0]?.[0]).toBe('shop');
    expect(reply.actions?.map(({ label }) => label)).toEqual(['Check shop', 'Who?', 'By category', 'Why?', 'Again']);
    expect(reply.actions?.[0]?.sentence).toMatch(/^check .* on shop in UTC$/);
    expect([...callsByHost().values()]).toEqual([2, 2, 2, 2]);
  });

  it('agrees with the check, and the table adds up', async () => {
    open = await openVerdictStage(53, [attackOn(SHOP, 60)], LISTED);
    const reply = await open.ask('which host is under attack?');
    const check = await open.ask('check');
    const since = /since \d\d:\d\d/.exec(reply.title)?.[0] ?? 'nothing';
    expect(check.title).toContain(since);
    const [, attacks = '', expected = ''] =
      /([\d,]+) attacks since [\d:]+, about (\d+) expected/.exec(plainText(reply.headline)) ?? [];
    expect(plainText(check.headline)).toMatch(new RegExp(`^${attacks} attacks in .*, about ${expected} expected`));
    const sum = (column: number) =>
      (reply.table?.rows ?? []).reduce((total, row) => total + Number(row[column]?.replaceAll(',', '')), 0);
    expect(formatCount(sum(1))).toBe(attacks);
    expect(formatCount(sum(2))).toBe(expected);
    expect(reply.table?.rows[0]?.[3]).toBe(/\d+ %/.exec(reply.title)?.[0]);
  });

  it('finds one in the past, at the times that were asked about', async () => {
    const yesterday = Math.floor(NOW_MINUTE / 1440) * 1440 - 1440;
    open = await openVerdictStage(53, [attackOn(BLOG, 40, yesterday + 140, 30)], LISTED);
    const reply = await open.ask('which host was under attack yesterday 02:00-04:00');
    expect(reply.title).toMatch(/^blog\.example\.org: (9\d|100) % of the excess .*02:\d\d – 02:\d\d$/);
    expect(reply.level).toBe('past');
  });

  it('finds one that is too small to show on all hosts together, as its check does', async () => {
    open = await openVerdictStage(53, [attackOn(ADMIN, 2.5)], LISTED);
    expect((await open.ask('check')).level).toBe('calm');
    const reply = await open.ask('which host is under attack?');
    const check = await open.ask('check on admin');
    expect(check.level).not.toBe('calm');
    expect(reply.level).toBe(check.level);
    expect(reply.title).toMatch(/^admin\.example\.org: (elevated|surge) since \d\d:\d\d$/);
    expect(check.title).toContain(/since \d\d:\d\d/.exec(reply.title)?.[0] ?? 'nothing');
    expect(text(reply.body)).toContain('All hosts together are calm.');
  });
});

it('an unusual category is on a host too, although the total is as usual', async () => {
  const burst = { ...attackOn(BLOG, 1.5), categories: { antitamper: 1 } };
  open = await openVerdictStage(53, [burst], LISTED);
  expect((await open.ask('check')).title).toMatch(/^Elevated since .*, \d+ events/);
  const reply = await open.ask('which host is under attack?');
  expect(reply.title).toMatch(/^blog\.example\.org: (9\d(\.\d)?|100) % of the .* events since 1\d:\d\d$/);
  expect(text(reply.body)).toMatch(/^blog\.example\.org \d+, /);
  expect(text((await open.ask('check')).body)).toMatch(/On blog\.example\.org \(.* % of the events\)\./);
});

describe('no host stands out', () => {
  it('if it is calm', async () => {
    open = await openVerdictStage(53, [], LISTED);
    const reply = await open.ask('which host');
    expect(reply.title).toBe('No host stands out: calm');
    expect(plainText(reply.headline)).toMatch(/^All hosts together: Calm/);
    expect(reply.table?.rows).toHaveLength(4);
    // What is expected of the hosts adds up to what a check expects of them all.
    const [, expected] = /about ([\d,]+) attacks/.exec(plainText((await open.ask('check')).why?.lines[0])) ?? [];
    const sum = (reply.table?.rows ?? []).reduce((all, row) => all + Number(row[2]?.replaceAll(',', '')), 0);
    expect(formatCount(sum)).toBe(expected);
    expect(reply.actions?.[0]?.sentence).toMatch(/^check \S+ in UTC$/);
  });

  it('if all of them are attacked', async () => {
    const waves = DEFAULT_HOSTS.map(({ id, attacks }) =>
      attackOn(id, 4 * Object.values(attacks).reduce((sum, rate) => sum + rate, 0)),
    );
    open = await openVerdictStage(53, waves, LISTED);
    expect((await open.ask('which hosts are under attack?')).title).toMatch(
      /^No host stands out: surge since 11:5\d, on many hosts$/,
    );
  });
});

describe('what the service cannot say', () => {
  it('is unknown if it does not list its hosts', async () => {
    open = await openVerdictStage(53, [attackOn(BLOG, 60)]);
    const reply = await open.ask('which host is under attack?');
    expect(reply.title).toMatch(/^Surge since 11:5\d, but I can't tell on which host$/);
  });

  it('is answered for a single host by its check', async () => {
    open = await openVerdictStage(53, [attackOn(SHOP, 60)], LISTED);
    const reply = await open.ask('which host is under attack on shop');
    expect(reply.title).toMatch(/^Surge since/);
    expect(plainText(reply.headline)).toBe('There is only one host to choose from.');
  });
});

describe('more hosts than are queried', () => {
  /** Some of the 2,000: all of them take minutes to draw for four weeks. */
  const kind = { ...SERVICE_KINDS['2,000 hosts'], hosts: SERVICE_KINDS['2,000 hosts'].hosts.slice(1_220, 1_245) };
  const target = kind.hosts[14]?.id ?? '';

  it('the one is found if the service names the busiest, with two calls for each', async () => {
    const habits = { ...kind.habits, speaks: ['overviews'] } as const;
    open = await openVerdictStage(53, [attackOn(target, 60)], { ...kind, habits }, { dialect: 'auto' });
    const reply = await open.ask('which host is under attack?');
    expect(reply.title).toMatch(/^site-1234\.example\.org: (9\d|100) % of the excess since 11:5\d$/);
    const calls = callsByHost();
    expect(calls.get(target)).toBe(2);
    expect(calls.size).toBeLessThanOrEqual(10);
    expect(new Set(calls.values())).toEqual(new Set([2]));
  });

  it('it is unknown otherwise', async () => {
    open = await openVerdictStage(53, [attackOn(target, 60)], kind);
    const reply = await open.ask('which host is under attack?');
    expect(reply.title).toMatch(/^Surge since 11:5\d, but I can't tell on which host$/);
    expect(plainText(reply.headline)).toContain("doesn't say which are the busiest");
    expect(callsByHost().size).toBe(0);
  });
});
