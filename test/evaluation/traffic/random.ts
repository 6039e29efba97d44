/** Random draws that a seed repeats. */
export interface Random {
  /** In [0, 1). */
  part(): number;
  between(low: number, high: number): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  normal(): number;
  /** Of mean 1; the smaller the shape, the wilder. */
  gamma(shape: number): number;
  poisson(mean: number): number;
}

export function createRandom(...keys: readonly number[]): Random {
  let state = keys.reduce(
    (mixed, key) => Math.imul(mixed ^ (key + 0x9e3779b9), 0x85ebca6b) ^ (mixed >>> 13),
    0x1234567,
  );
  // Mulberry32.
  const part = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let warm = 0; warm < 8; warm++) part();
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - part())) * Math.cos(2 * Math.PI * part());
  const between = (low: number, high: number): number => low + part() * (high - low);
  // Marsaglia and Tsang, raised to shapes below 1.
  const gammaOf = (shape: number): number => {
    if (shape < 1) return gammaOf(shape + 1) * part() ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - part()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  return {
    part,
    between,
    whole: (low, high) => Math.floor(between(low, high + 1)),
    chance: (probability) => part() < probability,
    pick: (from) => {
      const picked = from[Math.floor(part() * from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
    normal,
    gamma: (shape) => gammaOf(shape) / shape,
    poisson: (mean) => {
      if (!(mean > 0)) return 0;
      if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
      const limit = Math.exp(-mean);
      let product = part();
      let count = 0;
      while (product > limit) {
        count += 1;
        product *= part();
      }
      return count;
    },
  };
}
