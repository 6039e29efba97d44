/** A scale for counts: from zero, whole round steps, the same number of lines on every axis so that grids agree. */
import { compactCount } from '../../insight/numbers.ts';

export interface CountAxis {
  readonly max: number;
  /** From the bottom up, one for every grid line. */
  readonly labels: readonly string[];
}

export const AXIS_STEPS = 4;

/** So that the mark of a peak does not touch the upper edge. */
const HEADROOM = 1.03;

/** Round enough to be read, close enough together that little of the height is wasted. */
const ROUND = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 10];

export function countAxis(largest: number): CountAxis {
  const withRoom = largest * HEADROOM;
  const step = withRoom <= AXIS_STEPS ? 1 : roundStep(withRoom / AXIS_STEPS);
  return {
    max: step * AXIS_STEPS,
    labels: Array.from({ length: AXIS_STEPS + 1 }, (_, line) => compactCount(step * line)),
  };
}

function roundStep(atLeast: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  for (const factor of ROUND) {
    const step = factor * magnitude;
    // Counts are whole, and a label such as 13 k for 12.5 k would lie.
    if (step >= atLeast && Number.isInteger(step) && exact(step)) return step;
  }
  return 10 * magnitude;
}

function exact(step: number): boolean {
  return Array.from({ length: AXIS_STEPS }, (_, line) => step * (line + 1)).every(isExact);
}

function isExact(value: number): boolean {
  const [digits = '', letter] = compactCount(value).split(' ');
  const unit = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[letter ?? ''] ?? 1;
  return Math.abs(Number(digits) * unit - value) < value * 1e-9;
}
