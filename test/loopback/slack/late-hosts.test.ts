/** Which host it is, from a service that is slow about single hosts: the text goes first, and the host follows into it. */
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Message } from '../../../playground/slack/index.ts';
import { LATER_LIMIT_MS, PICTURE_LIMIT_MS } from '../../../src/slack/posting/picture-messages.ts';
import { eventually } from '../../support/clock.ts';
import { nextAnswer, startWorld, TUESDAY, textOf, type World } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const MAYA = 'U0MAYA0001';
const HOST = /On shop\.example\.org \(\d+\s% of the excess\)\. /;
const FROM = Temporal.Instant.from(TUESDAY).epochMilliseconds / 60_000 - 40;
const WAVE = {
  kind: 'step',
  fromMinute: FROM,
  minutes: 60,
  perMinute: 60,
  hosts: [DEFAULT_HOSTS[0]?.id ?? ''],
} as const;

const worlds: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of worlds) await stop();
});

/** A bot whose service holds back what it knows about single hosts. */
async function start(charts: 'none' | 'embedded' = 'none'): Promise<World & { readonly held: { release(): void } }> {
  const service = { waves: [WAVE], seededWaves: false, habits: { hostLists: 'cloud' } } as const;
  const world = await startWorld({ service, environment: { WAFBOT_CHARTS: charts }, slack: { fileReadyAfter: 0 } });
  const held = world.service.hold({ on: 'timeline', when: (search) => search.has('hosts') });
  worlds.push(async () => {
    held.release();
    await world.stop();
  });
  return { ...world, held };
}

async function ask({ slack }: World, text: string): Promise<Message> {
  await slack.command({ text });
  return nextAnswer(slack);
}

const answers = ({ slack }: World) => slack.messages(CHANNEL).filter(({ botId, text }) => botId !== undefined && text);
const hasPicture = ({ blocks }: Message) => blocks.some(({ type }) => type === 'image');
/** A message of the bot with a button that asks this in its place. */
async function showButton({ slack }: World, method: string, value: string, ts?: string): Promise<void> {
  const text = { type: 'plain_text', text: value };
  const elements = [{ type: 'button', action_id: 'say:replace:0', text, value }];
  const response = await fetch(`${slack.apiUrl}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: CHANNEL, user: MAYA, ts, text: 'Ask:', blocks: [{ type: 'actions', elements }] }),
  });
  expect(await response.json()).toMatchObject({ ok: true });
}

/** The service answers, and whatever that causes in Slack is over. */
async function releaseAndSettle(w: Awaited<ReturnType<typeof start>>): Promise<void> {
  w.held.release();
  await ask(w, 'which host');
}

describe('a host that is found late', { concurrent: true }, () => {
  it.each(['check', 'incident last 1h', 'check why'])(
    'follows into the answer to %s, and nothing else changes',
    async (question) => {
      const w = await start();
      const first = await ask(w, question);
      expect(textOf(first)).not.toContain('excess');
      w.held.release();
      const host = question.endsWith('why') ? / By host: shop\.example\.org [\d,]+ \(\d+ expected\)[^"\\]*/ : HOST;
      const whole = await w.slack.waitFor(() => answers(w).find((message) => host.test(textOf(message))));
      expect(whole.ts).toBe(first.ts);
      const words = (message: Message) => textOf(message).replace(/"block_id":"[^"]*"/g, '');
      expect(words(whole).replace(host, '')).toBe(words(first));
      expect(answers(w)).toHaveLength(1);
      expect(w.slack.calls('chat.postMessage')).toHaveLength(1);
      expect(w.slack.calls('chat.update')).toHaveLength(1);
    },
  );

  it('keeps the picture, whichever of them is later', async () => {
    const w = await start('embedded');
    const upload = w.slack.faults.hold('upload');
    await w.slack.command({ text: 'check' });
    await upload.reached;
    w.clock.end(PICTURE_LIMIT_MS.asked);
    const early = await nextAnswer(w.slack);
    w.held.release();
    await w.slack.waitFor(() => HOST.test(textOf(w.slack.message(early) ?? early)));
    upload.release();
    const whole = await w.slack.waitFor(() => answers(w).find(hasPicture));
    expect(textOf(whole)).toMatch(HOST);
    expect(answers(w)).toHaveLength(1);
  });

  it('is added to an answer that has its picture already', async () => {
    const w = await start('embedded');
    await w.slack.command({ text: 'check' });
    await w.slack.waitFor(() => answers(w).find(hasPicture));
    w.held.release();
    const whole = await w.slack.waitFor(() => answers(w).find((message) => HOST.test(textOf(message))));
    expect(hasPicture(whole)).toBe(true);
    expect(answers(w)).toHaveLength(1);
  });

  it('comes when Slack has asked for patience', async () => {
    const w = await start();
    await ask(w, 'check');
    w.slack.faults.inject('chat.update', { kind: 'rate_limited', retryAfterSeconds: 30 }, { times: 2 });
    w.held.release();
    await w.slack.waitFor(() => answers(w).some((message) => HOST.test(textOf(message))));
    expect(answers(w)).toHaveLength(1);
  });

  it('does not come over another answer that stands there by then', async () => {
    const w = await start();
    const message = await ask(w, 'check');
    const shown = () => w.slack.message(message)?.text ?? '';
    await showButton(w, 'chat.update', 'timeline last 2h', message.ts);
    await w.slack.clickButton({ message, actionId: 'say:replace:0' });
    await w.slack.waitFor(() => shown() !== 'Ask:');
    expect(shown()).toContain('attacks since 14:50');
    const after = shown();
    await releaseAndSettle(w);
    expect(shown()).toBe(after);
  });

  it('does not come after 20 seconds', async () => {
    const w = await start();
    // Reconciling the jobs and checking the store wait as long.
    const limits = () => w.clock.waits.filter((delayMs) => delayMs === LATER_LIMIT_MS).length;
    const before = limits();
    const message = await ask(w, 'check');
    // The message is there before the bot knows that it was posted.
    await eventually(() => limits() > before, 'the limit to run');
    w.clock.end(LATER_LIMIT_MS);
    await releaseAndSettle(w);
    expect(w.slack.message(message)).toMatchObject({ text: message.text, edited: false });
  });

  it('leaves the answer as it is if Slack refuses the edit, and posts no other', async () => {
    const w = await start();
    const message = await ask(w, 'check');
    w.slack.faults.inject('chat.update', { kind: 'error', error: 'message_not_found' });
    w.held.release();
    await eventually(() => w.logged.some((line) => line.includes('could not complete')), 'the failure');
    expect(answers(w).map(({ ts }) => ts)).toEqual([message.ts]);
    expect(w.slack.message(message)?.edited).toBe(false);
  });

  it('is not waited for when the bot stops', async () => {
    const w = await start();
    const message = await ask(w, 'check');
    await w.bot.stop();
    expect(w.slack.message(message)).toMatchObject({ text: message.text, edited: false });
  });
});

describe('a private answer', { concurrent: true }, () => {
  const privately = ({ slack }: World) => slack.ephemerals(MAYA, CHANNEL).filter(({ text }) => !/^Working/.test(text));

  it('to a command stays as it is, because Slack would show a second one', async () => {
    const w = await start();
    const message = await ask(w, 'check privately');
    expect(message.visibleTo).toBe(MAYA);
    await releaseAndSettle(w);
    expect(privately(w)).toHaveLength(1);
    expect(textOf(w.slack.message(message) ?? message)).not.toContain('excess');
  });

  it('to a button is replaced by the one with the host', async () => {
    const w = await start();
    await showButton(w, 'chat.postEphemeral', 'check');
    const message = await w.slack.nextMessage();
    await w.slack.clickButton({ message, actionId: 'say:replace:0' });
    await w.slack.waitFor(() => w.slack.message(message)?.edited);
    expect(textOf(w.slack.message(message) ?? message)).not.toContain('excess');
    w.held.release();
    await w.slack.waitFor(() => HOST.test(textOf(w.slack.message(message) ?? message)));
    expect(privately(w)).toHaveLength(1);
  });
});
