/** `who`: the finding first, what is new, addresses masked, and the words people ask it with. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Attacker, Wave } from '../../../playground/service/waves.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { formatCount } from '../../../src/statistics/format.ts';
import { NOW_MINUTE, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
afterEach(() => open.stage.close());

const OVERVIEWS = { habits: { speaks: ['overviews'] } } as const;
const stage = async (options: Parameters<typeof openVerdictStage>[2], client = {}) => {
  open = await openVerdictStage(1, [], options, { dialect: 'auto', ...client });
};

it('says who leads, where it comes from, what it is after, and what is new', async () => {
  await stage(OVERVIEWS);
  const reply = await open.ask('who last 6h');
  expect(reply.title).toMatch(/^2 addresses in one network sent 45 % of [\d,]+ attacks$/);
  expect(plainText(reply.headline)).toMatch(
    /^Largest: 203\.0\.113\.x 45 %, 198\.51\.100\.x 25 %, 2001:db8:17:0::\/64 20 %/,
  );
  expect(text(reply.body)).toMatch(/Paths: \/login 45 %.* From: Germany 65 %/);
  expect(text(reply.body)).toMatch(/New among the largest compared with the same hours .*: \/old\/\d+/);
  expect(text(reply.notes)).toContain('last part of each address is hidden');
  expect(reply.table?.rows[0]).toEqual([
    'Address',
    '203.0.113.x',
    expect.any(String),
    '45 %',
    expect.stringMatching(/\d/),
  ]);
  expect(reply.actions?.length).toBeLessThanOrEqual(5);
  expect((await open.ask('who last 6h csv')).attachments?.[0]?.content).toContain('addresses,203.0.113.x,');
});

/** From an hour ago until now, on shop. */
const led = (attacker: Attacker): Wave => ({
  kind: 'step',
  fromMinute: NOW_MINUTE - 60,
  minutes: 60,
  perMinute: 60,
  hosts: [SHOP],
  categories: { sqli: 1 },
  attacker,
});

describe('an attack with an attacker of its own', () => {
  it.each([
    ['scanner', /^One new address sent [78]\d % of/, /198\.1[89]\.\d+\.x [78]\d %/, /Paths: \/login [89]\d %/],
    ['own address', /^One new address sent [78]\d % of/, /10\.20\.0\.x [78]\d %/, /From: Private network [78]\d %/],
    ['botnet', /^Attacks come from many addresses, none over/, /^Largest:/, /198\.1[89]\.\d+\.x\b.* and \d+ more/],
  ] as const)('%s', async (attacker, title, headline, body) => {
    open = await openVerdictStage(1, [led(attacker)], OVERVIEWS, { dialect: 'auto' });
    const reply = await open.ask('who last 1h');
    expect(reply.title).toMatch(title);
    expect(plainText(reply.headline)).toMatch(headline);
    expect(text(reply.body)).toMatch(body);
  });

  it('has its single events, too', async () => {
    open = await openVerdictStage(1, [led('own address')], OVERVIEWS, { dialect: 'auto' });
    const { table } = await open.ask('who last 1h on shop single events');
    const own = table?.rows.filter((row) => row[5] === '10.20.0.x' && row[2] === '/api/health') ?? [];
    expect(own.length).toBeGreaterThan(5);
  });

  it('is new only where it was not there the day before', async () => {
    const wave = led('own address');
    const before = { ...wave, fromMinute: wave.fromMinute - 1440, perMinute: 30 };
    open = await openVerdictStage(1, [before, wave], OVERVIEWS, { dialect: 'auto' });
    expect((await open.ask('who last 1h')).title).toMatch(/^One address sent/);
  });
});

it('a service that has addresses alone says what it does not tell', async () => {
  await stage({});
  const reply = await open.ask('who last 6h');
  expect(reply.title).toContain('45 %');
  expect(text(reply.notes)).toContain("It doesn't provide paths, hosts or countries.");
});

it.each(['no', 'yes'] as const)('shows addresses: %s', async (showAddresses) => {
  await stage(OVERVIEWS, { showAddresses });
  const reply = await open.ask('who last 6h csv');
  const all = JSON.stringify(reply);
  expect(reply.title).toMatch(/^One address sent 40 % of/);
  expect(all.includes('203.0.113.9')).toBe(showAddresses === 'yes');
  expect(all.includes('203.0.113')).toBe(showAddresses === 'yes');
});

describe('single events', () => {
  const textOf = (reply: Reply): string => JSON.stringify(reply);

  it('are the last step: the latest ten, with nothing that a visitor sent', async () => {
    await stage(OVERVIEWS);
    const answer = await open.ask('who last 6h on shop');
    const button = answer.actions?.find(({ label }) => label === 'Single events');
    expect(button?.sentence).toMatch(/^who .* on shop in UTC single events$/);
    expect(answer.actions?.length).toBeLessThanOrEqual(5);
    expect(open.stage.service.calls('events')).toEqual([]);
    const reply = await open.ask(button?.sentence ?? '');
    const toMinute = NOW_MINUTE - 3;
    const { attacks } = open.truth(toMinute - 357, toMinute, [SHOP]);
    expect(reply.title).toBe(`The latest 10 of ${formatCount(attacks)} attacks`);
    expect(reply.table?.columns.map(({ name }) => name)).toEqual(['Time', 'Host', 'Path', 'Rule', 'Action', 'Address']);
    expect(reply.table?.rows).toHaveLength(10);
    expect(reply.table?.rows[0]).toEqual([
      '12:30:59',
      expect.stringMatching(/^shop/),
      expect.stringMatching(/^\/[^?]*$/),
      expect.stringMatching(/^\w+-10\d$/),
      expect.stringMatching(/^(blocked|logged)$/),
      '203.0.113.x',
    ]);
    const csv = await open.ask('who last 6h on shop single events csv');
    expect(csv.attachments?.[0]?.content.split('\r\n')).toHaveLength(12);
    expect(textOf(reply) + textOf(csv)).not.toMatch(/secret-|do-not-show|OR 1=1|203\.0\.113\.\d/);
    expect(open.stage.service.calls('events')).toHaveLength(1);
  });

  it.each([
    ['no', 'hidden'],
    ['yes', expect.stringMatching(/^203\.0\.113\.\d+$/)],
  ] as const)('show addresses as configured: %s', async (showAddresses, shown) => {
    await stage(OVERVIEWS, { showAddresses });
    const reply = await open.ask('who last 6h single events');
    expect(reply.table?.rows.map((row) => row[5])).toEqual(Array.from({ length: 10 }, () => shown));
  });

  it('are said to be missing where the service lists none', async () => {
    await stage({});
    await expect(open.ask('who last 6h single events')).rejects.toThrow("This service doesn't list single events.");
    const { actions } = await open.ask('who last 6h');
    expect(actions?.map(({ label }) => label)).not.toContain('Single events');
  });
});

describe('asked in words', () => {
  it.each([
    'who',
    'who is attacking?',
    'who is attacking us?',
    'tell me who is attacking us',
    'attackers last hour',
    'who yesterday',
  ])('%s', async (sentence) => {
    await stage({});
    await open.ask(sentence);
    expect(open.stage.service.calls('sources').length).toBeGreaterThan(0);
  });

  it('who are you? is a call for help, and an attack a question for the check', async () => {
    await stage({});
    await open.ask('who are you?');
    await open.ask('are they attacking us?');
    expect(open.stage.service.calls('sources')).toEqual([]);
  });
});
