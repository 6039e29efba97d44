/**
 * An opaque picture in at most 256 colors. A chart has about a dozen colors, and many shades between them along smoothed
 * edges: what covers an area stays exactly as it is, and only rare shades are replaced by a close neighbor.
 */

export interface IndexedPicture {
  /** Row by row, one byte per pixel, each row preceded by its PNG filter type (0, none). */
  readonly rows: Uint8Array;
  /** Red, green and blue of each index. */
  readonly palette: Uint8Array;
}

const MAX_COLORS = 256;
/** How far a shade may be from its replacement, in each of red, green and blue: the first with which all fit is used. */
const DISTANCES = [6, 9, 13, 19, 28, 42, 64, 255];
/** This many never fit with the first distance. */
const MANY_SHADES = 2_400;
/** If there are more shades, their lowest bits are ignored. */
const MAX_SHADES = 8_192;
const MASKS = [0xffffff, 0xf8f8f8, 0xf0f0f0];
const TABLE_BITS = 14;
/** A multiplier that spreads neighboring colors over the table. */
const SPREAD = 0x9e3779b1;
/** From here on, `fill` is faster than a loop. */
const LONG_RUN = 24;

/** Reuses its buffers for the next picture. */
export function createIndexer(): (rgba: Uint8ClampedArray, width: number, height: number) => IndexedPicture {
  const shades = createShadeTable();
  const runs: Runs = { values: new Uint32Array(2 ** 18), end: 0 };
  let rows = Buffer.alloc(0);

  return (rgba, width, height) => {
    const bytes = Buffer.from(rgba.buffer, rgba.byteOffset, width * height * 4);
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
    const stride = width * 4;
    const repeated = Uint8Array.from({ length: height }, (_, row) => {
      if (row === 0) return 0;
      return bytes.compare(bytes, (row - 1) * stride, row * stride, row * stride, (row + 1) * stride) === 0 ? 1 : 0;
    });
    const picture: PixelRows = { width, height, repeats: (row) => repeated[row] === 1 };
    // The coarsest mask always leaves few enough shades.
    for (const mask of MASKS) if (readRuns(pixels, picture, mask, shades, runs)) break;
    const { indexOf, palette } = choosePalette(shades);
    const size = (width + 1) * height;
    if (rows.length < size) rows = Buffer.alloc(size);
    writeRows(rows, picture, runs, indexOf);
    return { rows: rows.subarray(0, size), palette };
  };
}

interface PixelRows {
  readonly width: number;
  readonly height: number;
  /** Whether the row is the same as the one above. */
  readonly repeats: (row: number) => boolean;
}

/** In pairs: where a run of equal pixels begins, and the number of its shade. */
interface Runs {
  values: Uint32Array<ArrayBuffer>;
  end: number;
}

interface ShadeTable {
  readonly colors: Uint32Array;
  /** How many pixels have each shade. */
  readonly counts: Uint32Array;
  size(): number;
  /** The number of a shade, a new one if it's the first time; -1 if there are too many. */
  numberOf(color: number): number;
  clear(): void;
}

function createShadeTable(): ShadeTable {
  const table = new Int32Array(2 ** TABLE_BITS);
  const colors = new Uint32Array(MAX_SHADES);
  const counts = new Uint32Array(MAX_SHADES);
  let size = 0;
  return {
    colors,
    counts,
    size: () => size,
    numberOf(color) {
      let slot = Math.imul(color, SPREAD) >>> (32 - TABLE_BITS);
      for (let found = table[slot] ?? 0; found !== 0; found = table[slot] ?? 0) {
        if (colors[found - 1] === color) return found - 1;
        slot = (slot + 1) & (table.length - 1);
      }
      if (size === MAX_SHADES) return -1;
      colors[size] = color;
      counts[size] = 0;
      size += 1;
      table[slot] = size;
      return size - 1;
    },
    clear() {
      table.fill(0);
      size = 0;
    },
  };
}

/** Records the runs of all rows that differ from the one above. False if there are too many shades. */
function readRuns(
  pixels: Uint32Array,
  { width, repeats }: PixelRows,
  mask: number,
  shades: ShadeTable,
  runs: Runs,
): boolean {
  shades.clear();
  runs.end = 0;
  for (let row = 0; row * width < pixels.length; row += 1) {
    if (repeats(row)) continue;
    if (runs.end + 2 * width > runs.values.length) runs.values = grown(runs.values);
    const end = (row + 1) * width;
    for (let at = row * width; at < end; ) {
      const start = at;
      const pixel = pixels[at];
      do at += 1;
      while (at < end && pixels[at] === pixel);
      const shade = shades.numberOf((pixel ?? 0) & mask);
      if (shade === -1) return false;
      shades.counts[shade] = (shades.counts[shade] ?? 0) + at - start;
      runs.values[runs.end] = start;
      runs.values[runs.end + 1] = shade;
      runs.end += 2;
    }
  }
  return true;
}

/** Which index each shade gets. The most frequent have their own; a rarer one shares that of a neighbor. */
function choosePalette({ colors, counts, size }: ShadeTable): { indexOf: Uint8Array; palette: Uint8Array } {
  const byCount = Float64Array.from({ length: size() }, (_, shade) => (counts[shade] ?? 0) * MAX_SHADES + shade);
  const shadesByCount = Uint32Array.from(byCount.sort().reverse(), (ranked) => ranked % MAX_SHADES);
  for (const distance of DISTANCES.slice(size() > MANY_SHADES ? 1 : 0)) {
    const chosen = paletteWithin(distance, shadesByCount, colors);
    if (chosen !== null) return chosen;
  }
  throw new Error('two colors cannot be further apart than that');
}

/** One byte per pixel, from the runs. */
function writeRows(rows: Buffer, { width, height, repeats }: PixelRows, runs: Runs, indexOf: Uint8Array): void {
  const { values, end: runsEnd } = runs;
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
      const next = run + 2 < runsEnd ? (values[run + 2] ?? 0) + shift : rowEnd;
      const end = Math.min(next, rowEnd);
      const index = indexOf[values[run + 1] ?? 0] ?? 0;
      if (end - at < LONG_RUN) for (; at < end; at += 1) rows[at] = index;
      else rows.fill(index, at, end);
      at = end;
    }
  }
}

/** `null` if they don't fit. */
function paletteWithin(distance: number, byCount: Uint32Array, colors: Uint32Array) {
  const indexOf = new Uint8Array(byCount.length);
  const palette = new Uint8Array(MAX_COLORS * 3);
  let used = 0;
  for (const shade of byCount) {
    const color = colors[shade] ?? 0;
    const [red, green, blue] = [color & 255, (color >> 8) & 255, (color >> 16) & 255];
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
