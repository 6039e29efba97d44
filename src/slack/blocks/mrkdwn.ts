/**
 * Slack's mrkdwn in both directions: renders pieces of text within a length, and turns text from Slack into what the person
 * typed. Outside text is escaped here and nowhere else.
 */
import { plainInstant, plainText } from '../../replies/phrases.ts';
import type { Line, Piece } from '../../replies/reply.ts';

/** The three characters that can begin a mention, a link or an entity. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Bold, italic and code end at their delimiter, so a look-alike replaces it inside. */
function styled(delimiter: string, text: string): string {
  const lookalike = { '*': '∗', _: 'ˍ', '`': 'ˋ' }[delimiter] ?? '';
  const inner = escapeText(text).replaceAll(delimiter, lookalike).replace(/\s+/g, ' ');
  return inner.trim() === '' ? inner : `${delimiter}${inner.trim()}${delimiter}${/\s$/.test(inner) ? ' ' : ''}`;
}

function renderPiece(piece: Piece): string {
  if (typeof piece === 'string') return escapeText(piece);
  if ('bold' in piece) return styled('*', piece.bold);
  if ('italic' in piece) return styled('_', piece.italic);
  if ('code' in piece) return styled('`', piece.code);
  if ('user' in piece) return `<@${idOnly(piece.user)}>`;
  if ('channel' in piece) return `<#${idOnly(piece.channel)}>`;
  if ('link' in piece) return linked(piece);
  return slackDate(piece.instant, piece.zone);
}

/** Only the words if the address isn't http(s) or could end the link early. */
function linked({ link, says }: { readonly link: string; readonly says: string }): string {
  const words = escapeText(says).replaceAll('|', '¦');
  return /^https?:\/\/[^\s<>|]+$/.test(link) ? `<${link.replaceAll('&', '&amp;')}|${words}>` : words;
}

const idOnly = (id: string): string => id.replace(/[^A-Z0-9]/g, '');

/** Slack shows it to each reader in their own time; the fallback text names the asker's zone. */
function slackDate(instant: Temporal.Instant, zone: string): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${escapeText(plainInstant(instant, zone))}>`;
}

/** At most `limit` characters of mrkdwn. Ends before a piece that doesn't fit, so that no markup stays open. */
export function renderLine(line: Line, limit = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const piece of line) {
    // Keep a number and its percent sign on one line.
    const next = renderPiece(piece).replace(/(?<=\d) %/g, '\u00a0%');
    if (text.length + next.length > limit) return cutBefore(text, piece, limit);
    text += next;
  }
  return text;
}

function cutBefore(text: string, piece: Piece, limit: number): string {
  if (typeof piece !== 'string') return text.length + 1 <= limit ? `${text}…` : text;
  return text + escapeUpTo(piece, Math.max(limit - text.length, 1));
}

/** Without styles, whose delimiters a notification would show. Mentions stay, because Slack resolves them. */
export function plainLine(line: Line, limit: number): string {
  let text = '';
  for (const piece of line) {
    const isMention = typeof piece === 'object' && ('user' in piece || 'channel' in piece);
    const next = isMention ? renderPiece(piece) : escapeText(plainText([piece]));
    if (text.length + next.length > limit)
      return isMention ? text : text + escapeUpTo(plainText([piece]), limit - text.length);
    text += next;
  }
  return text;
}

/** Escaped text of at most `limit` characters, never cut inside an entity or a character. */
export function escapeUpTo(text: string, limit: number): string {
  const whole = escapeText(text);
  if (whole.length <= limit) return whole;
  let escaped = '';
  for (const character of text) {
    const next = escapeText(character);
    if (escaped.length + next.length + 1 > limit) break;
    escaped += next;
  }
  return `${escaped}…`;
}

/** Plain text cut to a number of UTF-16 units, with an ellipsis and without splitting a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`;
}

const ENTITY = /<([^<>]*)>/g;

/**
 * Text as Slack sends it → text as the person typed it. Mentions of the bot are removed; links become their label,
 * users and channels their plain form.
 */
export function parseIncomingText(text: string, botUserId?: string): string {
  const unlinked = text.replace(ENTITY, (_whole, inner: string) => {
    const [target = '', label] = inner.split('|');
    if (target.startsWith('@')) {
      if (target.slice(1) === botUserId) return ' ';
      return `@${label || target.slice(1)}`;
    }
    if (target.startsWith('#')) return `#${label || target.slice(1)}`;
    if (target.startsWith('!date^')) return label ?? '';
    if (target.startsWith('!')) return `@${label?.replace(/^@/, '') || target.slice(1).split('^')[0]}`;
    return label ?? target.replace(/^mailto:/, '').replace(/^https?:\/\/([^/]+)\/?$/, '$1');
  });
  return unlinked.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}
