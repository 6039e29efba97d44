import { describe, expect, it } from 'vitest';
import { assess } from '../../../src/episodes/assess.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { BARS } from '../../../src/episodes/verdict/index.ts';
import { BotError } from '../../../src/errors.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { findingOf } from '../../../src/replies/verdict-finding.ts';
import { explanationOf } from '../../../src/replies/verdict-reasons.ts';
import { at, type Happening, HOUR_MS, logOn, recordedSite, type SiteOptions } from './recorded-site.ts';

const MINUTE_MS = 60_000;
const DAY = 1440;
const DAYS = 30;
const NOW_MS = Date.UTC(2026, 2, 30, 9);
const START_MS = NOW_MS - DAYS * DAY * MINUTE_MS;

/** Attacks by the clock of Berlin, which changed on 29 March 2026: three times as many between 10 and 12. */
function recorded(more: (minutesBefore: number) => number = () => 0) {
  const attacks = Array.from({ length: DAYS * DAY }, (_, at) => {
    const ms = START_MS + at * MINUTE_MS;
    const hour = Math.floor(ms / 3_600_000 + (ms < Date.UTC(2026, 2, 29, 1) ? 1 : 2)) % 24;
    return (hour === 10 || hour === 11 ? 30 : 10) + (at % 7) + more(DAYS * DAY - at);
  });
  const requests = attacks.map((count) => count + 400);
  const numbers = { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: { sqli: attacks } };
  return recordedStatistics(numbers)(NOW_MS);
}

/** With the episodes in them, by the clock of Berlin. */
function sources(more?: (minutesBefore: number) => number) {
  const statistics = recorded(more);
  return { statistics, episodes: logOn(statistics, NOW_MS, null, 'Europe/Berlin') };
}

const now = Temporal.Instant.fromEpochMilliseconds(NOW_MS);
const hour = { from: now.subtract({ hours: 1 }), to: now };

/** From 03:00 to 04:00. */
async function judged(happenings: readonly Happening[], options: SiteOptions) {
  const nowMs = at('04:00');
  const statistics = recordedSite(happenings, options).statisticsAt(nowMs);
  const range = {
    from: Temporal.Instant.fromEpochMilliseconds(at('03:00')),
    to: Temporal.Instant.fromEpochMilliseconds(nowMs),
  };
  const site = { statistics, episodes: logOn(statistics, nowMs) };
  const { verdict, episodes } = await assess(site, { range, hosts: [], zone: 'UTC' });
  const asked = { range, zone: 'UTC', now: range.to, hosts: [], episodes };
  return { verdict, title: findingOf(verdict, asked).title };
}

describe('an assessment', () => {
  it('states no chance of a weak takeover, whose rarity is not measured', async () => {
    const nowMs = at('05:10');
    const takeover = { fromMs: at('04:05'), toMs: at('05:05'), attacks: 0.85, more: { xss: 11 } };
    const statistics = recordedSite([takeover], { level: 20 }).statisticsAt(nowMs);
    const range = {
      from: Temporal.Instant.fromEpochMilliseconds(at('04:00')),
      to: Temporal.Instant.fromEpochMilliseconds(nowMs),
    };
    const found = await assess({ statistics, episodes: logOn(statistics, nowMs) }, { range, hosts: [], zone: 'UTC' });
    const typed = { ...range, typed: '04:00 to 05:10', kind: 'calendar', zone: 'UTC', cut: false } as const;
    const asked = { range: typed, zone: 'UTC', now: range.to, hosts: [], sentence: { versus: null } };
    const { lines } = explanationOf({ ...found, on: null }, asked, 'check');
    expect(found.episodes.map(({ mix, strength }) => [mix, strength])).toEqual([['xss', BARS.normal]]);
    expect(lines.map(plainText).join(' ')).not.toContain('By chance');
  });

  it('compares with the same hours by the clock of the zone, and misses nothing when the clocks changed', async () => {
    const { verdict } = await assess(sources(), { range: hour, hosts: [], zone: 'Europe/Berlin' });
    expect(verdict).toMatchObject({ level: 'calm', completeness: [] });
    expect(verdict.expected).toBeGreaterThan(0.85 * verdict.totals.attacks);
    expect(verdict.references.map(({ shiftMs }) => Math.round((shiftMs ?? 0) / (24 * HOUR_MS)))).toEqual([
      0, 1, 7, 14, 21, 28,
    ]);
    const counts = verdict.references.slice(1).map(({ totals }) => totals.attacks);
    for (const count of counts) expect(Math.abs(count / verdict.totals.attacks - 1)).toBeLessThan(0.05);
  });

  it('asks for nothing beyond the window, the hours before, the weeks before and the blocks of its episodes', async () => {
    const { verdict, episodes } = await assess(sources(), { range: hour, hosts: [], zone: 'Europe/Berlin' });
    expect({ level: verdict.level, episodes }).toEqual({ level: 'calm', episodes: [] });
  });

  it('says what its leading episode says, with every other one of the window', async () => {
    const more = (before: number) => (before > 10 && before <= 30 ? 60 : before > 150 && before <= 180 ? 90 : 0);
    const range = { from: now.subtract({ hours: 6 }), to: now };
    const { verdict, episodes } = await assess(sources(more), { range, hosts: [], zone: 'Europe/Berlin' });
    expect(episodes).toHaveLength(2);
    const [lead] = episodes;
    expect(verdict).toMatchObject({
      level: lead?.worst,
      onsetMs: lead?.onsetMs,
      endedMs: lead?.endMs,
      score: lead?.strength,
    });
  });

  it('expects of the categories of a calm window together what it expects of the window', async () => {
    const { verdict } = await assess(sources(), { range: hour, hosts: [], zone: 'Europe/Berlin' });
    const sum = verdict.categories.reduce((all, { expected }) => all + expected, 0);
    expect(Math.abs(sum / (verdict.expected ?? 1) - 1)).toBeLessThan(0.02);
  });

  it('expects no more of a category in a calm window because a surge of it was over shortly before', async () => {
    const length = DAYS * DAY;
    const isSurge = (at: number) => at >= length - 240 && at < length - 180;
    const xss = Array.from({ length }, (_, at) => 8 + (at % 3));
    const sqli = Array.from({ length }, (_, at) => 4 + (at % 2) + (isSurge(at) ? 90 : 0));
    const attacks = xss.map((count, at) => count + (sqli[at] ?? 0));
    const numbers = { startMs: START_MS, intervalMs: MINUTE_MS, requests: attacks.map((n) => n + 400), attacks };
    const statistics = recordedStatistics({ ...numbers, categories: { xss, sqli } })(NOW_MS);
    const site = { statistics, episodes: logOn(statistics, NOW_MS, null, 'UTC') };
    const { verdict } = await assess(site, { range: hour, hosts: [], zone: 'UTC' });
    expect(verdict.level).toBe('calm');
    expect(verdict.categories).toHaveLength(2);
    for (const { observed, expected } of verdict.categories)
      expect(Math.abs(observed / expected - 1)).toBeLessThan(0.1);
  });

  it('calls visitors who are back after a holiday no more than usual', async () => {
    const holiday = { fromMs: at('00:00', -1), toMs: at('00:00'), visitors: 0.38, attacks: 0.5 };
    const { verdict } = await judged([holiday], { level: 40 });
    expect(verdict).toMatchObject({ level: 'calm', kind: null });
    expect(Math.abs(verdict.visitorFactor - 1)).toBeLessThan(0.05);
    expect(Math.abs(verdict.totals.attacks / (verdict.expected ?? 0) - 1)).toBeLessThan(0.05);
  });

  it.each([
    ['an attack', 11, 6, 1],
    ['an outage', 11, 0, 1],
    ['an attack', 11, 6, 5],
    ['an attack', 16, 6, 1],
    ['an attack', 40, 6, 5],
  ])('expects what is usual after %s of %i hours', async (_, hours, attacks, minutes) => {
    const toMs = at('02:00');
    const before = { fromMs: toMs - hours * HOUR_MS, toMs, attacks, visitors: Math.min(1, attacks) };
    const { verdict, title } = await judged([before], { level: 40, intervalMs: minutes * MINUTE_MS });
    expect(title).toContain('is usual');
    expect(verdict.level).toBe('calm');
    expect(Math.abs(verdict.totals.attacks / (verdict.expected ?? 0) - 1)).toBeLessThan(0.05);
  });

  it('has an ordinary number of attacks among its usual ones, however many visitors there are', async () => {
    const crowd = { fromMs: at('02:00'), toMs: at('04:00'), visitors: 3 };
    const { verdict, title } = await judged([crowd], { level: 40 });
    expect(verdict).toMatchObject({ level: 'calm', kind: 'more visitors' });
    expect(verdict.usual?.low).toBeLessThan(verdict.totals.attacks);
    expect(verdict.usual?.high).toBeGreaterThan(2 * verdict.totals.attacks);
    const lowest = verdict.band.reduce((sum, { low }) => sum + low, 0) / verdict.band.length;
    expect(lowest).toBeLessThan(40);
    expect(title).not.toContain('below');
  });

  it.each([
    [17, 'Calm · ', []],
    [25, 'No attacks ', [{ what: 'attacks', sinceMs: at('03:10') }]],
  ])('names what was gone for %i minutes as its sentence does', async (minutes, name, drops) => {
    const [fromMs, requests] = [at('03:10'), 990];
    const gone = { fromMs, toMs: fromMs + minutes * 60_000, instead: { requests, attacks: 0 } };
    const { verdict, title } = await judged([gone], { level: 2 });
    expect(title.startsWith(name)).toBe(true);
    expect(verdict).toMatchObject({ drops });
  });

  it('is not enough data while the episodes of the window can not be looked for', async () => {
    const statistics = recorded();
    const episodes = {
      ...sources().episodes,
      numbers: async () => null,
      within: async () => {
        throw new BotError('upstream_timeout', 'not now');
      },
    };
    const { verdict } = await assess({ statistics, episodes }, { range: hour, hosts: [], zone: 'Europe/Berlin' });
    expect(verdict.level).toBe('not_enough_data');
  });

  it('has the usual range at each interval of the window, with the usual inside', async () => {
    const { verdict, timeline } = await assess(sources(), { range: hour, hosts: [], zone: 'Europe/Berlin' });
    expect(verdict.band.length).toBeGreaterThan(10);
    expect(verdict.band.every(({ low, high }) => low <= high)).toBe(true);
    expect(timeline.points.length).toBeGreaterThan(0);
  });
});
