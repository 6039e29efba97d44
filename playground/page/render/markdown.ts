/** The markdown block: headings, lists, tables, code, emphasis and links. Enough for what a bot writes. */
import { withEmoji } from './emoji.ts';
import { type Html, html } from './html.ts';
import { renderLink } from './mrkdwn.ts';

/** `![](@U1)` is a person in a canvas. */
type NameOf = (userId: string) => string;

export function renderMarkdown(text: string, nameOf: NameOf = (id) => id): Html {
  const spans = (part: string): Html => renderSpans(part, nameOf);
  const out: Html[] = [];
  const lines = text.split('\n');
  let index = 0;
  /** Consumes lines while they match. */
  const take = (fits: (line: string) => boolean): readonly string[] => {
    const from = index;
    while (index < lines.length && fits(lines[index] ?? '')) index += 1;
    return lines.slice(from, index);
  };
  while (index < lines.length) {
    const line = lines[index] ?? '';
    const heading = /^(#{1,6}) +(.*)$/.exec(line);
    if (line.trim() === '') index += 1;
    else if (line.startsWith('```')) {
      index += 1;
      out.push(html`<pre>${take((next) => !next.startsWith('```')).join('\n')}</pre>`);
      index += 1;
    } else if (heading !== null) {
      out.push(html`<p class="heading">${spans(heading[2] ?? '')}</p>`);
      index += 1;
    } else if (isTableStart(lines, index)) {
      out.push(
        table(
          take((next) => next.includes('|')),
          spans,
        ),
      );
    } else if (BULLET.test(line)) {
      out.push(
        html`<ul>${take((next) => BULLET.test(next)).map((item) => html`<li>${spans(item.replace(BULLET, ''))}</li>`)}</ul>`,
      );
    } else if (NUMBER.test(line)) {
      out.push(
        html`<ol>${take((next) => NUMBER.test(next)).map((item) => html`<li>${spans(item.replace(NUMBER, ''))}</li>`)}</ol>`,
      );
    } else if (line.startsWith('>')) {
      const quoted = take((next) => next.startsWith('>')).map((next) => next.replace(/^> ?/, ''));
      out.push(html`<blockquote>${spans(quoted.join(' '))}</blockquote>`);
    } else {
      const from = index;
      const paragraph = take((next) => next.trim() !== '' && (index === from || !STARTS.test(next)));
      out.push(html`<p>${paragraph.map((part, at) => (at === 0 ? spans(part) : html`<br>${spans(part)}`))}</p>`);
    }
  }
  return html`${out}`;
}

const BULLET = /^\s*[-*+] +/;
const NUMBER = /^\s*\d+[.)] +/;
const STARTS = /^(#{1,6} |```|>|\s*[-*+] +|\s*\d+[.)] +)/;

function isTableStart(lines: readonly string[], index: number): boolean {
  return (lines[index] ?? '').includes('|') && /^[\s|:-]+-[\s|:-]*$/.test(lines[index + 1] ?? '');
}

function table(lines: readonly string[], spans: (text: string) => Html): Html {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
  const [head = '', , ...body] = lines;
  return html`<div class="scroll"><table><thead><tr>${cells(head).map((cell) => html`<th>${spans(cell)}</th>`)}</tr></thead>
<tbody>${body.map((line) => html`<tr>${cells(line).map((cell) => html`<td>${spans(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
}

const SPAN =
  /\\([\\`*_[\]<>|~#+-])|!\[\]\(@(\w+)\)|`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)|~~(.+?)~~/g;

function renderSpans(text: string, nameOf: NameOf): Html {
  const spans = (part: string): Html => renderSpans(part, nameOf);
  const out: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(SPAN)) {
    const [whole, escaped, person, code, label, url, bold, italic, strike] = match;
    out.push(html`${withEmoji(text.slice(end, match.index))}`);
    end = match.index + whole.length;
    if (escaped !== undefined) out.push(html`${escaped}`);
    else if (person !== undefined) out.push(html`<span class="mention">@${nameOf(person)}</span>`);
    else if (code !== undefined) out.push(html`<code>${code}</code>`);
    else if (label !== undefined && url !== undefined) out.push(renderLink(url, spans(label)));
    else if (bold !== undefined) out.push(html`<strong>${spans(bold)}</strong>`);
    else if (italic !== undefined) out.push(html`<em>${spans(italic)}</em>`);
    else if (strike !== undefined) out.push(html`<s>${spans(strike)}</s>`);
  }
  out.push(html`${withEmoji(text.slice(end))}`);
  return html`${out}`;
}
