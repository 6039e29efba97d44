/** How what was seen strays from what was expected, as sums, so that any stretch costs two look-ups. */
/** Seen and expected attacks as sums from the beginning, over the steps where both are known. */
export interface Strays {
  readonly seen: Float64Array;
  readonly expected: Float64Array;
  readonly known: Float64Array;
}

export function straysOf(counts: Float64Array, expected: Float64Array): Strays {
  const { length } = counts;
  const strays = {
    seen: new Float64Array(length + 1),
    expected: new Float64Array(length + 1),
    known: new Float64Array(length + 1),
  };
  for (let at = 0; at < length; at++) {
    const count = counts[at] ?? Number.NaN;
    const due = expected[at] ?? Number.NaN;
    const isKnown = !Number.isNaN(count + due);
    strays.seen[at + 1] = (strays.seen[at] ?? 0) + (isKnown ? count : 0);
    strays.expected[at + 1] = (strays.expected[at] ?? 0) + (isKnown ? due : 0);
    strays.known[at + 1] = (strays.known[at] ?? 0) + (isKnown ? 1 : 0);
  }
  return strays;
}
