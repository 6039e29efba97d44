/** Who takes over what from whom: two people, private questions, age and number. */
import { expect, it } from 'vitest';
import { createConversations, type RememberedQuestion } from '../../../src/commands/channel-records.ts';

const MINUTE_MS = 60_000;

function remembering() {
  const records = new Map<string, readonly RememberedQuestion[]>();
  const clock = { nowMs: 1_000_000 };
  const open = () =>
    createConversations(
      {
        get: async (channel) => records.get(channel),
        update: async (channel, change) => void records.set(channel, change(records.get(channel))),
      },
      () => clock.nowMs,
    );
  return { records, clock, open };
}

const at = (user: string, thread: string | null, channel = 'C1') => ({ user, thread, channel });

it('two people share the last question of a thread, and not that of another', async () => {
  const conversations = remembering().open();
  await conversations.remember(at('U1', '1.1'), 'attacks', false);
  await conversations.remember(at('U2', '1.1'), 'timeline', false);
  await conversations.remember(at('U2', '2.2'), 'who', false);
  expect(await conversations.last(at('U1', '1.1'))).toBe('timeline');
  expect(await conversations.last(at('U3', '2.2'))).toBe('who');
  expect(await conversations.last(at('U1', '3.3'))).toBeNull();
  expect(await conversations.last(at('U1', '1.1', 'C2'))).toBeNull();
});

it('what was asked privately is taken over by nobody else', async () => {
  const conversations = remembering().open();
  await conversations.remember(at('U1', '1.1'), 'attacks', false);
  await conversations.remember(at('U1', '1.1'), 'who on shop', true);
  expect(await conversations.last(at('U1', '1.1'))).toBe('who on shop');
  expect(await conversations.last(at('U2', '1.1'))).toBe('attacks');
});

it('a restart forgets nothing', async () => {
  const { open } = remembering();
  await open().remember(at('U1', '1.1'), 'attacks', false);
  expect(await open().last(at('U1', '1.1'))).toBe('attacks');
});

it('a direct message is one conversation for ten minutes, a thread for a week', async () => {
  const { open, clock } = remembering();
  const conversations = open();
  await conversations.remember(at('U1', null, 'D1'), 'attacks', false);
  await conversations.remember(at('U1', null, 'D2'), 'who', true);
  await conversations.remember(at('U1', '1.1', 'D1'), 'timeline', false);
  clock.nowMs += 10 * MINUTE_MS;
  expect(await conversations.last(at('U1', null, 'D1'))).toBe('attacks');
  expect(await conversations.last(at('U1', null, 'D2'))).toBe('who');
  clock.nowMs += 1;
  expect(await conversations.last(at('U1', null, 'D1'))).toBeNull();
  expect(await conversations.last(at('U1', null, 'D2'))).toBeNull();
  expect(await conversations.last(at('U1', '1.1', 'D1'))).toBe('timeline');
  clock.nowMs += 7 * 24 * 60 * MINUTE_MS;
  expect(await conversations.last(at('U1', '1.1', 'D1'))).toBeNull();
});

it('remembers a bounded number per channel, the latest ones', async () => {
  const { open, records } = remembering();
  const conversations = open();
  for (let thread = 0; thread < 120; thread++) await conversations.remember(at('U1', `${thread}.0`), 'attacks', false);
  expect(records.get('C1')).toHaveLength(50);
  expect(await conversations.last(at('U1', '119.0'))).toBe('attacks');
  expect(await conversations.last(at('U1', '69.0'))).toBeNull();
});

it('a question outside of conversations takes nothing over and leaves nothing behind', async () => {
  const { open, records } = remembering();
  await open().remember({ user: 'U1', channel: 'C1' }, 'attacks', false);
  expect(records.size).toBe(0);
  expect(await open().last({ user: 'U1', channel: 'C1' })).toBeNull();
});
