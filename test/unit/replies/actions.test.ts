import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { quoteName } from '../../../src/grammar/hosts.ts';
import { parseSentence } from '../../../src/grammar/sentence.ts';
import { isoInterval, periodAfter, withReadAs, writeSentence } from '../../../src/replies/follow-ups.ts';
import { periodBefore } from '../../../src/statistics/comparison.ts';

const instant = (text: string): Temporal.Instant => Temporal.Instant.from(text);
const NOW = instant('2026-03-10T14:30:00Z');

describe('windows as sentences', () => {
  const range = { from: instant('2026-03-10T12:00Z'), to: instant('2026-03-10T14:00Z') };

  it('step back and forth by their own length, never beyond now', () => {
    expect(isoInterval(periodBefore(range))).toBe('2026-03-10T10:00Z/2026-03-10T12:00Z');
    const after = periodAfter(range, NOW);
    expect(after && isoInterval(after)).toBe('2026-03-10T14:00Z/2026-03-10T14:30Z');
    expect(periodAfter({ from: range.from, to: NOW }, NOW)).toBeNull();
  });

  it('say seconds only where there are some', () => {
    expect(isoInterval({ from: range.from, to: instant('2026-03-10T14:00:05.9Z') })).toBe(
      '2026-03-10T12:00Z/2026-03-10T14:00:05Z',
    );
  });

  it('name everything that was asked for', () => {
    const hosts = [
      { name: 'shop', id: '1' },
      { name: 'my blog', id: '2' },
    ];
    expect(writeSentence({ verb: 'attacks', range, versus: 'previous', hosts, zone: 'UTC', flags: ['csv'] })).toBe(
      'attacks 2026-03-10T12:00Z/2026-03-10T14:00Z vs previous on shop, "my blog" in UTC csv',
    );
  });

  it('quote a name that would fall apart', () => {
    expect([quoteName('shop-1.example'), quoteName('a,b'), quoteName('sh"op')]).toEqual([
      'shop-1.example',
      '"a,b"',
      '"shop"',
    ]);
  });
});

describe('an answer to misspelt words', () => {
  const reply = { title: 'Requests', headline: ['None.'], notes: [['Old.']] };
  const aliases = [{ name: 'my blog', id: '3ac26c59e15a4a11bb680a103a29ddb6', addedBy: 'U1' }];
  const read = (text: string) => parseSentence(text, { now: NOW, zone: 'Europe/Berlin', aliases, commands: COMMANDS });

  it.each([
    ['timeline yesterdya 14:00-16:00', 'yesterday 14:00-16:00', 'timeline yesterday 14:00-16:00 in Europe/Berlin'],
    ['yesterdya on "my blog"', 'yesterday', 'timeline yesterday on "my blog" in Europe/Berlin'],
    ['attacks lastweek vs previous in UTC', 'last week', 'attacks last week vs previous in UTC'],
    ['compare todya vs yestreday', 'today vs yesterday', 'compare today vs yesterday in Europe/Berlin'],
  ])('%s: says how they were read, and has the sentence as a button', (text, words, sentence) => {
    const { notes, actions } = withReadAs(reply, read(text));
    expect(notes).toEqual([['Read as: ', { bold: words }], ['Old.']]);
    expect(actions).toEqual([{ label: sentence, sentence, effect: 'replace' }]);
    const [asked, again] = [read(text), read(sentence)];
    expect([again.verb, again.range?.from, again.range?.to]).toEqual([asked.verb, asked.range?.from, asked.range?.to]);
    expect(again.range?.readAs).toBeUndefined();
  });

  it('is as it was where nothing was misspelt', () => {
    expect(withReadAs(reply, read('timeline today vs yesterday'))).toBe(reply);
  });
});
