import { describe, expect, it } from 'vitest';
import { plainText } from '../../../../src/replies/phrases.ts';
import {
  type FeedbackAnswer,
  stepsOf,
  withAnswer,
  withoutAnswer,
} from '../../../../src/subscriptions/watch/feedback.ts';
import { barNow, callingBar, SENSITIVITIES } from '../../../../src/subscriptions/watch/sensitivity.ts';
import type { WatchedEpisode } from '../../../../src/subscriptions/watch/watch-state.ts';
import { sensitivityLines, stepsInWords } from '../../../../src/subscriptions/watch/watch-words.ts';

const answer = (episode: string, says: FeedbackAnswer['says']): FeedbackAnswer => ({
  episode,
  says,
  by: 'U1',
  atMs: 0,
});
const expected = (count: number) => Array.from({ length: count }, (_, at) => answer(String(at), 'expected'));

describe('the bar of a watch', () => {
  it('is lower the more sensitive it is; normal where nothing was chosen', () => {
    const [quiet, normal, sensitive] = SENSITIVITIES.map((name) => callingBar(name).calls);
    expect(quiet).toBeGreaterThan(normal ?? 0);
    expect(normal).toBeGreaterThan(sensitive ?? 0);
    expect(callingBar()).toEqual(callingBar('normal'));
  });

  it('goes up by what was expected and down by what came too late, within bounds', () => {
    const { calls } = callingBar('normal');
    expect(callingBar('normal', [answer('1', 'expected')]).calls).toBeGreaterThan(calls);
    expect(callingBar('normal', [answer('1', 'earlier')]).calls).toBeLessThan(calls);
    expect(callingBar('normal', [answer('1', 'earlier'), answer('2', 'expected')]).calls).toBe(calls);
    expect(callingBar('normal', expected(3))).toEqual(callingBar('normal', expected(12)));
    expect(
      callingBar(
        'sensitive',
        expected(20).map((each) => ({ ...each, says: 'earlier' })),
      ).holds,
    ).toBeGreaterThan(0);
  });

  it('is higher for a day after an episode, and as it was while one goes on', () => {
    const bar = callingBar('normal');
    const closed = (closedMs: number | null) => ({ episode: { closedMs } as WatchedEpisode });
    const HOUR_MS = 3_600_000;
    expect(barNow(bar, { episode: null }, 0)).toEqual(bar);
    expect(barNow(bar, closed(null), 0)).toEqual(bar);
    const after = barNow(bar, closed(0), 23 * HOUR_MS);
    expect(after.calls).toBeGreaterThan(bar.calls);
    expect(after.holds).toBeGreaterThan(bar.holds);
    expect(barNow(bar, closed(0), 24 * HOUR_MS)).toEqual(bar);
  });

  it('has one answer for each episode, the last one, and twenty in all', () => {
    const twice = withAnswer([answer('1', 'expected')], answer('1', 'earlier'));
    expect(twice).toEqual([answer('1', 'earlier')]);
    expect(withoutAnswer(twice, '1')).toEqual([]);
    expect(withAnswer(expected(20), answer('new', 'earlier'))).toHaveLength(20);
  });

  it('says what the answers do', () => {
    expect(stepsInWords(stepsOf([]))).toBe('Answers haven’t changed this watch’s sensitivity.');
    expect(stepsInWords(1)).toBe(
      'This watch is one step less sensitive (of at most 3): it alerts only about rarer events.',
    );
    expect(stepsInWords(-2)).toBe('This watch is 2 steps more sensitive (of at most 3): it alerts sooner.');
    expect(stepsInWords(3)).toMatch(/^This watch is 3 steps less sensitive, the maximum: /);
    const lines = sensitivityLines('quiet', [answer('1', 'expected'), answer('2', 'earlier')]).map(plainText);
    expect(lines[0]).toMatch(/^Sensitivity quiet: .* false alarms a month\.$/);
    expect(lines[1]).toBe(
      'Answers: 1 × “this was expected”, 1 × “tell me earlier”, the last by @U1. Answers haven’t changed this watch’s sensitivity.',
    );
  });
});
