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

describe('an unsigned request', () => {
  const form = 'application/x-www-form-urlencoded';
  const question = { command: '/waf', text: 'hosts', user_id: 'U0MAYA0001', channel_id: 'C0SECURITY' };

  it('does nothing, and is answered only where it is Slack’s check of the certificate', async () => {
    const { forgeSignature, sendSigned } = world.slack.deliveryFaults;
    forgeSignature({ secret: 'another secret' });
    expect(await sendSigned({ body: '{"type":"url_verification","challenge":"x"}' })).toBe(401);
    expect(await sendSigned({ body: new URLSearchParams(question).toString(), type: form })).toBe(401);
    const check = new URLSearchParams({ ...question, ssl_check: '1' }).toString();
    expect(await sendSigned({ body: check, type: form })).toBe(200);
    expect(await sendSigned({ body: `${check}&padding=${'x'.repeat(1_024)}`, type: form })).toBe(401);
    expect(await answers()).toBe(0);
  });

  it('is read no further than 512 KB, as a signed one', async () => {
    const { forgeSignature, sendSigned } = world.slack.deliveryFaults;
    const body = JSON.stringify({ type: 'url_verification', challenge: 'x', padding: 'x'.repeat(512 * 1_024) });
    expect(await sendSigned({ body })).toBe(413);
    forgeSignature({ secret: 'another secret' });
    expect(await sendSigned({ body })).toBe(413);
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
