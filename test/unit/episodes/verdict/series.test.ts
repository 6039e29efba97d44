import { describe, expect, it } from 'vitest';
import { attacksOf, gridOf, resample, visitorsOf } from '../../../../src/episodes/verdict/series.ts';
import { MINUTE_MS, minutes, NOON_MS } from './minutes.ts';

const grid = (length: number, stepMs = 5 * MINUTE_MS) => ({ fromMs: NOON_MS, stepMs, length });

describe('series', () => {
  it('adds up the intervals of each step', () => {
    const timeline = minutes({ fromMs: NOON_MS, minutes: 10, attacks: (minute) => minute });
    const series = resample([timeline], grid(2), attacksOf);
    expect(series.counts).toEqual([10, 35]);
    expect(series.known.map((part) => part.toFixed(6))).toEqual(['1.000000', '1.000000']);
  });

  it('takes a missing interval for unknown, not for zero', () => {
    const timeline = minutes({
      fromMs: NOON_MS,
      minutes: 10,
      attacks: (minute) => (minute === 1 ? undefined : minute === 2 ? null : 6),
    });
    const series = resample([timeline], grid(2), attacksOf);
    expect(series.counts).toEqual([18, 30]);
    expect(series.known.map((part) => part.toFixed(6))).toEqual(['0.600000', '1.000000']);
  });

  it('leaves out what may still grow and what the window cuts', () => {
    const whole = minutes({ fromMs: NOON_MS, minutes: 10, attacks: () => 1, settledUntilMs: NOON_MS + 8 * MINUTE_MS });
    expect(resample([whole], grid(2), attacksOf).counts).toEqual([5, 3]);
    const cut = { ...whole, fromMs: whole.fromMs + 30_000, toMs: whole.toMs - 150_000 };
    expect(resample([cut], grid(2), attacksOf).counts).toEqual([4, 2]);
  });

  it('shares out an interval that is longer than a step', () => {
    const hourly = {
      ...minutes({ fromMs: NOON_MS, minutes: 60, attacks: () => undefined }),
      intervalMs: 60 * MINUTE_MS,
    };
    const timeline = { ...hourly, points: [{ endMs: NOON_MS + 60 * MINUTE_MS, requests: 500, attacks: 120 }] };
    expect(resample([timeline], grid(12), attacksOf).counts.every((count) => Math.abs(count - 10) < 1e-9)).toBe(true);
  });

  it('joins timelines of any interval', () => {
    const later = minutes({ fromMs: NOON_MS + 5 * MINUTE_MS, minutes: 5, attacks: () => 2 });
    const five = { ...later, fromMs: NOON_MS, toMs: NOON_MS + 5 * MINUTE_MS, intervalMs: 5 * MINUTE_MS };
    const earlier = { ...five, points: [{ endMs: NOON_MS + 5 * MINUTE_MS, requests: 90, attacks: 7 }] };
    expect(resample([earlier, later], grid(2), attacksOf).counts).toEqual([7, 10]);
  });

  it('counts visitors only where requests and attacks are both known', () => {
    expect(visitorsOf({ endMs: 0, requests: 10, attacks: 3 })).toBe(7);
    expect(visitorsOf({ endMs: 0, requests: 10, attacks: null })).toBeNull();
    expect(visitorsOf({ endMs: 0, requests: 2, attacks: 3 })).toBe(0);
  });

  it('divides a window into the intervals of the service, and the time before it', () => {
    const timeline = minutes({ fromMs: NOON_MS, minutes: 90, attacks: () => 1 });
    const series = gridOf({ fromMs: NOON_MS + 30 * MINUTE_MS, toMs: timeline.toMs }, timeline);
    expect(series).toMatchObject({ windowStart: 30, grid: { fromMs: NOON_MS, length: 90, stepMs: MINUTE_MS } });
  });
});
