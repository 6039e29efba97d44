import { describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../../playground/service/hosts.ts';
import { bucketMs, distribution, offsetMs, type Point, timeline } from '../../../../playground/service/statistics.ts';
import type { TrafficModel } from '../../../../playground/service/traffic.ts';
import { fc } from '../../../support/property.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Temporal.Instant.from('2026-03-11T12:34:30Z').epochMilliseconds;
const world: TrafficModel = { seed: 1, hosts: DEFAULT_HOSTS };
const sum = (points: readonly Point[]) => points.reduce((total, point) => total + point.num, 0);
const series = (fromMs: number, toMs: number, shiftMs = 0, nowMs = NOW) =>
  timeline(world, { fromMs, toMs, hosts: [] }, shiftMs, nowMs);

describe('the answers of the local service', () => {
  it.each([
    [DAY, MINUTE],
    [DAY + 1, 5 * MINUTE],
    [3 * DAY, 5 * MINUTE],
    [3 * DAY + 1, 10 * MINUTE],
    [7 * DAY, 10 * MINUTE],
    [7 * DAY + 1, HOUR],
    [30 * DAY, HOUR],
  ])('a window of %i ms has buckets of %i ms', (windowMs, expected) => {
    expect(bucketMs(windowMs)).toBe(expected);
  });

  it('a window cut anywhere, to the millisecond, has the sum of its parts, also where logging is behind', () => {
    const span = 2 * HOUR;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: span }), { minLength: 1, maxLength: 6 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), span].map((cut) => NOW - span + cut);
        const whole = series(NOW - span, NOW);
        const parts = edges
          .slice(1)
          .map((to, index) => [edges[index] ?? 0, to] as const)
          .filter(([from, to]) => from < to);
        expect(parts.reduce((total, [from, to]) => total + sum(series(from, to).requests), 0)).toBe(
          sum(whole.requests),
        );
        expect(parts.reduce((total, [from, to]) => total + sum(series(from, to).attacks), 0)).toBe(sum(whole.attacks));
      }),
      { numRuns: 50 },
    );
  });

  it('the attack series and the categories agree', () => {
    const window = { fromMs: NOW - 5 * DAY, toMs: NOW, hosts: [DEFAULT_HOSTS[1]?.id ?? ''] };
    const categories = distribution(world, window, NOW);
    expect(Object.keys(categories)).toHaveLength(13);
    expect(sum(timeline(world, window, 0, NOW).attacks)).toBe(
      Object.values(categories).reduce((total, n) => total + n, 0),
    );
  });

  it('a point ends where it says, and hours begin on the hour of the asker', () => {
    const { requests } = series(NOW - 10 * DAY, NOW - 9 * DAY, offsetMs('+05:30'));
    expect(requests).toHaveLength(1441);
    const month = series(NOW - 30 * DAY, NOW, offsetMs('+05:30'));
    for (const { time } of month.requests) expect((time + 5.5 * HOUR) % HOUR).toBe(0);
  });

  it('attacks of the last minutes come bit by bit, requests at once, and nothing comes from the future', () => {
    const early = series(NOW - 10 * MINUTE, NOW + HOUR);
    const later = series(NOW - 10 * MINUTE, NOW, 0, NOW + 5 * MINUTE);
    expect(early.attacks.at(-1)?.num).toBe(0);
    expect(early.attacks.at(-2)?.num).toBe(0);
    expect(sum(early.attacks)).toBeLessThan(sum(later.attacks));
    expect(sum(early.requests)).toBe(sum(later.requests));
    expect(early.requests.at(-1)?.time).toBeLessThanOrEqual(NOW + MINUTE);
    expect(early.attacks.slice(0, 6)).toEqual(later.attacks.slice(0, 6));
  });

  it('reads offsets as the interface writes them and nothing else', () => {
    expect(['+00:00', '+05:30', '-03:30', ' 05:30', '5:30', '+99:00'].map(offsetMs)).toEqual([
      0,
      5.5 * HOUR,
      -3.5 * HOUR,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
