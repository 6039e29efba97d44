/** A watch's whole life through the local Slack, with time in the test's hand: calm, a wave, worse, over, back again. */
import { describe, expect, it } from 'vitest';
import { actionsOf } from '../../../playground/service/details.ts';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import { formatShare } from '../../../src/statistics/format.ts';
import { MINUTE_MS } from '../../../src/time-units.ts';
import { casesOf } from '../../support/counts.ts';
import {
  ask,
  CHANNEL,
  click,
  closings,
  headings,
  inChannel,
  labels,
  MAYA,
  minuteOf,
  storeFile,
  through,
  versions,
  wave,
  watchWorld as world,
} from '../../support/watch-world.ts';
import { passTo, passUntil, textOf } from '../../support/world.ts';

describe('the host', () => {
  const shop = { ...wave('15:00', '16:00', 60), hosts: [DEFAULT_HOSTS[0]?.id ?? ''] };
  const HOST = /On shop\.example\.org \(\d+\s% of the excess\)\./;

  it('follows into the message by an edit if the service is slow about it', async () => {
    const w = await world({ service: { waves: [shop], habits: { hostLists: 'cloud' } } });
    const held = w.service.hold({ on: 'timeline', when: (search) => search.has('hosts') });
    await ask(w, 'watch');
    await through(w, '15:00', '15:10');
    const [first] = inChannel(w);
    expect(first?.text).toContain('Surge since');
    expect(first && textOf(first)).not.toContain('excess');
    held.release();
    await w.slack.waitFor(() => inChannel(w).some((message) => HOST.test(textOf(message))));
    expect(inChannel(w).map(({ ts }) => ts)).toEqual([first?.ts]);
    // An edit has the share of its own time. The week before it is cached, so that takes one call for each host.
    const calls = () => w.service.calls('timeline').filter(({ search }) => search.has('hosts')).length;
    const before = calls();
    await through(w, '15:15', '15:20');
    const [said] = HOST.exec(textOf(inChannel(w)[0] ?? { text: '', blocks: [] })) ?? [];
    expect(calls() - before).toBe(2 * DEFAULT_HOSTS.length);
    expect(said).toBeDefined();
    expect(textOf(await ask(w, 'check'))).toContain(said);
    expect(calls() - before).toBe(2 * DEFAULT_HOSTS.length);
  });

  it('of an unusual category is named too', async () => {
    const burst = { ...wave('15:45', '16:15', 12, { webshell: 1 }), hosts: [DEFAULT_HOSTS[1]?.id ?? ''] };
    const waves = [wave('15:00', '16:20', 30, { sqli: 1 }), burst];
    const w = await world({ service: { waves, habits: { hostLists: 'cloud' } } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:15');
    await through(w, '15:45', '16:10');
    expect(inChannel(w).map(textOf).join()).toMatch(
      /On api\.example\.org \(9\d(\.\d)?\s% of the events\)\. Unusual by its own history/,
    );
  });
});

describe('what was blocked', () => {
  const onlyWave = { waves: [wave('15:00', '15:50', 14)] };

  it('is in the message of an episode, of the attacks since its onset', async () => {
    const habits = { speaks: ['overviews'] } as const;
    const w = await world({ service: { ...onlyWave, habits }, dialect: 'auto' });
    await ask(w, 'watch');
    await through(w, '14:55', '15:00');
    expect(w.service.calls('action types')).toEqual([]);
    const shown = (await through(w, '15:05', '15:20')).at(-1) ?? '';
    const [, share] = /attacks in \d+ minutes, .*\. (\d+ % blocked, [\d.]+ % only logged\.)/.exec(shown) ?? [];
    const last = w.service.calls('action types').at(-1)?.search;
    const window = { fromMs: Number(last?.get('from')), toMs: Number(last?.get('to')), hosts: [] };
    expect(window.fromMs).toBe(minuteOf('2026-03-10T15:00:00Z') * MINUTE_MS);
    const model = { seed: 7, hosts: DEFAULT_HOSTS, seededWaves: false, ...onlyWave };
    const { block, log } = actionsOf(model, window, w.clock.now().epochMilliseconds);
    const [blocked, logged] = [block, log].map((count) => formatShare(count / (block + log)));
    expect(share).toBe(`${blocked} blocked, ${logged} only logged.`);
  });

  it('is left out where the service does not report it', async () => {
    const w = await world({ service: onlyWave });
    await ask(w, 'watch');
    const shown = await through(w, '15:05', '15:20');
    expect(shown.at(-1)).toContain('Surge since');
    expect(
      inChannel(w)
        .flatMap((message) => [textOf(message), ...versions(message)])
        .join(),
    ).not.toContain('blocked');
  });
});

describe('an episode', () => {
  it('calm, a wave, its end: one message, its edits, and a reply in its thread with the true times', async () => {
    const environment = { WAFBOT_CHARTS: 'embedded' };
    const w = await world({ service: { waves: [wave('15:00', '15:50', 14)] }, environment });
    const made = await ask(w, 'watch');
    expect(made.text).toMatch(/^Watch created: anything unusual, every 5 minutes/);
    const calm = await through(w, '14:35', '15:00');
    expect(new Set(calm)).toEqual(new Set(['nothing']));

    // In Stockholm it is an hour later.
    const during = await through(w, '15:05', '15:50');
    expect(during.at(-1)).toMatch(
      /^🔴 Surge since 16:00 · [\d.]+× usual · led by SQL injection: Ongoing at 16:\d\d: [\d,]+ attacks in \d+ minutes, /u,
    );
    const [message] = inChannel(w);
    const buttons = ['Acknowledge', 'Why?', 'Who?', 'Incident report', 'Snooze 2h'];
    expect(labels(message)).toEqual([...buttons, 'This was expected', 'Tell me earlier', 'By category']);
    expect(textOf(message as Message)).toMatch(
      /Above usual: SQL injection [\d,]+ \(\d+ expected\), XSS [\d,]+ \(\d+\), /,
    );

    await through(w, '15:55', '16:30');
    expect(inChannel(w)).toHaveLength(1);
    expect(inChannel(w)[0]?.text).toMatch(
      /^🟢 Over: surge 16:00 – 16:50 · [\d.]+× usual · led by SQL injection\. [\d,]+ attacks in 50 minutes, /u,
    );
    const [closing, ...more] = closings(w);
    expect(more).toEqual([]);
    expect(closing?.threadTs).toBe(message?.ts);
    expect(closing?.text).toMatch(
      /^🟢 Over: surge 16:00 – 16:50 · [\d.]+× usual · led by SQL injection\. [\d,]+ attacks in 50 minutes, /u,
    );
    // One truth: the message and the reply have the same total.
    const total = (text = '') => /([\d,]+) attacks in 50/.exec(text)?.[1];
    expect(total(closing?.text)).toBe(total(inChannel(w)[0]?.text));

    const edits = w.slack.calls('chat.update').length;
    await through(w, '16:35', '16:40');
    expect(w.slack.calls('chat.update')).toHaveLength(edits);
    expect(w.slack.refusals).toEqual([]);
  });

  it('of three days counts as usual from then on, and nobody is told that it is over', async () => {
    const days = { fromMinute: minuteOf('2026-03-07T15:10:00Z'), minutes: 5 * 1_440 };
    const w = await world({ service: { waves: [{ ...wave('15:00', '15:50', 9), ...days }] } });
    await ask(w, 'watch');
    const during = await through(w, '14:35', '14:50');
    expect(during.at(-1)).toMatch(/^🔴 Surge since /u);
    await through(w, '15:00', '15:50');
    const says =
      /^🔵 Usual by now: surge from 7 Mar 16:10 on · .* Not over by then: after 3 days, this many attacks count as usual\.$/u;
    expect([...inChannel(w), ...closings(w)].map(({ text }) => text)).toEqual([
      expect.stringMatching(says),
      expect.stringMatching(says),
    ]);
    expect(textOf(await ask(w, 'check 4 march to 10 march'))).toMatch(
      /^🔵 Surge from 7 Mar 16:10 on, usual after 3 days · .* Not over by then/u,
    );
  });

  it('worse: people are told anew, and the first message points there', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:50', 5), wave('15:20', '15:50', 60)] } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:35');
    const [first, second, ...more] = inChannel(w);
    expect(more).toEqual([]);
    expect(versions(first)[0]).toMatch(/^🟠 Elevated since 1[56]:\d\d · /u);
    expect(first?.text).toMatch(
      /^🟠 Elevated since 1[56]:\d\d: became a surge at 16:\d\d\. Continued in a newer message/u,
    );
    expect(labels(first)).toEqual([]);
    expect(second?.text).toMatch(/^🔴 Now a surge · began 1[56]:\d\d · /u);
  });

  it('another category that rises later: a message of its own, each closed with its own times', async () => {
    const waves = [wave('15:00', '16:20', 30, { sqli: 1 }), wave('15:45', '16:15', 3, { webshell: 1 })];
    const w = await world({ service: { waves } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:15');
    await through(w, '15:45', '16:10');
    expect(inChannel(w).map(({ text }) => text.split(' · ')[0])).toEqual([
      '🔴 Surge since 16:00',
      '🟠 Webshell unusually high since 16:45',
    ]);
    await through(w, '16:15', '17:00');
    expect(inChannel(w).map(({ text }) => text.split(' · ')[0])).toEqual([
      '🟢 Over: surge 16:00 – 17:20',
      '🟢 Over: Webshell unusually high 16:45 – 17:15',
    ]);
    expect(closings(w).map(({ threadTs }) => threadTs)).toEqual(inChannel(w).map(({ ts }) => ts));
  });

  it('a jump to four times as many: people are told anew at the next look', async () => {
    const w = await world({ service: { waves: [wave('15:00', '16:00', 20), wave('15:30', '16:00', 80)] } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:30');
    expect(inChannel(w)).toHaveLength(1);
    await through(w, '15:35', '15:40');
    const [first, second, ...more] = inChannel(w);
    expect(more).toEqual([]);
    expect(first?.text).toMatch(/^🔴 Surge since 16:00: worse at 16:(35|40)\. Continued in a newer message/u);
    expect(second?.text).toMatch(/^🔴 Jumped to [\d,]+ attacks a minute from [\d,]+ · surge since 16:00 · /u);
  });

  it('back again after it was over: people are told anew, and both have their own times', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:30', 30), wave('16:20', '16:50', 30)] } });
    await ask(w, 'watch');
    // A return is over after an hour.
    await through(w, '15:00', '17:50');
    expect(closings(w)).toHaveLength(1);
    await through(w, '17:55', '17:55');
    const [first, second, ...more] = inChannel(w);
    expect(more).toEqual([]);
    expect(first?.text).toMatch(/^🟢 Over: surge 16:00 – 16:30 · /u);
    expect(versions(second)[0]).toMatch(/^🟠 Elevated again since 17:20 · /u);
    expect(versions(second)[1]).toMatch(/^🔴 Surge again since 17:20 · /u);
    expect(textOf(second as Message)).toContain('Last time: 16:00 – 16:30, then calm until 17:20.');
    expect(second?.text).toMatch(/^🟢 Over: surge 17:20 – 17:50 · /u);
    expect(closings(w).map(({ threadTs }) => threadTs)).toEqual([first?.ts, second?.ts]);
  });

  it('in pulses: two alerts, and the second has the times of the newest pulse until an hour of calm', async () => {
    const starts = ['15:00', '15:30', '16:00', '16:30'];
    const waves = starts.map((start) => wave(start, start.replace(/.$/, '5'), 40));
    const environment = { WAFBOT_STORE: `sqlite:${storeFile()}` };
    const w = await world({ service: { waves }, environment });
    await ask(w, 'watch');
    await through(w, '15:00', '15:40');
    expect(headings(w)).toEqual(['🟢 Over', expect.stringMatching(/^🔴 Surge again since 16:30 · /u)]);
    expect((await ask(w, 'watch ack')).text).toMatch(/^Acknowledged/);
    const { ts } = inChannel(w)[1] as Message;
    await through(w, '15:45', '15:55');
    const calm = w.slack.messages(CHANNEL).find((message) => message.ts === ts);
    expect(calm?.text).toMatch(
      /^🔵 Surge 16:30 – 16:35 · .* Back to normal since 16:35; closes if it stays that way\./u,
    );
    await w.restart();
    const third = (await through(w, '16:00', '16:05')).at(-1);
    expect(third).toMatch(/^🔴 Surge again since 17:00 · .*: Ongoing at 17:02: [\d,]+ attacks in 2 minutes, /u);
    expect(textOf(inChannel(w)[1] as Message)).toMatch(
      /Last time: 16:30 – 16:35, then calm until 17:00\. It has come back 2 times since 16:30\. Acknowledged by/,
    );
    await through(w, '16:10', '17:40');
    expect(inChannel(w).map(({ text }) => text.split(' · ')[0])).toEqual([
      '🟢 Over: surge 16:00 – 16:05',
      '🟢 Over: surge 17:30 – 17:35',
    ]);
    expect(textOf(inChannel(w)[1] as Message)).toContain('It has come back 3 times since 16:30.');
    expect(closings(w).map(({ threadTs }) => threadTs)).toEqual(inChannel(w).map(({ ts }) => ts));
    // Each pulse has its place in the report, though two may be one when they are over, and each alert is told once.
    await ask(w, 'incident last 4h');
    const reports = () => w.slack.files().filter(({ name, channels }) => name.endsWith('.md') && channels.length > 0);
    await passUntil(w, () => reports().length > 0, 'the report');
    const report = String(reports()[0]?.bytes);
    const count = (words: RegExp): number => [...report.matchAll(words)].length;
    expect(count(/Began\. Surge/g)).toBeGreaterThanOrEqual(3);
    expect([count(/The watch alerted/g), count(/\*\* Acknowledged by/g)]).toEqual([2, 1]);
    expect(w.slack.refusals).toEqual([]);
  });

  it('has one beginning and one end, whoever tells of it', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:50', 14), wave('15:20', '15:50', 20)] } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:45');
    expect(inChannel(w).at(-1)?.text).toMatch(/since 16:00 · /u);
    expect(textOf(await ask(w, 'check'))).toMatch(/Surge since 16:00/);
    await through(w, '15:50', '16:30');
    expect(inChannel(w).at(-1)?.text).toMatch(/surge 16:00 – 16:50 · /u);
    for (const sentence of ['check last 2h', 'incident last 3h']) {
      expect(textOf(await ask(w, sentence)), sentence).toMatch(/(Surge|Incident) 16:00 – 16:50/);
    }
  });

  it('a crash in the middle and answers that are lost change nothing the channel sees', async () => {
    const waves = [wave('15:00', '15:50', 14)];
    const w = await world({ service: { waves }, environment: { WAFBOT_STORE: `sqlite:${storeFile()}` } });
    await ask(w, 'watch');
    // The first message arrives, its answer does not.
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await through(w, '15:00', '15:20');
    expect(inChannel(w)).toHaveLength(1);
    w.slack.faults.inject('chat.update', { kind: 'response_lost' });
    await through(w, '15:25', '15:35');
    await w.restart(() => w.clock.leap(7 * MINUTE_MS));
    await through(w, '15:45', '15:55');
    // The reply that closes it arrives, its answer does not.
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await through(w, '16:00', '16:35');
    expect(inChannel(w)).toHaveLength(1);
    expect(inChannel(w)[0]?.text).toMatch(/^🟢 Over: surge 16:00 – 16:50/u);
    expect(closings(w)).toHaveLength(1);
  });

  it('is acknowledged and snoozed by sentence, and says so', async () => {
    const w = await world();
    // Above what is usual, so that nothing alerts on the way there, and twice of it is reached before somebody says so.
    await ask(w, 'watch attacks over 290 per 10m');
    expect(new Set(await through(w, '14:35', '15:05'))).toEqual(new Set(['nothing']));
    await through(w, '15:10', '15:15');
    expect(inChannel(w)).toHaveLength(1);
    const acknowledged = await ask(w, 'ack');
    expect(acknowledged.text).toMatch(/^Acknowledged/);
    const says = (words: string) => () => textOf(inChannel(w).at(-1) as Message).includes(words);
    await passUntil(w, says(`Acknowledged by <@${MAYA}>`), 'the name of who acknowledged it');
    expect((await ask(w, 'watch snooze 2h')).text).toMatch(/^Snoozed/);
    await passUntil(w, says(`Snoozed by <@${MAYA}>`), 'the name of who snoozed it');
    // While it sleeps, worse is shown by an edit alone.
    await through(w, '15:20', '15:40');
    expect(inChannel(w)).toHaveLength(1);
    const list = await ask(w, 'watches');
    expect(textOf(list)).toContain('attacks over 290 per 10 minutes');
    expect(textOf(list)).toMatch(/surge|elevated/);
  });
});

/** Something that stops from `from` to `to`. */
const stop = (kind: 'visitors-gone' | 'attacks-gone', from: string, to: string): Wave => ({
  ...wave(from, to, 0),
  kind,
});

/** The answer of a service that has no numbers after an instant. */
function withoutPointsFrom(body: Record<string, unknown>, fromMs: number): unknown {
  return JSON.parse(JSON.stringify(body), (_key, value) =>
    Array.isArray(value) ? value.filter((each) => !(Number(each?.time) > fromMs)) : value,
  );
}

describe('a drop', () => {
  it('visitors are gone: told once, edited, answered alike, ended with the true times', async () => {
    const environment = { WAFBOT_STORE: `sqlite:${storeFile()}`, WAFBOT_CHARTS: 'embedded' };
    const w = await world({ service: { waves: [stop('visitors-gone', '15:00', '15:50')] }, environment });
    await ask(w, 'watch');
    expect(new Set(await through(w, '14:40', '15:05'))).toEqual(new Set(['nothing']));
    // The message arrives, its answer does not.
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    const called = await through(w, '15:10', '15:25');
    expect(called.at(-1)).toMatch(
      /^🟠 Visitors gone since 16:00 · [\d,]+ visits, about [\d,]+ expected: Ongoing at 16:22: [\d,]+ visits in 22 minutes, about [\d,]+ expected\. The site or /u,
    );
    expect(labels(inChannel(w)[0])).toEqual([
      'Acknowledge',
      'Why?',
      'Over time',
      'Incident report',
      'Snooze 2h',
      'Doctor',
    ]);
    const counts = (text: string) =>
      /([\d,]+) visits in 22 minutes(?: so far)?, about ([\d,]+) expected/.exec(text)?.slice(1);
    for (const sentence of ['check', 'incident last 2h']) {
      const told = await ask(w, sentence);
      expect(told.text).toMatch(/^🟠 Visitors gone since 16:00 · /u);
      expect(counts(textOf(told)), sentence).toEqual(counts(called.at(-1) ?? ''));
    }
    expect((await ask(w, 'watch ack')).text).toMatch(/^Acknowledged/);
    expect(textOf(await ask(w, 'watches'))).toContain('visitors gone');
    await w.restart(() => w.clock.leap(7 * MINUTE_MS));
    await through(w, '15:35', '16:20');
    const [message, ...more] = inChannel(w);
    expect(more).toEqual([]);
    const over =
      /^🟢 Over: visitors gone 16:00 – 16:50 · ([\d,]+) visits, about ([\d,]+) expected\. [\d,]+ visits in 50 minutes, /u;
    expect(message?.text).toMatch(over);
    expect(labels(message)).toEqual(['Incident report', 'Why?']);
    const [closing, ...others] = closings(w);
    expect(others).toEqual([]);
    expect(closing?.threadTs).toBe(message?.ts);
    expect(closing?.text.match(over)).toEqual(message?.text.match(over));
    expect(textOf(await ask(w, 'incident last 2h'))).toMatch(
      /Visitors gone 16:00 – 16:50 · .*Acknowledged by Maya Lindholm/su,
    );
    expect(w.slack.refusals).toEqual([]);
  });

  it('attacks stop while visitors keep coming, and a rise after it is an episode of its own', async () => {
    const waves = [stop('attacks-gone', '14:50', '15:40'), wave('16:10', '16:40', 40)];
    const w = await world({ service: { waves } });
    await ask(w, 'watch');
    await through(w, '14:50', '15:20');
    expect(inChannel(w).map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^🟠 No attacks since 15:50, while visitors keep coming · about [\d,]+ expected: Ongoing at 16:17: /u,
      ),
    ]);
    await through(w, '15:25', '16:25');
    expect(headings(w)).toEqual([
      expect.stringMatching(/^🟢 Over$/u),
      expect.stringMatching(/^🔴 Surge since 17:10 · /u),
    ]);
    expect(inChannel(w)[0]?.text).toMatch(/^🟢 Over: no attacks 15:50 – 16:40, while visitors kept coming · /u);
  });

  it('is not what a service without numbers looks like', async () => {
    const w = await world({ service: { waves: [stop('visitors-gone', '15:00', '15:50')] } });
    await ask(w, 'watch');
    const numbersUntil = (instant: string) => {
      const known = minuteOf(instant) * MINUTE_MS;
      w.service.misbehave({ kind: 'change', change: (body) => withoutPointsFrom(body, known) });
    };
    numbersUntil('2026-03-10T15:00:00Z');
    expect(new Set(await through(w, '15:00', '15:35'))).toEqual(new Set(['nothing']));
    w.service.resetFaults();
    await through(w, '15:40', '15:45');
    expect(inChannel(w)).toHaveLength(1);
    // Nor is it over because there are none.
    numbersUntil('2026-03-10T15:42:00Z');
    const blind = await through(w, '15:50', '16:20');
    expect(blind.at(-1)).toMatch(/^🟠 Visitors gone since 16:00 · /u);
    w.service.resetFaults();
    await through(w, '16:25', '16:45');
    expect(inChannel(w)[0]?.text).toMatch(/^🟢 Over: visitors gone 16:00 – 16:50 · /u);
  });
});

describe('a watch keeps its word', () => {
  it.each([
    ['too little for its sensitivity', 1.208],
    ['enough', 1.4],
  ])('half an hour after a check says elevated, %s: it has alerted or says why not', async (what, perMinute) => {
    const w = await world({ service: { waves: [wave('15:00', '17:20', perMinute)] } });
    await ask(w, 'watch quiet');
    let [elevatedFor, longest] = [0, 0];
    const end = minuteOf('2026-03-10T16:30:00Z');
    for (let minute = minuteOf('2026-03-10T15:05:00Z'); minute <= end && longest < 40; minute += 5) {
      await passTo(w, Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS));
      elevatedFor = (await ask(w, 'check')).text.startsWith('🟠 Elevated') ? elevatedFor + 5 : 0;
      longest = Math.max(longest, elevatedFor);
      const listed = textOf(await ask(w, 'watches'));
      const why =
        /Elevated since \d\d:\d\d, but below this watch’s sensitivity: this happens once in \d+ hours, and it alerts from once in 400\./;
      if (elevatedFor >= 30) expect(inChannel(w).length > 0 || why.test(listed), String(minute)).toBe(true);
      // Never both.
      expect(inChannel(w).length > 0 && why.test(listed)).toBe(false);
    }
    expect(longest).toBeGreaterThanOrEqual(30);
    expect(inChannel(w)).toHaveLength(what === 'enough' ? 1 : 0);
  });
});

describe('one click', () => {
  it('on “This was expected” moves the bar, is shown by watch, and can be undone', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:50', 30)] } });
    await ask(w, 'watch');
    await through(w, '15:00', '15:15');
    const [message] = inChannel(w);
    const noted = await click(w, message, 'This was expected');
    expect(noted.threadTs).toBe(message?.ts);
    expect(textOf(noted)).toContain(
      'This watch is one step less sensitive (of at most 3): it alerts only about rarer events.',
    );
    await passUntil(
      w,
      () => textOf(inChannel(w)[0] as Message).includes(`<@${MAYA}>: this was expected.`),
      'the answer',
    );
    expect(labels(inChannel(w)[0])).not.toContain('This was expected');
    const shown = await ask(w, 'watch');
    expect(textOf(shown)).toMatch(/Answers: 1 × “this was expected”, the last by Maya Lindholm/);
    expect(textOf(noted)).toContain(
      'It now alerts on what happens once in 160 hours or less often (before: once in 79).',
    );
    const undone = await click(w, noted, 'Undo');
    expect(textOf(undone)).toContain(
      'It now alerts on what happens once in 79 hours or less often (before: once in 160).',
    );
    expect(textOf(undone)).toContain('Answers haven’t changed this watch’s sensitivity.');
    expect(textOf(await ask(w, 'watches'))).not.toContain('Answers:');
  });

  it('on “Tell me earlier” lowers it, also by a sentence, and only so far', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:50', 30)] } });
    await ask(w, 'watch');
    expect(textOf(await ask(w, 'watch earlier'))).toContain('has no such alert');
    await through(w, '15:00', '15:15');
    expect(textOf(await ask(w, 'watch earlier'))).toContain(
      'one step more sensitive (of at most 3): it alerts sooner.',
    );
    // About the same episode there is one answer.
    expect(textOf(await ask(w, 'watch earlier'))).toContain('one step more sensitive');
  });

  it('does nothing to a watch that counts', async () => {
    const w = await world();
    await ask(w, 'watch attacks over 150 per 10m');
    await through(w, '15:05', '15:15');
    expect(labels(inChannel(w)[0])).not.toContain('This was expected');
    expect(textOf(await ask(w, 'watch expected'))).toContain('alerts at the number you set');
  });

  it('on a watch that was removed or paused since says so', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:25', 30)] } });
    await ask(w, 'watch');
    await through(w, '15:00', '16:05');
    const [message] = inChannel(w);
    expect(labels(message)).toEqual(['Incident report', 'Why?', 'Who?', 'This was expected', 'Tell me earlier']);
    await ask(w, 'watch pause');
    expect((await click(w, message, 'This was expected')).text).toMatch(/^This watch is paused: /);
    expect((await ask(w, 'watch ack')).text).toMatch(/^This watch is paused: /);
    expect((await ask(w, 'watch snooze 2h')).text).toMatch(/^This watch is paused: /);
    await ask(w, 'watch remove');
    expect(textOf(await click(w, message, 'Tell me earlier'))).toContain('This watch was removed');
  });
});

describe('an answer', () => {
  it('moves the bar of its own watch alone, is shown by watch, and is still there after a restart', async () => {
    const environment = { WAFBOT_STORE: `sqlite:${storeFile()}` };
    const w = await world({ service: { waves: [wave('15:00', '15:50', 30)] }, environment });
    await ask(w, `hosts add shop ${DEFAULT_HOSTS[0]?.id}`);
    await ask(w, 'watch');
    await ask(w, 'watch on shop');
    await through(w, '15:00', '15:15');
    const onShop = inChannel(w).find((message) => textOf(message).includes('shop · '));
    expect(inChannel(w)).toHaveLength(2);
    await click(w, onShop, 'Tell me earlier');
    const answers = (message: Message): string[] =>
      textOf(message)
        .split(/\d\. \*/)
        .slice(1)
        .map((each) => /Answers: [^"\\]*/.exec(each)?.[0] ?? 'none');
    const said = `Answers: 1 × “tell me earlier”, the last by Maya Lindholm. This watch is one step more sensitive (of at most 3): it alerts sooner.`;
    expect(answers(await ask(w, 'watches'))).toEqual(['none', said]);
    await w.restart();
    expect(answers(await ask(w, 'watches'))).toEqual(['none', said]);
    // The other one knows nothing of it, and its own answer is its own.
    await ask(w, 'watch expected 1');
    const after = answers(await ask(w, 'watches'));
    expect(after[0]).toContain('one step less sensitive');
    expect(after[1]).toBe(said);
  });
});

describe('a preview', () => {
  /** A surge on the sixth, no visitors on the seventh, ten minutes of little on the eighth. */
  const past: readonly Wave[] = [
    { kind: 'visitors-gone', fromMinute: minuteOf('2026-03-07T10:00:00Z'), minutes: 50, perMinute: 0 },
    { kind: 'step', fromMinute: minuteOf('2026-03-06T10:00:00Z'), minutes: 40, perMinute: 30 },
    { kind: 'step', fromMinute: minuteOf('2026-03-08T21:00:00Z'), minutes: 10, perMinute: 2 },
  ];

  it('says when a watch would have called, and makes it at the click of a button', async () => {
    const w = await world({ service: { waves: past } });
    const preview = await ask(w, 'watch preview');
    const text = textOf(preview);
    const [, quiet, normal, sensitive] =
      /By sensitivity: quiet (\S+(?: times)?), normal (\S+(?: times)?), sensitive (\S+(?: times)?)\./.exec(text) ?? [];
    expect(preview.text).toContain(`A watch set to normal would have alerted ${normal} in the last 14 days`);
    expect([quiet, normal, sensitive].includes('never')).toBe(false);
    // In Stockholm it is an hour later.
    expect(text).toMatch(/6 Mar 11:\d\d.*Surge.*6 Mar 11:00.*40 minutes.*quiet, normal, sensitive/);
    expect(text).toMatch(/7 Mar 11:\d\d.*Visitors gone.*7 Mar 11:00.*50 minutes.*quiet, normal, sensitive/);
    expect(preview.visibleTo).toBe(MAYA);
    expect(labels(preview)).toEqual(['Watch: quiet', 'Watch: normal', 'Watch: sensitive']);
    expect(textOf(await ask(w, 'watches'))).toContain('no watches');
    expect(textOf(await click(w, preview, 'Watch: quiet'))).toContain('Sensitivity *quiet*');
    // Of the watch that is there now, at its own setting.
    expect((await ask(w, 'watch preview')).text).toContain(`A watch set to quiet would have alerted ${quiet} in`);
    expect(w.slack.refusals).toEqual([]);
  });

  it('gives the alerts of the running watch: the same times in its text, its table and the messages', async () => {
    const both = [wave('15:03', '15:29', 20), wave('16:11', '16:52', 9)];
    const waves = casesOf(both, (each) => each === both[0]);
    const [often, until] = waves.length === 2 ? ['twice', '18:05'] : ['once', '16:20'];
    const w = await world({ service: { waves } });
    await ask(w, 'watch');
    await ask(w, 'watch attacks over 250 per 10m');
    await through(w, '14:55', until);
    const alerts = inChannel(w).map(({ ts, text }) => ({
      // In Stockholm it is an hour later.
      at: Temporal.Instant.fromEpochMilliseconds(Math.floor(Number(ts) * 1000))
        .add({ hours: 1 })
        .toString()
        .slice(11, 16),
      limit: text.includes('attacks over'),
      span: /(\d\d:\d\d) – (\d\d:\d\d)/.exec(text)?.slice(1) ?? [],
      lasted: /in (\d+ minutes)/.exec(text)?.[1],
    }));
    for (const limit of [false, true]) {
      const own = alerts.filter((alert) => alert.limit === limit).toReversed();
      expect(own).toHaveLength(waves.length);
      const said = textOf(await ask(w, limit ? 'watch preview 2' : 'watch preview 1'));
      expect(said).toContain(`would have alerted ${often} in the last 14 days`);
      const [last] = own;
      expect(said).toContain(`Last alert: ${last?.at}, surge ${last?.span.join(' – ')}.`);
      const rows = [...said.matchAll(/(\d\d:\d\d)[^\d]+(?:Surge|Elevated)[^\d]+(\d\d:\d\d)[^\d]+(\d+ minutes)/g)];
      expect(rows.map((row) => row.slice(1))).toEqual(own.map(({ at, span, lasted }) => [at, span[0], lasted]));
    }
  });

  it('of days without a surge says so', async () => {
    const w = await world({ service: { waves: [] } });
    await ask(w, 'watch attacks over 5000 per 10m');
    const { text } = await ask(w, 'watch preview');
    expect(text).toMatch(
      /^A watch would not have alerted in the last 14 days: A watch for attacks over 5,000 per 10 minutes/,
    );
  });
});

describe('a watch that is stopped in the middle of an episode', () => {
  it('leaves no message behind that says it goes on', async () => {
    const w = await world({ service: { waves: [wave('15:00', '15:50', 30)] } });
    const says = (words: RegExp) =>
      passUntil(w, () => words.test(inChannel(w)[0]?.text ?? ''), 'the message that says so');
    await ask(w, 'watch');
    await through(w, '15:00', '15:15');
    await ask(w, 'watch pause');
    await says(/^⚪ Surge since 16:00: the watch was paused at 16:15. This watch no longer follows/u);
    expect(labels(inChannel(w)[0])).toEqual(['Check now']);
    await ask(w, 'watch resume');
    await through(w, '15:20', '15:20');
    await says(/^🔴 Surge since 16:00 · /u);
    await ask(w, 'watch remove');
    await says(/^⚪ Surge since 16:00: the watch was removed at 16:20. /u);
    expect(inChannel(w)).toHaveLength(1);
  });
});

describe('a second wish for the same', () => {
  it('makes no second watch, and offers what one would do', async () => {
    const w = await world();
    await ask(w, 'watch');
    const again = await ask(w, 'watch every 10m');
    expect(again.text).toMatch(/^This channel already has this watch: anything unusual, every 5 minutes/);
    expect(labels(again)).toEqual(['Preview alerts', 'Edit', 'Pause', 'Remove']);
    expect(textOf(await ask(w, 'watches'))).toContain('*1* watch in this channel');
    // One for something else is another one.
    expect((await ask(w, 'watch attacks over 500 per 15m')).text).toMatch(/^Watch created/);
  });

  it('with another sensitivity sets that', async () => {
    const w = await world();
    expect(textOf(await ask(w, 'watch sensitive'))).toContain('Sensitivity *sensitive*');
    const changed = await ask(w, 'watch quiet');
    expect(changed.text).toMatch(/^Watch changed: /);
    expect(textOf(changed)).toContain('Sensitivity *quiet*');
    expect(textOf(await ask(w, 'watch edit 1 sensitive'))).toContain('Sensitivity *sensitive*');
    expect(textOf(await ask(w, 'watch normal 1'))).toContain('Sensitivity *normal*');
    expect(textOf(await ask(w, 'watches'))).toContain('*1* watch in this channel');
  });

  it('while it is paused says so', async () => {
    const w = await world();
    await ask(w, 'watch');
    await ask(w, 'watch pause');
    const again = await ask(w, 'watch');
    expect(again.text).toMatch(/^This channel already has this watch, and it is paused: /);
    expect(labels(again)).toContain('Resume');
    expect((await ask(w, 'watch pause')).text).toMatch(/^This watch is already paused/);
  });
});

describe('sentences', () => {
  it.each([
    ['watch sqli over 50 per 10m', /SQL injection over 50 per 10 minutes, every 5 minutes/],
    ['watch attacks over lots per 15m', /\^\^\^\^/],
    ['watch quiet attacks over 500 per 15m', /has no sensitivity/],
    ['watch on "nowhere"', /There's no host/],
    ['watches', /no watches/],
    ['ack', /no watches/],
    ['snooze 2h', /no watches/],
    ['watch expected', /no watches/],
  ])('%s', async (text, expected) => {
    const w = await world();
    expect(textOf(await ask(w, text))).toMatch(expected);
  });

  it('pauses, resumes and removes', async () => {
    const w = await world();
    await ask(w, 'watch');
    expect((await ask(w, 'watch pause')).text).toMatch(/^Watch paused/);
    expect(textOf(await ask(w, 'watches'))).toContain('Paused');
    await passTo(w, '2026-03-10T15:30:00Z');
    expect(inChannel(w)).toHaveLength(0);
    expect((await ask(w, 'watch resume')).text).toMatch(/^Watch resumed/);
    expect((await ask(w, 'watch remove 1')).text).toMatch(/^Watch removed/);
    expect(textOf(await ask(w, 'watches'))).toContain('no watches');
  });
});

describe('a service that tells categories for whole days only', () => {
  const service = { habits: { speaks: ['overviews'], windows: 'fixed' } } as const;

  it('gets no watch for one category, and one that is there says why it has no data', async () => {
    const w = await world({ service, dialect: 'auto' });
    const why = 'the service has categories only for whole days in UTC: today, yesterday, or the last 3, 7 or 30';
    const refused = await ask(w, 'watch sqli over 50 per 10m');
    expect(refused.text).toContain('A watch for SQL injection over 50 per 10 minutes would have no data here');
    expect(textOf(refused)).toContain(`This is because ${why}.`);
    expect(labels(refused)).toContain('New watch');
    expect((await ask(w, 'watch attacks over 5000 per 15m')).text).toMatch(/^Watch created/);
    // While the service is away nobody knows what it offers.
    w.service.misbehave({ kind: 'refuse', code: 'WAF.5003' });
    const made = ask(w, 'watch xss over 50 per 10m');
    await passUntil(w, () => w.slack.messages(CHANNEL).some(({ text }) => text.includes('XSS')), 'the watch');
    expect((await made).text).toMatch(/^Watch created/);
    w.service.resetFaults();
    await through(w, '14:45', '14:55');
    const listed = textOf(await ask(w, 'watches'));
    expect(listed).toContain(`No data: ${why}.`);
    expect(listed.split('No data: ')).toHaveLength(2);
    expect(textOf(await ask(w, 'doctor'))).toContain('a watch for one category sees nothing');
  });
});
