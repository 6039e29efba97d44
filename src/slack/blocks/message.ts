/**
 * Renders a reply as a Slack message, within Slack's limits whatever the reply holds. Each `Rendering` is simpler than the
 * one before it, for when Slack refuses that one. Each button carries the whole command it runs, so it still works after a
 * restart. Slack's mrkdwn is written and read here, and outside text is escaped here and nowhere else.
 */
import type { Block, Button, KnownBlock, TableBlock } from '@slack/types';
import { altText, chartTable, type NativeChart, nativeChart } from '../../charts/spec/index.ts';
import { plainInstant, plainText, subjectWords } from '../../replies/phrases.ts';
import type { Action, Entry, Line, Mentioned, Piece, Reply, Table } from '../../replies/reply.ts';
import { LIMITS } from './limits.ts';

/** `picture`: an uploaded file. `native`: Slack's chart block. `simple`: old blocks only. `text`: no blocks at all. */
export type Rendering = 'picture' | 'native' | 'simple' | 'text';

interface MessageOptions {
  readonly rendering: Rendering;
  /** The uploaded chart, for the rendering `picture`. */
  readonly fileId?: string;
  /** For a new message: it mentions people instead of only naming them. */
  readonly notifies?: boolean;
  /** Notes about the delivery itself, such as how to get the picture. */
  readonly remarks?: readonly Line[];
}

export interface SlackMessage {
  readonly text: string;
  readonly blocks?: (KnownBlock | Block)[];
}

/** Slack's chart block is newer than the published types. */
interface DataVisualizationBlock extends Block, NativeChart {
  type: 'data_visualization';
}

export function renderMessage(reply: Reply, options: MessageOptions): SlackMessage {
  if (options.rendering === 'text') return { text: wholeText(reply, options) };
  const chart = chartBlock(reply, options);
  const blocks: (KnownBlock | Block)[] = [
    { type: 'header', text: { type: 'plain_text', text: clip(heading(reply), LIMITS.header) } },
    ...mentionText(reply, options).map((text) => section(text)),
    ...paragraphs(linesOf(reply)),
    ...entryBlocks(reply.entries ?? []),
    ...subjectText(reply).map((text) => context(text)),
    ...codeBlock(reply.code),
    ...chart,
    // The same numbers aren't shown twice.
    ...(chart.length > 0 ? [] : tableBlocks(reply, options.rendering)),
    ...notesBlock([...(options.remarks ?? []), ...(reply.notes ?? [])]),
    ...replyButtons(reply.actions ?? []),
  ];
  return { text: notification(reply), blocks: withinMessageLimit(blocks) };
}

/** Drops blocks that would make the message too long: Slack would refuse all of it. */
function withinMessageLimit(blocks: readonly (KnownBlock | Block)[]): (KnownBlock | Block)[] {
  let total = 0;
  return blocks.filter((block) => {
    if (block.type === 'table' || block.type === 'data_visualization') return true;
    const length = JSON.stringify(block).length + 1;
    if (total + length > LIMITS.messageBlocks) return false;
    total += length;
    return true;
  });
}

/** The color of a level, which repeats what the words say. */
export const LEVEL_MARKS: Readonly<Record<NonNullable<Reply['level']>, string>> = {
  calm: '🟢',
  elevated: '🟠',
  surge: '🔴',
  not_enough_data: '⚪',
  past: '🔵',
};

const heading = ({ level, title }: Reply): string => (level === undefined ? title : `${LEVEL_MARKS[level]} ${title}`);

type MapLine = (line: Line) => Line;

/** The reply with each of its lines changed. */
const changeLines = (reply: Reply, change: MapLine): Reply => ({
  ...reply,
  ...(reply.headline && { headline: change(reply.headline) }),
  ...(reply.body && { body: reply.body.map(change) }),
  ...(reply.also && { also: reply.also.map(change) }),
  ...(reply.notes && { notes: reply.notes.map(change) }),
  ...(reply.entries && {
    entries: reply.entries.map((entry) => ({ ...entry, lines: entry.lines.map(change) })),
  }),
});

/** With the names of those who shouldn't be notified. */
export async function withNames(reply: Reply, nameOf: (user: string) => Promise<string | null>): Promise<Reply> {
  const ids = new Set<string>();
  const eachPerson =
    (change: (id: string) => Piece): MapLine =>
    (line) =>
      line.map((piece) =>
        typeof piece === 'object' && 'user' in piece && piece.quietly === true ? change(piece.user) : piece,
      );
  changeLines(
    reply,
    eachPerson((id) => {
      ids.add(id);
      return id;
    }),
  );
  if (ids.size === 0) return reply;
  const names = new Map(await Promise.all([...ids].map(async (id) => [id, await nameOf(id)] as const)));
  return changeLines(
    reply,
    eachPerson((id) => names.get(id) ?? `@${id}`),
  );
}

const linesOf = ({ headline, body = [], also = [] }: Reply): readonly Line[] => [
  ...(headline === undefined ? [] : [headline]),
  ...body,
  ...also,
];

/** What notifications show and screen readers read: the finding and the first line below it. */
function notification(reply: Reply): string {
  const title = heading(reply);
  if (reply.headline === undefined) return escapeUpTo(title, LIMITS.header);
  const end = /[.?!]$/.test(title) ? '' : title.includes(': ') ? '.' : ':';
  const lead = escapeUpTo(`${title}${end} `, LIMITS.header);
  return lead + plainLine(reply.headline, LIMITS.notification);
}

/** Lines joined into as few sections as possible; an ellipsis replaces what exceeds the limit. */
function paragraphs(lines: readonly Line[]): KnownBlock[] {
  const texts: string[] = [];
  let total = 0;
  for (const line of lines) {
    const text = renderLine(line, LIMITS.section);
    total += text.length;
    if (total > LIMITS.body) {
      texts.push('…');
      break;
    }
    const last = texts.at(-1);
    if (last !== undefined && last.length + text.length + 1 <= LIMITS.section)
      texts[texts.length - 1] = `${last}\n${text}`;
    else texts.push(text);
  }
  return texts.filter((text) => text.trim() !== '').map((text) => section(text));
}

const entryText = ({ lines }: Entry, limit: number): string =>
  joinUpTo(
    lines.map((line) => renderLine(line, limit)),
    limit,
  );

/** Buttons of an entry have numbers from here on, those of the message itself below. */
const ENTRY_ACTION_IDS = 10;

/** Every entry, and its buttons as long as the message has room for them. */
function entryBlocks(entries: readonly Entry[]): KnownBlock[] {
  const texts = entries.map((entry) => section(entryText(entry, LIMITS.entry)));
  let total = JSON.stringify(texts).length;
  return texts.flatMap((text, at) => {
    const first = (at + 1) * ENTRY_ACTION_IDS;
    const buttons = replyButtons(entries[at]?.actions ?? [], first);
    total += JSON.stringify(buttons).length;
    return total > LIMITS.entries ? [text] : [text, ...buttons];
  });
}

/** `verbatim`: Slack must not turn `#general` or `@here` from outside into links. */
const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text, verbatim: true });
const section = (text: string): KnownBlock => ({ type: 'section', text: mrkdwn(text), expand: true });
const context = (...texts: string[]): KnownBlock => ({ type: 'context', elements: texts.map(mrkdwn) });

function mentionText({ mentions = [] }: Reply, { notifies = false }: MessageOptions): string[] {
  if (mentions.length === 0) return [];
  return notifies
    ? [mentions.map(mention).join(' ')]
    : [escapeText(`Mentioned: ${mentions.map(({ name }) => `@${name}`).join(', ')}`)];
}

const mention = (mentioned: Mentioned): string =>
  'user' in mentioned ? `<@${idOnly(mentioned.user)}>` : `<!subteam^${idOnly(mentioned.group)}>`;

function subjectText({ subject }: Reply): string[] {
  return subject === undefined ? [] : [escapeUpTo(subjectWords(subject), LIMITS.contextText)];
}

const FENCE = '```';

/** Preformatted text; a backtick inside could end it. */
function fenced(code: string, limit: number): string {
  return `${FENCE}${escapeUpTo(code.replaceAll('`', 'ˋ'), limit - 2 * FENCE.length)}${FENCE}`;
}

function codeBlock(code: string | undefined): KnownBlock[] {
  return code === undefined ? [] : [section(fenced(code, LIMITS.section))];
}

function chartBlock({ chart }: Reply, { rendering, fileId }: MessageOptions): (KnownBlock | Block)[] {
  if (chart === undefined || rendering === 'simple') return [];
  if (rendering === 'picture' && fileId !== undefined) {
    return [{ type: 'image', slack_file: { id: fileId }, alt_text: clip(altText(chart), LIMITS.altText) }];
  }
  const native = nativeChart(chart);
  if (native === null) return [];
  const block: DataVisualizationBlock = { type: 'data_visualization', ...native };
  return [block];
}

/** The answer's table, or the numbers of its chart. */
function tableOf({ table, chart }: Reply): Table | null {
  return table ?? (chart === undefined ? null : chartTable(chart));
}

function tableBlocks(reply: Reply, rendering: Rendering): (KnownBlock | Block)[] {
  const table = tableOf(reply);
  if (table === null || table.rows.length === 0) return [];
  const { omitted } = fittingRows(table);
  const more = omitted > 0 ? [context(`${omitted} more rows not shown.`)] : [];
  return rendering === 'simple'
    ? [...codeBlock(tableText(table, LIMITS.section - 100)), ...more]
    : [tableBlock(table), ...more];
}

function notesBlock(notes: readonly Line[]): KnownBlock[] {
  const texts = notes
    .map((note) => renderLine(note, LIMITS.note))
    .filter((text) => text.trim() !== '')
    .slice(0, LIMITS.contextElements);
  return texts.length === 0 ? [] : [context(...texts)];
}

/** For the last rendering: a bug in the chart's table, which the other renderings have logged, must not cost the text. */
function tableIfAny(reply: Reply): Table | null {
  try {
    return tableOf(reply);
  } catch {
    return null;
  }
}

/** The whole reply as one text, for when Slack accepts no blocks. */
function wholeText(reply: Reply, options: MessageOptions): string {
  const { remarks = [] } = options;
  const table = tableIfAny(reply);
  const parts = [
    `*${escapeText(heading(reply))}*`,
    ...mentionText(reply, options),
    ...linesOf(reply).map((line) => renderLine(line, 1_000)),
    ...(reply.entries ?? []).map((entry) => entryText(entry, 1_000)),
    ...subjectText(reply),
    ...(reply.code === undefined ? [] : [fenced(reply.code, 1_000)]),
    ...(table === null ? [] : [fenced(tableText(table, 1_500), 1_900)]),
    ...[...remarks, ...(reply.notes ?? [])].map((line) => renderLine(line, 500)),
  ];
  return joinUpTo(parts, LIMITS.text);
}

/** Whole parts only: a cut inside an entity or code block would show broken markup. */
function joinUpTo(parts: readonly string[], limit: number): string {
  let text = '';
  for (const part of parts) {
    if (text.length + part.length + 1 > limit) return text === '' ? clip(part, limit) : text;
    text = text === '' ? part : `${text}\n${part}`;
  }
  return text;
}

/**
 * Action IDs. Posted messages contain them, so they must not change. The number at the end makes them unique within a
 * message, as Slack requires.
 */
export const REPLY_BUTTON = /^say:(replace|thread|ask|again):\d+$/;
export const FORM_BUTTON = /^say:modal:\d+$/;
/** On the Home tab, which has no channel: the button's value starts with the channel. */
export const HOME_BUTTON = /^there:\d+$/;

/** On the Home tab: opens a form. Its value starts with the channel, or with `ANY_CHANNEL` if the form asks for one. */
export const HOME_FORM = /^form:\d+$/;
export const ANY_CHANNEL = '*';

/** On the Home tab: a question that is answered in a direct message. */
export const HOME_QUESTION = /^ask:\d+$/;

/** Where the answer to a button goes; see `Action`. */
export function effectOf(actionId: string): string | undefined {
  return REPLY_BUTTON.exec(actionId)?.[1];
}

const MAX_ROWS = 3;

function replyButtons(actions: readonly Action[], firstIndex = 0): KnownBlock[] {
  const toButton = (action: Action, index: number) =>
    button(action, `say:${action.effect}:${firstIndex + index}`, action.sentence);
  const [row] = actionRows(
    actions.filter(({ inMenu }) => inMenu !== true),
    toButton,
  );
  const options = actions
    .filter(({ inMenu, sentence }) => inMenu === true && sentence.length <= LIMITS.optionValue)
    .slice(0, LIMITS.menu)
    .map(({ label, sentence }) => ({
      text: { type: 'plain_text' as const, text: clip(label, LIMITS.buttonText) },
      value: sentence,
    }));
  if (row === undefined || row.type !== 'actions' || options.length === 0) return row === undefined ? [] : [row];
  const menu = { type: 'overflow' as const, action_id: `say:thread:${firstIndex + LIMITS.actions}`, options };
  return [{ ...row, elements: [...row.elements, menu] }];
}

/** The buttons of one entry on the Home tab; `firstIndex` keeps the IDs of several entries apart. */
export function homeButtons(actions: readonly Action[], channel: string, firstIndex: number): KnownBlock[] {
  return actionRows(actions, (action, index) =>
    button(
      action,
      `${action.effect === 'modal' ? 'form' : 'there'}:${firstIndex + index}`,
      `${channel} ${action.sentence}`,
    ),
  );
}

/** Questions on the Home tab; `firstIndex` keeps the IDs of several rows apart. */
export function homeQuestions(actions: readonly Action[], firstIndex: number): KnownBlock[] {
  return actionRows(actions, (action, index) => button(action, `ask:${firstIndex + index}`, action.sentence));
}

/** Drops commands that are too long for a button's value: cut short, they would mean something else. */
function actionRows(actions: readonly Action[], toButton: (action: Action, index: number) => Button): KnownBlock[] {
  const buttons = actions
    .filter(({ label, sentence }) => label.trim() !== '' && sentence !== '')
    .map(toButton)
    .filter(({ value = '' }) => value.length <= LIMITS.buttonValue);
  const blocks: KnownBlock[] = [];
  for (let at = 0; at < buttons.length && blocks.length < MAX_ROWS; at += LIMITS.actions) {
    blocks.push({ type: 'actions', elements: buttons.slice(at, at + LIMITS.actions) });
  }
  return blocks;
}

function button({ label, style, confirm }: Action, actionId: string, value: string): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text: clip(label, LIMITS.buttonText) },
    action_id: actionId,
    value,
    style,
    ...(confirm === undefined
      ? {}
      : {
          confirm: {
            title: { type: 'plain_text', text: 'Are you sure?' },
            text: mrkdwn(renderLine(confirm, LIMITS.confirmText)),
            confirm: { type: 'plain_text', text: clip(label, LIMITS.confirmButton) },
            deny: { type: 'plain_text', text: 'Cancel' },
            style,
          },
        }),
  };
}

/** Slack refuses an empty cell. */
const cell = (text: string): { type: 'raw_text'; text: string } => ({
  type: 'raw_text',
  text: text === '' ? ' ' : text,
});

const clipCell = (text: string): string => clip(text, LIMITS.cell);

/** As many rows as Slack's limits allow, with each cell cut to a readable width. */
function fittingRows({ columns, rows }: Table): { rows: readonly (readonly string[])[]; omitted: number } {
  let characters = columns.reduce((sum, { name }) => sum + Math.max(clipCell(name).length, 1), 0);
  const fitting: (readonly string[])[] = [];
  for (const row of rows.map((cells) => cells.map(clipCell))) {
    characters += row.reduce((sum, text) => sum + Math.max(text.length, 1), 0);
    if (fitting.length + 1 >= LIMITS.tableRows || characters > LIMITS.tableCharacters) break;
    fitting.push(row);
  }
  return { rows: fitting, omitted: rows.length - fitting.length };
}

function tableBlock(table: Table): TableBlock {
  return {
    type: 'table',
    column_settings: table.columns.map(({ align }) => ({ align })),
    rows: [
      table.columns.map(({ name }) => cell(clipCell(name))),
      ...fittingRows(table).rows.map((row) => row.map(cell)),
    ],
  };
}

/** Columns padded with spaces, for a code block. */
function tableText(table: Table, limit: number): string {
  const rows = [table.columns.map(({ name }) => clipCell(name)), ...fittingRows(table).rows];
  const widths = table.columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return table.columns[column]?.align === 'right' ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return clip(lines.join('\n'), limit);
}

/** The three characters that can begin a mention, a link or an entity. */
function escapeText(text: string): string {
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
function escapeUpTo(text: string, limit: number): string {
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
    if (target.startsWith('!subteam^')) return `@${label?.replace(/^@/, '') || target.slice('!subteam^'.length)}`;
    if (target.startsWith('!')) return `@${label?.replace(/^@/, '') || target.slice(1).split('^')[0]}`;
    return label ?? target.replace(/^mailto:/, '').replace(/^https?:\/\/([^/]+)\/?$/, '$1');
  });
  return unlinked.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}
