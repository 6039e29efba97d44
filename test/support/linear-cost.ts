/** Whether work costs no more than the length of its text, measured against itself and not against a time. */
const PARTS = 80;
const PART_LENGTH = 1_000;
/** Noise of a busy machine stays below this; work that looks back from every place at all before costs 80 times. */
const FAR_TOO_MUCH = 10;
const MAX_ROUNDS = 25;

function spentMs(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}

/**
 * True when one text of 80,000 characters costs about as much as 80 of 1,000. Of several rounds the least counts, because
 * whatever else the machine does only ever adds.
 */
export function isLinear(work: (text: string) => void, unit: string): boolean {
  const part = unit.repeat(Math.ceil(PART_LENGTH / unit.length));
  const whole = part.repeat(PARTS);
  let parts = Number.POSITIVE_INFINITY;
  let once = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    parts = Math.min(
      parts,
      spentMs(() => {
        for (let count = 0; count < PARTS; count += 1) work(part);
      }),
    );
    once = Math.min(
      once,
      spentMs(() => work(whole)),
    );
    // The first rounds are compiled on the way.
    if (round > 0 && once < parts * FAR_TOO_MUCH) return true;
    if (round > 1 && once > 1_000) return false;
  }
  return false;
}
