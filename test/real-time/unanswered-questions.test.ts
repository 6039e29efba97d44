/** Questions that a process acknowledged and didn't answer: the next one does, once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../playground/slack/index.ts';
import { eventually } from '../support/clock.ts';
import { count } from '../support/counts.ts';
import { cleanUpAfterEach, later, runBot, startStandIns } from '../support/process-stage.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { createSeededRandom, SEED_OF_RUN } from '../support/seeded-random.ts';
import { textOf } from '../support/world.ts';

cleanUpAfterEach();

const ROUNDS = count(8, 2, 4);
const isAnswer = ({ text }: { readonly text: string }) => !text.startsWith('Working on');
const CHANNEL = 'C0SECURITY';

async function sqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-questions-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'wafbot.db')}`;
}

async function redis(): Promise<string> {
  const server = await startRedis();
  later(() => server.stop());
  return server.url;
}

async function startStage(store: string) {
  const { slack, service, environment } = await startStandIns('socket');
  const start = async () => {
    const bot = runBot({ ...environment, WAFBOT_STORE: store, WAFBOT_CHARTS: 'none', WAFBOT_STOP_SECONDS: '4' });
    await bot.printed(/wafbot is ready/);
    return bot;
  };
  /** What the bot has said in the thread of a mention. */
  const answers = (ts: string) => slack.thread(CHANNEL, ts).filter((message) => message.ts !== ts);
  const answered = (ts: string) => eventually(() => answers(ts).some(isAnswer), 'the answer');
  const ask = async (text: string): Promise<string> =>
    (await slack.mention({ channel: CHANNEL, text })).message?.ts ?? '';
  return { slack, service, start, ask, answers, answered };
}

const STORES = [['SQLite', sqlite], ...(redisAvailable ? ([['Redis', redis]] as const) : [])] as const;

describe.each(STORES)(`a process on %s that is killed${redisNote}`, (_, open) => {
  it('while people wait: the next one answers each question once, in place of the notice', async () => {
    const stage = await startStage(await open());
    const first = await stage.start();
    const hold = stage.service.hold();
    const [mention, later] = [await stage.ask('timeline last 3h'), await stage.ask('check last 2h')];
    await stage.slack.command({ text: 'attacks last 5h', channel: CHANNEL });
    await eventually(() => stage.answers(mention).length === 1 && stage.answers(later).length === 1, 'the notices');
    first.signal('SIGKILL');
    await first.ended;
    hold.release();
    stage.service.resetFaults();
    const next = await stage.start();
    await stage.answered(mention);
    await stage.answered(later);
    const isCommand = (message: Message) => textOf(message).includes('Asked before I restarted: `attacks last 5h`');
    await stage.slack.nextMessage({ channel: CHANNEL, match: isCommand });
    await stage.answered(await stage.ask('help'));
    for (const ts of [mention, later]) expect(stage.answers(ts)).toHaveLength(1);
    expect(stage.slack.messages(CHANNEL).filter(isCommand)).toHaveLength(1);
    expect(textOf(stage.answers(mention)[0] ?? { text: '', blocks: [] })).toContain('Asked before I restarted');
    next.signal('SIGTERM');
    expect(await next.ended).toBe(0);
  });
});

describe.each(STORES.slice(0, count(2, 1)))('a process on %s that is killed', (_, open) => {
  it('at random moments: no question is answered twice, and the last process answers what it can', async () => {
    const random = createSeededRandom(SEED_OF_RUN);
    const stage = await startStage(await open());
    const asked: string[] = [];
    stage.service.misbehave({ kind: 'slow', ms: 100 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const bot = await stage.start();
      for (let each = 0; each < 5; each += 1) asked.push(await stage.ask(`timeline last ${61 + asked.length} minutes`));
      await delay(random.below(600));
      bot.signal('SIGKILL');
      await bot.ended;
    }
    await stage.start();
    const last = await stage.ask('help');
    await stage.answered(last);
    const unanswered = () => asked.filter((ts) => !stage.answers(ts).some(isAnswer));
    // Those whose answer was on its way when the process was killed can't be told from answered ones.
    await eventually(() => unanswered().length <= ROUNDS, 'the answers');
    await stage.answered(await stage.ask('help'));
    for (const ts of asked) expect(stage.answers(ts).length).toBeLessThanOrEqual(1);
  });
});

describe('a process on SQLite', () => {
  it('that is killed while it makes a change: the next one does not make it again, and says so', async () => {
    const stage = await startStage(await sqlite());
    const first = await stage.start();
    const gate = stage.slack.faults.hold('conversations.info');
    const change = await stage.ask('digest daily at 9:00');
    await gate.reached;
    first.signal('SIGKILL');
    await first.ended;
    gate.release();
    await stage.start();
    await stage.answered(change);
    const [answer] = stage.answers(change);
    expect(answer?.text).toContain('I restarted before I could answer “digest daily at 9:00”');
    expect(answer?.text).toContain('It may have been done. Check before you ask again.');
    const list = await stage.ask('digest list');
    await stage.answered(list);
    expect(stage.answers(list)[0]?.text).toMatch(/no digests/i);
  });

  it('that is killed, and the next one too: that it restarted takes the place of the notice', async () => {
    const stage = await startStage(await sqlite());
    const first = await stage.start();
    stage.service.hold();
    // Nobody else has seen a typed command, so a refusal would go to the asker alone.
    await stage.slack.command({ text: 'timeline last 3h', channel: CHANNEL });
    const notice = await stage.slack.nextMessage({ channel: CHANNEL });
    expect(notice.text).toMatch(/^Working on/);
    first.signal('SIGKILL');
    await first.ended;
    const second = await stage.start();
    await second.printed(/answering a question from before a restart/);
    second.signal('SIGKILL');
    await second.ended;
    await stage.start();
    const shown = () => stage.slack.messages(CHANNEL).filter(({ botId }) => botId !== undefined);
    await eventually(() => shown().some(isAnswer), 'the answer');
    expect(shown().map(({ ts, text }) => [ts, text])).toEqual([
      [notice.ts, expect.stringContaining('I restarted before I could answer “timeline last 3h”')],
    ]);
    expect(stage.slack.ephemerals()).toEqual([]);
  });

  it('that is stopped while Slack limits every way to answer: the next one answers', async () => {
    const stage = await startStage(await sqlite());
    const first = await stage.start();
    const limit = { kind: 'rate_limited', retryAfterSeconds: '300' } as const;
    for (const method of ['chat.postMessage', 'chat.postEphemeral', 'conversations.open'])
      stage.slack.faults.inject(method, limit, { times: Number.POSITIVE_INFINITY });
    const question = await stage.ask('timeline last 3h');
    await first.printed(/Slack limits every way to answer/);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(stage.answers(question)).toEqual([]);
    stage.slack.faults.clear();
    await stage.start();
    await stage.answered(question);
    expect(stage.answers(question)).toHaveLength(1);
  });
});
