/** Whom the alerts of a watch reach: asserted by whom the local Slack notified, not by what the bot sent. */
import { describe, expect, it } from 'vitest';
import type { ManualClock } from '../../support/clock.ts';
import {
  ask,
  CHANNEL,
  inChannel,
  labels,
  press,
  storeFile,
  through,
  versions,
  watchWorld,
  wave,
} from '../../support/watch-world.ts';
import { nextAnswer, textOf, type World } from '../../support/world.ts';

const [MAYA, DIEGO, ANJALI] = ['U0MAYA0001', 'U0DIEGO001', 'U0ANJALI01'];
/** Elevated from 15:00, a surge from 15:20. */
const WORSE = [wave('15:00', '15:50', 5), wave('15:20', '15:50', 60)];
const SURGE = [wave('15:00', '15:30', 30)];

/** Who was notified by which of the watch's messages, by the number of the message. */
function notified(w: World<ManualClock>): string[] {
  const order = inChannel(w).map(({ ts }) => ts);
  return w.slack
    .notifications(CHANNEL)
    .flatMap(({ user, ts }) => (order.includes(ts) ? [`${order.indexOf(ts) + 1} ${user}`] : []));
}

describe('a mention', () => {
  it('on surge: the group is notified by the message of the surge alone, once, and edits only name it', async () => {
    const environment = { WAFBOT_STORE: `sqlite:${storeFile()}` };
    const w = await watchWorld({ service: { waves: WORSE }, environment });
    await ask(w, 'watch');
    const set = await ask(w, 'watch mention @oncall-security on surge');
    expect(textOf(set)).toContain('Alerts mention @oncall-security from a surge on');
    await w.restart();
    expect(textOf(await ask(w, 'watches'))).toContain('Mentions *@oncall-security* from a surge on.');
    await through(w, '15:00', '16:20');
    const [first, second, ...more] = inChannel(w);
    expect(more).toEqual([]);
    expect(versions(first)[0]).toMatch(/^🟠 Elevated since/u);
    expect(versions(second)[0]).toMatch(/^🔴 Now a surge/u);
    expect(notified(w)).toEqual([`2 ${DIEGO}`, `2 ${ANJALI}`]);
    expect(second?.versions.length).toBeGreaterThan(2);
    const blocks = (second?.versions ?? []).map((version) => JSON.stringify(version.blocks));
    expect(blocks.map((each) => each.includes('<!subteam^S0ONCALL01>'))).toEqual(
      blocks.map((_, version) => version === 0),
    );
    expect(blocks.slice(1).every((each) => each.includes('Mentioned: @oncall-security'))).toBe(true);
    expect(w.slack.refusals).toEqual([]);
  });

  it('in every alert: people by name or ID, once for each episode, until nobody is', async () => {
    const waves = [...SURGE, wave('16:20', '16:50', 30)];
    const w = await watchWorld({ service: { waves } });
    await ask(w, 'watch');
    expect(textOf(await ask(w, `watch mention "Maya Lindholm" and @${DIEGO}`))).toContain(
      'Alerts mention @maya, @diego in every alert',
    );
    await through(w, '15:00', '15:30');
    expect(notified(w)).toEqual([`1 ${MAYA}`, `1 ${DIEGO}`]);
    expect(textOf(await ask(w, 'watch mention nobody'))).toContain('Alerts mention nobody now');
    expect(textOf(await ask(w, 'watches'))).not.toContain('Mentions');
    await through(w, '15:35', '16:50');
    expect(inChannel(w)).toHaveLength(2);
    expect(notified(w)).toHaveLength(2);
  });

  it('is posted once if the answer is lost', async () => {
    const w = await watchWorld({ service: { waves: SURGE } });
    await ask(w, 'watch');
    await ask(w, 'watch mention @oncall-security');
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await through(w, '15:00', '15:30');
    expect(inChannel(w)).toHaveLength(1);
    expect(notified(w)).toEqual([`1 ${DIEGO}`, `1 ${ANJALI}`]);
  });

  it('of a name that does not exist is refused, and the nearest names are offered', async () => {
    const w = await watchWorld();
    await ask(w, 'watch');
    const slip = await ask(w, 'watch mention @oncall-securty on surge');
    expect(textOf(slip)).toContain('There’s nobody called “oncall-securty” in this workspace');
    expect(labels(slip)).toContain('watch mention @oncall-security on surge');
    const part = textOf(await ask(w, 'watch mention @oncall'));
    expect(part).toContain('@oncall-security');
    expect(textOf(await ask(w, 'watch mention @wafbot'))).toContain('There’s nobody called “wafbot”');
    expect(textOf(await ask(w, 'watch mention @diego on fire'))).toContain('two levels: elevated and surge');
    expect(textOf(await ask(w, 'watch mention'))).toContain('Whom should alerts mention?');
    expect(textOf(await ask(w, 'watches'))).not.toContain('Mentions');
  });

  it('of a group says what to do where the app may not read groups, and on a free plan', async () => {
    const w = await watchWorld({ prepare: (slack) => slack.revokeScope('usergroups:read') });
    await ask(w, 'watch');
    const scope = textOf(await ask(w, 'watch mention @oncall-security'));
    expect(scope).toContain('add the scope usergroups:read at api.slack.com/apps and reinstall');
    // People need no more than before.
    expect(textOf(await ask(w, 'watch mention @diego'))).toContain('Alerts mention @diego in every alert');
    const free = await watchWorld({ slack: { workspace: { team: { plan: 'free' }, app: { commands: ['/waf'] } } } });
    await ask(free, 'watch');
    expect(textOf(await ask(free, 'watch mention @oncall'))).toContain('need a paid Slack plan');
  });

  it('is a field of the form, which reports a name that does not exist, and shows what is set', async () => {
    const w = await watchWorld();
    await ask(w, 'watch');
    const open = async () => {
      await press(w, await ask(w, 'watches'), 'Edit');
      return w.slack.waitFor(() => w.slack.modals(MAYA).at(-1), { what: 'the form' });
    };
    await w.slack.clickInView({ view: await open(), actionId: 'mention_from', choice: 'surge' });
    await w.slack.waitFor(() => JSON.stringify(w.slack.modals(MAYA)).includes('"mention"'));
    const wrong = await w.slack.submitView({ values: { mention_from: 'surge', mention: '@nobdy-here' } });
    expect(wrong.errors).toEqual({ mention: expect.stringContaining('nobody called “nobdy-here”') });
    await w.slack.submitView({ values: { mention_from: 'surge', mention: '@leads, @diego' } });
    expect(textOf(await nextAnswer(w.slack))).toContain('Mentions *@leads, @diego* from a surge on.');
    expect(JSON.stringify((await open()).blocks)).toContain('"initial_value":"@leads, @diego"');
    await w.slack.submitView({ values: { mention_from: 'nobody' } });
    expect(textOf(await nextAnswer(w.slack))).not.toContain('Mentions');
  });
});
