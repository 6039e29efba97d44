/** How heavy the tail of a series is, measured so that generated and real series can be held side by side. */

const TRAILING = 72;
const FAR = 4.75;

/**
 * Of 1,000 steps of five minutes, how many lie more than 4.75 robust deviations (median and MAD of the six hours before,
 * never less than counting itself strays) above the median. Real attack logs have 4 to 9, public request counts 9 to 45.
 */
export function farStepsPerThousand(steps: readonly number[]): number {
  let far = 0;
  for (let at = TRAILING; at < steps.length; at++) {
    const before = new Float64Array(steps.slice(at - TRAILING, at)).sort();
    const middle = centre(before);
    const spread = 1.4826 * centre(before.map((value) => Math.abs(value - middle)).sort());
    if ((steps[at] ?? 0) - middle > FAR * Math.max(spread, Math.sqrt(middle), 0.5)) far += 1;
  }
  return (1000 * far) / Math.max(1, steps.length - TRAILING);
}

const centre = (sorted: Float64Array): number => ((sorted[TRAILING / 2 - 1] ?? 0) + (sorted[TRAILING / 2] ?? 0)) / 2;

/** Minutes added up to steps of five. */
export function inSteps(minutes: ArrayLike<number>): number[] {
  const steps: number[] = [];
  for (let at = 0; at + 5 <= minutes.length; at += 5) {
    let sum = 0;
    for (let minute = at; minute < at + 5; minute++) sum += minutes[minute] ?? 0;
    steps.push(sum);
  }
  return steps;
}
