/** Neutral pieces of text as Slack's mrkdwn. Whatever came from outside is escaped here, and only here. */
import type { Line, Piece } from '../../commands/replies/reply.ts';
import { plainInstant, plainText } from '../../commands/replies/reply.ts';

/** The three characters that can begin a mention, a link or an entity. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Bold, italic and code end at their own sign: inside them it is replaced by one that looks alike. */
function styled(sign: string, text: string): string {
  const alike = { '*': '∗', _: 'ˍ', '`': 'ˋ' }[sign] ?? '';
  const inner = escapeText(text).replaceAll(sign, alike).replace(/\s+/g, ' ');
  return inner.trim() === '' ? inner : `${sign}${inner.trim()}${sign}${/\s$/.test(inner) ? ' ' : ''}`;
}

function renderPiece(piece: Piece): string {
  if (typeof piece === 'string') return escapeText(piece);
  if ('bold' in piece) return styled('*', piece.bold);
  if ('italic' in piece) return styled('_', piece.italic);
  if ('code' in piece) return styled('`', piece.code);
  if ('user' in piece) return `<@${idOnly(piece.user)}>`;
  if ('channel' in piece) return `<#${idOnly(piece.channel)}>`;
  return slackDate(piece.instant, piece.zone);
}

const idOnly = (id: string): string => id.replace(/[^A-Z0-9]/g, '');

/** Slack shows it to each reader in their own time; the fallback names the asker's zone. */
export function slackDate(instant: Temporal.Instant, zone: string): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${escapeText(plainInstant(instant, zone))}>`;
}

/** Pieces up to `limit` characters of mrkdwn. A piece that does not fit whole ends the text, so no markup is torn. */
export function renderLine(line: Line, limit = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const piece of line) {
    const next = renderPiece(piece);
    if (text.length + next.length > limit) return cut(text, piece, limit);
    text += next;
  }
  return text;
}

/** Without styles, which a notification would show as signs; people and channels go by their names. */
export function plainLine(line: Line, limit: number): string {
  let text = '';
  for (const piece of line) {
    const named = typeof piece === 'object' && ('user' in piece || 'channel' in piece);
    const next = named ? renderPiece(piece) : escapeText(plainText([piece]));
    if (text.length + next.length > limit)
      return named ? text : text + escapeUpTo(plainText([piece]), limit - text.length);
    text += next;
  }
  return text;
}

/** Escaped text of at most `limit` characters, never torn inside an entity or a character. */
export function escapeUpTo(text: string, limit: number): string {
  const whole = escapeText(text);
  if (whole.length <= limit) return whole;
  let out = '';
  for (const char of text) {
    const next = escapeText(char);
    if (out.length + next.length + 1 > limit) break;
    out += next;
  }
  return `${out}…`;
}

function cut(text: string, piece: Piece, limit: number): string {
  if (typeof piece !== 'string') return text.length + 1 <= limit ? `${text}…` : text;
  return text + escapeUpTo(piece, Math.max(limit - text.length, 1));
}
