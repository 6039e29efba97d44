import { describe, expect, it } from 'vitest';
import type { Statistics } from '../../../../src/statistics/statistics.ts';
import type { AnswerLimit, CategoryCount, Distribution } from '../../../../src/statistics/timeline.ts';
import { evaluate } from '../../../../src/subscriptions/watch/evaluate.ts';
import { callingBar } from '../../../../src/subscriptions/watch/sensitivity.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

const look = async (counts: readonly CategoryCount[], limits: readonly AnswerLimit[], what = 'sqli') => {
  const distribution: Distribution = {
    fromMs: 0,
    toMs: 0,
    counts,
    settledUntilMs: 0,
    asOfMs: 0,
    stale: false,
    ...(limits.length === 0 ? {} : { limits }),
  };
  const statistics: Statistics = {
    timeline: () => Promise.reject(new Error('a category has no timeline')),
    distribution: async () => distribution,
  };
  const rule = { kind: 'threshold', what, over: 50, perMs: 900_000 } as const;
  const { observation } = await evaluate(statistics, {
    rule,
    bar: callingBar(),
    hosts: [],
    zone: 'UTC',
    now: NOW,
  });
  return observation.level;
};

describe('a watch for a category', () => {
  it.each<[string, number, readonly AnswerLimit[], string]>([
    ['all are named, and it has none', 900, [], 'calm'],
    ['it cannot be over: even the least of the largest is not', 40, ['largest'], 'calm'],
    ['it may be over: the least of the largest is', 60, ['largest'], 'unknown'],
    ['only groups are told', 10, ['groups'], 'unknown'],
  ])('%s', async (_, leastNamed, limits, level) => {
    expect(
      await look(
        [
          { category: 'xss', count: 5_000 },
          { category: 'cc', count: leastNamed },
        ],
        limits,
      ),
    ).toBe(level);
  });

  it('that is named is counted, whatever else is not', async () => {
    expect(await look([{ category: 'sqli', count: 60 }], ['largest'])).toBe('elevated');
    expect(await look([{ category: 'cc', count: 3 }], ['groups'], 'cc')).toBe('calm');
  });
});
