import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../src/episodes/episode.ts';
import { accountOf, marksOf } from '../../../src/replies/episode-account.ts';
import { plainText } from '../../../src/replies/phrases.ts';

const HOUR_MS = 3_600_000;
const NOW = Temporal.Instant.from('2026-03-10T18:00Z');
const ASKED = { range: { from: NOW.subtract({ hours: 24 }), to: NOW }, zone: 'UTC', now: NOW };

/** One an hour, each stronger than the one before. */
function surges(count: number): EpisodeRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const onsetMs = NOW.epochMilliseconds - (12 - at) * HOUR_MS;
    const endMs = onsetMs + HOUR_MS / 2;
    const figures = { untilMs: endMs, total: 900, expected: 200, peak: null, categories: [] };
    const span = { id: `rise-${at}`, onsetMs, endMs, figures, leading: ['sqli'] };
    return { ...span, worst: 'surge', strength: 5 + at, steps: [], known: 1 };
  });
}

describe('what else happened', () => {
  it.each([
    [1, 0, ''],
    [4, 3, ''],
    // A single one that is left is as short as its number.
    [5, 4, ''],
    [6, 3, ', and 2 smaller ones'],
  ])('of %i, %i get a line of their own beside the first', (count, lines, rest) => {
    const episodes = surges(count);
    const also = (accountOf(episodes, ASKED)?.also ?? []).map(plainText);
    expect(also).toHaveLength(lines);
    for (const [at, line] of also.entries()) {
      const hour = String(6 + count - 2 - at).padStart(2, '0');
      expect(line).toBe(`Also ${hour}:00–${hour}:30: 4.5× usual, led by SQL injection${at === lines - 1 ? rest : ''}.`);
    }
    expect(marksOf(episodes).marks).toHaveLength(1 + lines);
  });
});
