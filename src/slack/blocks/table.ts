/** A table as Slack's table block, or as preformatted text if that block is refused. */
import type { TableBlock } from '@slack/types';
import type { Table } from '../../replies/reply.ts';
import { LIMITS } from './limits.ts';
import { clip } from './mrkdwn.ts';

/** Slack refuses an empty cell. */
const cell = (text: string): { type: 'raw_text'; text: string } => ({
  type: 'raw_text',
  text: text === '' ? ' ' : text,
});

const clipCell = (text: string): string => clip(text, LIMITS.cell);

/** As many rows as Slack's limits allow, with each cell cut to a readable width. */
export function fittingRows({ columns, rows }: Table): { rows: readonly (readonly string[])[]; omitted: number } {
  let characters = columns.reduce((sum, { name }) => sum + Math.max(clipCell(name).length, 1), 0);
  const fitting: (readonly string[])[] = [];
  for (const row of rows.map((cells) => cells.map(clipCell))) {
    characters += row.reduce((sum, text) => sum + Math.max(text.length, 1), 0);
    if (fitting.length + 1 >= LIMITS.tableRows || characters > LIMITS.tableCharacters) break;
    fitting.push(row);
  }
  return { rows: fitting, omitted: rows.length - fitting.length };
}

export function tableBlock(table: Table): TableBlock {
  return {
    type: 'table',
    column_settings: table.columns.map(({ align }) => ({ align })),
    rows: [
      table.columns.map(({ name }) => cell(clipCell(name))),
      ...fittingRows(table).rows.map((row) => row.map(cell)),
    ],
  };
}

/** Columns padded with spaces, for a code block. */
export function tableText(table: Table, limit: number): string {
  const rows = [table.columns.map(({ name }) => clipCell(name)), ...fittingRows(table).rows];
  const widths = table.columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return table.columns[column]?.align === 'right' ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return clip(lines.join('\n'), limit);
}
