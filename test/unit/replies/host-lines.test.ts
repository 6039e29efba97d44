/** Which hosts a rise is on, in words. */
import { describe, expect, it } from 'vitest';
import type { ExcessByHost } from '../../../src/episodes/which-host.ts';
import { hostCountWords, hostTable, hostWords } from '../../../src/replies/host-lines.ts';

const hostOf = (name: string, share: number, observed = 100, expected = 50) => ({
  host: { name, id: name },
  share,
  observed,
  expected,
});
const found = (...leading: ReturnType<typeof hostOf>[]): ExcessByHost => ({
  is: 'known',
  of: 'excess',
  leading,
  hosts: leading,
});

describe('the hosts of a rise', () => {
  it.each([
    [found(hostOf('shop', 0.98)), 'on shop (98 % of the excess)'],
    [found(hostOf('shop', 0.62)), 'mostly shop (62 % of the excess)'],
    [found(hostOf('api', 0.9996)), 'on api (100 % of the excess)'],
    [{ ...found(hostOf('api', 0.991)), of: 'events' } as const, 'on api (99 % of the events)'],
    [found(hostOf('shop', 0.71), hostOf('blog', 0.22)), 'mostly shop (71 %) and blog (22 %)'],
    // Both rounded up would be more than all of it.
    [found(hostOf('shop', 0.725), hostOf('blog', 0.275)), 'mostly shop (73 %) and blog (27 %)'],
  ])('are named with their share', (excess, words) => {
    expect(hostWords(excess)).toBe(words);
  });

  it.each([[found()], [{ is: 'unknown', why: 'no_ranking' } as const], [null]])(
    'are left out if it is spread or unknown',
    (excess) => {
      expect(hostWords(excess)).toBeNull();
    },
  );

  it('are listed with their numbers, the first five in words', () => {
    const hosts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => hostOf(name, 0.1, 2_050, 379.6));
    expect(hostCountWords(hosts)).toBe(
      'a 2,050 (380 expected), b 2,050 (380), c 2,050 (380), d 2,050 (380), e 2,050 (379)',
    );
    // 6 times 379.6 are 2,278: the rounded numbers add up to what a check says.
    expect(hostTable(hosts).rows[5]).toEqual(['f', '2,050', '379', '10 %']);
    expect(hostTable(hosts, 5).rows).toHaveLength(5);
    expect(hostCountWords(hosts.slice(0, 2), 'events')).toBe('a 2,050, b 2,050');
    expect(hostTable(hosts.map(({ share: _, ...count }) => count)).rows[0]).toEqual(['a', '2,050', '380']);
  });
});
