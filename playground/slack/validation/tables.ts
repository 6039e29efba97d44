/** The table and data_table blocks. Where Slack's documents disagree on a maximum, the lower one is used. */
import { z } from 'zod';
import { richText } from './rich-text.ts';
import { blockId, chars } from './text.ts';

const COLUMNS = 20;
const TABLE_ROWS = 100;
const DATA_ROWS = 100;
const TABLE_CHARS = 10_000;

const rawText = z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) });
const rawNumber = z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: z.string().min(1) });
const cell = z.discriminatedUnion('type', [rawText, rawNumber, richText]);
const row = z.array(cell).min(1).max(COLUMNS);

/** The length of every `text` at any depth, which is what Slack counts in a table. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + textLength(part), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]) => sum + (key === 'text' && typeof part === 'string' ? part.length : textLength(part)),
    0,
  );
}

const short = { message: `must be less than ${TABLE_CHARS + 1} characters`, path: ['rows'] };
const isShort = (table: { rows: unknown }) => textLength(table.rows) <= TABLE_CHARS;
const isEven = (table: { rows: readonly (readonly unknown[])[] }) =>
  table.rows.every((cells) => cells.length === table.rows[0]?.length);

export const tableBlock = z
  .strictObject({
    type: z.literal('table'),
    block_id: blockId,
    rows: z.array(row).min(1).max(TABLE_ROWS),
    column_settings: z
      .array(
        z
          .strictObject({ align: z.enum(['left', 'center', 'right']).optional(), is_wrapped: z.boolean().optional() })
          .nullable(),
      )
      .max(COLUMNS)
      .optional(),
  })
  .refine(isShort, short);

export const dataTableBlock = z
  .strictObject({
    type: z.literal('data_table'),
    block_id: blockId,
    caption: chars(255),
    rows: z
      .array(row)
      .min(2)
      .max(DATA_ROWS + 1),
    page_size: z.int().min(1).max(100).optional(),
    row_header_column_index: z
      .int()
      .min(0)
      .max(COLUMNS - 1)
      .optional(),
  })
  .refine(isShort, short)
  .refine(isEven, { message: 'all rows must have the same number of cells', path: ['rows'] })
  .refine((table) => table.rows[0]?.every((header) => header.type !== 'rich_text') ?? true, {
    message: 'header cells must not be rich_text',
    path: ['rows', 0],
  });
