/**
 * Random numbers without state: every draw is a pure function of its keys, so that any minute can be computed on its
 * own, in any order, always with the same result.
 */

/** Mixes four integers into 32 well-distributed bits. */
export function mix(a: number, b: number, c: number, d: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15) ^ b, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13) ^ c, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 16) ^ d, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

/** Hashes a string into a key for `mix` (FNV-1a). */
export function keyOf(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** In the open interval (0, 1). */
export function uniform(bits: number): number {
  return (bits + 0.5) / 2 ** 32;
}

/** Standard normal (Box–Muller). */
function normal(bits: number): number {
  const second = mix(bits, 0x5bd1e995, 1, 2);
  return Math.sqrt(-2 * Math.log(uniform(bits))) * Math.cos(2 * Math.PI * uniform(second));
}

export function poisson(mean: number, bits: number): number {
  if (mean <= 0) return 0;
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(bits)));
  const u = uniform(bits);
  let probability = Math.exp(-mean);
  let cumulative = probability;
  let count = 0;
  while (u > cumulative && count < 200) {
    count += 1;
    probability *= mean / count;
    cumulative += probability;
  }
  return count;
}

/** Successes in `n` trials with probability `p`. Approximate in the tails, never out of bounds. */
function binomial(n: number, p: number, bits: number): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  const mean = n * p;
  const draw = mean < 10 ? poisson(mean, bits) : Math.round(mean + Math.sqrt(mean * (1 - p)) * normal(bits));
  return Math.min(n, Math.max(0, draw));
}

/** Distributes `total` randomly over the slots, in proportion to their weights; the parts add up to the total. */
export function spread(total: number, weights: Float64Array, bits: number, parts: Float64Array): void {
  parts.fill(0);
  const last = weights.length - 1;
  let weightLeft = 0;
  for (let slot = 0; slot <= last; slot++) weightLeft += weights[slot] as number;
  if (total <= 24) {
    for (let event = 0; event < total; event++) {
      let at = uniform(mix(bits, event, 17, 29)) * weightLeft;
      let slot = 0;
      for (; slot < last; slot++) {
        at -= weights[slot] as number;
        if (at < 0) break;
      }
      parts[slot] = (parts[slot] as number) + 1;
    }
    return;
  }
  let left = total;
  for (let slot = 0; slot <= last && left > 0; slot++) {
    const weight = weights[slot] as number;
    const n = slot === last ? left : binomial(left, weight / weightLeft, mix(bits, slot, 31, 37));
    parts[slot] = n;
    left -= n;
    weightLeft -= weight;
  }
}

/** Smooth noise: standard normal at every `knot` steps, interpolated in between. */
export function wander(position: number, knot: number, key: number, salt: number): number {
  const cell = Math.floor(position / knot);
  const left = normal(mix(key, salt, cell, 41));
  return between(left, normal(mix(key, salt, cell + 1, 41)), position / knot - cell);
}

/** The same for consecutive positions, drawing each knot once. */
export function createWander(knot: number, key: number, salt: number): (position: number) => number {
  let known = Number.NaN;
  let left = 0;
  let right = 0;
  return (position) => {
    const cell = Math.floor(position / knot);
    if (cell !== known) {
      left = cell === known + 1 ? right : normal(mix(key, salt, cell, 41));
      right = normal(mix(key, salt, cell + 1, 41));
      known = cell;
    }
    return between(left, right, position / knot - cell);
  };
}

function between(left: number, right: number, t: number): number {
  const ease = t * t * (3 - 2 * t);
  return left + (right - left) * ease;
}
