/** Hosts by the names that the service lists, in sentences: exact, by their beginning, misspelt, and beside manual names. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { StatisticsServiceOptions } from '../../../playground/service/server.ts';
import { UsageError } from '../../../src/errors.ts';
import { distinctNames } from '../../../src/grammar/hosts.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { eventually } from '../../support/clock.ts';
import { HOUR } from '../../support/waf-stage.ts';
import { openVerdictStage, SHOP, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
afterEach(() => open.stage.close());

const [, API = { id: '' }, BLOG = { id: '' }] = DEFAULT_HOSTS;
const named = (...names: readonly string[]) =>
  names.map((name, at) => ({
    ...(DEFAULT_HOSTS[1] as (typeof DEFAULT_HOSTS)[number]),
    name,
    id: `0123456789abcdef${at}`,
  }));

async function listing(options: StatisticsServiceOptions = {}): Promise<void> {
  open = await openVerdictStage(1, [], { habits: { hostLists: 'cloud' }, ...options });
}

/** The IDs that the last timeline was asked for. */
const askedFor = () => open.stage.service.calls('timeline').at(-1)?.search.getAll('hosts');
const lists = () => open.stage.service.calls('cloud hosts').length;

async function refusalOf(sentence: string): Promise<UsageError> {
  const error = await open.ask(sentence).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UsageError)) throw new Error(`${sentence} was understood`);
  return error;
}

describe('on a dedicated engine', () => {
  const engines = [
    { name: 'engine-a', hosts: ['api', 'blog'] },
    { name: 'engine-b', hosts: ['blog'] },
    // Called like a host, which keeps its name.
    { name: 'api.example.org', hosts: ['shop'] },
  ];
  const service = { habits: { hostLists: 'both', engines, speaks: ['overviews'] } } as const;
  const both = [API.id, BLOG.id].sort();
  const asked = (call: 'request timeline' | 'distribution') =>
    open.stage.service.calls(call).map(({ search }) => search.getAll('hosts'));

  it('a question is about the hosts behind it, in every query', async () => {
    open = await openVerdictStage(1, [], service, { dialect: 'auto' });
    const reply = await open.ask('check on engine-a');
    expect(distinctNames(reply.subject?.hosts ?? [])).toEqual(['engine-a']);
    const about = [...asked('request timeline'), ...asked('distribution')].filter((hosts) => hosts.length > 0);
    expect(new Set(about.map((hosts) => hosts.join()))).toEqual(new Set([both.join()]));
    expect(asked('distribution').at(-1)).toEqual(both);
    const onHosts = await open.ask('attacks yesterday on api.example.org, blog.example.org');
    expect((await open.ask('attacks yesterday on engine-a')).table).toEqual(onHosts.table);
  });

  it('`hosts` says what is behind it, and a name that a host has stays that of the host', async () => {
    open = await openVerdictStage(1, [], service, { dialect: 'auto' });
    const reply = await open.ask('hosts');
    expect(reply.title).toBe('4 hosts listed by the service');
    expect(reply.body?.map(plainText)).toEqual([
      'on engine-a means api.example.org, blog.example.org: the hosts behind this dedicated engine.',
      'on engine-b means blog.example.org: the host behind this dedicated engine.',
    ]);
    const { subject } = await open.ask('timeline last 3h on api.example.org');
    expect(subject?.hosts.map(({ id }) => id)).toEqual([API.id]);
  });

  it('that the service does not list is unknown, and known hosts are named', async () => {
    await listing();
    const { message, hint } = await refusalOf('check on engine-a');
    expect([message, hint]).toEqual(["There's no host “engine-a” here.", expect.stringContaining('api.example.org')]);
  });
});

describe('on a host of the list', () => {
  it.each([
    ['timeline last 3h on api.example.org', [API.id], 'api.example.org'],
    ['timeline last 3h on API.Example.org?', [API.id], 'api.example.org'],
    ['timeline last 3h on api', [API.id], 'api.example.org'],
    ['timeline last 3h on blo', [BLOG.id], 'blog.example.org'],
    ['timeline on api and blog last 3h', [API.id, BLOG.id].sort(), 'api.example.org, blog.example.org'],
    ['timeline on shop last 3h', [SHOP], 'shop'],
    ['timeline on shop.example.org last 3h', [SHOP], 'shop.example.org'],
    ['timeline api.example.org last 3h', [API.id], 'api.example.org'],
  ])('%s', async (sentence, ids, said) => {
    await listing();
    const reply = await open.ask(sentence);
    expect(askedFor()).toEqual(ids);
    expect(reply.subject?.hosts.map(({ name }) => name).join(', ')).toBe(said);
  });

  it.each(['is blog ok?', 'timeline for blog last 3h'])('%s, once they are known', async (sentence) => {
    await listing();
    await open.ask('hosts');
    expect((await open.ask(sentence)).subject?.hosts).toEqual([{ name: 'blog.example.org', id: BLOG.id }]);
  });

  it('a name that people added wins', async () => {
    await listing();
    await open.ask(`hosts add api.example.org ${BLOG.id}`);
    await open.ask('timeline last 3h on api.example.org');
    expect(askedFor()).toEqual([BLOG.id]);
    await open.ask('hosts remove api.example.org');
    await open.ask('timeline last 3h on api.example.org');
    expect(askedFor()).toEqual([API.id]);
  });

  it('a channel’s hosts, and another name for one', async () => {
    await listing();
    await open.ask('settings hosts blog');
    await open.ask('timeline last 3h');
    expect(askedFor()).toEqual([BLOG.id]);
    await open.ask('hosts add news blog.example.org');
    await open.ask('timeline last 3h on news');
    expect(askedFor()).toEqual([BLOG.id]);
  });

  it.each([
    'timeline on monday',
    'timeline for the last hour',
    'attacks on 3 March',
    'check',
    'what is going on here?',
  ])('%s names no host', async (sentence) => {
    await listing({ hosts: named('monday', 'an', '3', 'check', 'here', 'hour') });
    await open.ask('hosts');
    await open.ask(sentence);
    expect(open.stage.service.requests.flatMap(({ search }) => search.getAll('hosts'))).toEqual([]);
  });
});

describe('not clear', () => {
  it('several begin so: which, as buttons that say the whole sentence', async () => {
    await listing({ hosts: named('cart.example.org', 'cart.example.com', 'cartoons.example.org') });
    const error = await refusalOf('timeline on cart last 3h');
    expect(error.message).toBe('2 hosts start with “cart”. Which one?');
    expect(error.next.map(({ sentence }) => sentence)).toEqual([
      'timeline on cart.example.com last 3h',
      'timeline on cart.example.org last 3h',
    ]);
    await open.ask(error.next[0]?.sentence ?? '');
    expect(askedFor()).toHaveLength(1);
    expect((await refusalOf('timeline on car last 3h')).message).toBe('3 hosts start with “car”. Which one?');
    expect((await open.ask('timeline on cartoons last 3h')).title).not.toBe('');
  });

  it.each([
    ['timeline on blgo last 3h', 'timeline on blog.example.org last 3h'],
    ['timeline on blog.exmaple.org last 3h', 'timeline on blog.example.org last 3h'],
  ])('%s is a typo', async (sentence, corrected) => {
    await listing();
    const error = await refusalOf(sentence);
    expect(error.corrected).toBe(corrected);
    expect(error.hint).toContain('api.example.org');
  });
});

describe('the list', () => {
  it('is asked for when a name needs it, once an hour, and not by who needs none', async () => {
    await listing();
    await open.ask('timeline last 3h on shop');
    expect(lists()).toBe(0);
    await open.ask('timeline last 3h on blog');
    await refusalOf('timeline last 3h on nothing');
    await open.ask('timeline last 6h on api');
    expect(lists()).toBe(1);
    open.stage.clock.nowMs += HOUR;
    await open.ask('timeline last 3h on blog');
    await eventually(() => lists() === 2, 'the next list');
    await open.ask('timeline last 3h on api');
    expect(lists()).toBe(2);
  });

  it('1,000 hosts: shown in part, asked about in whole', async () => {
    await listing({ hosts: named(...Array.from({ length: 1_000 }, (_, at) => `site${at}`)) });
    const reply = await open.ask('hosts');
    expect(reply.title).toBe('1,000 hosts listed by the service');
    expect(reply.table?.rows[1]).toEqual(['site0.example.org', '0123456789abcdef0', 'Site0']);
    expect((await refusalOf('timeline on site last 3h')).hint).toMatch(/and 990 more\.$/);
    await open.ask('timeline on site999 last 3h');
    expect(askedFor()).toEqual(['0123456789abcdef999']);
  });

  it('that fails, fails no question and no manual name', async () => {
    await listing();
    open.stage.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: ['cloud hosts', 'dedicated hosts'] });
    expect((await refusalOf('timeline last 3h on blog')).message).toContain("There's no host “blog”");
    await open.ask('timeline last 3h on shop');
    expect(askedFor()).toEqual([SHOP]);
    expect((await open.ask('hosts')).table?.rows).toEqual([['shop', SHOP]]);
  });
});
