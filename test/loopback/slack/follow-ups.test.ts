/** What a question leaves out is taken from the last one of its conversation: in threads, in direct messages, after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Message } from '../../../playground/slack/index.ts';
import { nextAnswer, startWorld, textOf, type World } from '../../support/world.ts';

const DIEGO = 'U0DIEGO001';
const folder = mkdtempSync(join(tmpdir(), 'wafbot-follow-ups-'));
let world: World;
beforeAll(async () => {
  world = await startWorld({
    environment: { WAFBOT_CHARTS: 'none', WAFBOT_STORE: `sqlite:${folder}/bot.db` },
  });
  await world.slack.command({ text: `hosts add shop ${DEFAULT_HOSTS[0]?.id}` });
  await nextAnswer(world.slack);
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

/** The next answer, once it is remembered. */
async function answerTo(ask: () => Promise<unknown>): Promise<Message> {
  const remembered = async () => JSON.stringify(await Array.fromAsync(world.bot.store.list('conversations')));
  const before = await remembered();
  await ask();
  const answer = await nextAnswer(world.slack);
  await expect.poll(remembered).not.toBe(before);
  return answer;
}

async function inThread(text: string, threadTs: string, user?: string): Promise<string> {
  const answer = await answerTo(() => world.slack.mention({ text, threadTs, user }));
  expect(answer.threadTs).toBe(threadTs);
  return textOf(answer);
}

const directly = async (text: string): Promise<string> =>
  textOf(await answerTo(() => world.slack.directMessage({ text })));

it('goes on in the thread of an answer, for everyone there and after a restart', async () => {
  const { ts } = await answerTo(() => world.slack.command({ text: 'attacks yesterday on shop' }));

  const filtered = await inThread('only sqli', ts);
  expect(filtered).toContain('shop · Mon 9 Mar · ');
  expect(filtered).toContain('SQL injection');
  expect(filtered).toContain('from the previous question: window, hosts');

  // Diego's today began in New York.
  const today = await inThread('and today?', ts, DIEGO);
  expect(today).toContain('shop · Tue 10 Mar 00:00–10:30 · America/New_York');
  expect(today).toContain('from the previous question: kind of answer, hosts, category');
  expect(today).toContain('attacks sqli today on shop');

  await world.restart();
  const after = await inThread('timeline', ts, DIEGO);
  expect(after).toContain('shop · Tue 10 Mar 00:00–10:30 · America/New_York');
  expect(after).toContain('from the previous question: window, hosts');
  expect(await inThread('is it over?', ts)).toContain('from the previous question: hosts');
});

it('takes nothing over in another thread of the channel', async () => {
  const { ts } = world.slack.say({ text: 'the blog is slow' });
  expect(await inThread('attacks yesterday', ts)).toContain('all hosts · Mon 9 Mar · ');
});

it('goes on in a direct message for ten minutes', async () => {
  expect(await directly('attacks yesterday')).toContain('all hosts · Mon 9 Mar · ');
  expect(await directly('on shop')).toContain('shop · Mon 9 Mar · ');
  world.clock.set('2026-03-10T14:39:00Z');
  expect(await directly('timeline')).toContain('shop · Mon 9 Mar · ');
  world.clock.set('2026-03-10T14:50:00Z');
  expect(await directly('attacks yesterday')).toContain('all hosts · Mon 9 Mar · ');
});
