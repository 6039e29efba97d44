import { describe, expect, it } from 'vitest';
import type { StoredBlock } from '../../../src/episodes/episode-log.ts';
import { BotError } from '../../../src/errors.ts';
import type { Statistics, StatisticsQuery } from '../../../src/statistics/statistics.ts';
import { at, DAY_MS, HOUR_MS, logOn, recordedSite } from './recorded-site.ts';

const NOW_MS = at('18:00');
const site = recordedSite([{ fromMs: at('02:37'), toMs: at('03:03'), more: { sqli: 60 } }]);
const night = { fromMs: at('00:00'), toMs: at('12:00'), hosts: [] };

/** Counts the calls. */
function counted(statistics: Statistics): { statistics: Statistics; calls: StatisticsQuery[] } {
  const calls: StatisticsQuery[] = [];
  const noted =
    <T>(ask: (query: StatisticsQuery) => Promise<T>) =>
    (query: StatisticsQuery) => {
      calls.push(query);
      return ask(query);
    };
  return {
    calls,
    statistics: { timeline: noted(statistics.timeline), distribution: noted(statistics.distribution) },
  };
}

function memory() {
  const stored = new Map<string, StoredBlock>();
  return {
    stored,
    blocks: {
      get: async (key: string) => stored.get(key),
      set: async (key: string, block: StoredBlock) => stored.set(key, block),
    },
  };
}

describe('settled episodes', () => {
  it('are stored once and then read without asking the service', async () => {
    const { stored, blocks } = memory();
    const first = await logOn(site.statisticsAt(NOW_MS), NOW_MS, blocks).within(night);
    const { statistics, calls } = counted(site.statisticsAt(NOW_MS + DAY_MS));
    const later = await logOn(statistics, NOW_MS + DAY_MS, blocks).within(night);
    expect(later).toEqual(first);
    expect(first?.episodes).toHaveLength(1);
    expect(calls).toEqual([]);
    expect([...stored.values()].every(({ rule }) => rule > 0)).toBe(true);
  });

  it('are found again by another version of the rule', async () => {
    const { stored, blocks } = memory();
    await logOn(site.statisticsAt(NOW_MS), NOW_MS, blocks).within(night);
    for (const [key, block] of stored) stored.set(key, { ...block, rule: -1, episodes: [] });
    expect((await logOn(site.statisticsAt(NOW_MS), NOW_MS, blocks).within(night))?.episodes).toHaveLength(1);
  });

  it('are not stored before their time is settled, nor from what the service could only partly give', async () => {
    const early = memory();
    await logOn(site.statisticsAt(at('14:00')), at('14:00'), early.blocks).within(night);
    expect([...early.stored.keys()]).not.toContain(`:${at('00:00')}`);
    const partial = memory();
    const whole = site.statisticsAt(NOW_MS);
    const statistics = {
      ...whole,
      timeline: async (query: StatisticsQuery) => {
        const isWeek = query.range.from.until(query.range.to).total('hours') > 24;
        if (isWeek) throw new BotError('upstream_timeout', 'not now');
        return whole.timeline(query);
      },
    };
    await logOn(statistics, NOW_MS, partial.blocks).within(night);
    expect([...partial.stored.keys()]).toEqual([]);
  });

  it('are not stored with half of a category because the half day before could not be counted', async () => {
    const taken = recordedSite([{ fromMs: at('11:20'), toMs: at('12:50'), turnsInto: 'webshell' }]);
    const whole = taken.statisticsAt(at('30:00'));
    const failing: Statistics = {
      ...whole,
      async distribution(query) {
        const { from, to } = query.range;
        const isLost = from.epochMilliseconds === at('11:00') && to.epochMilliseconds === at('12:00');
        if (isLost) throw new BotError('upstream_unavailable', 'not now');
        return whole.distribution(query);
      },
    };
    const { blocks } = memory();
    const onsets = async (statistics: Statistics) => {
      const window = { fromMs: at('12:00'), toMs: at('14:00'), hosts: [] };
      return (await logOn(statistics, at('30:00'), blocks).within(window))?.episodes.map(({ onsetMs }) => onsetMs);
    };
    expect(await onsets(failing)).toEqual([at('12:00')]);
    expect(await onsets(whole)).toEqual([at('11:20')]);
  });

  it('are not stored with another beginning because numbers of days ago could not be had', async () => {
    const flood = recordedSite([{ fromMs: at('18:20', -2), toMs: at('05:40', 1), more: { cc: 30 } }]);
    const nowMs = at('20:00', 1);
    const whole = flood.statisticsAt(nowMs);
    const failing: Statistics = {
      ...whole,
      async timeline(query) {
        const isLost = query.range.from.epochMilliseconds === at('12:00', -2);
        if (isLost) throw new BotError('upstream_unavailable', 'not now');
        return whole.timeline(query);
      },
    };
    const { blocks } = memory();
    const onsets = async (statistics: Statistics) => {
      const window = { fromMs: at('00:00', 1), toMs: at('12:00', 1), hosts: [] };
      return (await logOn(statistics, nowMs, blocks).within(window))?.episodes.map(({ onsetMs }) => onsetMs);
    };
    expect(await onsets(failing)).not.toEqual([at('18:20', -2)]);
    expect(await onsets(whole)).toEqual([at('18:20', -2)]);
  });

  it('are searched no further back than three half days for where a category began', async () => {
    const usual = recordedSite().statisticsAt(at('30:00'));
    let earliestMs = Number.POSITIVE_INFINITY;
    // Whole days have none of it, every shorter time has some: it seems to begin anew with each half day.
    const statistics: Statistics = {
      ...usual,
      async distribution(query) {
        const counted = await usual.distribution(query);
        const [fromMs, toMs] = [query.range.from.epochMilliseconds, query.range.to.epochMilliseconds];
        if (toMs - fromMs >= DAY_MS) return counted;
        if (toMs - fromMs <= 5 * 60_000) earliestMs = Math.min(earliestMs, fromMs);
        return { ...counted, counts: [...counted.counts, { category: 'webshell', count: 200 }] };
      },
    };
    const window = { fromMs: at('20:00'), toMs: at('22:00'), hosts: [] };
    const list = await logOn(statistics, at('30:00')).within(window);
    expect(list?.episodes.map(({ mix }) => mix)).toContain('webshell');
    expect(earliestMs).toBeGreaterThanOrEqual(at('12:00') - DAY_MS);
  });

  it('are not stored while the service refuses categories for now, and are whole afterwards', async () => {
    const taken = recordedSite([{ fromMs: at('04:10'), toMs: at('05:05'), turnsInto: 'xss' }]);
    const { stored, blocks } = memory();
    const whole = taken.statisticsAt(NOW_MS);
    const refusing = (code: 'upstream_rate_limited' | 'limit') => ({
      ...whole,
      distribution: async (query: StatisticsQuery) => {
        if (query.range.from.until(query.range.to).total('hours') <= 1) throw new BotError(code, 'not now');
        return whole.distribution(query);
      },
    });
    const mixes = async (statistics: Statistics, store = blocks) =>
      (await logOn(statistics, NOW_MS, store).within(night))?.episodes.map(({ mix }) => mix);
    expect(await mixes(refusing('upstream_rate_limited'))).toEqual([]);
    expect([...stored.keys()]).not.toContain(`:${at('00:00')}`);
    expect(await mixes(whole)).toEqual(['xss']);
    expect([...stored.keys()]).toContain(`:${at('00:00')}`);
    // What the service never gives isn't waited for.
    const never = memory();
    await mixes(refusing('limit'), never.blocks);
    expect([...never.stored.keys()]).toContain(`:${at('00:00')}`);
  });

  it('are the same whichever half day is asked about first', async () => {
    const long = recordedSite([{ fromMs: at('06:00', -1), toMs: at('05:00'), more: { sqli: 60 } }]);
    const { blocks } = memory();
    const log = () => logOn(long.statisticsAt(NOW_MS), NOW_MS, blocks);
    await log().within({ fromMs: at('15:00'), toMs: NOW_MS, hosts: [] });
    const alone = await logOn(long.statisticsAt(NOW_MS), NOW_MS, memory().blocks).within(night);
    expect(alone?.episodes.map(({ onsetMs }) => onsetMs)).toEqual([expect.closeTo(at('06:00', -1), -6)]);
    expect(await log().within(night)).toEqual(alone);
  });

  it('are found without a store that fails', async () => {
    const fails = async () => {
      throw new BotError('internal', 'the store is away');
    };
    const list = await logOn(site.statisticsAt(NOW_MS), NOW_MS, { get: fails, set: fails }).within(night);
    expect(list?.episodes).toHaveLength(1);
  });

  it('of other hosts are others', async () => {
    const { stored, blocks } = memory();
    const log = logOn(site.statisticsAt(NOW_MS), NOW_MS, blocks);
    await log.within(night);
    const before = stored.size;
    await log.within({ ...night, hosts: ['b', 'a'] });
    await log.within({ ...night, hosts: ['a', 'b'] });
    expect(stored.size).toBe(2 * before);
  });
});

describe('the calls', () => {
  it('of a first look at the last hour are at most 12, and none more in the same minute', async () => {
    const quiet = recordedSite();
    const { statistics, calls } = counted(quiet.statisticsAt(at('09:00')));
    const log = logOn(statistics, at('09:00'));
    const hour = { fromMs: at('09:00') - HOUR_MS, toMs: at('09:00'), hosts: [] };
    await log.within(hour);
    // Two blocks share the weeks: each has its numbers, those around it, the weeks before, and its categories.
    const distinct = () => new Set(calls.map(({ range }) => `${range.from}/${range.to}`)).size;
    expect(distinct()).toBeLessThanOrEqual(12);
    const [before, asked] = [distinct(), calls.length];
    await log.within(hour);
    expect(calls).toHaveLength(asked);
    // Five hours more are counted by category; all else is known.
    await log.within({ ...hour, fromMs: at('03:00') });
    expect(distinct()).toBe(before + 5);
  });

  it('fail with the service', async () => {
    const statistics = {
      ...site.statisticsAt(NOW_MS),
      timeline: async () => {
        throw new BotError('upstream_unavailable', 'down');
      },
    };
    await expect(logOn(statistics, NOW_MS).within(night)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('are none for a window that is too long', async () => {
    const { statistics, calls } = counted(site.statisticsAt(NOW_MS));
    const month = { fromMs: NOW_MS - 30 * DAY_MS, toMs: NOW_MS, hosts: [] };
    expect(await logOn(statistics, NOW_MS).within(month)).toBeNull();
    expect(calls).toEqual([]);
  });
});
