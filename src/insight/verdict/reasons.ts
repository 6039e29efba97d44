/** The grounds of a verdict in sentences. Times are left to those who know the reader's clock. */
import { categoryName } from '../categories.ts';
import { duration, formatCount, formatShare } from '../numbers.ts';
import type { MovedCategory } from './moved-categories.ts';
import type { Verdict } from './verdict.ts';

type Grounds = Pick<Verdict, 'usual' | 'totals' | 'strongest' | 'share' | 'shareBefore' | 'crowd' | 'moved' | 'level'>;

const MOST_CATEGORIES = 4;

export function reasonsOf(grounds: Grounds): string[] {
  const { usual, totals, strongest, share, shareBefore, crowd, moved, level } = grounds;
  const reasons: string[] = [];
  if (usual !== null) {
    const { attacks } = totals;
    reasons.push(`${attacksIn(attacks)} where about ${formatCount(usual)} would be usual${times(attacks, usual)}.`);
  }
  if (strongest !== null && level !== 'calm') {
    const { attacks, usual: expected, score } = strongest;
    reasons.push(
      `At its strongest ${formatCount(attacks)} in ${lengthInMinutes(strongest)} where about ${formatCount(expected)} would be ` +
        `usual${times(attacks, expected)}, ${score.toFixed(1)} standard deviations above.`,
    );
  }
  if (share !== null) {
    const before = shareBefore === null ? '' : `, ${formatShare(shareBefore)} before`;
    reasons.push(`Attacks are ${formatShare(share)} of requests${before}.`);
  }
  if (crowd >= 1.3 || crowd <= 0.7) reasons.push(`Visitors are ${factor(crowd)} times what would be expected.`);
  if (moved.length > 0) reasons.push(`Moved: ${moved.slice(0, MOST_CATEGORIES).map(moveInWords).join('; ')}.`);
  return reasons;
}

function moveInWords({ category, count, usual, isNew }: MovedCategory): string {
  const name = categoryName(category);
  return isNew
    ? `${name} is new with ${formatCount(count)}`
    : `${name} ${formatCount(count)} instead of about ${formatCount(usual)}`;
}

const attacksIn = (count: number): string => `${formatCount(count)} ${count === 1 ? 'attack' : 'attacks'}`;

const factor = (ratio: number): string => (ratio < 9.95 ? ratio.toFixed(1) : formatCount(ratio));

function times(attacks: number, usual: number): string {
  return usual < 1 || attacks / usual < 1.2 ? '' : ` (${factor(attacks / usual)} times)`;
}

const lengthInMinutes = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): string =>
  duration(toMs - fromMs, { units: ['minute'] });
