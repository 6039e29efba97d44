import { describe, expect, it } from 'vitest';
import { checkView } from '../../../../playground/slack/index.ts';
import { assess } from '../../../../src/episodes/assess.ts';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { homeView, hourBars } from '../../../../src/slack/blocks/home-view.ts';
import { homeEntries } from '../../../../src/subscriptions/subscription-lines.ts';
import type { SubscriptionSummary } from '../../../../src/subscriptions/subscription-summary.ts';
import { BUSY_DAY, busyDay } from '../../../support/busy-day.ts';
import { episodeLog } from '../../../support/episodes.ts';
import { fc } from '../../../support/property.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const subscription = (id: string, more: Partial<SubscriptionSummary> = {}): SubscriptionSummary => ({
  id,
  what: 'daily at 09:00',
  channel: 'C0SECURITY',
  owner: 'U0MAYA0001',
  zone: 'UTC',
  project: null,
  hosts: [],
  nextRuns: [NOW],
  lastRun: { due: NOW, at: NOW, late: true, ok: true, says: 'sent' },
  paused: null,
  ...more,
});
const view = (subscriptions: readonly SubscriptionSummary[]) =>
  homeView({ entries: homeEntries(subscriptions, 'digest'), situation: null, answersIn: null }, '/waf');
const words = (subscriptions: readonly SubscriptionSummary[]): string => JSON.stringify(view(subscriptions).blocks);

describe('the Home tab', () => {
  it('says what, where, when next and how it went last', () => {
    expect(words([subscription('a1')])).toMatch(
      /<#C0SECURITY> digest: \*daily at 09:00\*, by <@U0MAYA0001>\\nNext: <!date\^1773153000\^.*Last: <!date.* sent \(late\)\./,
    );
    const paused = words([subscription('a1', { paused: { by: 'U0DIEGO001', reason: 'too loud' }, nextRuns: [] })]);
    expect(paused).toContain('*Paused* by <@U0DIEGO001>: too loud');
    expect(paused).toContain('C0SECURITY digest resume a1');
    expect(words([subscription('a1', { channel: 'D0MAYA' })])).toContain('In direct messages, digest: ');
  });

  it.each([
    [
      '16:03',
      '🔴 Are we under attack? Yes',
      /^\*Surge\*: \*[\d,]+ attacks\* in 60 minutes, about \d+ expected\.\nBegan .* 15:00 UTC>, \*still ongoing\*\. 4\.\d× usual, led by XSS\.$/,
    ],
    [
      '03:20',
      '🔵 Are we under attack? Not anymore',
      /^\*Surge\*: .* in 26 minutes, .*\nBegan .* 02:37 UTC>, ended .* 03:03 UTC>\. 8\.\d× usual, led by SQL injection\.$/,
    ],
    [
      '08:00',
      '🟠 Are we under attack? No, but attacks have stopped',
      /^\*No attacks while visitors keep coming\*: \*0 attacks\* in 47 minutes, about \d+ expected\./,
    ],
    ['02:20', '🟢 Are we under attack? No', /^\*Calm\*: \*\d+ attacks\* in 57 minutes, about \d+ expected\.$/],
  ] as const)('answers at %s from the records of everyone', async (clock, heading, line) => {
    const now = Temporal.Instant.from(`${BUSY_DAY}T${clock}Z`);
    const statistics = recordedStatistics(busyDay())(now.epochMilliseconds);
    const range = { from: now.subtract({ hours: 1 }), to: now };
    const sources = { statistics, episodes: episodeLog(statistics, () => now) };
    const { verdict, episodes } = await assess(sources, { range, hosts: [], zone: 'UTC' });
    const situation = { is: 'known', project: null, verdict, episodes, day: null, others: [] } as const;
    const [title, text] = homeView({ entries: [], situation, answersIn: null }, '/waf').blocks;
    expect(title).toMatchObject({ text: { text: heading } });
    expect(text).toMatchObject({ text: { text: expect.stringMatching(line) } });
  });

  it('says so when nothing is there, and when it cannot be read', () => {
    expect(words([])).toContain('Nothing yet');
    expect(JSON.stringify(homeView({ entries: null, situation: null, answersIn: null }, '/waf'))).toContain(
      'Can’t load them right now',
    );
  });

  it('stays within Slack’s limits, and pings nobody, whatever people have set up', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom('<!channel>', '<@U1>', 'x'.repeat(4_000)),
    );
    const random = fc.record({ what: text, hosts: fc.array(text, { maxLength: 5 }), says: text });
    const finding = fc.record({ what: text, ok: fc.boolean(), says: text, fix: text });
    fc.assert(
      fc.property(
        fc.array(random, { maxLength: 60 }),
        fc.array(finding, { maxLength: 30 }),
        text,
        (list, faults, why) => {
          const subscriptions = list.map(({ what, hosts, says }, at) =>
            subscription(`id${at}`, { what, hosts, lastRun: { due: NOW, at: NOW, late: false, ok: true, says } }),
          );
          const situation = { is: 'unknown', project: null, others: [], why: `x${why}`, last: null, faults } as const;
          const home = homeView({ entries: homeEntries(subscriptions, 'watch'), situation, answersIn: null }, '/waf');
          expect(checkView(home)).toEqual([]);
          expect(JSON.stringify(home.blocks.filter(({ type }) => type === 'section'))).not.toMatch(
            /<!(?!date\^)|<@U1>/,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the bars of the day', () => {
  const HOUR_MS = 3_600_000;
  const FROM_MS = Date.parse('2026-03-09T14:30:00Z');
  /** One number an hour; `null` for an hour that the service left out. */
  function day(attacks: readonly (number | null)[], settledHours = attacks.length): string {
    const points = attacks.flatMap((count, hour) =>
      count === null ? [] : [{ endMs: FROM_MS + (hour + 1) * HOUR_MS, requests: count * 10, attacks: count }],
    );
    const toMs = FROM_MS + attacks.length * HOUR_MS;
    const settledUntilMs = FROM_MS + settledHours * HOUR_MS;
    return hourBars({ fromMs: FROM_MS, toMs, intervalMs: HOUR_MS, points, settledUntilMs, asOfMs: toMs, stale: false });
  }

  it('rise from none to the most there was', () => {
    expect(day([0, 10, 20, 30, 40, 50, 60, 70])).toBe('▁▂▃▄▅▆▇█');
    expect(day([0, 0, 0])).toBe('▁▁▁');
  });

  it('tell an hour without a number, and one that is still filling, from an hour without attacks', () => {
    expect(day([70, null, 0, 5], 3)).toBe('█·▁░');
  });

  it('show an hour that is still filling if it is the largest already', () => {
    expect(day([10, 20, 70], 2)).toBe('▂▃█');
  });
});
