import { describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../../playground/service/hosts.ts';
import { SERVICE_KINDS } from '../../../../playground/service/kinds.ts';
import { type Counts, type TrafficModel, trafficAt, trafficBetween } from '../../../../playground/service/traffic.ts';
import { heightAt, seededWaves, type Wave, type WaveKind } from '../../../../playground/service/waves.ts';
import { CATEGORIES } from '../../../../src/statistics/categories.ts';
import { fc } from '../../../support/property.ts';

const minuteOf = (iso: string) => Temporal.Instant.from(iso).epochMilliseconds / 60_000;
const attacks = (counts: Counts) => Object.values(counts.categories).reduce((sum, n) => sum + n, 0);
const world = (waves: readonly Wave[] = [], seed = 7): TrafficModel => ({
  seed,
  hosts: DEFAULT_HOSTS,
  waves,
  seededWaves: false,
});
const MONDAY = minuteOf('2026-03-09T00:00:00Z');
const DAY = 1440;

describe('traffic', () => {
  it('of a site that is spread over many hosts adds up to that of the site, and to waves on single ones', () => {
    const { hosts } = SERVICE_KINDS['2,000 hosts'];
    const [{ id } = { id: '' }] = hosts.slice(700);
    const wave: Wave = { kind: 'step', fromMinute: MONDAY + 30, minutes: 200, perMinute: 9, hosts: [id] };
    const spread = { ...world([wave]), hosts };
    const [from, to] = [MONDAY + 10, MONDAY + 95];
    const whole = trafficBetween(world(), from, to);
    const each = hosts.map((host) => trafficBetween(spread, from, to, [host.id]));
    const onWave = attacks(trafficBetween(spread, from, to, [id]));
    expect(onWave).toBeGreaterThan(400);
    expect(attacks(trafficBetween(spread, from, to))).toBe(each.reduce((sum, counts) => sum + attacks(counts), 0));
    expect(trafficBetween(spread, from, to).requests).toBe(each.reduce((sum, { requests }) => sum + requests, 0));
    expect(trafficBetween({ ...world(), hosts }, from, to)).toEqual(whole);
    expect(Math.abs(attacks(trafficBetween(spread, from, to)) - attacks(whole) - onWave)).toBeLessThan(5);
  });

  it('adds up however a window is cut, over time and over hosts', () => {
    const waves: Wave[] = [{ kind: 'ramp', fromMinute: MONDAY + 100, minutes: 700, perMinute: 30 }];
    const everything: TrafficModel = { seed: 3, hosts: DEFAULT_HOSTS, waves };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 * DAY }), { minLength: 3, maxLength: 8 }), (cuts) => {
        const edges = cuts.toSorted((a, b) => a - b).map((cut) => MONDAY + cut);
        const first = edges[0] ?? 0;
        const last = edges.at(-1) ?? 0;
        const whole = trafficBetween(everything, first, last);
        const parts = edges
          .slice(1)
          .flatMap((to, index) =>
            DEFAULT_HOSTS.map((host) => trafficBetween(everything, edges[index] ?? 0, to, [host.id])),
          );
        expect(parts.reduce((sum, part) => sum + part.requests, 0)).toBe(whole.requests);
        for (const { field } of CATEGORIES) {
          expect(parts.reduce((sum, part) => sum + (part.categories[field] ?? 0), 0)).toBe(whole.categories[field]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('depends on seed and time alone: a fresh world says the same, in any order, and another seed does not', () => {
    const late = trafficAt(world(), MONDAY + 900);
    const fresh = world();
    trafficBetween(fresh, MONDAY, MONDAY + DAY);
    expect(trafficAt(fresh, MONDAY + 900)).toEqual(late);
    expect(trafficBetween(world([], 8), MONDAY, MONDAY + DAY)).not.toEqual(
      trafficBetween(world(), MONDAY, MONDAY + DAY),
    );
  });

  it('has a day and a week: evenings beat nights, the api rests on Sundays, the shop does not', () => {
    const hour = (day: number, at: number, host: number) =>
      trafficBetween(world(), MONDAY + day * DAY + at * 60, MONDAY + day * DAY + at * 60 + 60, [
        DEFAULT_HOSTS[host]?.id ?? '',
      ]).requests;
    expect(hour(1, 18, 0)).toBeGreaterThan(2 * hour(1, 5, 0));
    expect(hour(6, 13, 1)).toBeLessThan(0.7 * hour(2, 13, 1));
    expect(hour(6, 18, 0)).toBeGreaterThan(hour(2, 18, 0));
  });

  it('is noisy, but within reason: minutes of one hour differ by more than chance alone and by less than a half', () => {
    const minutes = Array.from({ length: 60 }, (_, slot) => trafficAt(world(), MONDAY + 600 + slot).requests);
    const mean = minutes.reduce((sum, n) => sum + n, 0) / 60;
    expect(new Set(minutes).size).toBeGreaterThan(30);
    for (const n of minutes) expect(Math.abs(n - mean)).toBeLessThan(mean / 2);
  });

  it('counts every attack as a request as well', () => {
    const wave: Wave = { kind: 'step', fromMinute: MONDAY + 60, minutes: 60, perMinute: 500 };
    const calm = trafficBetween(world(), MONDAY + 60, MONDAY + 120);
    const stormy = trafficBetween(world([wave]), MONDAY + 60, MONDAY + 120);
    expect(stormy.requests - calm.requests).toBe(attacks(stormy) - attacks(calm));
  });
});

describe('waves', () => {
  const shape = (kind: WaveKind) => {
    const wave: Wave = { kind, fromMinute: 1000, minutes: 100, perMinute: 1 };
    return [999, 1000, 1005, 1050, 1099, 1100].map((minute) => Number(heightAt(wave, minute).toFixed(2)));
  };

  it.each<[WaveKind, number[]]>([
    ['step', [0, 1, 1, 1, 1, 0]],
    ['new-category', [0, 1, 1, 1, 1, 0]],
    ['ramp', [0, 0.01, 0.06, 0.51, 1, 0]],
    ['spike', [0, 1, 0.71, 0.03, 0, 0]],
    ['slow-burn', [0, 0.85, 0.89, 0.94, 0.7, 0]],
    ['flood', [0, 0.01, 1, 1, 1, 0]],
    ['marketing-peak', [0, 0, 0.5, 0.56, 0.01, 0]],
  ])('%s has its shape', (kind, expected) => {
    expect(shape(kind)).toEqual(expected);
  });

  it('adds what it says: height times length, in its categories, at its hosts', () => {
    const shop = DEFAULT_HOSTS[0]?.id ?? '';
    const wave: Wave = {
      kind: 'new-category',
      fromMinute: MONDAY + 30,
      minutes: 90,
      perMinute: 40,
      hosts: [shop],
      categories: { antileakage: 1 },
    };
    const counts = trafficBetween(world([wave]), MONDAY, MONDAY + 180);
    expect(counts.categories.antileakage).toBeGreaterThan(40 * 90 * 0.9);
    expect(counts.categories.antileakage).toBeLessThan(40 * 90 * 1.1);
    const elsewhere = DEFAULT_HOSTS.slice(1).map((host) => host.id);
    expect(trafficBetween(world([wave]), MONDAY, MONDAY + 180, elsewhere).categories.antileakage).toBe(0);
  });

  it('a marketing peak brings visitors and hardly any attack', () => {
    const wave: Wave = { kind: 'marketing-peak', fromMinute: MONDAY, minutes: 120, perMinute: 2000 };
    const calm = trafficBetween(world(), MONDAY, MONDAY + 120);
    const busy = trafficBetween(world([wave]), MONDAY, MONDAY + 120);
    expect(busy.requests).toBeGreaterThan(2 * calm.requests);
    expect(attacks(busy) / busy.requests).toBeLessThan((1.2 * attacks(calm)) / calm.requests);
  });

  it('the seed sends some of its own, on some days, and leaves the others alone', () => {
    const host = DEFAULT_HOSTS[0];
    if (host === undefined) throw new Error('no host');
    const days = Array.from({ length: 90 }, (_, day) => seededWaves(5, host, 20_000 + day).length);
    const withWaves = days.filter((n) => n > 0).length;
    expect(withWaves).toBeGreaterThan(15);
    expect(withWaves).toBeLessThan(50);
  });
});
