/** Block Kit as HTML. A block that can't be rendered is replaced by a note and doesn't affect the others. */
import { isObject, type JsonObject, objectAt, objectsIn, stringAt } from '../../slack/json.ts';
import { renderChart } from './charts.ts';
import type { RenderContext } from './context.ts';
import { renderElement } from './elements.ts';
import { type Html, html, NOTHING } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { renderMrkdwn, renderPlain } from './mrkdwn.ts';
import { renderPicture } from './pictures.ts';
import { renderRichText } from './rich-text.ts';
import { renderDataTable, renderTable } from './tables.ts';

export function renderBlocks(blocks: readonly JsonObject[], context: RenderContext): Html {
  return html`${blocks.map((block) => {
    try {
      return renderBlock(block, context);
    } catch {
      return html`<div class="unknown">[${String(block.type)} cannot be shown here]</div>`;
    }
  })}`;
}

export function renderText(value: unknown, context: RenderContext): Html {
  if (!isObject(value)) return NOTHING;
  const text = stringAt(value, 'text') ?? '';
  return value.type === 'mrkdwn' ? renderMrkdwn(text, context) : renderPlain(text);
}

function renderBlock(block: JsonObject, context: RenderContext): Html {
  const blockId = String(block.block_id ?? '');
  const control = (element: JsonObject, dispatch = true, labelledBy?: string) =>
    renderElement(element, { blockId, dispatch, labelledBy }, context);
  switch (block.type) {
    case 'section':
      return renderSection(block, control, context);
    case 'header':
      return html`<h3>${renderText(block.text, context)}</h3>`;
    case 'divider':
      return html`<hr>`;
    case 'context':
      return html`<div class="context">${objectsIn(block.elements).map((element) =>
        element.type === 'image'
          ? renderImage(element, context, 'tiny')
          : html`<span>${renderText(element, context)}</span>`,
      )}</div>`;
    case 'actions':
    case 'context_actions':
      return html`<div class="actions">${objectsIn(block.elements).map((element) => control(element))}</div>`;
    case 'image':
      return html`<figure class="picture">${
        block.title !== undefined && html`<figcaption>${renderText(block.title, context)}</figcaption>`
      }${renderImage(block, context, 'large')}</figure>`;
    case 'input':
      return renderInput(block, control, context);
    case 'rich_text':
      return html`<div class="text">${renderRichText(block, context)}</div>`;
    case 'markdown':
      return html`<div class="text markdown">${renderMarkdown(stringAt(block, 'text') ?? '')}</div>`;
    case 'table':
      return renderTable(block, context);
    case 'data_table':
      return renderDataTable(block, context);
    case 'data_visualization':
      return renderChart(block);
    case 'alert':
      return html`<div class="alert ${String(block.level ?? 'default')}" role="note">${renderText(block.text, context)}</div>`;
    case 'container':
      return renderContainer(block, context);
    case 'card':
      return renderCard(block, context);
    case 'carousel':
      return html`<div class="carousel">${objectsIn(block.elements).map((card) => renderCard(card, context))}</div>`;
    default:
      return html`<div class="unknown">[${String(block.type)} is not shown here]</div>`;
  }
}

type Control = (element: JsonObject, dispatch?: boolean, labelledBy?: string) => Html;

function renderSection(block: JsonObject, control: Control, context: RenderContext): Html {
  const accessory = objectAt(block, 'accessory');
  const side =
    accessory === undefined
      ? undefined
      : html`<div class="accessory">${accessory.type === 'image' ? renderImage(accessory, context, 'thumb') : control(accessory)}</div>`;
  const fields = objectsIn(block.fields);
  return html`<div class="section"><div class="text">${renderText(block.text, context)}${
    fields.length > 0 &&
    html`<div class="fields">${fields.map((field) => html`<div>${renderText(field, context)}</div>`)}</div>`
  }</div>${side}</div>`;
}

function renderInput(block: JsonObject, control: Control, context: RenderContext): Html {
  const element = objectAt(block, 'element') ?? {};
  const optional = block.optional === true ? html` <small>(optional)</small>` : undefined;
  const labelId = `label-${String(block.block_id)}`;
  return html`<div class="input" data-input="${String(block.block_id)}"><span class="label" id="${labelId}">${renderText(block.label, context)}${optional}</span>${control(element, block.dispatch_action === true, labelId)}${
    block.hint !== undefined && html`<small class="hint">${renderText(block.hint, context)}</small>`
  }<p class="complaint" role="alert" hidden></p></div>`;
}

function renderContainer(block: JsonObject, context: RenderContext): Html {
  const title = block.title === undefined ? objectAt(block, 'rich_text_title') : undefined;
  const head = title === undefined ? renderText(block.title, context) : renderRichText(title, context);
  const inner = renderBlocks(objectsIn(block.child_blocks), context);
  if (block.is_collapsible !== true) return html`<div class="container"><b>${head}</b>${inner}</div>`;
  return html`<details class="container"${block.default_collapsed !== true && html` open`}><summary>${head}</summary>${inner}</details>`;
}

function renderCard(block: JsonObject, context: RenderContext): Html {
  const hero = objectAt(block, 'hero_image');
  const buttons = objectsIn(block.actions);
  const place = { blockId: String(block.block_id ?? ''), dispatch: true };
  return html`<div class="card">${hero !== undefined && renderImage(hero, context, 'large')}<b>${renderText(block.title, context)}</b>
<small>${renderText(block.subtitle, context)}</small><p>${renderText(block.body, context)}</p>${
    buttons.length > 0 &&
    html`<div class="actions">${buttons.map((element) => renderElement(element, place, context))}</div>`
  }</div>`;
}

/** Shows uploaded images; of others only the alternative text, because the page loads nothing from other hosts. */
function renderImage(image: JsonObject, context: RenderContext, size: 'tiny' | 'thumb' | 'large'): Html {
  const file = objectAt(image, 'slack_file');
  const id =
    file === undefined ? undefined : (stringAt(file, 'id') ?? /-(F[A-Z0-9]{8,})\//.exec(String(file.url))?.[1]);
  const alt = stringAt(image, 'alt_text') ?? '';
  if (id === undefined || context.fileName(id) === undefined)
    return html`<span class="unknown">[picture: ${alt}]</span>`;
  return renderPicture({ fileId: id, alt, kind: size, size: context.pictureSize(id) });
}
