/**
 * What Slack does as far as the bot relies on it. The local Slack and the model of the simulation run this suite, behind the
 * clients that the bot uses.
 */
import type { ModalView } from '@slack/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { findPosted, postWithId } from '../../src/slack/posting/deliver-reply.ts';
import { type SlackClients, slackFailure } from '../../src/slack/transport/web-api.ts';

export type SlackFault = 'rate limit' | 'server error' | 'request lost' | 'answer lost';

export interface SlackStage {
  readonly clients: SlackClients;
  readonly channel: string;
  readonly user: string;
  now(): Temporal.Instant;
  /** What the next call of the method meets. */
  meet(method: string, fault: SlackFault): void;
  /** Somebody types a command there. */
  typeCommand(): Promise<{ readonly responseUrl: string; readonly triggerId: string }>;
}

const VIEW: ModalView = { type: 'modal', title: { type: 'plain_text', text: 'Form' }, blocks: [] };
const TIMEOUT = { timeoutMs: 5_000 };

export function slackContract(open: () => Promise<SlackStage>): void {
  let stage: SlackStage;
  beforeEach(async () => {
    stage = await open();
  });

  const post = async (text: string, id: string, threadTs?: string): Promise<string> => {
    const message = { channel: stage.channel, text, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) };
    return (await postWithId(stage.clients, message, id)).ts;
  };
  const find = (id: string, threadTs?: string) =>
    findPosted(stage.clients, { channel: stage.channel, id, since: stage.now(), threadTs });
  const history = async (range: object = {}): Promise<string[]> => {
    const { messages = [] } = await stage.clients.read.conversations.history({ channel: stage.channel, ...range });
    return messages.map(({ text = '' }) => text);
  };
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => slackFailure(error),
    );

  describe('messages', () => {
    it('are in the history, the newest first, and found by the ID in their metadata', async () => {
      const first = await post('first', 'one');
      const second = await post('second', 'two');
      expect(Number(second)).toBeGreaterThan(Number(first));
      expect(await history()).toEqual(['second', 'first']);
      expect(await find('one')).toEqual({ ts: first });
      expect(await find('three')).toBeNull();
    });

    it('come in pages and within a range', async () => {
      const stamps = [];
      for (const text of ['a', 'b', 'c']) stamps.push(await post(text, text));
      const [a = '', b = ''] = stamps;
      const { conversations } = stage.clients.read;
      const page = await conversations.history({ channel: stage.channel, limit: 2 });
      expect(page.has_more).toBe(true);
      const cursor = page.response_metadata?.next_cursor ?? '';
      expect(await history({ limit: 2, cursor })).toEqual(['a']);
      expect(await history({ oldest: a })).toEqual(['c', 'b']);
      expect(await history({ oldest: a, latest: b, inclusive: true })).toEqual(['b', 'a']);
    });

    it('of a thread are not in the history but below their message, the oldest first', async () => {
      const ts = await post('parent', 'one');
      await post('reply', 'two', ts);
      await post('last', 'three', ts);
      expect(await history()).toEqual(['parent']);
      const { messages = [] } = await stage.clients.read.conversations.replies({ channel: stage.channel, ts });
      expect(messages.map(({ text }) => text)).toEqual(['parent', 'reply', 'last']);
      expect(await find('two')).toBeNull();
      expect(await find('two', ts)).not.toBeNull();
    });

    it('are edited and deleted, and then gone', async () => {
      const { chat } = stage.clients.post;
      const ts = await post('before', 'one');
      await chat.update({ channel: stage.channel, ts, text: 'after' });
      expect(await history()).toEqual(['after']);
      expect(await find('one')).toEqual({ ts });
      expect((await chat.getPermalink({ channel: stage.channel, message_ts: ts })).permalink).toContain(stage.channel);
      await chat.delete({ channel: stage.channel, ts });
      expect(await history()).toEqual([]);
      const edit = chat.update({ channel: stage.channel, ts, text: 'late' });
      expect(await failureOf(edit)).toMatchObject({ kind: 'refused', reason: 'message_not_found' });
    });

    it('for one person are in no history', async () => {
      await stage.clients.post.chat.postEphemeral({ channel: stage.channel, user: stage.user, text: 'psst' });
      expect(await history()).toEqual([]);
    });

    it('to one person are in one place', async () => {
      const open = async () => (await stage.clients.post.conversations.open({ users: stage.user })).channel?.id;
      expect(await open()).toBe(await open());
    });
  });

  describe('a response_url', () => {
    it('shows what it gets to everyone or to the asker, five times', async () => {
      const { responseUrl } = await stage.typeCommand();
      const respond = (type: string, text: string) =>
        stage.clients.postToUrl(responseUrl, { json: { response_type: type, text }, ...TIMEOUT });
      expect((await respond('in_channel', 'seen')).status).toBe(200);
      expect(await history()).toEqual(['seen']);
      for (let use = 2; use <= 5; use += 1) expect((await respond('ephemeral', 'alone')).status).toBe(200);
      expect(await history()).toEqual(['seen']);
      expect((await respond('in_channel', 'too much')).status).toBe(404);
      expect(await history()).toEqual(['seen']);
    });

    it('fails like other calls', async () => {
      const { responseUrl } = await stage.typeCommand();
      const respond = () => stage.clients.postToUrl(responseUrl, { json: { text: 'hello' }, ...TIMEOUT });
      stage.meet('response_url', 'rate limit');
      expect((await respond()).status).toBe(429);
      stage.meet('response_url', 'answer lost');
      expect(await failureOf(respond())).toMatchObject({ kind: 'ambiguous' });
    });
  });

  it('opens a form for a trigger, once', async () => {
    const { triggerId } = await stage.typeCommand();
    const open = (trigger: string) => stage.clients.post.views.open({ trigger_id: trigger, view: VIEW });
    expect((await open(triggerId)).ok).toBe(true);
    expect(await failureOf(open(triggerId))).toMatchObject({ kind: 'refused' });
    expect(await failureOf(open('none'))).toMatchObject({ kind: 'refused' });
  });

  describe('a call', () => {
    it.each([
      ['rate limit', 'rate_limited', false],
      ['request lost', 'ambiguous', false],
      ['answer lost', 'ambiguous', true],
    ] as const)('that meets a %s fails as %s', async (fault, kind, isPosted) => {
      stage.meet('chat.postMessage', fault);
      expect(await failureOf(post('hello', 'one'))).toMatchObject({ kind });
      expect((await find('one')) !== null).toBe(isPosted);
    });

    it('that meets a server error is in doubt', async () => {
      stage.meet('chat.postMessage', 'server error');
      expect(await failureOf(post('hello', 'one'))).toMatchObject({ kind: 'ambiguous' });
    });
  });
}
