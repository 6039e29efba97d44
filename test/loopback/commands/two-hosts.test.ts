/** Two hosts side by side over the same window, and how many rows were asked for. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { formatCount } from '../../../src/statistics/format.ts';
import { NOW_MINUTE, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

const API = DEFAULT_HOSTS[1];
let open: VerdictStage;
beforeEach(async () => {
  open = await openVerdictStage(53, [], { habits: { speaks: ['overviews'] } }, { dialect: 'auto' });
  await open.ask(`hosts add api ${API?.id}`);
});
afterEach(() => open.stage.close());

it.each(['compare shop vs api', 'attacks shop vs api', 'timeline on shop vs api'])(
  '%s: the numbers of each, never their sum',
  async (question) => {
    const reply = await open.ask(`${question} last 2h`);
    // The last three minutes aren't settled.
    const [from, to] = [NOW_MINUTE - 120, NOW_MINUTE - 3];
    const [shop, api] = [open.truth(from, to, [SHOP]), open.truth(from, to, [API?.id ?? ''])];
    const said = [plainText(reply.headline), text(reply.body)].join(' ');
    expect(said).toContain(`shop ${formatCount(shop.attacks)}, api ${formatCount(api.attacks)}`);
    expect(said).toContain(`shop ${formatCount(shop.requests)}, api ${formatCount(api.requests)}`);
    expect(reply.why?.table?.columns.map(({ name }) => name)).toEqual(['', 'shop', 'api', 'Difference']);
    expect(reply.chart).toBeDefined();
    for (const { sentence } of reply.actions ?? []) expect(sentence).toMatch(/on shop vs api|check/);
  },
);

it('compares one category of two hosts', async () => {
  const reply = await open.ask('sqli shop vs api last 2h');
  expect(reply.title).toMatch(/^SQL injection: shop [\d,]+, api [\d,]+ · vs api$/);
  expect(reply.why?.table?.rows.map(([name]) => name)).toEqual([
    'Requests',
    'Attacks',
    'Attack share',
    'SQL injection',
  ]);
});

it('the buttons of a comparison ask about both hosts again', async () => {
  const reply = await open.ask('compare shop vs api last 2h');
  const numbers = reply.actions?.find(({ label }) => label === 'All numbers');
  const again = await open.ask(numbers?.sentence ?? '');
  expect(again.table?.columns.map(({ name }) => name)).toEqual(['', 'shop', 'api', 'Difference']);
});

it('shows as many rows as were asked for', async () => {
  const rows = async (question: string) =>
    (await open.ask(question)).table?.rows.filter(([kind]) => kind === 'Address');
  expect(await rows('top 2 ips last 6h')).toHaveLength(2);
  expect((await rows('top attackers last 6h'))?.length).toBeGreaterThan(2);
  expect((await open.ask('top 3 attack types last 6h')).table?.rows).toHaveLength(3);
});
