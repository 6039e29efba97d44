/** Hunts for texts that hold the event loop, through every way in that a person has. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileRecipe, hostileText } from '../../fuzz/hostile-text.ts';
import { count } from '../../support/counts.ts';
import { leastTurnMs } from '../../support/loop-meter.ts';
import { fc } from '../../support/property.ts';
import { startWorld, TUESDAY, type World } from '../../support/world.ts';

const ALIASES = 500;
const BUTTON_HOLDS = 2_000;
/** Of a turn that a plain question takes. */
const TIMES_A_QUESTION = 8;

let world: World;
let questionMs: number;
let minute = 0;

beforeAll(async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' } });
  const hosts = world.bot.store.space('hosts');
  for (let n = 0; n < ALIASES; n += 1) {
    const name = `host-${n}${'-long'.repeat(n % 10)}`;
    await hosts.set(name, { name, id: `3ac26c59e15a4a11bb680a103a29d${String(n).padStart(3, '0')}`, addedBy: 'U1' });
  }
  questionMs = await leastTurnMs(byCommand('timeline last 24h'));
});
afterAll(() => world.stop());

/** Nobody asks all of this within a minute. */
function passMinute(): void {
  minute += 1;
  world.clock.set(Temporal.Instant.from(TUESDAY).add({ minutes: minute }).toString());
}

const byCommand = (text: string) => async (): Promise<void> => {
  passMinute();
  await world.slack.command({ text });
  await world.slack.nextMessage();
};

const byMention = (text: string) => async (): Promise<void> => {
  passMinute();
  await world.slack.mention({ text });
  await world.slack.nextMessage();
};

const byDirectMessage = (text: string) => async (): Promise<void> => {
  passMinute();
  await world.slack.directMessage({ text });
  await world.slack.nextMessage();
};

async function pressed(actionId: string, value: string): Promise<void> {
  passMinute();
  const button = { type: 'button', action_id: actionId, text: { type: 'plain_text', text: 'Ask' }, value };
  const response = await fetch(`${world.slack.apiUrl}/chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.slack.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'C0SECURITY', text: 'x', blocks: [{ type: 'actions', elements: [button] }] }),
  });
  expect(await response.json()).toMatchObject({ ok: true });
  await world.slack.clickButton({ message: await world.slack.nextMessage(), actionId });
}

const byButton = (text: string) => async (): Promise<void> => {
  await pressed('say:thread:0', text.slice(0, BUTTON_HOLDS) || 'x');
  await world.slack.nextMessage();
};

const byForm = (text: string) => async (): Promise<void> => {
  if (world.slack.modals().length === 0) await pressed('say:modal:0', 'digest new');
  const view = await world.slack.waitFor(() => world.slack.modals().at(-1), { what: 'the form' });
  const { errors } = await world.slack.submitView({ viewId: view.id, values: { time: text, hosts: text, zone: text } });
  if (Object.keys(errors).length === 0) await world.slack.nextMessage();
};

describe('no text holds the event loop much longer than a plain question', () => {
  it.each([
    ['a command', byCommand],
    ['a mention', byMention],
    ['a direct message', byDirectMessage],
    ['a button', byButton],
    ['a form', byForm],
  ])('by %s', async (_way, ask) => {
    const goodMs = TIMES_A_QUESTION * questionMs;
    await fc.assert(
      fc.asyncProperty(hostileRecipe, async (recipe) => {
        const ms = await leastTurnMs(ask(hostileText(recipe)), { goodMs });
        expect(ms / questionMs).toBeLessThan(TIMES_A_QUESTION);
      }),
      { numRuns: count(60, 15), endOnFailure: true },
    );
  });
});
