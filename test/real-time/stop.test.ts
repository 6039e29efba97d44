/** A stop while Slack hangs: the process ends by itself, in time and well. */
import { afterEach, expect, it } from 'vitest';
import { type ProcessWorld, startProcessWorld } from '../support/process-world.ts';

let world: ProcessWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

it('ends with 0 while chat.postMessage hangs: after 20 s it would be 1', async () => {
  world = await startProcessWorld();
  const { slack, bot } = world;
  const gate = slack.faults.hold('chat.postMessage', { times: Number.POSITIVE_INFINITY });
  await slack.command({ text: 'doctor' });
  await gate.reached;
  bot.signal('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect(bot.output.err).toBe('');
});
