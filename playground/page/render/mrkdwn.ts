/** Slack's markup: bold, italic, strike, code, quotes, links, mentions, dates and emoji. */
import type { RenderContext } from './context.ts';
import { formatDate, isoTime } from './dates.ts';
import { emojiFor, withEmoji } from './emoji.ts';
import { type Html, html } from './html.ts';

/** Slack escapes only these three characters. */
function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export function renderPlain(text: string): Html {
  return html`${withEmoji(text)}`;
}

export function renderMrkdwn(text: string, context: RenderContext): Html {
  const parts = text.split(/```\n?([\s\S]+?)\n?```/g);
  // Odd parts are between code fences.
  return html`${parts.map((part, index) =>
    index % 2 === 1 ? html`<pre>${unescapeSlack(part)}</pre>` : renderLines(part, context),
  )}`;
}

function renderLines(text: string, context: RenderContext): readonly Html[] {
  const out: Html[] = [];
  let quote: Html[] = [];
  const endQuote = () => {
    if (quote.length > 0) out.push(html`<blockquote>${joined(quote)}</blockquote>`);
    quote = [];
  };
  let plain: Html[] = [];
  const endPlain = () => {
    if (plain.length > 0) out.push(joined(plain));
    plain = [];
  };
  for (const line of text.replace(/^\n|\n$/g, '').split('\n')) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line)?.[1];
    if (quoted === undefined) {
      endQuote();
      plain.push(inline(line, context));
    } else {
      endPlain();
      quote.push(inline(quoted, context));
    }
  }
  endQuote();
  endPlain();
  return out;
}

const joined = (lines: readonly Html[]) =>
  html`${lines.map((line, index) => (index === 0 ? line : html`<br>${line}`))}`;

const edge = '[\\p{L}\\p{N}]';
const styled = (sign: string) => `(?<!${edge})[${sign}](\\S|\\S[^${sign}\\n]*?\\S)[${sign}](?!${edge})`;
const TOKEN = new RegExp(
  ['`([^`\\n]+)`', '<([^<>\\n]+)>', styled('*'), styled('_'), styled('~'), ':([a-z0-9_+-]+):'].join('|'),
  'gu',
);

function inline(text: string, context: RenderContext): Html {
  const out: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, code, angle, bold, italic, strike, emoji] = match;
    out.push(html`${unescapeSlack(text.slice(end, match.index))}`);
    end = match.index + whole.length;
    if (code !== undefined) out.push(html`<code>${unescapeSlack(code)}</code>`);
    else if (angle !== undefined) out.push(renderAngle(angle, context));
    else if (bold !== undefined) out.push(html`<strong>${inline(bold, context)}</strong>`);
    else if (italic !== undefined) out.push(html`<em>${inline(italic, context)}</em>`);
    else if (strike !== undefined) out.push(html`<s>${inline(strike, context)}</s>`);
    else if (emoji !== undefined) out.push(html`${emojiFor(emoji)}`);
  }
  out.push(html`${unescapeSlack(text.slice(end))}`);
  return html`${out}`;
}

/** Names instead of ids, and no markup. */
export function plainMrkdwn(text: string, context: RenderContext): string {
  return unescapeSlack(
    text
      .replace(/<#(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `#${context.channelName(id)}`)
      .replace(/<@(\w+)>/g, (_, id: string) => `@${context.nameOf(id)}`),
  );
}

/** `<@U1>`, `<!subteam^S1>`, `<#C1|name>`, `<!here>`, `<!date^…|…>`, `<https://…|label>` */
function renderAngle(inside: string, context: RenderContext): Html {
  const [target = '', label] = splitOnce(inside, '|');
  if (target.startsWith('@')) return html`<span class="mention">@${context.nameOf(target.slice(1))}</span>`;
  if (target.startsWith('#'))
    return html`<span class="mention">#${label ?? context.channelName(target.slice(1))}</span>`;
  if (target.startsWith('!date^')) {
    const [, seconds = '', pattern = '', url] = target.split('^');
    const shown = formatDate(Number(seconds), unescapeSlack(pattern), context.zone, context.nowMs);
    return url === undefined ? renderDate(seconds, shown, label) : renderLink(url, html`${shown}`);
  }
  if (target.startsWith('!subteam^'))
    return html`<span class="mention">@${context.groupName(target.slice('!subteam^'.length))}</span>`;
  if (target.startsWith('!')) return html`<span class="mention loud">@${label ?? target.slice(1)}</span>`;
  const shown = html`${unescapeSlack(label ?? target)}`;
  return (
    renderPermalink(target, shown, context) ??
    renderCanvasLink(target, shown) ??
    renderLink(unescapeSlack(target), shown)
  );
}

function renderDate(seconds: string, shown: string, label: string | undefined): Html {
  const known = /^\d{1,12}$/.test(seconds);
  return html`<time${known && html` datetime="${isoTime(seconds)}"`} title="${label ?? ''}">${shown}</time>`;
}

/** A link to a message of this workspace stays within the page. */
function renderPermalink(url: string, label: Html, context: RenderContext): Html | undefined {
  const [, channel, seconds, micros] =
    /^http:\/\/127\.0\.0\.1:\d+\/archives\/(\w+)\/p(\d+)(\d{6})(?:\?|$)/.exec(url) ?? [];
  if (channel === undefined) return undefined;
  const place = context.channelName(channel);
  return html`<a href="#/${place}" data-go="${place}" data-message="${seconds ?? ''}.${micros ?? ''}">${label}</a>`;
}

/** A canvas of this workspace has a page of its own. */
function renderCanvasLink(url: string, label: Html): Html | undefined {
  const [, id] = /^http:\/\/127\.0\.0\.1:\d+\/docs\/\w+\/(\w+)$/.exec(url) ?? [];
  return id === undefined ? undefined : html`<a href="/canvas/${id}" target="_blank">${label}</a>`;
}

/** Only safe URLs become links. */
export function renderLink(url: string, label: Html): Html {
  if (!/^(https?:|mailto:)/i.test(url)) return label;
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${label}</a>`;
}

function splitOnce(text: string, sign: string): readonly [string, string | undefined] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + sign.length)];
}
