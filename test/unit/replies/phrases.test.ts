import { describe, expect, it } from 'vitest';
import {
  againstWords,
  changeLine,
  changeWords,
  counted,
  fillingNote,
  moveWords,
  obstacleWords,
  onHosts,
  othersWords,
  plainText,
  staleNote,
  timelineNotes,
  withAge,
} from '../../../src/replies/phrases.ts';
import type { Comparison } from '../../../src/statistics/comparison.ts';
import type { Timeline } from '../../../src/statistics/timeline.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

describe('turns of phrase', () => {
  const comparison: Comparison = {
    counted: { from: NOW.subtract({ hours: 6 }), to: NOW },
    against: { from: NOW.subtract({ hours: 30 }), to: NOW.subtract({ hours: 24 }) },
    words: 'the same hours the day before',
  };
  const line = (attacks: number | null, before: number | null): string =>
    plainText(changeLine({ requests: 50, attacks }, { requests: 100, attacks: before }, comparison, 'UTC'));
  it.each([
    [118, 100, 'attacks +18 % (was 100)'],
    [480, 100, 'attacks ×4.8 (was 100)'],
    [1200, 100, 'attacks ×12 (was 100)'],
    [6, 3, 'attacks 3 → 6'],
    [5, 0, 'no attacks before'],
    [0, 0, 'no attacks in either'],
    [0, 1234, 'attacks 1,234 → 0'],
    [null, 3, 'attacks unknown'],
  ])('%s after %s', (now, before, expected) =>
    expect(line(now, before)).toBe(
      `Compared with the same hours the day before: ${expected}, requests −50 % (was 100).`,
    ),
  );

  it('tell what is not known from what is nothing', () => {
    expect(obstacleWords('failed', againstWords(comparison, 'UTC'))).toBe(
      "No comparison: the service didn't answer for the same hours the day before.",
    );
    expect(obstacleWords('no data', againstWords({ ...comparison, words: null }, 'UTC'))).toBe(
      "No comparison: there's no data for Mon 9 Mar 08:30–14:30.",
    );
  });

  it('compare the rates of windows that differ in length', () => {
    const longer = { ...comparison, against: { from: NOW.subtract({ hours: 31 }), to: NOW.subtract({ hours: 24 }) } };
    expect(changeWords(600, 700, longer)).toBe('±0 % per hour');
    const months = {
      counted: { from: NOW, to: NOW.add({ hours: 28 * 24 }) },
      against: { from: NOW, to: NOW.add({ hours: 31 * 24 }) },
    };
    expect(changeWords(560, 310, { ...months, words: null })).toBe('×2 per day');
  });

  it('say from what to what a category went, and how many others there are', () => {
    const row = (category: string, count: number, before: number) => ({ category, count, before, share: 0 });
    expect(plainText(moveWords([row('xss', 1310, 120), row('webshell', 14, 0)]))).toBe('XSS 120 → 1,310, Webshell 14');
    expect([
      othersWords([]),
      othersWords([row('xss', 7, 1)]),
      othersWords([row('xss', 700, 1), row('cc', 400, 1)]),
    ]).toEqual(['', '1 other, 7', '2 others, 1,100 in total']);
  });

  it('say once what is still filling, in the zone of the window', () => {
    const range = { from: NOW.subtract({ hours: 6 }), to: NOW };
    const counted = { ...range, to: NOW.subtract({ minutes: 3 }) };
    const note = (to: Temporal.Instant) =>
      fillingNote({ hosts: [], range, zone: 'Europe/Berlin' }, { ...comparison, counted: { ...counted, to } }).map(
        plainText,
      );
    expect(note(counted.to)).toEqual(['Counted up to 15:27: attacks take up to three minutes to be logged.']);
    expect(note(range.to)).toEqual([]);
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
    expect(notes(all, -1)).toMatch(/^The last minute is still filling in: /);
    expect(notes(all, -3)).toMatch(/^The last 3 minutes are still filling in: /);
    expect(
      notes(
        all.filter((end) => end !== -5),
        0,
      ),
    ).toMatch(/^The service has no numbers for 1 minute of the window\./);
    expect(
      notes(
        all.filter((end) => end < -6 || end > -4),
        0,
      ),
    ).toMatch(/^The service has no numbers for 3 minutes of the window\./);
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
});
