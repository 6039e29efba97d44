/** When something ends that people set an end to. */
import { describe, expect, it } from 'vitest';
import { parseUntil, untilWords } from '../../../src/time/index.ts';

/** A Tuesday, before the clock change of 29 March. */
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ZONE = 'Europe/Berlin';
const read = (text: string): string | null => {
  const until = parseUntil(text, NOW, ZONE);
  return until === null ? null : untilWords(until.epochMilliseconds, ZONE);
};

describe('parseUntil', () => {
  it.each([
    ['friday', 'the end of Fri 13 Mar'],
    ['tomorrow', 'the end of Wed 11 Mar'],
    ['20 march', 'the end of Fri 20 Mar'],
    ['march 20', 'the end of Fri 20 Mar'],
    ['2026-04-01', 'the end of Wed 1 Apr'],
    ['friday 18:00', 'Fri 13 Mar 18:00'],
    ['tomorrow at 9am', 'Wed 11 Mar 09:00'],
    ['2h', 'Tue 10 Mar 17:30'],
    ['for 3 days', 'Fri 13 Mar 15:30'],
    ['a week', 'Tue 17 Mar 15:30'],
    // The same clock time on the other side of the change.
    ['3 weeks', 'Tue 31 Mar 15:30'],
  ])('%s', (text, expected) => expect(read(text)).toBe(expected));

  it.each(['', 'soon', 'friday maybe', 'monday to friday', '3', 'x'.repeat(200)])('does not guess: “%s”', (text) =>
    expect(read(text)).toBeNull(),
  );
});
