/** Quiet hours and maintenance through the local Slack, with time in the test's hand. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import {
  ask,
  CHANNEL,
  posts,
  through,
  type WatchedWorld,
  wave,
  watchedWorld as world,
} from '../../support/watched-world.ts';
import { isDigest, passTo, textOf } from '../../support/world.ts';

const MINUTE_MS = 60_000;

const headings = (w: WatchedWorld): string[] => posts(w).map(({ text }) => text.replace(/(?: · |: (?!\d)).*$/s, ''));

describe('maintenance', () => {
  it('holds everything back, then sums up what is over once, through a restart, and is in the digest', async () => {
    const w = await world([wave('15:00', '15:40', 60)]);
    await ask(w, 'watch');
    await ask(w, 'digest daily at 18:00');
    const answer = await ask(w, 'maintenance today 15:45-17:15');
    expect(answer).toContain('Maintenance once, 15:45 – 17:15');
    expect(answer).toContain('Next: 15:45 – 17:15.');
    expect(await ask(w, 'watches')).toContain('Maintenance once, 15:45 – 17:15');
    await through(w, '15:00', '15:30');
    await w.restart(() => w.clock.leap(4 * MINUTE_MS));
    await through(w, '15:40', '16:15');
    expect(posts(w)).toEqual([]);
    // The summary arrives, Slack's answer to it does not.
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await through(w, '16:20', '16:25');
    await w.restart();
    await through(w, '16:30', '16:45');
    const [summary, ...others] = posts(w);
    expect(others).toEqual([]);
    expect(summary?.text).toMatch(/^🔵 During maintenance, 15:45 – 17:15: 1 alert held back/u);
    expect(summary && textOf(summary)).toMatch(/Surge 16:00 – 16:40 · [\d.]+× usual/);
    await through(w, '17:00', '17:05');
    const digest = w.slack.messages(CHANNEL).find(isDigest);
    expect(digest && textOf(digest)).toContain('alert held back by maintenance');
    expect(await ask(w, 'maintenance')).toContain('None in this channel');
  });

  it('that ends while something goes on alerts then, and says why it is late', async () => {
    const w = await world([wave('15:00', '16:00', 60)]);
    await ask(w, 'watch');
    expect(await ask(w, 'maintenance now for 2h')).toMatch(/Maintenance: in effect now.*Next: now until 17:30\./s);
    await through(w, '15:00', '15:15');
    expect(posts(w)).toEqual([]);
    expect(await ask(w, 'maintenance')).toMatch(/Alerts are being held back now.*1\. /s);
    expect(await ask(w, 'maintenance end')).toContain('Ended: alerts are sent again');
    await through(w, '15:20', '15:25');
    expect(headings(w)).toEqual(['🔴 Surge since 16:00']);
    expect(textOf(posts(w)[0] as Message)).toContain('Held back at first by maintenance.');
  });

  it('is for one watch if that is said, and is removed by number', async () => {
    const w = await world([]);
    expect(await ask(w, 'maintenance saturday 02:00-04:00')).toContain('This channel has no watches');
    await ask(w, 'watch');
    await ask(w, 'watch attacks over 500 per 15m');
    expect(await ask(w, 'maintenance saturday 02:00-04:00 for watch 2')).toContain(', watch 2 only.');
    const answer = await ask(w, 'quiet weekdays 22:00-06:00 below surge');
    expect(answer).toContain('Next: 22:00 – 11 Mar 06:00, 11 Mar 22:00 – 12 Mar 06:00, 12 Mar 22:00 – 13 Mar 06:00.');
    const list = await ask(w, 'quiet hours');
    expect(list).toMatch(/1\. .*Quiet hours weekdays 22:00 – 06:00 \(Europe\/Stockholm\), below surge/s);
    expect(list).toMatch(/Next: 14 Mar 02:00 – 04:00, 21 Mar 02:00 – 04:00, 28 Mar 02:00 – 04:00\. For watch 2 only\./);
    expect(await ask(w, 'maintenance remove 2')).toContain('Maintenance removed');
    expect(await ask(w, 'watches')).not.toContain('Saturdays');
    expect(await ask(w, 'maintenance remove 2')).toContain('There’s no “2” in the list');
    expect(await ask(w, 'maintenance 2026-03-14 02:00-04:00')).toMatch(/scheduled once.*once, 14 Mar 02:00 – 04:00/s);
    expect(await ask(w, 'maintenance 21 May 02:00-04:00 for watch 1')).toContain('Next: 21 May 02:00 – 04:00.');
    expect(await ask(w, 'maintenance')).toContain('21 May 02:00 – 04:00');
    expect(await ask(w, 'maintenance 2026-03-01 02:00-04:00')).toMatch(/^That is over already.*"List them"/s);
  });
});

describe('quiet hours', () => {
  it('hold back what is below a surge and let a surge through', async () => {
    const w = await world([wave('15:00', '15:20', 9), wave('15:55', '16:30', 90)]);
    await ask(w, 'watch attacks over 400 per 10m quiet hours daily 15:30-17:30');
    const list = await ask(w, 'watches');
    expect(list).toContain('Quiet hours daily 15:30 – 17:30 (Europe/Stockholm), below surge');
    await through(w, '15:00', '15:50');
    expect(posts(w)).toEqual([]);
    await through(w, '15:55', '16:15');
    expect(headings(w)).toEqual([expect.stringMatching(/^🔴 Attacks over 400 per 10 minutes (again )?since 16:4/u)]);
    await through(w, '16:20', '17:00');
    expect(headings(w).at(-1)).toMatch(/^🔵 During quiet hours, 15:30 – 17:30: 1 alert held back/u);
    expect(posts(w)).toHaveLength(2);
  });
});

describe('a window over a clock change', () => {
  // In Stockholm 01:00 to 05:00 are three hours in spring and five in autumn; the attack is in the last of them.
  it.each([
    { change: 'spring', from: '2026-03-28T23:30Z', attack: '2026-03-29T02:15Z', end: '2026-03-29T03:00Z' },
    { change: 'autumn', from: '2026-10-24T22:30Z', attack: '2026-10-25T03:15Z', end: '2026-10-25T04:00Z' },
  ])('in $change begins and ends by the clock on the wall, and notifies nobody', async ({ from, attack, end }) => {
    const fromMinute = Temporal.Instant.from(attack).epochMilliseconds / MINUTE_MS;
    const w = await world([{ kind: 'step', fromMinute, minutes: 30, perMinute: 60 }], { at: from });
    const pass = async (until: Temporal.Instant): Promise<void> => {
      let at = w.clock.now().add({ minutes: 15 });
      for (; Temporal.Instant.compare(at, until) <= 0; at = at.add({ minutes: 15 })) await passTo(w, at);
    };
    await ask(w, 'watch every 15m');
    await ask(w, 'watch mention @diego');
    expect(await ask(w, 'maintenance sunday 01:00-05:00')).toContain('Next: 01:00 – 05:00');
    // Far below twice the number, so it isn't a surge.
    await ask(w, 'watch attacks over 3500 per 15m every 15m');
    await ask(w, 'watch mention @diego 2');
    expect(await ask(w, 'quiet sunday 01:00-05:00 for watch 2')).toContain('Next: 01:00 – 05:00');
    // Nothing can be seen before the attack.
    await passTo(w, Temporal.Instant.from(attack));
    await pass(Temporal.Instant.from(end));
    expect(posts(w)).toEqual([]);
    await pass(Temporal.Instant.from(end).add({ minutes: 45 }));
    expect(headings(w).toSorted()).toEqual([
      '🔵 During maintenance, 01:00 – 05:00: 1 alert held back. Surge 04:15 – 04:45',
      expect.stringMatching(/^🔵 During quiet hours, 01:00 – 05:00: 1 alert held back/u),
    ]);
    expect(w.slack.notifications(CHANNEL).filter(({ ts }) => posts(w).some((post) => post.ts === ts))).toEqual([]);
  });
});
