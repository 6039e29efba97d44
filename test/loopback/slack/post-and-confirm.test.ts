/** Posting once, against the local Slack over loopback. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { createPostAndConfirm, findPosted, type PostAndConfirm } from '../../../src/slack/posting/deliver-reply.ts';
import {
  createClients,
  createRetryOnRateLimit,
  type SlackClients,
  singleCalls,
  slackFailure,
} from '../../../src/slack/transport/web-api.ts';
import { eventually } from '../../support/clock.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = 'C0SECURITY';
let slack: LocalSlack;
let clock: ImpatientClock;
let postAndConfirm: PostAndConfirm;
let clients: SlackClients;

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log: QUIET });
  const retryOnRateLimit = createRetryOnRateLimit(clock, QUIET);
  postAndConfirm = createPostAndConfirm({ clients, retryOnRateLimit, clock, log: QUIET });
});
afterEach(() => slack.stop());

const texts = (): string[] => slack.messages(CHANNEL).map(({ text }) => text);
const post = (id: string) => postAndConfirm({ channel: CHANNEL, text: id }, id);

/** Answers every call with as much as is read of a body that is larger than any limit. */
async function startEndlessPeer() {
  let sent = 0;
  const peer = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.write('{"ok":true,"filler":"');
    const filler = 'x'.repeat(100_000);
    const write = (): void => {
      for (; sent < 64_000_000; sent += filler.length) if (response.destroyed || !response.write(filler)) return;
      response.end('"}');
    };
    response.on('drain', write);
    write();
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  const address = peer.address();
  const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`;
  return {
    apiUrl,
    sent: () => sent,
    close() {
      peer.closeAllConnections();
      peer.close();
    },
  };
}

describe('an answer of Slack that does not end', () => {
  it.each(['auth.test', 'apps.connections.open', 'chat.postMessage'])(
    'is read no further than %s needs',
    async (method) => {
      const peer = await startEndlessPeer();
      // As the sockets and Bolt itself call Slack.
      const client = new WebClient('xoxb-1', singleCalls(peer.apiUrl));
      const failure = await client.apiCall(method).catch(slackFailure);
      expect(failure).toMatchObject({ kind: 'ambiguous' });
      peer.close();
      // Some is in the buffers of the two sockets.
      expect(peer.sent()).toBeLessThan(20_000_000);
    },
  );
});

describe('a page of history that is too large', () => {
  it('is asked for again in halves, and the message found', async () => {
    const asked: number[] = [];
    const messages = Array.from({ length: 150 }, (_, n) => {
      const metadata = { event_type: 'wafbot_message', event_payload: { id: `id${n}` } };
      return JSON.stringify({ ts: `17731530${n}.000001`, text: 'x'.repeat(250_000), metadata });
    });
    const peer = createServer(async (request, response) => {
      const body = new URLSearchParams((await request.toArray()).join(''));
      const [limit, from] = [Number(body.get('limit')), Number(body.get('cursor') ?? 0)];
      asked.push(limit);
      const more = from + limit < messages.length;
      const next = JSON.stringify({ next_cursor: more ? String(from + limit) : '' });
      const page = messages.slice(from, from + limit).join();
      response.setHeader('content-type', 'application/json');
      response.end(`{"ok":true,"messages":[${page}],"has_more":${more},"response_metadata":${next}}`);
    });
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const address = peer.address();
    const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`;
    const there = createClients({ token: 'xoxb-1', apiUrl, clock, log: QUIET });
    const query = { channel: CHANNEL, since: clock.now() };
    expect(await findPosted(there, { ...query, id: 'id140' })).toEqual({ ts: '17731530140.000001' });
    expect(asked).toEqual([200, 100, 50, 50, 50]);
    expect(await findPosted(there, { ...query, id: 'none' })).toBeNull();
    peer.closeAllConnections();
    peer.close();
  });
});

describe('posting once', () => {
  it.each([
    ['the answer is lost', { kind: 'response_lost' }],
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
    slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await postAndConfirm({ channel: CHANNEL, text: 'below', thread_ts: root.ts }, 'id');
    expect(texts()).toEqual(['root', 'below']);
  });

  it('waits as long as Slack says, within bounds', async () => {
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 4 });
    await post('one');
    expect(clock.waits).toContain(4_000);
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 3_600 });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'rate_limited');
    expect(texts()).toEqual(['one']);
  });

  it('takes no longer wait from Slack than five minutes', async () => {
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: '99999999999' });
    await expect(post('one')).rejects.toSatisfy((error) => {
      const failure = slackFailure(error);
      return failure?.kind === 'rate_limited' && failure.retryAfterMs === 300_000;
    });
    await eventually(() => clients.limited().length === 0, 'the end of the limit');
    await post('two');
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 'soon' });
    await post('three');
    expect(texts()).toEqual(['two', 'three']);
  });

  it('gives up on a refusal at once, and on ambiguity after a few looks', async () => {
    slack.faults.inject('chat.postMessage', { kind: 'error', error: 'is_archived' });
    await expect(post('one')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'refused');
    expect(slack.calls('conversations.history')).toHaveLength(0);
    slack.faults.inject('chat.postMessage', { kind: 'cut' }, { times: Number.POSITIVE_INFINITY });
    await expect(post('two')).rejects.toSatisfy((error) => slackFailure(error)?.kind === 'not_posted');
    expect(slack.calls('chat.postMessage').length).toBeLessThan(7);
  });
});

describe('the search for a message', () => {
  const chat = (count: number, threadTs?: string): void => {
    for (let at = 0; at < count; at += 1) slack.say({ text: `chatter ${at}`, channel: CHANNEL, threadTs });
  };
  const search = (threadTs?: string) =>
    findPosted(clients, {
      channel: CHANNEL,
      id: 'one',
      since: clock.now(),
      threadTs,
    });

  it('goes through all pages since the sending, in a channel and in a thread', async () => {
    const { ts } = await post('one');
    chat(450);
    expect(await search()).toEqual({ ts });
    expect(slack.calls('conversations.history')).toHaveLength(3);
    chat(450, ts);
    const below = await postAndConfirm({ channel: CHANNEL, text: 'below', thread_ts: ts }, 'two');
    expect(await findPosted(clients, { channel: CHANNEL, id: 'two', since: clock.now(), threadTs: ts })).toEqual(below);
  });

  it.each([
    ['ahead', 3],
    ['behind', -3],
  ])('finds it although the clock here is hours %s', async (_, hours) => {
    const { ts } = await post('one');
    chat(50);
    expect(await findPosted(clients, { channel: CHANNEL, id: 'one', since: clock.now().add({ hours }) })).toEqual({
      ts,
    });
  });

  it('finds out that it is not there', async () => {
    chat(450);
    expect(await search()).toBeNull();
  });

  it.each([
    ['a page cannot be read', { kind: 'error', error: 'fatal_error' }],
    ['Slack limits it', { kind: 'rate_limited', retryAfterSeconds: 60 }],
    ['the way to the next page is missing', { kind: 'body', body: '{"ok":true,"messages":[],"has_more":true}' }],
  ] as const)('does not take it for absent when %s', async (_what, fault) => {
    chat(450);
    slack.faults.inject('conversations.history', fault, { when: ({ cursor }) => cursor !== undefined });
    await expect(search()).rejects.toSatisfy((error) => slackFailure(error) !== null);
  });
});
