/** A curve in one line of text: `▁▂▅▇`. */
const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * One character a column, at most `width` of them; a column of several values shows the largest, so that no peak is
 * lost. A missing value is a space, zero is the lowest level, and anything above zero is at least the second.
 */
export function sparkline(values: readonly (number | null)[], width = 24): string {
  const columns = fold(values, Math.max(1, Math.floor(width)));
  const top = columns.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return columns.map((value) => (value === null ? ' ' : level(value, top))).join('');
}

function level(value: number, top: number): string {
  if (value <= 0 || top <= 0) return LEVELS.charAt(0);
  const index = Math.round((value / top) * (LEVELS.length - 1));
  return LEVELS.charAt(Math.max(1, index));
}

function fold(values: readonly (number | null)[], width: number): (number | null)[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    return values
      .slice(from, to)
      .reduce<number | null>(
        (most, value) => (value === null ? most : most === null ? value : Math.max(most, value)),
        null,
      );
  });
}
