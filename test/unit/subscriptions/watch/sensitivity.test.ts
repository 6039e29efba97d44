import { describe, expect, it } from 'vitest';
import { BARS, FEEDBACK } from '../../../../src/episodes/verdict/index.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import {
  callingStrength,
  type FeedbackAnswer,
  SENSITIVITIES,
  stepsOf,
  withAnswer,
  withoutAnswer,
} from '../../../../src/subscriptions/watch/sensitivity.ts';
import { INITIAL_STATE, type WatchRecord } from '../../../../src/subscriptions/watch/watch-state.ts';
import {
  belowLines,
  changeInWords,
  sensitivityLines,
  stepsInWords,
} from '../../../../src/subscriptions/watch/watch-words.ts';

const answer = (episode: string, says: FeedbackAnswer['says']): FeedbackAnswer => ({
  episode,
  says,
  by: 'U1',
  atMs: 0,
});
const expected = (count: number) => Array.from({ length: count }, (_, at) => answer(String(at), 'expected'));

describe('the bar of a watch', () => {
  it('is lower the more sensitive it is; normal where nothing was chosen', () => {
    const [quiet, normal, sensitive] = SENSITIVITIES.map((name) => callingStrength(name));
    expect(quiet).toBeGreaterThan(normal ?? 0);
    expect(normal).toBeGreaterThan(sensitive ?? 0);
    expect(callingStrength()).toBe(callingStrength('normal'));
  });

  it('goes up by what was expected and down by what came too late, within bounds', () => {
    const calls = callingStrength('normal');
    expect(callingStrength('normal', [answer('1', 'expected')])).toBeGreaterThan(calls);
    expect(callingStrength('normal', [answer('1', 'earlier')])).toBeLessThan(calls);
    expect(callingStrength('normal', [answer('1', 'earlier'), answer('2', 'expected')])).toBe(calls);
    expect(callingStrength('normal', expected(3))).toBe(callingStrength('normal', expected(12)));
    const earlier = expected(20).map((each) => ({ ...each, says: 'earlier' }) as const);
    expect(callingStrength('sensitive', earlier)).toBe(FEEDBACK.least);
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
    expect(lines[0]).toMatch(/^Sensitivity quiet: .* false alarm a month\.$/);
    expect(lines[1]).toBe(
      'Answers: 1 × “this was expected”, 1 × “tell me earlier”, the last by @U1. Answers haven’t changed this watch’s sensitivity.',
    );
  });

  it('says from what on it alerts, and from what on it did', () => {
    const [before, after] = [callingStrength(), callingStrength('normal', expected(1))];
    expect(changeInWords(before, after)).toBe(
      'It now alerts on what happens once in 160 hours or less often (before: once in 79).',
    );
    expect(changeInWords(after, before)).toBe(
      'It now alerts on what happens once in 79 hours or less often (before: once in 160).',
    );
    expect(changeInWords(before, before)).toBe('It still alerts on what happens once in 79 hours or less often.');
  });
});

describe('what is unusual but not enough', () => {
  const now = Temporal.Instant.from('2026-03-10T15:00Z');
  const sinceMs = Temporal.Instant.from('2026-03-10T14:20Z').epochMilliseconds;
  const lines = (record: Partial<WatchRecord>, sensitivity: 'quiet' | 'normal' = 'normal') =>
    belowLines({ ...INITIAL_STATE, ...record }, sensitivity, 'UTC', now).map(plainText);

  it('is one line that says why the watch is silent', () => {
    const below = { strength: 1.6, sinceMs };
    expect(lines({ below })).toEqual([
      'Elevated since 14:20, but below this watch’s sensitivity: this happens once in 40 hours, and it alerts from once in 79.',
    ]);
    expect(lines({ below, feedback: expected(1) }, 'quiet')[0]).toMatch(/and it alerts from once in 790\.$/);
    expect(lines({})).toEqual([]);
  });

  it('is said of a category and of what has stopped, too', () => {
    const { snoozed: _s, feedback: _f, ...rest } = INITIAL_STATE;
    const drops = {
      'mix-webshell': { ...rest, below: { strength: 1.86, sinceMs, mix: 'webshell' } },
      attacks: { ...rest, below: { strength: 1.6, sinceMs, drop: 'attacks' } },
    } as const;
    expect(lines({ drops })).toEqual([
      expect.stringMatching(/^No attacks since 14:20, but not for long enough to alert\.$/),
      'More Webshell than usual since 14:20: not clear enough for this watch’s sensitivity.',
    ]);
    const waiting = { ...rest, below: { strength: BARS.check, sinceMs, mix: 'webshell' } };
    expect(lines({ drops: { 'mix-webshell': waiting } })).toEqual([
      'More Webshell than usual since 14:20: waiting up to five minutes to see whether it’s part of a rise.',
    ]);
    const long = { ...rest, below: { strength: BARS.normal, sinceMs, mix: 'xss' } };
    expect(lines({ drops: { 'mix-xss': long } }, 'quiet')).toEqual([
      'More XSS than usual since 14:20: not clear enough for this watch’s sensitivity.',
    ]);
    const known = { ...rest, below: { strength: 2.3, sinceMs, mix: 'sqli' } };
    expect(lines({ drops: { 'mix-sqli': known } }, 'quiet')).toEqual([
      'More SQL injection than usual since 14:20, but below this watch’s sensitivity: this happens once in 200 hours, and it alerts from once in 400.',
    ]);
  });
});
