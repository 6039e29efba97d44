/** Tables and data tables; the page's script adds sorting and paging to the latter. */
import { isObject, type JsonObject, stringAt } from '../../slack/json.ts';
import type { RenderContext } from './context.ts';
import { type Html, html } from './html.ts';
import { renderRichText } from './rich-text.ts';

type Row = readonly JsonObject[];

function rowsOf(block: JsonObject): readonly Row[] {
  return (Array.isArray(block.rows) ? block.rows : []).map((row: unknown) =>
    Array.isArray(row) ? row.filter(isObject) : [],
  );
}

function renderCell(cell: JsonObject, context: RenderContext): Html {
  return cell.type === 'rich_text' ? renderRichText(cell, context) : html`${stringAt(cell, 'text') ?? ''}`;
}

const classOf = (cell: JsonObject, align: unknown) =>
  align === 'right' || cell.type === 'raw_number' ? 'right' : align === 'center' ? 'center' : 'left';

export function renderTable(block: JsonObject, context: RenderContext): Html {
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const alignOf = (index: number) => (isObject(settings[index]) ? settings[index].align : undefined);
  const [head = [], ...body] = rowsOf(block);
  const cells = (row: Row, tag: 'th' | 'td') =>
    row.map((cell, index) => {
      const inner = renderCell(cell, context);
      const align = classOf(cell, alignOf(index));
      return tag === 'th'
        ? html`<th scope="col" class="${align}">${inner}</th>`
        : html`<td class="${align}">${inner}</td>`;
    });
  return html`<div class="scroll" role="group" aria-label="Table" tabindex="0"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body.map(
    (row) => html`<tr>${cells(row, 'td')}</tr>`,
  )}</tbody></table></div>`;
}

export function renderDataTable(block: JsonObject, context: RenderContext): Html {
  const [head = [], ...body] = rowsOf(block);
  const pageSize = typeof block.page_size === 'number' ? block.page_size : 5;
  const headColumn = typeof block.row_header_column_index === 'number' ? block.row_header_column_index : 0;
  const numeric = head.map((_, index) => body.every((row) => row[index]?.type === 'raw_number'));
  const sortKey = (cell: JsonObject) =>
    cell.type === 'raw_number' ? String(cell.value) : (stringAt(cell, 'text') ?? '');
  const alignOf = (index: number) => (numeric[index] ? 'right' : 'left');
  return html`<div class="data-table" data-page-size="${pageSize}"><div class="scroll"><table>
<caption>${stringAt(block, 'caption') ?? ''}</caption>
<thead><tr>${head.map(
    (cell, index) =>
      html`<th class="${alignOf(index)}" scope="col"><button type="button" class="sort" data-column="${index}">${renderCell(cell, context)}</button></th>`,
  )}</tr></thead>
<tbody>${body.map(
    (row) =>
      html`<tr>${row.map((cell, index) =>
        index === headColumn
          ? html`<th scope="row" class="${alignOf(index)}" data-sort="${sortKey(cell)}">${renderCell(cell, context)}</th>`
          : html`<td class="${alignOf(index)}" data-sort="${sortKey(cell)}">${renderCell(cell, context)}</td>`,
      )}</tr>`,
  )}</tbody></table></div></div>`;
}
