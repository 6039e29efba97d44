/** Whom the alerts of a watch reach: asserted by whom the local Slack notified, not by what the bot sent. */
import { describe, expect, it } from 'vitest';
import type { ManualClock } from '../../support/clock.ts';
import {
  ask,
  CHANNEL,
  click,
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
    await through(w, '15:00', '15:50');
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

  it('waits while it is snoozed, which ends on its own with a surge, and notifies then', async () => {
    const w = await watchWorld({ service: { waves: WORSE } });
    await ask(w, 'watch');
    await ask(w, 'watch mention @oncall-security on surge');
    await through(w, '15:00', '15:15');
    await ask(w, 'watch snooze 2h');
    expect([inChannel(w).length, notified(w)]).toEqual([1, []]);
    await through(w, '15:20', '15:40');
    expect(versions(inChannel(w)[1])[0]).toMatch(/^🔴 Now a surge/u);
    // It says whose snooze it ended.
    expect(notified(w)).toEqual([`2 ${DIEGO}`, `2 ${ANJALI}`, `2 ${MAYA}`]);
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
    await through(w, '15:35', '16:35');
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

  it('is a field of the form, as is the escalation, which reports a name that does not exist, and shows what is set', async () => {
    const w = await watchWorld();
    await ask(w, 'watch');
    const open = async () => {
      await press(w, await ask(w, 'watches'), 'Edit');
      return w.slack.waitFor(() => w.slack.modals(MAYA).at(-1), { what: 'the form' });
    };
    const shows = (view: { readonly id: string }, text: string) =>
      w.slack.waitFor(() =>
        w.slack.modals(MAYA).find(({ id, blocks }) => id === view.id && JSON.stringify(blocks).includes(text)),
      );
    const first = await open();
    await w.slack.clickInView({ view: first, actionId: 'mention_from', choice: 'surge' });
    await shows(first, '"mention"');
    const wrong = await w.slack.submitView({ values: { mention_from: 'surge', mention: '@nobdy-here' } });
    expect(wrong.errors).toEqual({ mention: expect.stringContaining('nobody called “nobdy-here”') });
    await w.slack.submitView({ values: { mention_from: 'surge', mention: '@leads, @diego' } });
    expect(textOf(await nextAnswer(w.slack))).toContain('Mentions *@leads, @diego* from a surge on.');
    const second = await open();
    expect(JSON.stringify(second.blocks)).toContain('"initial_value":"@leads, @diego"');
    await w.slack.clickInView({ view: second, actionId: 'escalate_after', choice: '10m' });
    await shows(second, '"escalate"');
    const kept = { mention_from: 'surge', mention: '@leads, @diego' };
    await w.slack.submitView({ values: { ...kept, escalate_after: '10m', escalate: '@sam' } });
    const both = textOf(await nextAnswer(w.slack));
    expect(both).toContain('Mentions *@leads, @diego* from a surge on.');
    expect(both).toContain('after another 10 minutes it mentions *@sam*, from a surge on.');
    await open();
    await w.slack.submitView({ values: { mention_from: 'nobody', escalate_after: 'never' } });
    expect(textOf(await nextAnswer(w.slack))).not.toMatch(/Mentions|alerts again/);
  });
});

describe('an alert that nobody acknowledges', () => {
  const LONG = [wave('15:00', '16:10', 30)];

  it('alerts again with its mention, then escalates to one name after the other, and stops when somebody is on it', async () => {
    const environment = { WAFBOT_STORE: `sqlite:${storeFile()}` };
    const w = await watchWorld({ service: { waves: LONG }, environment });
    await ask(w, 'watch');
    await ask(w, 'watch mention @oncall-security');
    const set = await ask(w, 'watch escalate after 10m to @leads, @sam');
    expect(textOf(set)).toContain('Alerts are repeated after 10 minutes without an answer');
    expect(textOf(await ask(w, 'watches'))).toContain(
      'If nobody acknowledges an alert for 10 minutes, it alerts again; after another 10 minutes it mentions *@leads, then @sam*.',
    );
    await through(w, '15:00', '15:15');
    const [alert] = inChannel(w);
    await w.restart();
    await through(w, '15:20', '15:30');
    const [first, again, escalated, ...more] = inChannel(w);
    expect(more).toEqual([]);
    expect(first?.ts).toBe(alert?.ts);
    expect(first?.text).toMatch(
      /^🔴 Surge since 16:00: nobody had acknowledged it by 16:\d\d\. Continued in a newer message/u,
    );
    expect(again && versions(again)[0]).toMatch(/^🔴 Nobody is on it: surge since 16:00 · /u);
    expect(escalated?.text).toMatch(/^🔴 Nobody is on it: surge since 16:00 · /u);
    expect(escalated && textOf(escalated)).toMatch(/Nobody has acknowledged it for (19|2\d) minutes\./);
    const until = [`1 ${DIEGO}`, `1 ${ANJALI}`, `2 ${DIEGO}`, `2 ${ANJALI}`, `3 ${MAYA}`];
    expect(notified(w)).toEqual(until);

    expect(textOf(await click(w, escalated, 'Acknowledge'))).toContain(`<@${MAYA}> is looking at it.`);
    await w.slack.waitFor(() => inChannel(w)[2]?.text.startsWith('🔴 Surge since 16:00 · '));
    expect(JSON.stringify(inChannel(w)[2]?.blocks)).toContain(`Acknowledged by <@${MAYA}>`);
    await through(w, '15:35', '16:40');
    expect(inChannel(w)).toHaveLength(3);
    expect(inChannel(w)[2]?.text).toMatch(/^🟢 Over: surge 16:00 – /u);
    expect(notified(w)).toEqual(until);
    expect(w.slack.refusals).toEqual([]);
  });

  it('is left alone while it is snoozed and once it is over, and never if that is switched off', async () => {
    const w = await watchWorld({ service: { waves: [wave('15:00', '15:20', 30)] } });
    await ask(w, 'watch');
    await ask(w, 'watch escalate after 15 minutes to @leads');
    await through(w, '15:00', '15:10');
    await ask(w, 'watch snooze 40m');
    await through(w, '15:15', '15:50');
    expect(inChannel(w)).toHaveLength(1);
    expect(notified(w)).toEqual([]);
    expect(textOf(await ask(w, 'watch escalate never'))).toContain('Alerts are no longer repeated');
    expect(textOf(await ask(w, 'watches'))).not.toContain('alerts again');
    for (const wrong of ['watch escalate', 'watch escalate after 10m', 'watch escalate after 3d to @leads']) {
      expect(textOf(await ask(w, wrong))).toMatch(/After how long without an answer\?|Escalate to whom\?/);
    }
  });
});

describe('an acknowledgment', () => {
  it('belongs to one person, can be handed over, and no longer holds once it is worse', async () => {
    const w = await watchWorld({ service: { waves: WORSE } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:15');
    const [message] = inChannel(w);
    await click(w, message, 'Acknowledge');
    await w.slack.command({ text: 'ack', user: 'diego' });
    const second = await w.slack.nextMessage({ match: ({ text }) => text.includes('on it already') });
    expect(textOf(second)).toContain(`<@${MAYA}> is looking at it.`);
    expect(labels(second)).toContain('Assign to me');

    // The button below the alert opens a form; whoever is chosen is notified by the answer in its thread.
    await press(
      w,
      await w.slack.waitFor(() => inChannel(w).find((each) => labels(each).includes('Assign…'))),
      'Assign…',
    );
    const form = await w.slack.waitFor(() => w.slack.modals(MAYA).at(-1), { what: 'the form' });
    expect(form.source).toMatchObject({ title: { text: 'Assign this alert' }, submit: { text: 'Assign' } });
    await w.slack.submitView({ values: { who: ANJALI } });
    const assigned = await w.slack.nextMessage({ match: ({ text }) => text.startsWith('Assigned') });
    expect(assigned.threadTs).toBe(message?.ts);
    expect(w.slack.notifications(CHANNEL).filter(({ ts }) => ts === assigned.ts)).toMatchObject([
      { user: ANJALI, why: 'mention' },
      { user: MAYA, why: 'mention' },
    ]);
    await w.slack.waitFor(() => textOf(inChannel(w)[0] ?? assigned).includes(`Assigned to <@${ANJALI}> by <@${MAYA}>`));

    await through(w, '15:20', '15:35');
    const [, worse] = inChannel(w);
    expect(versions(worse)[0]).toMatch(/^🔴 Now a surge/u);
    expect(worse && textOf(worse)).toContain(`<@${ANJALI}> acknowledged it before it got worse; nobody has since.`);
    expect(labels(worse)).toContain('Acknowledge');
    expect(textOf(await ask(w, 'watch assign @diego'))).toContain(`<@${DIEGO}> is responsible now`);
    for (const wrong of ['watch assign', 'watch assign @leads', 'watch assign @diego @sam']) {
      expect(textOf(await ask(w, wrong))).toMatch(/Name one person|Only a person can be responsible/);
    }
    await through(w, '15:40', '16:20');
    expect(textOf(await ask(w, 'watch assign @diego'))).toContain('nothing to assign: no alert is open');
    expect(textOf(await ask(w, 'watch ack'))).toContain('nothing to acknowledge');
    expect(inChannel(w)).toHaveLength(2);
  });
});
