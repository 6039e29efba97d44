/** Modals and the Home tab. */
import { stringAt } from '../../slack/json.ts';
import type { PageView } from '../workspace-port.ts';
import { renderBlocks, renderText } from './blocks.ts';
import type { RenderContext } from './context.ts';
import { withDrawnCircles } from './emoji.ts';
import { type Html, html } from './html.ts';

export function renderModal(view: PageView, depth: number, context: RenderContext): Html {
  const { source } = view;
  const close = source.close === undefined ? (depth > 1 ? 'Back' : 'Cancel') : renderText(source.close, context);
  return html`<form class="modal" data-view="${view.id}" novalidate>
<header><h2>${renderText(source.title, context)}</h2><button type="button" class="link" data-close aria-label="Close">✕</button></header>
<div class="modal-body">${withDrawnCircles(renderBlocks(view.blocks, context))}</div>
<footer><button type="button" class="button" data-close>${close}</button>${
    source.submit !== undefined &&
    html`<button type="submit" class="button primary">${renderText(source.submit, context)}</button>`
  }</footer></form>`;
}

export function renderHome(view: PageView | undefined, context: RenderContext): Html {
  if (view === undefined) return html`<p class="empty">Nothing was published here yet.</p>`;
  return html`<section class="home" data-view="${view.id}" data-kind="${stringAt(view.source, 'type') ?? ''}">${withDrawnCircles(renderBlocks(view.blocks, context))}</section>`;
}
