import { describe, expect, it } from 'vitest';
import { quoteName } from '../../../src/commands/grammar/hosts.ts';
import {
  isoInterval,
  periodAfter,
  periodBefore,
  readsAsTime,
  writeSentence,
} from '../../../src/commands/grammar/window.ts';
import { assertMayAsk, assertMayChange } from '../../../src/commands/permission.ts';
import { toCsv } from '../../../src/commands/replies/csv.ts';
import { lengthNote, staleNote, timelineNotes } from '../../../src/commands/replies/data-notes.ts';
import { change, changeLine, counted, duration, intervalName, onHosts } from '../../../src/commands/replies/phrases.ts';
import { plainText } from '../../../src/commands/replies/reply.ts';
import type { Timeline } from '../../../src/insight/timeline.ts';

const instant = (text: string): Temporal.Instant => Temporal.Instant.from(text);
const NOW = instant('2026-03-10T14:30:00Z');

describe('CSV', () => {
  it('quotes what must be quoted, and lets no cell become a formula', () => {
    expect(toCsv([['a', 'b,c', 'd"e', 'f\ng', null, 0, -5]])).toBe('a,"b,c","d""e","f\ng",,0,-5\r\n');
    for (const sign of ['=', '+', '-', '@', '\t', '\r']) expect(toCsv([[`${sign}cmd`]])).toContain(`'${sign}cmd`);
  });
});

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

  it('quote a name that would fall apart, and know one that is a time', () => {
    expect([quoteName('shop-1.example'), quoteName('a,b'), quoteName('sh"op')]).toEqual([
      'shop-1.example',
      '"a,b"',
      '"shop"',
    ]);
    expect([readsAsTime('yesterday', NOW), readsAsTime('shop', NOW)]).toEqual([true, false]);
  });
});

describe('turns of phrase', () => {
  const words = (now: number, before: number): string => plainText(change('attacks', now, before));
  it.each([
    [118, 100, 'attacks +18 % (was 100)'],
    [1200, 100, 'attacks ×12 (was 100)'],
    [5, 0, 'no attacks then'],
    [0, 0, 'no attacks then either'],
    [0, 1234, 'attacks down to none (was 1,234)'],
  ])('%i after %i', (now, before, expected) => expect(words(now, before)).toBe(expected));

  it('tell what is not known from what is nothing', () => {
    const now = { requests: 5, attacks: 0 };
    expect(plainText(changeLine(now, null, 'Then'))).toBe('Then: not known, the service did not answer for it.');
    expect(plainText(changeLine(now, { ...now, intervals: 0 }, 'Then'))).toBe('Then: no data to compare with.');
    expect(plainText(changeLine(now, { requests: 0, attacks: 0, intervals: 9 }, 'Then'))).toBe(
      'Then: no requests then, no attacks then either.',
    );
  });

  it('count in the singular and the plural', () => {
    expect([counted(1, 'attack'), counted(0, 'attack'), counted(1234, 'attack')]).toEqual([
      '1 attack',
      '0 attacks',
      '1,234 attacks',
    ]);
    expect([duration(60_000), duration(300_000), duration(3_600_000), duration(90_000)]).toEqual([
      '1 minute',
      '5 minutes',
      '1 hour',
      '90 seconds',
    ]);
    expect(intervalName(60_000)).toBe('minute');
  });

  it('name three hosts and count the rest', () => {
    const hosts = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, id: name }));
    expect([onHosts([]), onHosts(hosts.slice(0, 2)), onHosts(hosts)]).toEqual([
      '',
      ' on a, b',
      ' on a, b, c and 2 more',
    ]);
  });
});

describe('notes about the data', () => {
  const at = (minutes: number): number => NOW.epochMilliseconds + minutes * 60_000;
  const timeline = (ends: readonly number[], settled: number): Timeline => ({
    fromMs: at(-10),
    toMs: at(0),
    intervalMs: 60_000,
    points: ends.map((end) => ({ endMs: at(end), requests: 1, attacks: 0 })),
    settledUntilMs: at(settled),
    asOfMs: at(0),
    stale: false,
  });
  const all = [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0];
  const notes = (ends: readonly number[], settled: number): string =>
    timelineNotes(timeline(ends, settled)).map(plainText).join(' ');

  it('speak of what is still filling and of what is missing, and of nothing else', () => {
    expect(notes(all, 0)).toBe('');
    expect(notes(all, -1)).toMatch(/^The last interval is still filling/);
    expect(notes(all, -3)).toMatch(/^The last 3 intervals are still filling/);
    expect(
      notes(
        all.filter((end) => end !== -5),
        0,
      ),
    ).toMatch(/^1 interval is missing/);
    expect(
      notes(
        all.filter((end) => end < -6 || end > -4),
        0,
      ),
    ).toMatch(/^3 intervals are missing/);
  });

  it('say how old a kept answer is', () => {
    const stale = (minutes: number): string =>
      staleNote({ ...timeline(all, 0), stale: true, asOfMs: at(-minutes) }, NOW)
        .map(plainText)
        .join('');
    expect(stale(0)).toContain('1 min ago');
    expect(stale(12)).toContain('12 min ago');
    expect(stale(180)).toContain('3 h ago');
    expect(staleNote(timeline(all, 0), NOW)).toEqual([]);
  });

  it('warn of windows that differ in length, not of a clock change in a week', () => {
    const long = (hours: number) => ({ from: NOW.subtract({ hours }), to: NOW });
    expect(lengthNote(long(168), long(167))).toEqual([]);
    expect(lengthNote(long(24), long(2))).toHaveLength(1);
  });
});

describe('permission', () => {
  const question = (user: string, channel: string) => ({ text: '', user, channel, userZone: null });
  const policy = { allowedChannels: ['C1'], admins: ['UA', 'UB'] };

  it('is everyone’s where nothing is configured', () => {
    const open = { allowedChannels: null, admins: null };
    expect(() => assertMayAsk(open, question('U1', 'C9'))).not.toThrow();
    expect(() => assertMayChange(open, question('U1', 'C9'))).not.toThrow();
  });

  it('is by channel to ask and by person to change, and a refusal says who can help', () => {
    expect(() => assertMayAsk(policy, question('U1', 'C1'))).not.toThrow();
    expect(() => assertMayAsk(policy, question('UA', 'C9'))).not.toThrow();
    expect(() => assertMayChange(policy, question('UB', 'C1'))).not.toThrow();
    const refused = (call: () => void): unknown => {
      try {
        call();
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const expected = { code: 'forbidden', people: ['UA', 'UB'] };
    expect(refused(() => assertMayAsk(policy, question('U1', 'C9')))).toMatchObject(expected);
    expect(refused(() => assertMayChange(policy, question('U1', 'C1')))).toMatchObject(expected);
  });
});
