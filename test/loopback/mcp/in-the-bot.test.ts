import { afterEach, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { call, connectClient, TOKEN } from './agent-stage.ts';

let world: World | undefined;
afterEach(() => world?.stop());

const connect = ({ bot }: World) => connectClient(`http://127.0.0.1:${bot.mcpPort}/mcp`, 'legacy', TOKEN);

it('a bot with a token answers agents on a port of its own, wherever people may ask', async () => {
  const environment = { WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_PORT: '0', WAFBOT_ALLOWED_CHANNELS: 'C0NOWHERE' };
  world = await startWorld({ environment });
  const client = await connect(world);
  const { text, failed } = await call(client, 'waf_check', { range: 'last 3h', picture: true });
  expect([failed, text]).toEqual([false, expect.stringContaining('Tue 10 Mar 11:30–14:30 · UTC')]);
  // One asker for all who have the token, with the limit of a person in Slack.
  const held = world.service.hold();
  const asking = [1, 2, 3, 4, 5, 6].map((days) => call(client, 'waf_ask', { sentence: `timeline ${days} days ago` }));
  const first = await Promise.race(asking);
  expect([first.failed, first.text]).toEqual([true, expect.stringContaining('5 questions in progress')]);
  held.release();
  expect((await Promise.all(asking)).filter((each) => each.failed)).toEqual([first]);
  const metrics = await (await fetch(`http://127.0.0.1:${world.bot.port}/metrics`)).text();
  expect(metrics).toContain('wafbot_questions_total{verb="timeline",outcome="answered"} 5');
  expect(metrics).toContain('wafbot_questions_total{verb="none",outcome="refused"} 1');
  await client.close();
  expect(world.logged.join('')).not.toContain(TOKEN);
  const { mcpPort } = world.bot;
  await world.bot.stop();
  await expect(fetch(`http://127.0.0.1:${mcpPort}/mcp`)).rejects.toThrow();
});

it('a bot without a token opens no port for agents', async () => {
  world = await startWorld();
  expect(world.bot.mcpPort).toBeNull();
});
