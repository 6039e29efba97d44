import { describe, expect, it } from 'vitest';
import { assess } from '../../../src/episodes/assess.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { BARS } from '../../../src/episodes/verdict/index.ts';
import { BotError } from '../../../src/errors.ts';
import { uneven } from './verdict/minutes.ts';

const MINUTE_MS = 60_000;
const DAY = 1440;
const DAYS = 30;
const NOW_MS = Date.UTC(2026, 2, 30, 9);
const START_MS = NOW_MS - DAYS * DAY * MINUTE_MS;

/** Attacks by the clock of Berlin, which changed on 29 March 2026: three times as many between 10 and 12. */
function statistics(more: (minutesBefore: number) => number = () => 0) {
  const attacks = Array.from({ length: DAYS * DAY }, (_, at) => {
    const ms = START_MS + at * MINUTE_MS;
    const hour = Math.floor(ms / 3_600_000 + (ms < Date.UTC(2026, 2, 29, 1) ? 1 : 2)) % 24;
    return (hour === 10 || hour === 11 ? 30 : 10) + (at % 7) + more(DAYS * DAY - at);
  });
  const requests = attacks.map((count) => count + 400);
  const numbers = { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: { sqli: attacks } };
  return recordedStatistics(numbers)(NOW_MS);
}

const now = Temporal.Instant.fromEpochMilliseconds(NOW_MS);
const hour = { from: now.subtract({ hours: 1 }), to: now };

describe('an assessment', () => {
  it('compares with the same hours by the clock of the zone, and misses nothing when the clocks changed', async () => {
    const { verdict } = await assess(statistics(), { range: hour, hosts: [], zone: 'Europe/Berlin' });
    expect(verdict).toMatchObject({ level: 'calm', completeness: [] });
    expect(verdict.expected).toBeGreaterThan(0.85 * verdict.observed);
    expect(verdict.references.map(({ name }) => name)).toEqual([
      'the hours before',
      'the same hours the day before',
      'the same hours the week before',
      'the same hours 2 weeks before',
      'the same hours 3 weeks before',
      'the same hours 4 weeks before',
    ]);
    const counts = verdict.references.slice(1).map(({ totals }) => totals.attacks);
    for (const count of counts) expect(Math.abs(count / verdict.observed - 1)).toBeLessThan(0.05);
  });

  it('is not given to whoever can wait while the service fails to give the weeks before', async () => {
    const withoutWeeks = (code: 'upstream_timeout' | 'limit') => {
      const port = statistics();
      return {
        ...port,
        timeline: async (query: Parameters<typeof port.timeline>[0]) => {
          const isRecent = query.range.to.epochMilliseconds === NOW_MS;
          if (!isRecent) throw new BotError(code, 'not now');
          return port.timeline(query);
        },
      };
    };
    const query = { range: hour, hosts: [], zone: 'Europe/Berlin' };
    const patient = { ...query, needsPast: true };
    await expect(assess(withoutWeeks('upstream_timeout'), patient)).rejects.toMatchObject({ code: 'upstream_timeout' });
    for (const assessment of [
      await assess(withoutWeeks('upstream_timeout'), query),
      // A retry cannot bring what the service does not store.
      await assess(withoutWeeks('limit'), patient),
    ]) {
      expect(assessment.verdict.completeness).toEqual(['There is less than a day of earlier data to compare with.']);
    }
  });

  it('asks for the categories of earlier days only when something is called', async () => {
    const requested: string[] = [];
    const counting = (more?: (minutesBefore: number) => number) => {
      const port = statistics(more);
      return {
        timeline: (query: Parameters<typeof port.timeline>[0]) => {
          requested.push('timeline');
          return port.timeline(query);
        },
        distribution: (query: Parameters<typeof port.distribution>[0]) => {
          requested.push('distribution');
          return port.distribution(query);
        },
      };
    };
    const query = { range: hour, hosts: [], zone: 'Europe/Berlin' };
    await assess(counting(), query);
    expect(requested.filter((call) => call === 'distribution')).toHaveLength(2);
    requested.length = 0;
    const { verdict } = await assess(
      counting((before) => (before < 30 ? 200 : 0)),
      query,
    );
    expect(verdict).toMatchObject({ level: 'surge', ongoing: true });
    expect(requested.filter((call) => call === 'distribution')).toHaveLength(10);
  });

  it('counts categories as far as attacks, without what is still filling', async () => {
    const minutes = Array.from({ length: DAYS * DAY }, (_, at) => DAYS * DAY - at);
    const sqli = minutes.map((before) => 10 + (before % 7));
    const xss = minutes.map((before) => (before <= 20 ? 50 : 0));
    const attacks = sqli.map((count, at) => count + (xss[at] ?? 0));
    const requests = attacks.map((count) => count + 400);
    const numbers = { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: { sqli, xss } };
    const query = { range: hour, hosts: [], zone: 'UTC' };
    const { verdict, categories } = await assess(recordedStatistics(numbers)(NOW_MS), query);
    expect(verdict.toMs).toBe(NOW_MS - 3 * MINUTE_MS);
    expect(verdict.moved).toMatchObject([{ name: 'xss', observed: 17 * 50 }]);
    expect(categories?.counts.reduce((sum, { count }) => sum + count, 0)).toBe(verdict.observed);
  });

  it('finds out when a category came that is called alone', async () => {
    const minutes = Array.from({ length: DAYS * DAY }, (_, at) => DAYS * DAY - at);
    const xss = minutes.map((before) => (before > 17 && before <= 37 ? 10 : 0));
    const attacks = minutes.map((before) => 10 + (before % 7));
    const sqli = attacks.map((count, at) => count - (xss[at] ?? 0));
    const requests = attacks.map((count) => count + 400);
    const numbers = { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: { sqli, xss } };
    const query = { range: hour, hosts: [], zone: 'UTC' };
    const { verdict } = await assess(recordedStatistics(numbers)(NOW_MS), query);
    expect(verdict).toMatchObject({ level: 'elevated', moved: [{ name: 'xss', stands: true }], ongoing: false });
    // Quarters of the 57 minutes that have settled.
    expect(verdict.onsetMs).toBe(NOW_MS - 46 * MINUTE_MS);
    expect(verdict.endedMs).toBe(NOW_MS - 17 * MINUTE_MS);
  });

  describe('of a burst of one kind', () => {
    const hosts: readonly string[] = [];
    const requested: [fromMs: number, toMs: number][] = [];
    /** A burst of ten minutes about once a day, each of the kind that is given for it; and one now, of SQL injection. */
    const burstNow = async (kindOf: (day: number) => string | null) => {
      const minutes = Array.from({ length: DAYS * DAY }, (_, at) => DAYS * DAY - at);
      const burstAt = (before: number): { kind: string | null; size: number } => {
        if (before > 3 && before <= 13) return { kind: 'sqli', size: 27 };
        const day = Math.floor(before / DAY);
        const begins = 60 * ((5 * day) % 22) + 70;
        const isOne = day > 0 && before % DAY > begins - 10 && before % DAY <= begins;
        return { kind: isOne ? kindOf(day) : null, size: 24 + ((5 * day) % 12) };
      };
      const column = (name: string, base: number) =>
        minutes.map((before) => {
          const { kind, size } = burstAt(before);
          return uneven(base, before + 7 * base) + (kind === name ? size : 0);
        });
      const categories = { sqli: column('sqli', 6), xss: column('xss', 5), robot: column('robot', 4) };
      const attacks = minutes.map((_, at) =>
        Object.values(categories).reduce((sum, counts) => sum + (counts[at] ?? 0), 0),
      );
      const requests = attacks.map((count) => count + 400);
      const port = recordedStatistics({ startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories })(
        NOW_MS,
      );
      requested.length = 0;
      const counting = {
        ...port,
        distribution: (query: Parameters<typeof port.distribution>[0]) => {
          requested.push([query.range.from.epochMilliseconds, query.range.to.epochMilliseconds]);
          return port.distribution(query);
        },
      };
      return (await assess(counting, { range: hour, hosts, zone: 'UTC', bar: BARS.normal })).verdict;
    };

    it('counts the kinds of earlier bursts as large, and calls one of a kind that never came in any', async () => {
      const verdict = await burstNow((day) => (day % 3 === 0 ? 'robot' : 'xss'));
      expect(verdict).toMatchObject({ level: 'elevated', ongoing: true });
      expect(verdict.reasons.join(' ')).toMatch(
        /SQL injection\. In the weeks before, \d+ bursts were as large, none of them/,
      );
      const reported = Number(/(\d+) bursts were/.exec(verdict.reasons.join(' '))?.[1]);
      const bursts = requested.filter(([fromMs, toMs]) => toMs < NOW_MS - DAY * MINUTE_MS && toMs - fromMs < 3_600_000);
      expect(bursts).toHaveLength(reported);
      expect(reported).toBeGreaterThan(20);
      // The edges of windows whose answers are cached for days.
      expect(bursts.flat().every((ms) => ms % (15 * MINUTE_MS) === 0)).toBe(true);
    });

    it('calls none that came as often as others', async () => {
      expect((await burstNow((day) => (day % 3 === 0 ? 'sqli' : 'xss'))).level).toBe('calm');
      expect((await burstNow(() => 'sqli')).level).toBe('calm');
    });

    it('asks for no kinds of the past where there are no bursts', async () => {
      await burstNow(() => null);
      const isShort = ([fromMs, toMs]: readonly [number, number]): boolean => toMs - fromMs < 3_600_000;
      expect(requested.filter((window) => isShort(window) && window[1] < NOW_MS - DAY * MINUTE_MS)).toEqual([]);
    });
  });
});
