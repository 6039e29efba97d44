/** Tables of the report, as Markdown that also reads well in a terminal. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const ratio = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(2));
export const percent = (value: number, digits = 0): string =>
  Number.isNaN(value) ? '–' : `${(100 * value).toFixed(digits)} %`;
export const number = (value: number, digits = 1): string => (Number.isFinite(value) ? value.toFixed(digits) : '–');
