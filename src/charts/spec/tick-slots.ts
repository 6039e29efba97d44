/**
 * A category axis stands its labels in evenly spaced slots. This finds the smallest number of slots that has one for
 * each wanted place, to within what the eye can see; few slots are cheap to lay out.
 */
export interface Slots {
  /** Slots are numbered 0 to `count`, edges included. */
  readonly count: number;
  /** For each wanted share of the width, its slot. */
  readonly at: readonly number[];
}

const MOST = 240;

/** `tolerance` is a share of the width; each slot costs about as much as a label, also when it is empty. */
export function slotsFor(shares: readonly number[], tolerance: number): Slots {
  for (let count = Math.max(1, shares.length - 1); count < MOST; count += 1) {
    if (shares.every((share) => Math.abs(Math.round(share * count) / count - share) <= tolerance)) {
      return place(shares, count);
    }
  }
  return place(shares, MOST);
}

function place(shares: readonly number[], count: number): Slots {
  return { count, at: shares.map((share) => Math.round(share * count)) };
}
