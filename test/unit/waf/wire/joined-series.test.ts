import { describe, expect, it } from 'vitest';
import { readTimeline } from '../../../../src/waf/dialects/events.ts';
import { joinHosts, joinInTime, type PointSeries } from '../../../../src/waf/wire/exchange.ts';

const series = (intervalMs: number, ends: number[], requests: (number | null)[], attacks = requests): PointSeries => ({
  intervalMs,
  ends,
  requests,
  attacks,
});

describe('the interval', () => {
  it.each<[string, number[], number, number, number]>([
    ['regular', [10, 20, 30], 0, 30, 10],
    ['with a hole', [10, 20, 40, 50], 0, 50, 10],
    ['with mostly holes', [10, 30, 50, 60], 0, 60, 20],
    ['as often as not the shorter', [10, 20, 40], 0, 40, 10],
    ['of one point at the end', [30], 0, 30, 30],
    ['of one point inside', [10], 0, 30, 10],
    ['of one point past the end', [40], 0, 30, 30],
    ['of nothing', [], 0, 30, 30],
  ])('%s', (_, ends, fromMs, toMs, expected) => {
    // Times this small are in seconds.
    const requests = ends.map((time) => ({ time, num: 1 }));
    const { intervalMs } = readTimeline({ requests }, { fromMs: fromMs * 1_000, toMs: toMs * 1_000 });
    expect(intervalMs).toBe(expected * 1_000);
  });
});

describe('joining windows', () => {
  it('puts them one after another', () => {
    expect(joinInTime([series(10, [10, 20], [1, 2]), series(10, [30, 40], [3, 4])])).toEqual(
      series(10, [10, 20, 30, 40], [1, 2, 3, 4]),
    );
  });

  it('sums an interval that the cut went through', () => {
    expect(joinInTime([series(10, [10, 20], [1, 2]), series(10, [20, 30], [3, 4])])).toEqual(
      series(10, [10, 20, 30], [1, 5, 4]),
    );
  });

  it('widens the finer part to the coarser, where its ends are', () => {
    const coarse = series(60, [65, 125], [100, 200]);
    const fine = series(20, [145, 165, 185, 205], [1, 2, 3, 4]);
    expect(joinInTime([coarse, fine])).toEqual(series(60, [65, 125, 185, 245], [100, 200, 6, 4]));
  });

  it('has no number where a part of an interval is missing or has none', () => {
    const coarse = series(60, [60], [100]);
    expect(joinInTime([coarse, series(20, [80, 120, 140, 160, 180], [1, 2, 3, 4, 5])])).toEqual(
      series(60, [60, 120, 180], [100, null, 12]),
    );
    expect(joinInTime([coarse, series(20, [80, 100, 120], [1, null, 2], [1, 1, 1])])).toEqual(
      series(60, [60, 120], [100, null], [100, 3]),
    );
  });

  it('refuses intervals that do not fit together', () => {
    expect(() => joinInTime([series(60, [60], [1]), series(25, [85, 110], [1, 2])])).toThrow("doesn't make sense");
  });

  it('a part without data leaves the others as they are', () => {
    expect(joinInTime([series(0, [], []), series(10, [30], [3])])).toEqual(series(10, [30], [3]));
    expect(joinInTime([series(15, [], []), series(20, [], [])])).toEqual(series(20, [], []));
  });
});

describe('joining hosts', () => {
  it('sums, and has no number where one of them has none', () => {
    expect(joinHosts([series(10, [10, 20, 30], [1, 2, 3]), series(10, [10, 30], [5, null], [5, 6])])).toEqual(
      series(10, [10, 20, 30], [6, null, null], [6, null, 9]),
    );
  });

  it('hosts without any data do not count', () => {
    expect(joinHosts([series(10, [10], [1]), series(30, [], [])])).toEqual(series(10, [10], [1]));
  });
});

describe('the body of a timeline', () => {
  const window = { fromMs: 1_772_323_200_000, toMs: 1_772_323_500_000 };
  const at = (minute: number, num: number | null) => ({ time: window.fromMs + minute * 60_000, num });

  it('keeps what overlaps the window, and only that', () => {
    const requests = [at(0, 9), at(1, 1), at(2, 2), at(5, 5), at(6, 9), at(-3, 9)];
    expect(readTimeline({ requests, attacks: [] }, window).requests).toEqual([1, 2, 5]);
  });

  it('has no number where one series has no point, or a point without number', () => {
    expect(readTimeline({ requests: [at(1, 1), at(2, null)], attacks: [at(2, 4), at(3, 5)] }, window)).toEqual({
      intervalMs: 60_000,
      ends: [1, 2, 3].map((minute) => window.fromMs + minute * 60_000),
      requests: [1, null, null],
      attacks: [null, 4, 5],
    });
  });

  it('an empty answer is no data, not an error', () => {
    expect(readTimeline({ requests: [], attacks: [] }, window).ends).toEqual([]);
  });
});
