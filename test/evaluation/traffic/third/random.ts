/** Random draws that a key repeats: sfc32, started from a hash of the key. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  /** Normal draws come in pairs. */
  #spare: number | null = null;

  constructor(key: string) {
    let hash = 2_166_136_261;
    for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 16_777_619);
    const scrambled: number[] = [];
    for (let word = 0; word < 3; word++) {
      hash = scramble(hash);
      scrambled.push(hash);
      hash = (hash + 0x9e3779b9) | 0;
    }
    [this.#a = 0, this.#b = 0, this.#c = 0] = scrambled;
    for (let warm = 0; warm < 15; warm++) this.part();
  }

  /** In [0, 1). */
  part(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.part();
  }

  /** Each doubling is as likely. */
  logBetween(low: number, high: number): number {
    return low * Math.exp(this.part() * Math.log(high / low));
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.part() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.part() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.part() * from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** One of a list, with the chance of its weight. */
  weighted<T>(from: readonly T[], weightOf: (one: T) => number): T {
    let left = this.part() * from.reduce((sum, one) => sum + weightOf(one), 0);
    for (const one of from) {
      left -= weightOf(one);
      if (left < 0) return one;
    }
    const last = from.at(-1);
    if (last === undefined) throw new Error('nothing to pick from');
    return last;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const list = from.slice();
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.whole(0, at);
      [list[at], list[other]] = [list[other] as T, list[at] as T];
    }
    return list;
  }

  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    for (;;) {
      const x = 2 * this.part() - 1;
      const y = 2 * this.part() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = y * factor;
      return x * factor;
    }
  }

  /** The time until something happens that happens by chance. */
  wait(mean: number): number {
    return -mean * Math.log(1 - this.part());
  }

  poisson(mean: number): number {
    if (!(mean > 0)) return 0;
    if (mean >= 14) return this.#largePoisson(mean);
    const limit = Math.exp(-mean);
    let count = 0;
    let product = this.part();
    while (product > limit) {
      count += 1;
      product *= this.part();
    }
    return count;
  }

  /** By Hörmann's transformed rejection (PTRS), with his names. */
  #largePoisson(mean: number): number {
    const b = 0.931 + 2.53 * Math.sqrt(mean);
    const a = -0.059 + 0.02483 * b;
    const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
    const vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
      const u = this.part() - 0.5;
      const v = this.part();
      const us = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
      if (us >= 0.07 && v <= vr) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      const accepted = k * Math.log(mean) - mean - logGamma(k + 1);
      if (Math.log((v * inverseAlpha) / (a / (us * us) + b)) <= accepted) return k;
    }
  }

  /** How many of `count` remain if each does with a probability. */
  binomial(count: number, probability: number): number {
    if (count <= 0 || probability <= 0) return 0;
    if (probability >= 1) return count;
    if (count < 60) {
      let kept = 0;
      for (let one = 0; one < count; one++) if (this.part() < probability) kept += 1;
      return kept;
    }
    const mean = count * probability;
    const rest = count * (1 - probability);
    if (mean < 10) return Math.min(count, this.poisson(mean));
    if (rest < 10) return count - Math.min(count, this.poisson(rest));
    const drawn = Math.round(mean + Math.sqrt(count * probability * (1 - probability)) * this.normal());
    return Math.max(0, Math.min(count, drawn));
  }

  /** With a heavy tail that ends at `most`. */
  pareto(least: number, most: number, alpha: number): number {
    return least * (1 - this.part() * (1 - (least / most) ** alpha)) ** (-1 / alpha);
  }
}

function scramble(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 2_246_822_507);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 3_266_489_909);
  return mixed ^ (mixed >>> 16);
}

/** For numbers from 1 on, by Stirling's series. */
function logGamma(x: number): number {
  if (x < 7) {
    let product = 1;
    let shifted = x;
    for (; shifted < 7; shifted++) product *= shifted;
    return logGamma(shifted) - Math.log(product);
  }
  const z = 1 / (x * x);
  return (x - 0.5) * Math.log(x) - x + 0.9189385332046727 + (1 / 12 - z * (1 / 360 - z / 1260)) / x;
}
