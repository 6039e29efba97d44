import { describe, expect, it } from 'vitest';
import { splitHosts, splitTime, windowOf } from '../../../../src/waf/wire/exchange.ts';
import { fc } from '../../../support/property.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('splitting time', () => {
  it('covers the window without gap or overlap, no part too long, all but the ends on the hour of the asker', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2e12 }),
        fc.integer({ min: 1, max: 400 * DAY }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom('+00:00', '+05:30', '-03:30', '+12:45'),
        (fromMs, lengthMs, maxDays, offset) => {
          const window = { fromMs, toMs: fromMs + lengthMs, hosts: [], offset };
          const parts = splitTime(window, maxDays * DAY);
          expect(parts[0]?.fromMs).toBe(fromMs);
          expect(parts.at(-1)?.toMs).toBe(window.toMs);
          parts.forEach((part, i) => {
            expect(part.toMs - part.fromMs).toBeLessThanOrEqual(maxDays * DAY);
            expect(part.toMs).toBeGreaterThan(part.fromMs);
            if (i > 0) expect(part.fromMs).toBe(parts[i - 1]?.toMs);
            const minutes = { '+00:00': 0, '+05:30': 30, '-03:30': 30, '+12:45': 15 }[offset];
            if (i > 0) expect(part.fromMs % HOUR).toBe((minutes ?? 0) * 60_000);
          });
          expect(parts.length).toBeLessThanOrEqual(Math.ceil(lengthMs / (maxDays * DAY)) + 1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('makes parts of like length', () => {
    const parts = splitTime({ fromMs: 0, toMs: 31 * DAY, hosts: [], offset: '+00:00' }, 30 * DAY);
    expect(parts.map((part) => (part.toMs - part.fromMs) / HOUR)).toEqual([372, 372]);
  });
});

describe('splitting hosts', () => {
  const window = (hosts: string[]) => ({ fromMs: 0, toMs: 1, hosts, offset: '+00:00' });

  it('fills each URL as far as it goes and loses nobody', () => {
    const hosts = Array.from({ length: 100 }, (_, i) => `host-${i}`.padEnd(32, 'ä'));
    const parts = splitHosts(window(hosts), 2000);
    expect(parts.flatMap((part) => part.hosts)).toEqual(hosts);
    for (const part of parts) {
      expect(part.hosts.map((host) => `&hosts=${encodeURIComponent(host)}`).join('').length).toBeLessThanOrEqual(2000);
    }
    expect(splitHosts(window([]), 2000)).toEqual([window([])]);
  });

  it('one host longer than a URL still gets a call of its own', () => {
    expect(splitHosts(window(['a'.repeat(50), 'b']), 20).map((part) => part.hosts.length)).toEqual([1, 1]);
  });
});

describe('the window', () => {
  const instant = Temporal.Instant.fromEpochMilliseconds;
  const now = Date.UTC(2026, 2, 11, 12, 34, 30);
  const ask = (fromMs: number, toMs: number) =>
    windowOf({ range: { from: instant(fromMs), to: instant(toMs) }, hosts: ['b', ' a', 'b', ''], zone: 'UTC' });

  it('is in whole minutes, wherever it lies, and never empty', () => {
    expect(ask(now - DAY, now)).toEqual({
      fromMs: now - DAY - 30_000,
      toMs: now - 30_000,
      hosts: ['a', 'b'],
      offset: '+00:00',
    });
    expect(ask(now - 2 * DAY, now - DAY)).toMatchObject({ fromMs: now - 2 * DAY - 30_000, toMs: now - DAY - 30_000 });
    expect(ask(now - 20_000, now)).toMatchObject({ fromMs: now - 30_000, toMs: now + 30_000 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: DAY }), (fromMs, lengthMs) => {
        const window = ask(fromMs, fromMs + lengthMs);
        expect([window.fromMs % 60_000, window.toMs % 60_000]).toEqual([0, 0]);
        expect(window.toMs).toBeGreaterThan(window.fromMs);
        expect(window.fromMs).toBeLessThanOrEqual(fromMs);
      }),
    );
  });

  it('has an end after its start', () => {
    expect(() => ask(now, now)).toThrow('That range is empty');
  });
});
