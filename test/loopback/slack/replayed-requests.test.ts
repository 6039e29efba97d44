/** Signed requests of HTTP mode that somebody captured or made up: each is executed once, and only in its time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

let folder: string;
let world: World;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wafbot-replay-'));
  world = await startWorld({ mode: 'http', environment: { WAFBOT_STORE: `sqlite:${folder}/bot.db` } });
});
afterEach(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

/** Everything the bot answered, once nothing more can come: a stop waits for the requests under way. */
async function answers(): Promise<number> {
  await world.bot.stop();
  const { slack } = world;
  const everywhere = [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
  return everywhere.filter(({ botId }) => botId !== undefined).length;
}

describe('a captured request', () => {
  it('is refused, also after a restart and with something appended to its signature', async () => {
    const { slack } = world;
    await slack.command({ text: 'hosts' });
    await slack.nextMessage();
    const { replayLast } = slack.deliveryFaults;
    expect(await replayLast()).toBe(401);
    await world.restart();
    expect(await replayLast()).toBe(401);
    const withTail = (tail: string) => (headers: Headers) =>
      headers.set('x-slack-signature', `${headers.get('x-slack-signature')}${tail}`);
    expect(await replayLast(withTail('=x'))).toBe(401);
    expect(await replayLast(withTail('='))).toBe(401);
    expect(await answers()).toBe(1);
  });

  it('is refused too where it carries no ID of its own', async () => {
    const { sendSigned, replayLast } = world.slack.deliveryFaults;
    const body = new URLSearchParams({
      command: '/waf',
      text: 'hosts',
      user_id: 'U0MAYA0001',
      channel_id: 'C0SECURITY',
    });
    expect(await sendSigned({ body: body.toString(), type: 'application/x-www-form-urlencoded' })).toBe(200);
    await world.slack.nextMessage();
    expect(await replayLast()).toBe(401);
    await world.restart();
    expect(await replayLast()).toBe(401);
    expect(await answers()).toBe(1);
  });
});

describe('a time stamp', () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  it.each([
    ['an hour ahead', String(nowSeconds + 3600)],
    ['infinite', 'Infinity'],
    ['beyond all numbers', '1e300'],
    ['not a number', 'soon'],
    ['old', String(nowSeconds - 3600)],
  ])('that is %s is refused', async (_what, timestamp) => {
    const body = '{"type":"url_verification","challenge":"x"}';
    expect(await world.slack.deliveryFaults.sendSigned({ body, timestamp })).toBe(401);
    expect(await world.slack.deliveryFaults.sendSigned({ body })).toBe(200);
  });
});
