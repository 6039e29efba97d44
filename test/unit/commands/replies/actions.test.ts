import { describe, expect, it } from 'vitest';
import { quoteName } from '../../../../src/commands/grammar/hosts.ts';
import {
  isoInterval,
  periodAfter,
  periodBefore,
  withReadAs,
  writeSentence,
} from '../../../../src/commands/replies/actions.ts';

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

  it('says how they were read, and has the sentence as a button', () => {
    const readAs = { window: 'last week', sentence: 'timeline last week on shop' };
    const { notes, actions } = withReadAs(reply, readAs);
    expect(notes).toEqual([['Read as: ', { bold: 'last week' }], ['Old.']]);
    expect(actions).toEqual([{ label: readAs.sentence, sentence: readAs.sentence, effect: 'replace' }]);
    expect(withReadAs(reply, { window: 'last week', sentence: 'x'.repeat(200) }).actions?.[0]?.label).toHaveLength(71);
  });

  it('is as it was where nothing was misspelt', () => {
    expect(withReadAs(reply, undefined)).toBe(reply);
  });
});
