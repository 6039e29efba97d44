/** What both charts share: the card with its head and context line, rows of words at given positions, and text widths. */

import { offsetsInWords, windowInWords } from '../../time/index.ts';
import { COLORS } from './palette.ts';

/** A configuration that any Chart.js 4 can draw: JSON and nothing else. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export interface ChartConfig {
  /** In CSS pixels; the picture has `pixelRatio` times as many. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  readonly config: JsonObject;
}

const WIDTH = 640;
const PIXEL_RATIO = 2;
const MARGIN = 20;
/** The width between the margins. */
export const INNER = WIDTH - 2 * MARGIN;
const TITLE_PX = 20;
/** A phone shows the picture at about 360 px, where this is still 9 px. */
export const TEXT_PX = 16;
const LINE_PX = 20;

const TOP = 12;
/** Width of weight 400 relative to the widths below, which are for weight 600. */
const REGULAR = 0.975;
const MAX_TITLE_LINES = 2;
const MAX_LINES_BELOW = 3;
const TITLE_GAP_PX = 3;
const HEAD_GAP_PX = 8;

/** Ours first. The others are for a QuickChart server, which has its own: similar widths come before wider ones. */
const FONT_FAMILY =
  'Wafbot Inter, Wafbot Inter Ext, Wafbot Inter Cyrillic, Wafbot Inter Greek, Inter, Open Sans, Noto Sans, Liberation Sans, sans-serif';

export function font(weight: 400 | 600, size = TEXT_PX): JsonObject {
  return { family: FONT_FAMILY, size, weight, lineHeight: LINE_PX / TEXT_PX };
}

export interface CardHead {
  readonly title: string;
  /** Lines below the title, wrapped: whose numbers they are, and notes. */
  readonly below: readonly string[];
}

/** The part between the head and the lower edge. */
export interface CardBody {
  readonly heightPx: number;
  /** Free space below it. */
  readonly bottomPx?: number;
  readonly type: 'line' | 'bar';
  readonly datasets: readonly JsonObject[];
  readonly scales: JsonObject;
  readonly options?: JsonObject;
}

/**
 * The picture: head above, body below. No axis takes up space of its own, so the body has exactly the given size: every
 * position in it can be given in pixels, and another font on a server moves nothing.
 */
export function card(head: CardHead, body: CardBody): ChartConfig {
  const { bottomPx = 0 } = body;
  const title = wrapTitle(head.title);
  const below = head.below.flatMap((line) => wrapText(line, TEXT_PX * REGULAR, MAX_LINES_BELOW, ' · '));
  const titlePx = (title.length * TITLE_PX * LINE_PX) / TEXT_PX + TITLE_GAP_PX;
  const plugins = {
    tooltip: { enabled: false },
    legend: { display: false },
    title: headLines(title, COLORS.ink, font(600, TITLE_PX), TITLE_GAP_PX),
    subtitle: headLines(below, COLORS.quietInk, font(400), HEAD_GAP_PX),
  };
  const options = {
    animation: false,
    responsive: false,
    layout: { autoPadding: false, padding: { left: MARGIN, right: MARGIN, top: TOP, bottom: bottomPx } },
    plugins,
    scales: body.scales,
    ...body.options,
  };
  const headPx = TOP + titlePx + below.length * LINE_PX + HEAD_GAP_PX;
  return {
    width: WIDTH,
    height: Math.round(headPx + body.heightPx + bottomPx),
    pixelRatio: PIXEL_RATIO,
    background: COLORS.card,
    config: { type: body.type, data: { datasets: body.datasets }, options },
  };
}

function headLines(text: readonly string[], color: string, letters: JsonObject, bottom: number): JsonObject {
  return { display: true, text, align: 'start', color, font: letters, padding: { top: 0, bottom } };
}

/** A card with a single sentence. */
export function emptyCard(head: CardHead, sentence: string): ChartConfig {
  const heightPx = 84;
  const words = [{ atPx: INNER / 2, text: sentence, ink: COLORS.quietInk }];
  const scales = {
    x: hiddenScale('x', 0, INNER),
    card: cardScale(heightPx),
    sentence: wordRow(words, { topPx: 26, align: 'center', weight: 600 }),
  };
  return card(head, { heightPx, type: 'line', datasets: [], scales });
}

/** Positions in pixels from the upper edge of the body. */
export function cardScale(heightPx: number): JsonObject {
  return { ...hiddenScale('y', 0, heightPx), reverse: true };
}

/** A scale that positions data and shows nothing. Without `ticks`, Chart.js would still create and measure labels. */
export function hiddenScale(axis: 'x' | 'y', min: number, max: number): JsonObject {
  const ticks = { display: false, count: 2 };
  return { type: 'linear', axis, display: false, min, max, ticks, grid: { display: false } };
}

export interface PlacedWord {
  /** From the left edge of the body to its start, center or end, depending on the row's alignment. */
  readonly atPx: number;
  /** An array has one entry per line. */
  readonly text: string | readonly string[];
  readonly ink: string;
}

interface RowStyle {
  /** From the upper edge of the body. */
  readonly topPx: number;
  readonly align: 'start' | 'center' | 'end';
  readonly weight: 400 | 600;
  /** How far a word may be from its position. */
  readonly tolerancePx?: number;
}

/** Words in one row, as the labels of an axis across the body with a slot for each. */
export function wordRow(words: readonly PlacedWord[], { topPx, align, weight, tolerancePx = 3 }: RowStyle): JsonObject {
  const slots = slotsFor(
    words.map(({ atPx }) => atPx / INNER),
    tolerancePx / INNER,
  );
  const labels: (string | readonly string[])[] = Array.from({ length: slots.count + 1 }, () => '');
  const inks = labels.map(() => 'transparent');
  words.forEach(({ text, ink }, index) => {
    const slot = slots.at[index] ?? 0;
    labels[slot] = text;
    inks[slot] = ink;
  });
  // One color for all is faster than one per slot, and empty slots show none.
  const [first = ''] = words.map(({ ink }) => ink);
  const color = words.every(({ ink }) => ink === first) ? first : inks;
  return {
    ...slotAxis('x', { card: topPx }, labels),
    ticks: { autoSkip: false, maxRotation: 0, padding: 0, align, color, font: font(weight) },
  };
}

/** A category axis with finished words as labels, in evenly spaced slots from edge to edge. */
export function slotAxis(axis: 'x' | 'y', position: JsonObject, labels: readonly Json[]): JsonObject {
  return {
    type: 'category',
    axis,
    position,
    labels,
    min: 0,
    max: labels.length - 1,
    offset: false,
    border: { display: false },
    grid: { display: false, drawTicks: false },
  };
}

interface Slots {
  /** Slots are numbered 0 to `count`, edges included. */
  readonly count: number;
  /** The slot of each requested share of the width. */
  readonly at: readonly number[];
}

export const MAX_SLOTS = 240;

/**
 * The smallest number of slots that has one for each requested position, within a `tolerance` that is a share of the
 * width: even an empty slot takes about as long to draw as a label.
 */
export function slotsFor(shares: readonly number[], tolerance: number, max = MAX_SLOTS): Slots {
  let count = Math.max(1, shares.length - 1);
  while (count < max && !hits(shares, count, tolerance)) count += 1;
  return { count, at: shares.map((share) => Math.round(share * count)) };
}

function hits(shares: readonly number[], count: number, tolerance: number): boolean {
  for (const share of shares) if (Math.abs(Math.round(share * count) / count - share) > tolerance) return false;
  return true;
}

/** One line, or two of about the same length, broken between two facts if possible. */
function wrapTitle(text: string): string[] {
  const plain = text.replace(/\s+/g, ' ').trim();
  const width = (part: string): number => textWidth(part, TITLE_PX);
  if (width(plain) <= INNER) return wrapText(plain, TITLE_PX, 1, ' ');
  for (const between of [' · ', ' ']) {
    const parts = plain.split(between);
    const halves = parts.slice(1).map((_, at) => [parts.slice(0, at + 1), parts.slice(at + 1)] as const);
    const fitting = halves
      .map(([first, second]) => [first.join(between), second.join(between)] as const)
      .filter((lines) => lines.every((line) => width(line) <= INNER))
      .toSorted((a, b) => Math.max(...a.map(width)) - Math.max(...b.map(width)));
    if (fitting[0] !== undefined) return [...fitting[0]];
  }
  return wrapText(plain, TITLE_PX, MAX_TITLE_LINES, ' ');
}

/** Lines that fit between the margins, broken at `between`; the last one is cut if it's too long. */
function wrapText(text: string, sizePx: number, maxLines: number, between: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.replace(/\s+/g, ' ').trim().split(between)) {
    const longer = line === '' ? part : `${line}${between}${part}`;
    if (line === '' || lines.length === maxLines - 1 || textWidth(longer, sizePx) <= INNER) line = longer;
    else {
      lines.push(line);
      line = part;
    }
  }
  return [...lines, line].map((one) => fitText(one, sizePx, INNER)).filter((one) => one !== '');
}

/** Advance widths of Inter SemiBold in thousandths of the size, from the space (32) to the tilde (126). */
const WIDTHS = [
  252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623, 636, 666, 612, 640,
  576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605, 588, 749, 746, 277, 580, 703, 565, 922,
  759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720, 713, 652, 373, 379, 373, 481, 469, 351, 574, 624, 583, 624,
  591, 389, 625, 612, 262, 262, 569, 262, 900, 612, 609, 624, 624, 397, 549, 353, 612, 587, 839, 569, 588, 566, 455,
  359, 455, 673,
] as const;

/** And of signs that every line uses. */
const SIGNS: Readonly<Record<string, number>> = { '·': 319, '–': 500, '…': 957 };

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Estimates the width of a text, because configurations are built without a canvas. */
export function textWidth(text: string, sizePx: number): number {
  let thousandths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Other alphabets are a little wider than Latin; from the CJK blocks on, a character is a full square.
    thousandths += WIDTHS[code - 32] ?? SIGNS[character] ?? (code < 0x2e80 ? 680 : 1000);
  }
  return (thousandths / 1000) * sizePx;
}

/** The text, or as much as fits followed by `…`. Never splits a grapheme. */
function fitting(text: string, fits: (part: string) => boolean): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (fits(plain)) return plain;
  let start = '';
  for (const { segment } of segments.segment(plain)) {
    if (!fits(`${start}${segment}…`)) break;
    start += segment;
  }
  return `${start.trimEnd()}…`;
}

export const fitText = (text: string, sizePx: number, maxPx: number): string =>
  fitting(text, (part) => textWidth(part, sizePx) <= maxPx);

/** In UTF-16 units, which is never fewer than any other way of counting. */
export const fitCharacters = (text: string, max: number): string => fitting(text, ({ length }) => length <= max);

export interface ChartSubject {
  /** Set if there are several. */
  readonly project?: string;
  /** Host names; none means all hosts. */
  readonly hosts: readonly string[];
  /** The window in words; `null`: derived from the data, in the reader's zone. */
  readonly window: string | null;
  readonly zone: string;
}

/** `project eu · all hosts · Tue 10 Mar 14:30–15:30 · Europe/Stockholm (UTC+1)`. */
export function subjectLine(
  { project, hosts, window, zone }: ChartSubject,
  { fromMs, toMs, asOfMs }: { fromMs: number; toMs: number; asOfMs?: number },
): string {
  return [
    ...(project === undefined ? [] : [`project ${project}`]),
    hostsInWords(hosts),
    window ?? windowInWords(fromMs, toMs, zone, asOfMs),
    zoneInWords(fromMs, toMs, zone),
  ].join(' · ');
}

const MAX_HOSTS = 3;

function hostsInWords(hosts: readonly string[]): string {
  if (hosts.length === 0) return 'all hosts';
  const more = hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more` : '';
  return `${hosts.slice(0, MAX_HOSTS).join(', ')}${more}`;
}

/** `Europe/Berlin (UTC+1)` */
function zoneInWords(fromMs: number, toMs: number, zone: string): string {
  return zone === 'UTC' ? 'UTC' : `${zone} (${offsetsInWords(fromMs, toMs, zone)})`;
}
