/** The parts that talk to Slack's Web API, against the local Slack over loopback. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { createPoster, type Poster } from '../../../src/slack/posting/post-once.ts';
import { slackFailure } from '../../../src/slack/slack-failure.ts';
import { createClients, type SlackClients } from '../../../src/slack/transport/clients.ts';
import { createDeduplicate } from '../../../src/slack/transport/deduplicate.ts';
import { createZones } from '../../../src/slack/zones.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = 'C0SECURITY';
let slack: LocalSlack;
let clients: SlackClients;
let clock: ImpatientClock;
let poster: Poster;

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ mode: 'socket', now: () => clock.now().epochMilliseconds });
  clients = createClients(slack.botToken, slack.apiUrl, QUIET);
  poster = createPoster({ clients, clock, log: QUIET });
});
afterEach(() => slack.stop());

const texts = (): string[] => slack.messages(CHANNEL).map(({ text }) => text);
const post = (id: string) => poster.postOnce({ channel: CHANNEL, text: id }, id);

describe('posting once', () => {
  it.each([
    ['the answer is lost', { kind: 'answer_lost' }],
    ['the connection is cut before', { kind: 'cut' }],
    ['Slack answers 502 after posting', { kind: 'status', status: 502, afterEffect: true }],
    ['Slack answers 502 instead of posting', { kind: 'status', status: 502 }],
    ['Slack names a fault of its own', { kind: 'error', error: 'fatal_error' }],
  ] as const)('when %s, there is one message', async (_what, fault) => {
    slack.faults.order('chat.postMessage', fault);
    const { ts } = await post('one');
    expect(texts()).toEqual(['one']);
    expect(slack.messages(CHANNEL)[0]?.ts).toBe(ts);
  });

  it('finds it in its thread', async () => {
    const root = slack.say({ text: 'root', channel: CHANNEL });
    slack.faults.order('chat.postMessage', { kind: 'answer_lost' });
    await poster.postOnce({ channel: CHANNEL, text: 'below', thread_ts: root.ts }, 'id');
    expect(texts()).toEqual(['root', 'below']);
  });

  it('waits as long as Slack says, within bounds', async () => {
    slack.faults.order('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 9 });
    await post('one');
    expect(clock.waits).toEqual([9_000]);
    slack.faults.order('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 3_600 });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'throttled');
    expect(texts()).toEqual(['one']);
  });

  it('gives up on a refusal at once, and on doubt after a few looks', async () => {
    slack.faults.order('chat.postMessage', { kind: 'error', error: 'is_archived' });
    await expect(post('one')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'refused');
    expect(slack.calls('conversations.history')).toHaveLength(0);
    slack.faults.order('chat.postMessage', { kind: 'cut' }, { times: Number.POSITIVE_INFINITY });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'doubtful');
    expect(slack.calls('chat.postMessage').length).toBeLessThan(7);
  });
});

describe('zones', () => {
  const zones = () => createZones(clients, () => clock.now().epochMilliseconds, QUIET);

  it('come from the profile, once an hour', async () => {
    const known = zones();
    expect(await known.zoneOf('U0MAYA0001')).toBe('Europe/Stockholm');
    expect(await Promise.all([known.zoneOf('U0MAYA0001'), known.zoneOf('U0NOZONE01')])).toEqual([
      'Europe/Stockholm',
      null,
    ]);
    expect(slack.calls('users.info')).toHaveLength(2);
    clock.set('2026-03-10T15:31:00Z');
    await known.zoneOf('U0MAYA0001');
    expect(slack.calls('users.info')).toHaveLength(3);
  });

  it('that could not be asked for are not known, and asked for again', async () => {
    slack.faults.order('users.info', { kind: 'error', error: 'missing_scope' });
    const known = zones();
    expect(await known.zoneOf('U0MAYA0001')).toBeNull();
    expect(await known.zoneOf('U0MAYA0001')).toBe('Europe/Stockholm');
  });
});

describe('what was seen', () => {
  it('is new once in ten minutes', async () => {
    const deduplicate = createDeduplicate(() => clock.now().epochMilliseconds);
    expect([await deduplicate('a'), await deduplicate('b'), await deduplicate('a')]).toEqual([true, true, false]);
    clock.set('2026-03-10T14:39:59Z');
    expect(await deduplicate('a')).toBe(false);
    clock.set('2026-03-10T14:40:00Z');
    expect(await deduplicate('a')).toBe(true);
  });
});
