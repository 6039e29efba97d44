/** Texts that are made to be slow to read: one or two pieces again and again, after the beginning of a sentence. */
import { fc } from '../support/property.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

const BEGINNINGS = [
  '',
  'watch ',
  'watch every ',
  'watch attacks over 1 per ',
  'digest ',
  'digest daily at ',
  'digest daily at 9:00 in ',
  'timeline ',
  'timeline on ',
  'timeline last 24h on ',
  'compare today vs ',
  'hosts add ',
  'hosts remove ',
  'settings zone ',
  'settings hosts ',
  'help ',
];

const PIECES = [
  ...[' ', '\u00a0', '\u3000', '\t', '\n', '\u200b'],
  ...['1', '1 ', '1:', '12:00 ', '1,', '1.', '1/', '2026-03-10T'],
  ...[
    ',',
    ', ',
    '"',
    '" ',
    '"a" ',
    '“',
    '-',
    '- ',
    '–',
    '/',
    '.',
    ':',
    '&',
    '&amp;',
    '<',
    '<a',
    '<@U1>',
    '>',
    '*',
    '`',
  ],
  ...['a', 'a ', 'on ', 'on a, ', 'on a and ', 'for ', 'for a ', 'and ', 'in ', 'in a/b ', 'in europe/x ', 'at 9 '],
  ...['every ', 'every 1', 'over ', 'over 1 per ', 'is more than ', 'per ', 'vs ', 'csv ', 'private ', 'timeline '],
  ...['last ', 'last 1 ', 'from ', 'between 1 and ', 'now-1d', 'daily ', 'monday ', 'a.m. ', 'host-1 ', 'on host-1, '],
  ...['İ', 'ß', '😀', '\ud800', '\u0000', 'e\u0301', 'toString ', '__proto__ '],
];

const ENDS = ['', 'x', ' x', '"', '1'];

/** Around the longest sentence that is read, what a button holds, and the longest message that Slack takes. */
const LENGTHS = [300, 1_200, 1_990, 2_000, 4_000, 40_000];

/** How a text is made; short enough to be read in a report of a failure. */
export interface HostileRecipe {
  readonly beginning: string;
  readonly pieces: readonly string[];
  readonly length: number;
  readonly end: string;
}

export const hostileRecipe: fc.Arbitrary<HostileRecipe> = fc.record({
  beginning: fc.constantFrom(...BEGINNINGS),
  pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 2 }),
  length: fc.constantFrom(...LENGTHS),
  end: fc.constantFrom(...ENDS),
});

export const drawRecipe = (random: SeededRandom): HostileRecipe => ({
  beginning: random.pick(BEGINNINGS),
  pieces: Array.from({ length: 1 + random.below(3) }, () => random.pick(PIECES)),
  length: random.pick(LENGTHS),
  end: random.pick(ENDS),
});

export function hostileText({ beginning, pieces, length, end }: HostileRecipe): string {
  const unit = pieces.join('');
  const room = Math.max(1, length - beginning.length - end.length);
  return beginning + unit.repeat(Math.ceil(room / unit.length)).slice(0, room) + end;
}
