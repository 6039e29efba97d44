/** What is expected of each category: its usual share of what is expected in total. */
import { countOf, maxCountOf, totalOf } from '../statistics/summary.ts';
import type { Distribution } from '../statistics/timeline.ts';
import type { EpisodeCategory } from './episode.ts';

/** Largest first. What is expected of the categories adds up to what is expected in total. */
export function withExpected(
  counted: Distribution,
  reference: readonly Distribution[],
  expected: number | null,
): EpisodeCategory[] {
  const names = new Set([counted, ...reference].flatMap(({ counts }) => counts.map(({ category }) => category)));
  const shareOf = (category: string): number | null => {
    const shares = reference.map((each) => {
      const count = maxCountOf(each, category);
      return count === null ? null : count / totalOf(each);
    });
    return shares.length === 0 || shares.includes(null)
      ? null
      : shares.reduce<number>((sum, share) => sum + (share ?? 0), 0) / shares.length;
  };
  const shares = new Map([...names].map((name) => [name, shareOf(name)]));
  const all = [...shares.values()].reduce<number>((sum, share) => sum + (share ?? 0), 0);
  return [...names]
    .map((category): EpisodeCategory => {
      const share = shares.get(category) ?? null;
      const usual = expected === null || share === null || all === 0 ? null : (expected * share) / all;
      return { category, count: countOf(counted, category) ?? 0, expected: usual };
    })
    .filter(
      ({ category, count, expected: usual }) =>
        (count > 0 || (usual ?? 0) >= 0.5) && countOf(counted, category) !== null,
    )
    .toSorted((a, b) => b.count - a.count);
}
