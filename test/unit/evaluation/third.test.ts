/** The weeks of the third generator are whole, and what their labels say holds together. */
import { describe, expect, it } from 'vitest';
import { thirdWeeks } from '../../evaluation/traffic/third/weeks.ts';

// A young site, one with gaps, and one that was attacked before.
const SEED = 382;
const weeks = [...thirdWeeks(SEED, 3)];
const events = weeks.flatMap((week) => week.events);

describe('the third generator', () => {
  it('gives the same week for the same seed, and another one for another seed', () => {
    const [again] = thirdWeeks(SEED, 1);
    const [other] = thirdWeeks(SEED + 1, 1);
    expect(again).toEqual(weeks[0]);
    expect(other?.numbers.attacks).not.toEqual(weeks[0]?.numbers.attacks);
  });

  it.each(weeks)(
    'has attacks in $id that are the sum of their categories, and no more than requests',
    ({ numbers }) => {
      const columns = Object.values(numbers.categories ?? {});
      const wrong = numbers.attacks.flatMap((attacks, at) => {
        if (attacks === null) return [];
        const sum = columns.reduce((all, column) => all + (column[at] ?? Number.NaN), 0);
        return sum === attacks && (numbers.requests[at] ?? -1) >= attacks ? [] : [at];
      });
      expect(columns).toHaveLength(13);
      expect(wrong).toEqual([]);
    },
  );

  it('knows nothing of a minute, or everything', () => {
    const missing = weeks.map(({ numbers }) => {
      const columns = [numbers.requests, ...Object.values(numbers.categories ?? {})];
      const minutes = numbers.attacks.flatMap((attacks, at) => (attacks === null ? [at] : []));
      const isUnknown = new Set(minutes);
      const isAlike = columns.every((column) => column.every((count, at) => (count === null) === isUnknown.has(at)));
      return { isAlike, count: minutes.length };
    });
    expect(missing.every(({ isAlike }) => isAlike)).toBe(true);
    expect(missing.filter(({ count }) => count > 0).length).toBeGreaterThanOrEqual(2);
  });

  it.each(weeks)('has events in the watched week of $id, one after the other', ({ fromMs, toMs, events: own }) => {
    expect(own.length).toBeGreaterThanOrEqual(3);
    const times = own.flatMap((event) => [event.fromMs, event.toMs]);
    expect([fromMs, ...times, toMs]).toEqual([fromMs, ...times, toMs].toSorted((a, b) => a - b));
  });

  it('says when an event could be seen, and nothing if it could not', () => {
    const seen = events.filter(({ detectable }) => detectable);
    const unseen = events.filter(({ detectable }) => !detectable);
    expect(Math.min(seen.length, unseen.length)).toBeGreaterThan(0);
    for (const { fromMs, firstSeenMs, seenMs, toMs } of seen) {
      expect(firstSeenMs).toBeGreaterThan(fromMs);
      expect(seenMs).toBeGreaterThanOrEqual(firstSeenMs ?? Number.NaN);
      expect(seenMs).toBeLessThanOrEqual(toMs);
    }
    expect(unseen.every(({ firstSeenMs, seenMs }) => firstSeenMs === null && seenMs === null)).toBe(true);
  });
});
