/**
 * An opaque picture in at most 256 colours. A chart has about a dozen colours and many shades between them where edges
 * are smoothed: what covers an area stays exactly as it is, and only rare shades are drawn as a close neighbour.
 */

export interface IndexedPicture {
  /** Row by row, one byte a pixel, and in front of each row the byte that names its PNG filter: 0, none. */
  readonly rows: Uint8Array;
  /** Red, green and blue of each index. */
  readonly palette: Uint8Array;
}

const MOST_COLOURS = 256;
/** How far a shade may be from what it is drawn as, in each of red, green and blue: the first with which all fit. */
const DISTANCES = [6, 9, 13, 19, 28, 42, 64, 255];
/** So many never fit with the first distance. */
const MANY_SHADES = 2_400;
/** Shades that are told apart; where there are more, their lowest bits are not looked at. */
const MOST_SHADES = 8_192;
const MASKS = [0xffffff, 0xf8f8f8, 0xf0f0f0];
const TABLE_BITS = 14;
/** A multiplier that spreads neighbouring colours over the table. */
const SPREAD = 0x9e3779b1;
/** From here on a run is filled faster by one call than by a loop. */
const LONG_RUN = 24;

/** Keeps its working memory from picture to picture. */
export function createIndexer(): (rgba: Uint8ClampedArray, width: number, height: number) => IndexedPicture {
  const table = new Int32Array(2 ** TABLE_BITS);
  const shades = new Uint32Array(MOST_SHADES);
  const counts = new Uint32Array(MOST_SHADES);
  let shadeCount = 0;
  let rows = Buffer.alloc(0);
  /** In pairs: where a run of equal pixels begins, and the number of its shade. */
  let runs = new Uint32Array(2 ** 18);
  let runsEnd = 0;

  /** The number of a shade; -1 when there are too many. */
  function shadeOf(colour: number): number {
    let slot = Math.imul(colour, SPREAD) >>> (32 - TABLE_BITS);
    for (let found = table[slot] ?? 0; found !== 0; found = table[slot] ?? 0) {
      if (shades[found - 1] === colour) return found - 1;
      slot = (slot + 1) & (table.length - 1);
    }
    if (shadeCount === MOST_SHADES) return -1;
    shades[shadeCount] = colour;
    counts[shadeCount] = 0;
    shadeCount += 1;
    table[slot] = shadeCount;
    return shadeCount - 1;
  }

  /** Notes the runs of all rows that differ from the one above. False when there are too many shades. */
  function readRuns(pixels: Uint32Array, repeats: (row: number) => boolean, width: number, mask: number): boolean {
    table.fill(0);
    shadeCount = 0;
    runsEnd = 0;
    for (let row = 0; row * width < pixels.length; row += 1) {
      if (repeats(row)) continue;
      if (runsEnd + 2 * width > runs.length) runs = grown(runs);
      const end = (row + 1) * width;
      for (let at = row * width; at < end; ) {
        const start = at;
        const pixel = pixels[at];
        do at += 1;
        while (at < end && pixels[at] === pixel);
        const shade = shadeOf((pixel ?? 0) & mask);
        if (shade === -1) return false;
        counts[shade] = (counts[shade] ?? 0) + at - start;
        runs[runsEnd] = start;
        runs[runsEnd + 1] = shade;
        runsEnd += 2;
      }
    }
    return true;
  }

  /** Which index each shade gets. The most frequent have their own; a rarer one takes that of a neighbour. */
  function choosePalette(): { indexOf: Uint8Array; palette: Uint8Array } {
    const byCount = Float64Array.from({ length: shadeCount }, (_, shade) => (counts[shade] ?? 0) * MOST_SHADES + shade);
    const shadesByCount = Uint32Array.from(byCount.sort().reverse(), (ranked) => ranked % MOST_SHADES);
    for (const distance of DISTANCES.slice(shadeCount > MANY_SHADES ? 1 : 0)) {
      const chosen = paletteWithin(distance, shadesByCount, shades);
      if (chosen !== null) return chosen;
    }
    throw new Error('two colours cannot be further apart than that');
  }

  /** One byte a pixel, from the runs. */
  function writeRows(repeats: (row: number) => boolean, indexOf: Uint8Array, width: number, height: number): void {
    const size = (width + 1) * height;
    if (rows.length < size) rows = Buffer.alloc(size);
    let run = 0;
    for (let row = 0; row < height; row += 1) {
      const first = row * (width + 1);
      if (repeats(row)) {
        rows.copyWithin(first, first - width - 1, first);
        continue;
      }
      rows[first] = 0;
      const shift = row + 1;
      const rowEnd = first + 1 + width;
      for (let at = first + 1; at < rowEnd; run += 2) {
        const next = run + 2 < runsEnd ? (runs[run + 2] ?? 0) + shift : rowEnd;
        const end = Math.min(next, rowEnd);
        const index = indexOf[runs[run + 1] ?? 0] ?? 0;
        if (end - at < LONG_RUN) for (; at < end; at += 1) rows[at] = index;
        else rows.fill(index, at, end);
        at = end;
      }
    }
  }

  return (rgba, width, height) => {
    const bytes = Buffer.from(rgba.buffer, rgba.byteOffset, width * height * 4);
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
    const stride = width * 4;
    const repeated = Uint8Array.from({ length: height }, (_, row) => {
      if (row === 0) return 0;
      return bytes.compare(bytes, (row - 1) * stride, row * stride, row * stride, (row + 1) * stride) === 0 ? 1 : 0;
    });
    const repeats = (row: number) => repeated[row] === 1;
    // The coarsest has fewer shades than there is room for.
    for (const mask of MASKS) if (readRuns(pixels, repeats, width, mask)) break;
    const { indexOf, palette } = choosePalette();
    writeRows(repeats, indexOf, width, height);
    return { rows: rows.subarray(0, (width + 1) * height), palette };
  };
}

/** Null when they do not fit. */
function paletteWithin(distance: number, byCount: Uint32Array, shades: Uint32Array) {
  const indexOf = new Uint8Array(byCount.length);
  const palette = new Uint8Array(MOST_COLOURS * 3);
  let used = 0;
  for (const shade of byCount) {
    const colour = shades[shade] ?? 0;
    const [red, green, blue] = [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
    let best = -1;
    let nearest = Number.POSITIVE_INFINITY;
    for (let entry = 0; entry < used; entry += 3) {
      const offRed = Math.abs((palette[entry] ?? 0) - red);
      if (offRed > distance) continue;
      const offGreen = Math.abs((palette[entry + 1] ?? 0) - green);
      const offBlue = Math.abs((palette[entry + 2] ?? 0) - blue);
      if (offGreen > distance || offBlue > distance || offRed + offGreen + offBlue >= nearest) continue;
      nearest = offRed + offGreen + offBlue;
      best = entry;
    }
    if (best === -1) {
      if (used === palette.length) return null;
      palette.set([red, green, blue], used);
      best = used;
      used += 3;
    }
    indexOf[shade] = best / 3;
  }
  return { indexOf, palette: palette.subarray(0, used) };
}

function grown(runs: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(runs.length * 2);
  larger.set(runs);
  return larger;
}
