/** Figures with 95 % intervals: what belongs together is drawn again together, so that what it shares counts once. */
import { percent } from './tables.ts';
import { createRandom } from './traffic/random.ts';

const DRAWS = 400;

/** The measure, and where it lies in 95 of 100 draws of as many groups. */
export function withInterval<T>(groups: readonly T[], measure: (groups: readonly T[]) => number) {
  const random = createRandom(groups.length, 31);
  const draws = Array.from({ length: DRAWS }, () => measure(groups.map(() => random.pick(groups))))
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const at = (part: number): number => draws[Math.floor(part * (draws.length - 1))] ?? Number.NaN;
  return { value: measure(groups), low: at(0.025), high: at(0.975) };
}

/** `87 % (84–90)` */
export function shareIn<T>(groups: readonly T[], measure: (groups: readonly T[]) => number, digits = 0): string {
  const { value, low, high } = withInterval(groups, measure);
  const range = [low, high].map((each) => (100 * each).toFixed(digits)).join('–');
  return Number.isNaN(value) ? '–' : `${percent(value, digits)} (${range})`;
}
