/** The Home tab through the real Bolt: the question people open it for, what it costs the service, and its buttons. */
import { afterEach, describe, expect, it } from 'vitest';
import { HOME_WAIT_MS } from '../../../src/slack/home.ts';
import { eventually } from '../../support/clock.ts';
import { nextAnswer, startWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const worlds: World[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld({ environment: { WAFBOT_CHARTS: 'none' }, ...options });
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) {
    expect(started.slack.refusals).toEqual([]);
    await started.stop();
  }
});

const homeText = (w: World, user = MAYA): string => JSON.stringify(w.slack.home(user)?.blocks ?? []);

async function open(w: World, user = MAYA): Promise<string> {
  const { hash } = w.slack.home(user) ?? { hash: '' };
  await w.slack.openHome(user);
  await w.slack.waitFor(() => w.slack.home(user) !== undefined && w.slack.home(user)?.hash !== hash, {
    what: 'the Home tab',
  });
  return homeText(w, user);
}

describe('the Home tab', () => {
  it('opens with whether we are under attack, and the last 24 hours as bars', async () => {
    const w = await world();
    const text = await open(w);
    expect(text).toMatch(/"🟢 Are we under attack\? No"/);
    expect(text).toMatch(/`[▁▂▃▄▅▆▇█]{23}░`/);
    expect(text).toMatch(
      /Attacks per hour over the last 24 hours \(░ still filling in\): \*[\d,]+ attacks\*, peak in the hour from /,
    );
    expect(text).not.toMatch(/identity service|token/);
    // The same number as in an answer: minutes that are still filling in count in neither.
    const [, total = ''] = /\*([\d,]+) attacks\*/.exec(text.slice(text.indexOf('Attacks per hour'))) ?? [];
    await w.slack.command({ text: 'timeline last 24h' });
    expect(textOf(await nextAnswer(w.slack))).toContain(`${total} attacks`);
  });

  it('asks the service once for everyone who opens it within a minute, and examines it only where it fails', async () => {
    const w = await world();
    await open(w, MAYA);
    const asked = w.service.requests.length;
    await open(w, DIEGO);
    await open(w, MAYA);
    expect(w.service.requests).toHaveLength(asked);
    w.clock.set('2026-03-10T14:31:10Z');
    await open(w, DIEGO);
    expect(w.service.requests.length).toBeGreaterThan(asked);
  });

  it('says how things were last while the service is away, and what is wrong', async () => {
    const w = await world();
    await open(w);
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    w.clock.set('2026-03-10T14:45:00Z');
    const text = await open(w);
    expect(text).toContain('⚪ Are we under attack? Unknown');
    expect(text).toMatch(/Last known: <!date\^17731\d+\^[^>]+>, calm\./);
    expect(text).toContain('✗ *Statistics service:* failed.');
    expect(text).not.toContain('✓');
  });

  it('is shown at once while the service takes its time, and again when it has answered', async () => {
    const w = await world();
    const slow = Promise.withResolvers<void>();
    w.service.misbehave({ kind: 'wait', until: slow.promise });
    await w.slack.openHome(MAYA);
    await eventually(() => w.clock.waits.includes(HOME_WAIT_MS), 'the wait');
    w.clock.end(HOME_WAIT_MS);
    await w.slack.waitFor(() => homeText(w).includes('Checking …'), { what: 'the tab without an answer' });
    expect(homeText(w)).toContain('Your digests and watches');
    slow.resolve();
    await w.slack.waitFor(() => homeText(w).includes('Are we under attack? No'), { what: 'the answer' });
  });

  it('has examples as buttons, answered in a direct message', async () => {
    const w = await world();
    await open(w);
    const view = w.slack.home(MAYA);
    if (view === undefined) throw new Error('no Home tab');
    const button = view.blocks
      .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
      .find(({ text }) => text?.text === 'attacks last 24h');
    await w.slack.clickInView({ view, actionId: button.action_id });
    const answer = await w.slack.nextMessage();
    expect(answer.channel).toMatch(/^D/);
    expect(textOf(answer)).not.toContain('did not understand');
  });
});

describe('the service away', () => {
  it('is told with the time since when, and with how things were at the last check', async () => {
    const w = await world();
    await w.slack.command({ text: 'check' });
    await w.slack.nextMessage();
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    w.clock.set('2026-03-10T14:40:00Z');
    await w.slack.command({ text: 'timeline last 3h' });
    await w.slack.nextMessage();
    w.clock.set('2026-03-10T14:52:00Z');
    await w.slack.command({ text: 'timeline last 2h' });
    const told = textOf(await w.slack.nextMessage());
    expect(told).toMatch(/^Can't reach your WAF statistics since 15:40 \(unavailable\)/);
    expect(told).toContain('Last check: 15:27, calm.');
    // Neither a watch nor a digest of this channel goes without them.
    expect(told).not.toMatch(/watch|digest/i);
  });

  it('is told with who else goes without numbers in this channel', async () => {
    const w = await world();
    for (const text of ['watch', 'digest daily at 09:00']) {
      await w.slack.command({ text });
      await w.slack.nextMessage();
    }
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    await w.slack.command({ text: 'timeline last 3h' });
    const told = textOf(await w.slack.nextMessage());
    expect(told).toMatch(
      /^Can't sign in to your WAF statistics \(unavailable\): This channel's watch is paused until they're back\./,
    );
    // The others rely on the watch, so they see it too.
    expect(w.slack.messages('C0SECURITY').at(-1)?.text).toMatch(/^Can't sign in/);
    expect(told).toContain('The next digest will be late if this continues.');
  });

  it('is told without last numbers where there are none of these hosts', async () => {
    const w = await world();
    await w.slack.command({ text: 'check' });
    await w.slack.nextMessage();
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    await w.slack.command({ text: 'timeline last 3h on 3ac26c59e15a4a11bb680a103a29ddb6' });
    expect(textOf(await w.slack.nextMessage())).not.toContain('Last check');
  });
});
