/** Rich text blocks. */
import { type JsonObject, objectAt, objectsIn, stringAt } from '../../slack/json.ts';
import type { RenderContext } from './context.ts';
import { formatDate } from './dates.ts';
import { emojiFor, withEmoji } from './emoji.ts';
import { type Html, html } from './html.ts';
import { renderLink } from './mrkdwn.ts';

export function renderRichText(block: JsonObject, context: RenderContext): Html {
  return html`${objectsIn(block.elements).map((part) => renderPart(part, context))}`;
}

function renderPart(part: JsonObject, context: RenderContext): Html {
  const runs = () => objectsIn(part.elements).map((run) => renderRun(run, context));
  switch (part.type) {
    case 'rich_text_list': {
      const items = objectsIn(part.elements).map((item) => html`<li>${renderPart(item, context)}</li>`);
      return part.style === 'ordered' ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'rich_text_quote':
      return html`<blockquote>${runs()}</blockquote>`;
    case 'rich_text_preformatted':
      return html`<pre>${runs()}</pre>`;
    default:
      return html`<span class="lines">${runs()}</span>`;
  }
}

function renderRun(run: JsonObject, context: RenderContext): Html {
  const style = objectAt(run, 'style') ?? {};
  let out = renderBare(run, context);
  if (style.code === true) out = html`<code>${out}</code>`;
  if (style.bold === true) out = html`<strong>${out}</strong>`;
  if (style.italic === true) out = html`<em>${out}</em>`;
  if (style.strike === true) out = html`<s>${out}</s>`;
  return out;
}

function renderBare(run: JsonObject, context: RenderContext): Html {
  switch (run.type) {
    case 'link':
      return renderLink(String(run.url), html`${stringAt(run, 'text') ?? String(run.url)}`);
    case 'user':
      return html`<span class="mention">@${context.nameOf(String(run.user_id))}</span>`;
    case 'usergroup':
      return html`<span class="mention">@${context.groupName(String(run.usergroup_id))}</span>`;
    case 'channel':
      return html`<span class="mention">#${context.channelName(String(run.channel_id))}</span>`;
    case 'broadcast':
      return html`<span class="mention loud">@${String(run.range)}</span>`;
    case 'emoji':
      return html`${emojiFor(String(run.name))}`;
    case 'date':
      return html`<time title="${stringAt(run, 'fallback') ?? ''}">${formatDate(Number(run.timestamp), String(run.format), context.zone, context.nowMs)}</time>`;
    default:
      return html`${withEmoji(stringAt(run, 'text') ?? '')}`;
  }
}
