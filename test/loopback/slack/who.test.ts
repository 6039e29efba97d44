/** “Who is attacking us?” at every listener, and what attackers send stays plain text. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { startWorld, textOf, type World } from '../../support/world.ts';

let world: World;
beforeEach(async () => {
  const habits = { speaks: ['overviews'] } as const;
  const environment = { WAFBOT_CHARTS: 'none' };
  world = await startWorld({ environment, service: { habits }, dialect: 'auto' });
});
afterEach(() => world.stop());

async function answerTo(ask: () => Promise<unknown>): Promise<Message> {
  await ask();
  return world.slack.nextMessage();
}

it('is answered by the command, a mention, a direct message and a button, with masked addresses', async () => {
  const text = 'who is attacking us?';
  for (const ask of [
    () => world.slack.command({ text }),
    () => world.slack.mention({ text }),
    () => world.slack.directMessage({ text }),
  ]) {
    const answer = await answerTo(ask);
    expect(answer.text).toMatch(/addresses in one network sent 45 % of/);
    expect(textOf(answer)).toContain('203.0.113.x');
    expect(textOf(answer)).not.toContain('203.0.113.9');
    const buttons = answer.blocks
      .filter(({ type }) => type === 'actions')
      .flatMap(({ elements }) => elements as unknown[]);
    expect(buttons.length).toBeLessThanOrEqual(5);
  }
  const message = await answerTo(() => world.slack.command({ text: 'who last 1h' }));
  const elements = message.blocks.flatMap((block) => (Array.isArray(block.elements) ? block.elements : []));
  const all = elements.find((element) => element.text?.text === 'All sources');
  const below = await answerTo(() => world.slack.clickButton({ message, actionId: all.action_id }));
  expect(textOf(below)).toContain('192.0.2.x');
  expect(world.slack.refusals).toEqual([]);
});

it('a path with markup in it is shown as it is', async () => {
  const path = '/<!channel>/<https://evil.example|x>/*bold*';
  world.service.misbehave(
    { kind: 'change', change: (body) => ({ ...body, url: { items: [{ key: path, num: 40 }] } }) },
    { on: 'classification' },
  );
  const answer = await answerTo(() => world.slack.command({ text: 'who last 1h' }));
  const marked = JSON.stringify(answer.blocks.filter(({ type }) => type !== 'table'));
  expect(marked).toContain('&lt;!channel&gt;');
  expect(`${marked}${answer.text}`).not.toMatch(/<!channel>|<https:/);
  expect(world.slack.refusals).toEqual([]);
});
