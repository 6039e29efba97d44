import { expect, it } from 'vitest';
import { watchForm } from '../../../src/slack/blocks/forms/watch-form.ts';
import { parseWatch } from '../../../src/subscriptions/watch/parse-watch.ts';
import { describeRule } from '../../../src/subscriptions/watch/watch-rule.ts';

it.each([
  [{ what: 'anything' }, 'watch', 'anything that is not normal'],
  [{ what: 'attacks', over: '500', per: '15m' }, 'watch attacks over 500 per 15m', 'attacks over 500 per 15 minutes'],
  [{ what: 'sqli', over: '2k', per: '1h' }, 'watch sqli over 2k per 1h', 'SQL injection over 2,000 per hour'],
])('the form writes a sentence that is understood: %o', (values: Record<string, string>, sentence, rule) => {
  const written = watchForm.sentence((block) => values[block] ?? null);
  expect(written).toBe(sentence);
  expect(describeRule(parseWatch(written.replace('watch', '     ')).rule)).toBe(rule);
});

it('leaves a missing number for the sentence to refuse', () => {
  const written = watchForm.sentence((block) => (block === 'what' ? 'attacks' : null));
  expect(() => parseWatch(written.replace('watch', '     '))).toThrow(/not a number/);
});
