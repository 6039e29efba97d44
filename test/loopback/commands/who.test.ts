/** `who`: the finding first, what is new, addresses masked, and the words people ask it with. */
import { afterEach, describe, expect, it } from 'vitest';
import { plainText } from '../../../src/replies/phrases.ts';
import { openVerdictStage, text, type VerdictStage } from './verdict-stage.ts';

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
