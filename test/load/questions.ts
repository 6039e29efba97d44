/** What people ask in an ordinary week: mostly the same few things, now and then something of their own, some slips. */
import type { SeededRandom } from '../support/seeded-random.ts';

/** How often each is asked, of a hundred. */
const MIX: readonly (readonly [share: number, draw: (random: SeededRandom) => string])[] = [
  [20, () => 'timeline last 24h'],
  [8, () => 'timeline last 1h'],
  [8, () => 'timeline today'],
  [12, () => 'attacks last 24h'],
  [6, () => 'attacks today'],
  [14, () => 'check'],
  [5, () => 'compare today vs yesterday'],
  [3, () => 'timeline last 7 days vs previous'],
  [3, (random) => `incident yesterday ${random.pick(['09:00-10:00', '14:00-16:00', '20:00-21:00'])}`],
  // A window that nobody else asks for.
  [7, (random) => `timeline ${1 + random.below(400)} minutes before ${1 + random.below(9_000)} minutes ago`],
  [4, () => 'help'],
  [3, () => 'digests'],
  [2, () => 'hosts'],
  [5, (random) => random.pick(['timelien last 24h', 'attacks lst week', 'timeline on nowhere', 'chek', 'foo'])],
];

const ALL = MIX.reduce((sum, [share]) => sum + share, 0);

export function drawQuestion(random: SeededRandom): string {
  let left = random.below(ALL);
  for (const [share, draw] of MIX) {
    if (left < share) return draw(random);
    left -= share;
  }
  return 'help';
}
