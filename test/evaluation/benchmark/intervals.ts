/** Measured values with their 95 % intervals. */

/** `value` is `null` if there was nothing to measure it on. */
export interface Estimate {
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** How many cases are behind it. */
  readonly of: number;
}

const Z2 = 1.96 ** 2;

interface Cluster {
  hits: number;
  of: number;
}

/** A share of cases, by Wilson's interval for as many independent cases as the clusters are worth. */
export function shareOf<T>(cases: readonly T[], isHit: (each: T) => boolean, clusterOf: (each: T) => string): Estimate {
  const of = cases.length;
  if (of === 0) return { value: null, low: 0, high: 1, of };
  const clusters = new Map<string, Cluster>();
  for (const each of cases) {
    const cluster = clusters.get(clusterOf(each)) ?? { hits: 0, of: 0 };
    clusters.set(clusterOf(each), { hits: cluster.hits + (isHit(each) ? 1 : 0), of: cluster.of + 1 });
  }
  const value = [...clusters.values()].reduce((sum, { hits }) => sum + hits, 0) / of;
  const worth = of / designEffect([...clusters.values()], value, of);
  const middle = (value + Z2 / 2 / worth) / (1 + Z2 / worth);
  const reach = Math.sqrt((Z2 * (value * (1 - value) + Z2 / 4 / worth)) / worth) / (1 + Z2 / worth);
  return { value, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach), of };
}

/** How much more clusters differ than chance alone explains; never less than 1. */
function designEffect(clusters: readonly Cluster[], share: number, of: number): number {
  const byChance = of * share * (1 - share);
  if (byChance === 0) return 1;
  return Math.max(1, clusters.reduce((sum, cluster) => sum + (cluster.hits - share * cluster.of) ** 2, 0) / byChance);
}

/** A mean number of things in a week, by the score interval of a Poisson count, widened if weeks differ by more than that. */
export function rateOf(counts: readonly number[]): Estimate {
  const of = counts.length;
  if (of === 0) return { value: null, low: 0, high: Number.POSITIVE_INFINITY, of };
  const sum = counts.reduce((total, count) => total + count, 0);
  const value = sum / of;
  const variance = counts.reduce((total, count) => total + (count - value) ** 2, 0) / Math.max(1, of - 1);
  const z2 = Z2 * (value === 0 ? 1 : Math.max(1, variance / value));
  const reach = Math.sqrt(z2 * (sum + z2 / 4));
  return { value, low: Math.max(0, (sum + z2 / 2 - reach) / of), high: (sum + z2 / 2 + reach) / of, of };
}

/** A median, by the ranks that hold it in 95 of 100 samples. */
export function medianOf(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const of = sorted.length;
  const at = (rank: number): number => sorted[Math.min(of - 1, Math.max(0, Math.round(rank)))] ?? 0;
  const reach = Math.sqrt(Z2 * of) / 2;
  return {
    value: sorted[Math.floor((of - 1) / 2)] ?? null,
    low: at((of - 1) / 2 - reach),
    high: at((of - 1) / 2 + reach),
    of,
  };
}
