import { afterEach, describe, expect, it } from 'vitest';
import { assess } from '../../../src/commands/assess.ts';
import { type CachedTimelines, createTimelineCache } from '../../../src/waf/cache/timeline-cache.ts';
import { openStage, question, START } from '../../contract/waf-harness.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function open(seed = 51) {
  const stage = await openStage({ seed });
  close = stage.close;
  const kept = new Map<string, CachedTimelines>();
  const shelf = {
    get: async (key: string) => kept.get(key),
    // As a store would: through JSON.
    set: async (key: string, value: CachedTimelines) => void kept.set(key, JSON.parse(JSON.stringify(value))),
  };
  const now = () => Temporal.Instant.fromEpochMilliseconds(stage.clock.nowMs);
  const statistics = stage.client('aksk');
  const keeper = () => createTimelineCache({ statistics, shelf, now });
  const look = (from = keeper(), hosts: readonly string[] = [], zone = 'UTC') => {
    const range = { from: now().subtract({ hours: 1 }), to: now() };
    return assess(from, { range, hosts, zone, categoriesAgainst: 'hours before' });
  };
  const asked = () =>
    stage.service.requests
      .filter(({ call }) => call === 'timeline')
      .map(({ search }) => (Number(search.get('to')) - Number(search.get('from'))) / MINUTE_MS);
  return { stage, kept, now, statistics, keeper, look, asked };
}

describe('the baseline keeper', () => {
  it('sees what a question without it sees, at every look', async () => {
    const { stage, keeper, look, statistics } = await open();
    const mine = keeper();
    for (let at = 0; at < 5; at++) {
      stage.clock.nowMs = START + at * 5 * MINUTE_MS;
      const [kept, direct] = [await look(mine), await look(statistics)];
      expect(kept.verdict).toEqual(direct.verdict);
      expect(kept.timeline.points).toEqual(direct.timeline.points);
    }
  });

  it('asks for the end only, and for the past a few times a day', async () => {
    const { stage, keeper, look, asked } = await open();
    const mine = keeper();
    await look(mine);
    expect(asked().sort((a, b) => a - b)).toEqual([420, 780, 780]);
    for (let at = 1; at <= 24; at++) {
      stage.clock.nowMs = START + at * 15 * MINUTE_MS;
      await look(mine);
    }
    const later = asked().slice(3);
    expect(later.filter((minutes) => minutes > 22)).toEqual([]);
    expect(later).toHaveLength(24);
    stage.clock.nowMs += 5 * MINUTE_MS;
    await look(mine);
    expect(asked().slice(27)).toHaveLength(3);
  });

  it('asks once for ten watches on the same hosts, in whatever zones and order', async () => {
    const { stage, keeper, look, asked } = await open();
    const mine = keeper();
    const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York'];
    await Promise.all(Array.from({ length: 10 }, (_, at) => look(mine, [], zones[at % zones.length])));
    expect(asked()).toHaveLength(3);
    stage.clock.nowMs += 5 * MINUTE_MS;
    await Promise.all(Array.from({ length: 10 }, () => look(mine)));
    expect(asked()).toHaveLength(4);
    expect(stage.service.requests.filter(({ call }) => call === 'distribution')).toHaveLength(4);
  });

  it('goes on after a restart, and keeps hosts apart', async () => {
    const { stage, keeper, look, asked, kept } = await open();
    await look(keeper());
    stage.clock.nowMs += 5 * MINUTE_MS;
    await look(keeper());
    expect(asked()).toHaveLength(4);
    const host = '3f1c9a7e52b84d06a1e0c47d95b2f8a1';
    await look(keeper(), [host]);
    expect(asked()).toHaveLength(7);
    expect(kept.size).toBe(2);
  });

  it('does not grow without end', async () => {
    const { stage, keeper, look, kept } = await open();
    const mine = keeper();
    for (let at = 0; at <= 10; at++) {
      stage.clock.nowMs = START + at * 5 * HOUR_MS;
      await look(mine);
    }
    const { stretches } = kept.get('all') ?? { stretches: [] };
    expect(stretches.length).toBeLessThanOrEqual(4);
    for (const { ends } of stretches) expect(ends.length).toBeLessThanOrEqual(31 * 60);
  });

  it('reads anew when a longer window has longer intervals', async () => {
    const { stage, keeper } = await open();
    const mine = keeper();
    const day = await mine.timeline(question(30 * HOUR_MS, stage.clock.nowMs));
    expect(day.intervalMs).toBe(5 * MINUTE_MS);
    const hour = await mine.timeline(question(HOUR_MS, stage.clock.nowMs + 0));
    expect(hour.points.length).toBeGreaterThan(0);
    stage.clock.nowMs += 5 * MINUTE_MS;
    const again = await mine.timeline(question(30 * HOUR_MS, stage.clock.nowMs));
    const direct = await stage.client('aksk').timeline(question(30 * HOUR_MS, stage.clock.nowMs));
    const whole = direct.points.filter(
      ({ endMs }) => endMs <= direct.toMs && endMs - direct.intervalMs >= direct.fromMs,
    );
    expect(again.points).toEqual(whole);
  });

  it('fails when the service does, and keeps what it had', async () => {
    const { stage, keeper, look, asked } = await open();
    const mine = keeper();
    await look(mine);
    stage.clock.nowMs += 5 * MINUTE_MS;
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'timeline', times: 1 });
    await expect(look(mine)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await look(mine);
    expect(
      asked()
        .slice(3)
        .every((minutes) => minutes <= 12),
    ).toBe(true);
  });
});
