/** Messages whose confirmation was lost, or that were sent elsewhere: nobody sees one twice. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { LocalSlack, Message } from '../../../playground/slack/index.ts';
import type { Clock } from '../../../src/clock.ts';
import { createProgressNotices, NOTICE_LIMIT_MS, SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { createPostAndConfirm } from '../../../src/slack/posting/deliver-reply.ts';
import { createRespond } from '../../../src/slack/posting/response-url.ts';
import { createClients } from '../../../src/slack/transport/web-api.ts';
import { eventually, settle } from '../../support/clock.ts';
import { isDigest, passTo, startScheduledWorld, startWorld, textOf, type World } from '../../support/world.ts';

const ALWAYS = { times: Number.POSITIVE_INFINITY };
const MAYA = 'U0MAYA0001';

const worlds: World<Clock>[] = [];
async function world(prepare: (slack: LocalSlack) => void = () => {}): Promise<World> {
  const started = await startWorld({ prepare });
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

/** Everything the bot posted, once nothing more can come: a stop waits for the requests under way. */
async function allPosted({ bot, slack }: World<Clock>): Promise<Message[]> {
  await bot.stop();
  const everywhere = [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
  return everywhere.filter(({ botId }) => botId !== undefined);
}

const privately = (w: World) => w.slack.command({ text: 'timeline last 2h privately' });

describe('a response_url', () => {
  it.each([
    ['is lost', { kind: 'response_lost' }],
    ['is a 502 after it took effect', { kind: 'status', status: 502, afterEffect: true }],
  ] as const)('whose answer %s is used once', async (_how, fault) => {
    const w = await world(({ faults }) => faults.inject('response_url', fault, ALWAYS));
    await privately(w);
    await w.slack.nextMessage();
    expect(await allPosted(w)).toHaveLength(1);
    expect(w.slack.calls('response_url')).toHaveLength(1);
  });

  it('that hangs is used once', async () => {
    const w = await world();
    const gate = w.slack.faults.hold('response_url', ALWAYS);
    await privately(w);
    await gate.reached;
    // ky ends the call after five seconds of real time.
    expect(await allPosted(w)).toHaveLength(0);
    gate.release();
    await eventually(() => w.slack.ephemerals(MAYA).length > 0, 'the message that Slack was slow to show');
    expect(w.slack.calls('response_url')).toHaveLength(1);
  });

  it('that refuses the blocks is used once more, with simpler ones', async () => {
    const w = await world(({ faults }) => void faults.refuseBlockType('data_visualization'));
    await privately(w);
    expect(await w.slack.nextMessage()).toMatchObject({ via: 'response_url', visibleTo: MAYA });
    expect(w.slack.calls('response_url')).toHaveLength(2);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it.each([
    [500, 'timeline last 2h privately'],
    [503, 'timeline last 2h privately'],
    [500, 'help'],
    [500, 'gibberish'],
  ])('that fails with %i: the answer to %s comes by direct message', async (status, text) => {
    const w = await world(({ faults }) => faults.inject('response_url', { kind: 'status', status }, ALWAYS));
    await w.slack.command({ text });
    expect((await w.slack.nextMessage()).channel).toMatch(/^D/);
    expect(await allPosted(w)).toHaveLength(1);
    expect(w.slack.calls('response_url')).toHaveLength(1);
  });

  it('that refuses everything is used twice at most; a direct message takes its place', async () => {
    const w = await world(({ faults }) => faults.inject('response_url', { kind: 'status', status: 404 }, ALWAYS));
    await privately(w);
    expect((await w.slack.nextMessage()).channel).toMatch(/^D/);
    expect(await allPosted(w)).toHaveLength(1);
    expect(w.slack.calls('response_url').length).toBeLessThanOrEqual(2);
  });
});

describe('an address that Slack names', () => {
  it('is used only on its own hosts and where the Web API is', async () => {
    const received: string[] = [];
    const elsewhere = createServer((request, response) => {
      received.push(String(request.url));
      response.end('{"ok":true}');
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address = elsewhere.address();
    const foreign = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/elsewhere`;
    const w = await world(({ faults }) => {
      const named = { ok: true, file_id: 'F0FOREIGN1', upload_url: foreign };
      faults.inject('files.getUploadURLExternal', { kind: 'body', body: JSON.stringify(named) }, ALWAYS);
    });
    // The picture is left out, the numbers are not.
    await w.slack.command({ text: 'timeline last 2h' });
    expect(textOf(await w.slack.nextMessage())).toMatch(/requests · [\d,]+ attacks/);
    const { botToken: token, apiUrl } = w.slack;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const clients = createClients({ token, apiUrl, clock: w.clock, log });
    for (const url of [
      foreign,
      'http://hooks.slack.com/x',
      'https://hooks.slack.com.example/x',
      'https://notslack.com/x',
      'nonsense',
    ])
      await expect(clients.postToUrl(url, { json: {}, timeoutMs: 1_000 }), url).rejects.toMatchObject({
        failure: { kind: 'not_posted', reason: 'foreign_address' },
      });
    await w.bot.stop();
    expect(received).toEqual([]);
    elsewhere.close();
  });

  it.each([
    ['response_url', 'timeline last 2h privately'],
    ['upload', 'timeline last 2h'],
  ])('is not followed elsewhere: %s', async (method, text) => {
    const received: string[] = [];
    const elsewhere = createServer((request, response) => {
      received.push(String(request.url));
      response.end('ok');
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address = elsewhere.address();
    const to = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/elsewhere`;
    const w = await world(({ faults }) => faults.inject(method, { kind: 'redirect', to }, ALWAYS));
    await w.slack.command({ text });
    expect(textOf(await w.slack.nextMessage())).toMatch(/requests · [\d,]+ attacks/);
    expect(received).toEqual([]);
    elsewhere.close();
  });
});

describe('a notice that a question is worked on', () => {
  it.each([
    ['asking whether it is private fails', () => Promise.reject(new Error('the storage is slow')), true],
    ['asking that takes longer', () => new Promise<boolean>((resolve) => setTimeout(resolve, 50, true)), true],
    ['another process has taken the question over', async () => false, false],
  ])('is not shown next to the answer where %s', async (_, isPrivate, isOurs) => {
    const w = await world();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const { botToken: token, apiUrl } = w.slack;
    const clients = createClients({ token, apiUrl, clock: w.clock, log });
    const postAndConfirm = createPostAndConfirm({ clients, retryOnRateLimit: (call) => call(), clock: w.clock, log });
    const respond = createRespond(clients, log);
    const asked = Promise.withResolvers<void>();
    const answer = async () => {
      asked.resolve();
      return isPrivate();
    };
    const start = createProgressNotices({ clients, postAndConfirm, respond, clock: w.clock, log });
    const target = { channel: 'C0SECURITY', user: MAYA };
    const notice = start(
      { text: 'hosts', isPrivate: answer, isOurs: async () => isOurs, id: 'notice', shownTs: null },
      target,
    );
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    await asked.promise;
    // What may become visible does so before the answer is there.
    if (!isOurs) await settle();
    const reply = { title: 'Hosts' };
    expect(await notice.finish(reply)).toEqual({ reply, target });
    expect(w.slack.ephemerals(MAYA)).toEqual([]);
    expect(w.slack.messages('C0SECURITY')).toEqual([]);
  });

  it('is taken away where Slack posts it after the answer', async () => {
    const w = await world();
    const service = w.service.hold();
    const gate = w.slack.faults.hold('chat.postMessage');
    await w.slack.command({ text: 'timeline last 2h' });
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    await gate.reached;
    service.release();
    await eventually(() => w.clock.waits.includes(NOTICE_LIMIT_MS), 'the wait for the notice');
    w.clock.end(NOTICE_LIMIT_MS);
    expect((await w.slack.nextMessage()).text).toMatch(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/);
    gate.release();
    await w.slack.waitFor(() => w.slack.calls('chat.delete')[0]?.status === 200, {
      what: 'the notice to be taken away',
    });
    expect(w.slack.messages().filter(({ text }) => text.startsWith('Working on'))).toEqual([]);
  });
});

describe('a busy channel', () => {
  /** The next post is made, its confirmation lost, and 130 messages follow it at once. */
  function loseAnswerInChatter({ slack }: World<Clock>): void {
    slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    const stop = slack.onChange(({ kind, subject }) => {
      if (kind !== 'answer' || !isPost(subject)) return;
      stop();
      for (let at = 0; at < 130; at += 1) slack.say({ text: `chatter ${at}`, channel: 'C0SECURITY' });
    });
  }
  const isPost = (call: unknown): boolean =>
    typeof call === 'object' && call !== null && 'method' in call && call.method === 'chat.postMessage';
  const lookedUp = (w: World<Clock>) => w.slack.calls('conversations.history').at(-1)?.status === 200;

  it('does not double an answer whose confirmation was lost', async () => {
    const w = await world();
    loseAnswerInChatter(w);
    await w.slack.command({ text: 'doctor' });
    await w.slack.waitFor(() => lookedUp(w), { what: 'the look into the history' });
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('does not double a digest whose confirmation was lost', async () => {
    const w = await startScheduledWorld();
    worlds.push(w);
    await w.slack.command({ text: 'digest hourly' });
    await w.slack.nextMessage();
    loseAnswerInChatter(w);
    await passTo(w, '2026-03-10T15:00:00Z');
    expect(lookedUp(w)).toBe(true);
    expect(w.slack.messages().filter(isDigest)).toHaveLength(1);
  });
});
