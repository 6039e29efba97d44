/** Posting once, against the local Slack over loopback. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { createPostOnce, createRetryOnRateLimit, type PostOnce } from '../../../src/slack/posting/post-once.ts';
import { createClients } from '../../../src/slack/transport/clients.ts';
import { slackFailure } from '../../../src/slack/transport/slack-failure.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = 'C0SECURITY';
let slack: LocalSlack;
let clock: ImpatientClock;
let postOnce: PostOnce;

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  const clients = createClients(slack.botToken, slack.apiUrl, QUIET);
  const retryOnRateLimit = createRetryOnRateLimit(clock, QUIET);
  postOnce = createPostOnce({ clients, retryOnRateLimit, clock, log: QUIET });
});
afterEach(() => slack.stop());

const texts = (): string[] => slack.messages(CHANNEL).map(({ text }) => text);
const post = (id: string) => postOnce({ channel: CHANNEL, text: id }, id);

describe('posting once', () => {
  it.each([
    ['the answer is lost', { kind: 'answer_lost' }],
    ['the connection is cut before', { kind: 'cut' }],
    ['Slack answers 502 after posting', { kind: 'status', status: 502, afterEffect: true }],
    ['Slack answers 502 instead of posting', { kind: 'status', status: 502 }],
    ['Slack names a fault of its own', { kind: 'error', error: 'fatal_error' }],
  ] as const)('when %s, there is one message', async (_what, fault) => {
    slack.faults.inject('chat.postMessage', fault);
    const { ts } = await post('one');
    expect(texts()).toEqual(['one']);
    expect(slack.messages(CHANNEL)[0]?.ts).toBe(ts);
  });

  it('finds it in its thread', async () => {
    const root = slack.say({ text: 'root', channel: CHANNEL });
    slack.faults.inject('chat.postMessage', { kind: 'answer_lost' });
    await postOnce({ channel: CHANNEL, text: 'below', thread_ts: root.ts }, 'id');
    expect(texts()).toEqual(['root', 'below']);
  });

  it('waits as long as Slack says, within bounds', async () => {
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 9 });
    await post('one');
    expect(clock.waits).toEqual([9_000]);
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 3_600 });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'rate_limited');
    expect(texts()).toEqual(['one']);
  });

  it('gives up on a refusal at once, and on ambiguity after a few looks', async () => {
    slack.faults.inject('chat.postMessage', { kind: 'error', error: 'is_archived' });
    await expect(post('one')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'refused');
    expect(slack.calls('conversations.history')).toHaveLength(0);
    slack.faults.inject('chat.postMessage', { kind: 'cut' }, { times: Number.POSITIVE_INFINITY });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'ambiguous');
    expect(slack.calls('chat.postMessage').length).toBeLessThan(7);
  });
});
