/** A report as plain data, and as Markdown. Outside text never becomes markup, a link or a mention. */
import { plainInstant } from './phrases.ts';
import type { Line, Piece, ReportDocument, Table } from './reply.ts';

interface MarkdownStyle {
  /** How a person is written; everything else is the same everywhere. */
  readonly user: (id: string) => string;
}

/** Headings, paragraphs, lists and tables: what Slack's canvases have as well. The title isn't part of it. */
export function documentMarkdown({ parts }: ReportDocument, style: MarkdownStyle): string {
  return parts
    .map(({ heading, lines = [], list = [], table }) =>
      [
        `## ${escaped(heading)}`,
        ...lines.map((line) => inMarkdown(line, style)),
        ...(list.length === 0 ? [] : [list.map((line) => `- ${inMarkdown(line, style)}`).join('\n')]),
        ...(table === undefined || table.rows.length === 0 ? [] : [markdownTable(table)]),
      ].join('\n\n'),
    )
    .join('\n\n')
    .concat('\n');
}

/** As a file, which has its title inside. */
export const markdownFile = (document: ReportDocument, style: MarkdownStyle): string =>
  `# ${escaped(document.title)}\n\n${documentMarkdown(document, style)}`;

const escaped = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~]/g, String.raw`\$&`);

function inMarkdown(line: Line, style: MarkdownStyle): string {
  const text = line.map((piece) => pieceInMarkdown(piece, style)).join('');
  // At the beginning of a line it would be a heading or a list.
  return text.replace(/^(?=[#+-])/, '\\');
}

function pieceInMarkdown(piece: Piece, { user }: MarkdownStyle): string {
  if (typeof piece === 'string') return escaped(piece);
  if ('bold' in piece) return piece.bold.trim() === '' ? piece.bold : `**${escaped(piece.bold)}**`;
  if ('italic' in piece) return escaped(piece.italic);
  if ('code' in piece) return `\`${piece.code.replaceAll('`', 'ˋ')}\``;
  if ('user' in piece) return user(piece.user);
  if ('channel' in piece) return `#${escaped(piece.channel)}`;
  if ('link' in piece)
    return /^https?:\/\/[^\s()<>]+$/.test(piece.link) ? `[${escaped(piece.says)}](${piece.link})` : escaped(piece.says);
  return escaped(plainInstant(piece.instant, piece.zone));
}

function markdownTable({ columns, rows }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.map((cell) => escaped(cell) || ' ').join(' | ')} |`;
  return [
    row(columns.map(({ name }) => name)),
    row(columns.map(({ align }) => align))
      .replace(/left/g, '---')
      .replace(/right/g, '--:'),
    ...rows.map(row),
  ].join('\n');
}
