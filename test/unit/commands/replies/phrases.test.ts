import { describe, expect, it } from 'vitest';
import {
  change,
  changeLine,
  counted,
  lengthNote,
  onHosts,
  plainText,
  staleNote,
  timelineNotes,
  withAge,
} from '../../../../src/commands/replies/phrases.ts';
import type { Timeline } from '../../../../src/insight/timeline.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

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
      staleNote([timeline(all, 0), { ...timeline(all, 0), stale: true, asOfMs: at(-minutes) }], NOW)
        .map(plainText)
        .join('');
    expect(stale(0)).toContain('1 min ago');
    expect(stale(12)).toContain('12 min ago');
    expect(stale(180)).toContain('3 h ago');
    expect(staleNote([timeline(all, 0), null], NOW)).toEqual([]);
    const headline = withAge(['7 attacks.'], [{ stale: true, asOfMs: at(-12) }], NOW);
    expect(plainText(headline)).toBe('7 attacks. As of 12 min ago.');
    expect(withAge(['7 attacks.'], [timeline(all, 0)], NOW)).toEqual(['7 attacks.']);
  });

  it('warn of windows that differ in length, not of a clock change in a week', () => {
    const long = (hours: number) => ({ from: NOW.subtract({ hours }), to: NOW });
    expect(lengthNote(long(168), long(167))).toEqual([]);
    expect(lengthNote(long(24), long(2))).toHaveLength(1);
  });
});
