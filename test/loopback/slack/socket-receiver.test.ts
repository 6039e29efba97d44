/** Two sockets against the local Slack: dropped, refreshed, refused, away, and stopped in the middle of it all. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { App } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { Clock } from '../../../src/clock.ts';
import { createSocketReceiver, type SocketReceiver } from '../../../src/slack/transport/socket-receiver.ts';
import { slackLogger } from '../../../src/slack/transport/web-api.ts';
import { eventually } from '../../support/clock.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const NEVER = 1e9;
let slack: LocalSlack;
let clock: ImpatientClock;
const receivers: SocketReceiver[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeEach(async () => {
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE });
  clock = createImpatientClock('2026-03-10T14:30:00Z', [NEVER]);
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
  await slack.stop();
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

function create(appToken = slack.appToken, on: Clock = clock, pingEveryMs?: number): SocketReceiver {
  const receiver = createSocketReceiver({
    appToken,
    ...(pingEveryMs !== undefined && { pingEveryMs }),
    apiUrl: slack.apiUrl,
    clock: on,
    log: QUIET,
    logger: slackLogger(QUIET),
  });
  // Bolt gives itself to its receiver.
  new App({ receiver, token: slack.botToken, deferInitialization: true, clientOptions: { slackApiUrl: slack.apiUrl } });
  receivers.push(receiver);
  return receiver;
}

/** Waits up to this long are over at once, longer ones never. */
const impatientBelow = (maxMs: number): Clock => ({
  now: clock.now,
  after(ms, run) {
    const timer = ms > maxMs ? undefined : setTimeout(run, 1);
    return () => clearTimeout(timer);
  },
});

function countPongs() {
  let pongs = 0;
  const note = () => {
    pongs += 1;
  };
  subscribe('undici:websocket:pong', note);
  return { count: () => pongs, stop: () => unsubscribe('undici:websocket:pong', note) };
}

const reconnecting = (opened: number) => slack.calls('apps.connections.open').length > opened;
const both = (receiver: SocketReceiver) => () => slack.sockets.connected() === 2 && receiver.connected() === 2;

describe('two sockets', () => {
  it('are opened, and open again when one is dropped or refreshed', async () => {
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    for (const end of [
      () => slack.sockets.drop(0),
      () => slack.sockets.disconnect('refresh_requested', 1),
      () => slack.sockets.drop(),
    ]) {
      const opened = slack.calls('apps.connections.open').length;
      end();
      await eventually(() => slack.calls('apps.connections.open').length > opened, 'a new address');
      await eventually(both(receiver), 'both sockets again');
    }
  });

  it('wait for a Slack that is away, longer and longer, and then work', async () => {
    slack.faults.inject('apps.connections.open', { kind: 'status', status: 503 }, { times: 12 });
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    const waits = clock.waits.filter((ms) => ms > 0);
    expect(waits.length).toBeGreaterThanOrEqual(8);
    expect(Math.max(...waits)).toBeGreaterThan(4 * Math.min(...waits));
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
  });

  it('wait no longer than usual where Slack asks for an endless wait', async () => {
    const fault = { kind: 'rate_limited', retryAfterSeconds: '99999999999' } as const;
    slack.faults.inject('apps.connections.open', fault, { times: 4 });
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(15_000);
  });

  it('are not reopened without a delay when Slack closes them after each hello', async () => {
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    for (let round = 0; round < 4; round += 1) {
      const opened = slack.calls('apps.connections.open').length;
      slack.sockets.drop();
      await eventually(() => slack.calls('apps.connections.open').length >= opened + 2, 'two new addresses');
      await eventually(both(receiver), 'both sockets again');
    }
    expect(clock.waits.length).toBeGreaterThanOrEqual(4);
  });

  it('are both open again soon where one drops again and again after it was of use', async () => {
    let elapsed = 0;
    // Long waits never end, and every connection lasts a while.
    const hasty: Clock = { ...impatientBelow(1_000), elapsedMs: () => (elapsed += 700) };
    const receiver = create(slack.appToken, hasty);
    await receiver.start();
    for (let round = 0; round < 8; round += 1) {
      await eventually(both(receiver), `both sockets in round ${round}`);
      slack.sockets.drop(0);
      await eventually(() => slack.sockets.connected() < 2, 'the drop');
      expect(slack.sockets.connected()).toBe(1);
    }
  });

  it('stay open until the next one is, where Slack refreshes them', async () => {
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    const gate = slack.faults.hold('apps.connections.open');
    slack.sockets.disconnect('refresh_requested', 0);
    await gate.reached;
    expect(receiver.connected()).toBe(2);
    gate.release();
    await eventually(both(receiver), 'the new one, and the old one closed');
  });

  it.each([
    ['forward by a day', 86_400_000],
    ['back by ten years', -315_360_000_000],
  ])('stay open when the clock is set %s', async (_, byMs) => {
    const receiver = create(slack.appToken, clock, 10);
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    const opened = slack.calls('apps.connections.open').length;
    const pongs = countPongs();
    try {
      await eventually(() => pongs.count() > 10, 'pongs');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
      const before = pongs.count();
      await eventually(() => pongs.count() > before + 20, 'more pongs');
    } finally {
      vi.useRealTimers();
      pongs.stop();
    }
    expect(slack.calls('apps.connections.open')).toHaveLength(opened);
    expect(receiver.connected()).toBe(2);
  });

  it('are replaced when Slack goes silent on one', async () => {
    const receiver = create(slack.appToken, clock, 10);
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    const opened = slack.calls('apps.connections.open').length;
    slack.sockets.silence(0);
    await eventually(() => slack.calls('apps.connections.open').length > opened, 'a new address');
    await eventually(both(receiver), 'both sockets again');
  });

  it('are never both closed for long: the last one to drop is opened again at once', async () => {
    // Long waits never end, so only what is not delayed can open.
    const receiver = create(slack.appToken, impatientBelow(1_000));
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    for (let round = 0; round < 12; round += 1) {
      const opened = slack.calls('apps.connections.open').length;
      slack.sockets.drop();
      // Not that there is none: the next one may be open before anyone looks.
      await eventually(() => slack.calls('apps.connections.open').length > opened, 'the drop');
      await eventually(() => receiver.connected() > 0, `a socket in round ${round}`);
    }
  });

  it('say clearly that a token is refused', async () => {
    const receiver = create('xapp-wrong');
    await expect(receiver.start()).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('Slack rejected the app token'),
      hint: expect.stringContaining('SLACK_APP_TOKEN'),
    });
  });
});

describe('stopping', () => {
  it('in the middle of reconnecting ends at once and leaves no rejection behind', async () => {
    for (let round = 0; round < 5; round += 1) {
      const receiver = create();
      await receiver.start();
      await eventually(both(receiver), 'two sockets');
      const gate = slack.faults.hold('apps.connections.open');
      slack.sockets.drop(0);
      await gate.reached;
      const stopped = receiver.stop();
      gate.release();
      await stopped;
      receivers.length = 0;
      await eventually(() => slack.sockets.connected() === 0, 'no socket left');
      expect(receiver.connected()).toBe(0);
    }
  });

  it.each<[string, (receiver: SocketReceiver, opened: number) => boolean]>([
    ['right after the drop', () => true],
    ['when the drop is noticed', (receiver, opened) => receiver.connected() < 2 || reconnecting(opened)],
    ['while a new address is asked for', (_, opened) => reconnecting(opened)],
    ['during the handshake', (_, opened) => reconnecting(opened) && slack.sockets.connected() > 0],
    ['when one is open again', (receiver, opened) => reconnecting(opened) && receiver.connected() > 0],
  ])('%s, and twice', async (moment, hasCome) => {
    const receiver = create();
    await receiver.start();
    await eventually(both(receiver), 'two sockets');
    const opened = slack.calls('apps.connections.open').length;
    slack.sockets.drop();
    await eventually(() => hasCome(receiver, opened), moment);
    await receiver.stop();
    await receiver.stop();
    receivers.length = 0;
    await eventually(() => slack.sockets.connected() === 0, 'no socket left');
  });

  it('during a delay does not wait for its end', async () => {
    const slow = { ...clock, after: (_ms: number, run: () => void) => clock.after(NEVER, run) };
    slack.faults.inject('apps.connections.open', { kind: 'status', status: 503 }, { times: Number.POSITIVE_INFINITY });
    const receiver = create(slack.appToken, slow);
    const started = receiver.start();
    await eventually(() => clock.waits.length >= 2, 'both in their delays');
    const failed = expect(started).rejects.toThrow('stopped before Slack answered');
    await receiver.stop();
    await failed;
  });
});
