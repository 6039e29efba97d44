/** Tail probabilities as powers of ten with their sign changed: 3 is one in a thousand. */

function logGamma(x: number): number {
  // Lanczos, to about ten digits.
  const g = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ];
  const t = x + 5.5;
  const series = g.reduce((sum, c, at) => sum + c / (x + 1 + at), 1.000000000190015);
  return Math.log((Math.sqrt(2 * Math.PI) * series) / x) - (t - (x + 0.5) * Math.log(t));
}

/** Sums the tail upwards from `from`, relative to its first term, until nothing is added any more. */
function tailFrom(from: number, logFirst: number, ratioAt: (k: number) => number): number {
  let sum = 1;
  let term = 1;
  for (let k = from + 1; k < from + 20_000; k++) {
    term *= ratioAt(k);
    sum += term;
    if (term < sum * 1e-12) break;
  }
  return Math.max(0, -(logFirst + Math.log(sum)) / Math.LN10);
}

/** How unlikely `count` or more are where `rate` is expected. */
export function poissonTail(count: number, rate: number): number {
  if (count <= rate || rate <= 0) return 0;
  const first = Math.ceil(count);
  return tailFrom(first, first * Math.log(rate) - rate - logGamma(first + 1), (k) => rate / k);
}

/** The same for a count whose variance is larger than its mean. */
export function negativeBinomialTail(count: number, rate: number, variance: number): number {
  if (count <= rate || rate <= 0) return 0;
  if (variance <= rate * 1.001) return poissonTail(count, rate);
  const size = (rate * rate) / (variance - rate);
  const chance = rate / (rate + size);
  const first = Math.ceil(count);
  const log =
    logGamma(first + size) -
    logGamma(size) -
    logGamma(first + 1) +
    size * Math.log(1 - chance) +
    first * Math.log(chance);
  return tailFrom(first, log, (k) => (chance * (k - 1 + size)) / k);
}

/** The normal deviate that a share of `p` lies above (Acklam's approximation for tails). */
export function deviateAbove(p: number): number {
  const q = Math.sqrt(-2 * Math.log(p));
  const above =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const below =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1;
  return -above / below;
}
