/** What nobody should send, but somebody may: the process lives on and answers the next question. */
import { afterEach, describe, expect, it } from 'vitest';
import { type ProcessWorld, startProcessWorld } from '../support/process-world.ts';
import { nextAnswer } from '../support/world.ts';

let world: ProcessWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function expectAlive({ slack, bot }: ProcessWorld): Promise<void> {
  expect(await slack.command({ text: 'doctor' })).toMatchObject({ acked: true });
  expect((await nextAnswer(slack)).text).toMatch(/^Doctor: /);
  bot.signal('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect(bot.output.err).toBe('');
}

const envelope = (rest: object): string =>
  JSON.stringify({ envelope_id: 'e-1', accepts_response_payload: true, ...rest });

describe('over a socket', () => {
  it('frames that are null or miss their parts do not end the process', async () => {
    world = await startProcessWorld();
    const { slack } = world;
    await slack.waitFor(() => slack.sockets.connected() === 2, { what: 'two sockets' });
    const frames = [
      'null',
      '7',
      '"hello"',
      '[]',
      '{}',
      'not json',
      '{"type":null}',
      '{"type":"ws_message"}',
      '{"type":"close"}',
      '{"type":"error"}',
      '{"type":"disconnected"}',
      envelope({ type: 'events_api' }),
      envelope({ type: 'events_api', payload: null }),
      envelope({ type: 'events_api', payload: {} }),
      envelope({ type: 'events_api', payload: { event: null } }),
      envelope({ type: 'events_api', payload: { event: { type: 'ws_message' } } }),
      envelope({ type: 'events_api', payload: { event: { type: 'app_mention' } } }),
      envelope({ type: 'slash_commands' }),
      envelope({ type: 'slash_commands', payload: null }),
      envelope({ type: 'slash_commands', payload: { command: '/waf' } }),
      envelope({ type: 'interactive', payload: [] }),
      envelope({ type: 'interactive', payload: { type: 'block_actions', actions: [null] } }),
      envelope({ type: 'interactive', payload: { type: 'view_submission', view: null } }),
      envelope({ type: 'interactive', payload: { type: 'view_submission', view: { callback_id: 'form_host' } } }),
      envelope({ type: 'interactive', payload: { type: { toString: 1 }, actions: null } }),
      envelope({ type: 'slash_commands', payload: { type: { toString: 1 }, actions: 1, trigger_id: { toString: 1 } } }),
      JSON.stringify({ type: 'interactive', payload: { type: 'shortcut' } }),
    ];
    for (const frame of frames) slack.sockets.sendFrame(frame);
    await expectAlive(world);
  });
});

describe('over HTTP', () => {
  it('signed bodies that are null or not what Slack sends are refused, and do not end the process', async () => {
    world = await startProcessWorld({ mode: 'http' });
    const { sendSigned } = world.slack.deliveryFaults;
    const form = 'application/x-www-form-urlencoded';
    for (const body of ['null', '7', '"text"', '[]', 'not json', '']) expect(await sendSigned({ body })).toBe(400);
    for (const body of ['payload=null', 'payload=7', 'payload=%5B%5D', 'payload=%22x%22', 'payload=%7B'])
      expect(await sendSigned({ body, type: form })).toBe(400);
    const huge = JSON.stringify({ type: 'event_callback', event: { text: 'x'.repeat(600_000) } });
    expect(await sendSigned({ body: huge })).toBe(413);
    for (const body of ['{"event":null}', '{"type":"view_submission"}', '{"command":"/waf"}', '{"actions":[null]}'])
      expect(await sendSigned({ body })).toBeGreaterThanOrEqual(200);
    await expectAlive(world);
  });
});
