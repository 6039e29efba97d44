/** Holt-Winters forecasting with Brutlag's confidence bands, with the parameters of RRDtool. */
import { DAY, known, mean, type PlainMethod, type Steps } from './steps.ts';

const ALPHA = 0.1;
const BETA = 0.0035;
const GAMMA = 0.1;
/** A failure is seven violations of a band of two deviations among nine steps. */
const DELTA = 2;
const VIOLATIONS = 7;
const AMONG = 9;

export const holtWinters: PlainMethod = {
  name: 'Holt-Winters with Brutlag bands',
  bar: DELTA,
  scores: (steps, from) => {
    const violations = deviations(steps);
    const scores: number[] = [];
    for (let at = from; at < steps.length; at++) {
      const last = violations.slice(Math.max(0, at - AMONG + 1), at + 1).sort((a, b) => b - a);
      scores.push(last[VIOLATIONS - 1] ?? 0);
    }
    return scores;
  },
};

/** Each step's distance above the forecast, in deviations that it had at the same time of earlier days. */
function deviations(steps: Steps): number[] {
  const first = known(steps, 0, DAY);
  let level = mean(first);
  let slope = 0;
  const season = new Float64Array(DAY);
  const spread = new Float64Array(DAY);
  const found: number[] = [];
  for (let at = 0; at < steps.length; at++) {
    const slot = at % DAY;
    const value = steps[at] ?? Number.NaN;
    const forecast = level + slope + (season[slot] ?? 0);
    const band = spread[slot] ?? 0;
    // The first two days are for learning.
    found.push(Number.isNaN(value) || at < 2 * DAY || band === 0 ? 0 : (value - forecast) / band);
    if (Number.isNaN(value)) continue;
    if (at < DAY) {
      season[slot] = value - level;
      continue;
    }
    const before = level;
    level = ALPHA * (value - (season[slot] ?? 0)) + (1 - ALPHA) * (level + slope);
    slope = BETA * (level - before) + (1 - BETA) * slope;
    season[slot] = GAMMA * (value - level) + (1 - GAMMA) * (season[slot] ?? 0);
    const off = Math.abs(value - forecast);
    spread[slot] = at < 2 * DAY ? off : GAMMA * off + (1 - GAMMA) * band;
  }
  return found;
}
