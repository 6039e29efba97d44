/** Slack limiting, failing or hanging on one of its methods: there is one visible answer all the same, within 30 s. */
import { channel } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalSlack, Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/clock.ts';
import { casesOf } from '../../support/counts.ts';
import { isDigest, passTo, passUntil, startScheduledWorld, textOf, type World } from '../../support/world.ts';

const ALWAYS = { times: Number.POSITIVE_INFINITY };
const MAYA = 'U0MAYA0001';
const ALLOWED_MS = 30_000;

type AnyWorld = World<ManualClock>;
const worlds: AnyWorld[] = [];
const drawing = new Set<AnyWorld>();
async function world(
  prepare: (slack: LocalSlack) => void = () => {},
  charts: 'embedded' | 'none' = 'none',
): Promise<AnyWorld> {
  const started = await startScheduledWorld({ prepare, environment: { WAFBOT_CHARTS: charts } });
  worlds.push(started);
  if (charts === 'embedded') drawing.add(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) {
    started.slack.faults.clear();
    await started.stop();
  }
});

function answers({ slack }: AnyWorld): Message[] {
  const everywhere = [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
  return everywhere.filter(({ botId, text }) => botId !== undefined && !text.startsWith('Working on'));
}

/** Requests that were begun and have no answer, as those who make them see it: a busy machine takes its time to carry them. */
const begun = new Set<unknown>();
interface RequestMessage {
  readonly request: { readonly upgrade: string | null };
}
function begins(message: unknown): void {
  const { request } = message as RequestMessage;
  // A socket has no answer.
  if (!request.upgrade) begun.add(request);
}
function ends(message: unknown): void {
  begun.delete((message as RequestMessage).request);
}
const HEARD = [
  ['undici:request:create', begins],
  ['undici:request:headers', ends],
  ['undici:request:error', ends],
] as const;
beforeAll(() => {
  for (const [name, hear] of HEARD) channel(name).subscribe(hear);
});
afterAll(() => {
  for (const [name, hear] of HEARD) channel(name).unsubscribe(hear);
});

/** Whether anything is on its way but what Slack was told to hold. */
function inFlight({ slack }: AnyWorld): boolean {
  const held = slack.calls().filter(({ status, fault }) => status === undefined && fault !== undefined);
  return begun.size > held.length || slack.calls().length - held.length > answered(slack);
}
const answered = (slack: LocalSlack): number => slack.calls().filter(({ status }) => status !== undefined).length;

/**
 * Lets time pass while the bot waits for nothing but time, so that a slow machine does not make an answer seem late. For a
 * question to the service, or a chart, which is drawn in a thread of its own, time passes slowly instead.
 */
function pass(w: AnyWorld, holds: () => unknown, what: string): Promise<void> {
  if (drawing.has(w)) return passUntil(w, holds, what);
  let calls = 0;
  let quiet = 0;
  return eventually(holds, what, async () => {
    await delay(1);
    quiet = inFlight(w) || w.slack.calls().length > calls ? 0 : quiet + 1;
    calls = w.slack.calls().length;
    if (quiet < 8) return;
    quiet = 0;
    await w.clock.advance(400);
  });
}

/** Lets time pass until the question is answered; the answer, and how long it took. */
async function answerTo(w: AnyWorld, ask: () => Promise<unknown>): Promise<{ answer: Message; tookMs: number }> {
  const known = answers(w).length;
  const startedMs = w.clock.now().epochMilliseconds;
  await ask();
  await pass(w, () => answers(w).length > known, 'an answer');
  const answer = answers(w).at(-1);
  if (answer === undefined) throw new Error('no answer');
  return { answer, tookMs: w.clock.now().epochMilliseconds - startedMs };
}

const LIMITED = { kind: 'rate_limited', retryAfterSeconds: 3_600 } as const;
type Ask = (w: AnyWorld, text?: string) => Promise<unknown>;
/** A question that Slack alone is needed for. */
const PLAIN = 'hosts';
const WAYS: Readonly<Record<string, Ask>> = {
  'a command': (w, text = PLAIN) => w.slack.command({ text }),
  'a mention': (w, text = PLAIN) => w.slack.mention({ text }),
  'a direct message': (w, text = PLAIN) => w.slack.directMessage({ text }),
};
const [command, ...others] = Object.entries(WAYS);
if (command === undefined) throw new Error('no way to ask');
const FAULTS = [
  ['is limited for an hour', LIMITED],
  ['answers 500', { kind: 'status', status: 500 }],
  ['reports a fatal error', { kind: 'error', error: 'fatal_error' }],
  ['cuts the connection', { kind: 'cut' }],
  ['answers with something that is not Slack’s', { kind: 'body', body: '<html>proxy</html>' }],
  ['answers null', { kind: 'body', body: 'null' }],
] as const;

describe('while one method is limited for an hour', () => {
  it.each(['users.info', 'files.getUploadURLExternal', 'files.completeUploadExternal'])(
    '%s: a question and the next are answered without it, and Slack is asked once',
    async (method) => {
      const w = await world(({ faults }) => faults.inject(method, LIMITED, ALWAYS), 'embedded');
      for (const ask of Object.values(WAYS)) {
        const { answer, tookMs } = await answerTo(w, () => ask(w, 'timeline last 2h'));
        expect(answer.text).toMatch(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/);
        expect(tookMs).toBeLessThan(ALLOWED_MS);
      }
      // A stop waits for the pictures that follow their answers.
      await w.bot.stop();
      expect(w.slack.calls(method)).toHaveLength(1);
    },
  );
});

describe('while chat.postMessage fails', () => {
  const FAILING = [
    ...FAULTS.map(([how, fault]) => [command[0], how, command[1], fault] as const),
    ...others.flatMap(([way, ask]) => FAULTS.slice(0, 2).map(([how, fault]) => [way, how, ask, fault] as const)),
  ];
  it.each(casesOf(FAILING, ([way, , , fault]) => way === command[0] || fault === LIMITED))(
    '%s is answered in another way while it %s',
    async (_way, _how, ask, fault) => {
      const w = await world(({ faults }) => faults.inject('chat.postMessage', fault, ALWAYS));
      const { answer, tookMs } = await answerTo(w, () => ask(w));
      expect(answer.text).toMatch(/^Hosts: /);
      expect(textOf(answer)).not.toContain('html');
      expect(tookMs).toBeLessThan(ALLOWED_MS);
      expect(answers(w)).toHaveLength(1);
    },
  );
});

describe('while every method is limited for 20 seconds', () => {
  it.each(Object.entries(WAYS))('%s is answered once Slack accepts it', async (_way, ask) => {
    const w = await world();
    const untilMs = w.clock.now().epochMilliseconds + 20_000;
    const when = () => w.clock.now().epochMilliseconds < untilMs;
    w.slack.faults.inject('*', { kind: 'rate_limited', retryAfterSeconds: 20 }, { ...ALWAYS, when });
    const { answer, tookMs } = await answerTo(w, () => ask(w));
    expect(answer.text).toMatch(/^Hosts: /);
    expect(tookMs).toBeLessThan(60_000);
    expect(answers(w)).toHaveLength(1);
  });
});

describe('while posts are limited and the confirmation of a private answer is lost', () => {
  it('a mention is not answered again', async () => {
    const w = await world();
    const untilMs = w.clock.now().epochMilliseconds + 20_000;
    const when = () => w.clock.now().epochMilliseconds < untilMs;
    w.slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 20 }, { ...ALWAYS, when });
    w.slack.faults.inject('chat.postEphemeral', { kind: 'response_lost' }, ALWAYS);
    const { answer } = await answerTo(w, () => w.slack.mention({ text: PLAIN }));
    expect(answer.text).toMatch(/^Hosts: /);
    await pass(w, () => w.clock.now().epochMilliseconds > untilMs + 60_000, 'the end of the limit');
    expect(answers(w)).toHaveLength(1);
  });
});

describe('while a method hangs', () => {
  it.each([
    ...['chat.postMessage', 'users.info'].map((method) => [command[0], method, command[1], 'none'] as const),
    ...['files.getUploadURLExternal', 'upload', 'files.completeUploadExternal'].map(
      (method) => [command[0], method, command[1], 'embedded'] as const,
    ),
    ...others.map(([way, ask]) => [way, 'chat.postMessage', ask, 'none'] as const),
  ])('%s is answered without %s', async (_way, method, ask, charts) => {
    const w = await world(({ faults }) => void faults.hold(method, ALWAYS), charts);
    const question = charts === 'none' ? PLAIN : 'timeline last 2h';
    const { answer, tookMs } = await answerTo(w, () => ask(w, question));
    expect(answer.text).toMatch(/^(Hosts: |[\d.,]+( [kM])? requests · )/);
    expect(tookMs).toBeLessThan(ALLOWED_MS);
  });
});

describe('the answer that comes in another way', () => {
  it('goes to the channel through the response_url where the post was certainly refused', async () => {
    const w = await world(({ faults }) => faults.inject('chat.postMessage', LIMITED, ALWAYS));
    const { answer } = await answerTo(w, () => w.slack.command({ text: PLAIN }));
    expect(answer).toMatchObject({ via: 'response_url', channel: 'C0SECURITY' });
    expect(answer.visibleTo).toBeUndefined();
    expect(textOf(answer)).toContain('Slack is limiting how much I can post');
  });

  it('goes to the asker alone, with a word of explanation, where the post may still appear', async () => {
    const w = await world(({ faults }) => void faults.hold('chat.postMessage', ALWAYS));
    const { answer } = await answerTo(w, () => w.slack.command({ text: PLAIN }));
    expect(answer.visibleTo).toBe(MAYA);
    expect(textOf(answer)).toContain('may still appear');
  });
});

describe('forms', () => {
  it.each([
    ['limited', (slack: LocalSlack) => slack.faults.inject('users.info', LIMITED, ALWAYS)],
    ['hanging', (slack: LocalSlack) => void slack.faults.hold('users.info', ALWAYS)],
  ])('open and are acknowledged while users.info is %s', async (_how, prepare) => {
    const w = await world();
    await w.slack.command({ text: 'digests' });
    const list = await w.slack.nextMessage();
    prepare(w.slack);
    await w.restart();
    const button = list.blocks
      .flatMap(({ elements }) => (Array.isArray(elements) ? elements : []))
      .find(({ action_id: id }) => String(id).startsWith('say:modal:'));
    expect(await w.slack.clickButton({ message: list, actionId: String(button?.action_id) })).toMatchObject({
      acked: true,
    });
    await pass(w, () => w.slack.modals(MAYA).length === 1, 'the form');
    const submitted = w.slack.submitView({ values: { time: '09:00' } });
    let acked = false;
    void submitted.then((result) => {
      acked = result.acked;
    });
    await pass(w, () => acked, 'the acknowledgement');
    await pass(w, () => answers(w).some(({ text }) => text.startsWith('Digest scheduled')), 'the digest');
  });
});

describe('a stop', () => {
  it('while Slack hangs on a digest ends in seconds, and the digest comes once after the restart', async () => {
    const w = await world();
    await answerTo(w, () => w.slack.command({ text: 'digest hourly' }));
    const gate = w.slack.faults.hold('chat.postMessage');
    await w.clock.advanceTo('2026-03-10T15:00:00Z');
    await pass(w, () => w.slack.calls('chat.postMessage').length === 2, 'the digest under way');
    const startedMs = w.clock.now().epochMilliseconds;
    let restarted = false;
    void w
      .restart(() => gate.release())
      .then(() => {
        restarted = true;
      });
    await pass(w, () => restarted, 'the restart');
    expect(w.clock.now().epochMilliseconds - startedMs).toBeLessThan(15_000);
    await passTo(w, '2026-03-10T15:10:00Z');
    expect(w.slack.messages().filter(isDigest)).toHaveLength(1);
  });
});

describe('the doctor', () => {
  it('names what Slack limits, and for no longer than five minutes', async () => {
    const w = await world(({ faults }) => {
      faults.inject('users.info', { kind: 'rate_limited', retryAfterSeconds: '99999999999' }, ALWAYS);
    });
    const { answer } = await answerTo(w, () => w.slack.command({ text: 'doctor' }));
    expect(textOf(answer)).toMatch(/Slack is limiting users\.info for another (2\d\d|300) s/);
    await w.clock.advance(300_000);
    await answerTo(w, () => w.slack.command({ text: 'doctor' }));
    expect(w.slack.calls('users.info')).toHaveLength(2);
  });
});
