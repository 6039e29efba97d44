/** What both charts share: the card with its head, rows of words at given places, and how wide letters are. */
import { type ChartTheme, PALETTES } from './palette.ts';

/** A configuration that any Chart.js 4 can draw: JSON and nothing else. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export interface ChartConfig {
  /** Logical size in CSS pixels; the picture has `pixelRatio` times as many. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  readonly config: JsonObject;
}

const WIDTH = 640;
const PIXEL_RATIO = 2;
const MARGIN = 20;
/** What lies between the margins. */
export const INNER = WIDTH - 2 * MARGIN;
const TITLE_PX = 20;
/** On a phone the picture is shown at about 360 px, where these are still 9 px. */
export const TEXT_PX = 16;
export const LINE_PX = 20;

const TOP = 12;
/** How much narrower letters of the weight 400 are than those whose widths stand below. */
const REGULAR = 0.975;
const MOST_TITLE_LINES = 2;
const MOST_LINES_BELOW = 3;
const TITLE_GAP_PX = 3;
const HEAD_GAP_PX = 8;

/** Ours first; the others are for a QuickChart server, which brings its own: those about as wide come before wider ones. */
const FONT_FAMILY =
  'Wafbot Inter, Wafbot Inter Ext, Wafbot Inter Cyrillic, Wafbot Inter Greek, Inter, Open Sans, Noto Sans, Liberation Sans, sans-serif';

export function font(weight: 400 | 600, size = TEXT_PX): JsonObject {
  return { family: FONT_FAMILY, size, weight, lineHeight: LINE_PX / TEXT_PX };
}

/** What stands below the title: whose numbers they are, and what else must be said. Each is put on lines that hold it. */
export interface CardHead {
  readonly title: string;
  readonly below: readonly string[];
}

/** What is drawn between the head and the lower edge. */
export interface CardBody {
  readonly heightPx: number;
  /** Left free below it. */
  readonly bottomPx?: number;
  readonly type: 'line' | 'bar';
  readonly datasets: readonly JsonObject[];
  readonly scales: JsonObject;
  readonly options?: JsonObject;
}

/**
 * The picture: head above, body below. No axis claims room of its own, so the body is as wide as the margins leave it and
 * exactly as high as it says: every place in it can be given in pixels, and another font on a server moves nothing.
 */
export function card(theme: ChartTheme, head: CardHead, body: CardBody): ChartConfig {
  const colours = PALETTES[theme];
  const { bottomPx = 0 } = body;
  const title = wrapTitle(head.title);
  const below = head.below.flatMap((line) => wrapText(line, TEXT_PX * REGULAR, MOST_LINES_BELOW, ' · '));
  const titlePx = (title.length * TITLE_PX * LINE_PX) / TEXT_PX + TITLE_GAP_PX;
  const plugins = {
    tooltip: { enabled: false },
    legend: { display: false },
    title: headLines(title, colours.ink, font(600, TITLE_PX), TITLE_GAP_PX),
    subtitle: headLines(below, colours.quietInk, font(400), HEAD_GAP_PX),
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
    background: colours.card,
    config: { type: body.type, data: { datasets: body.datasets }, options },
  };
}

function headLines(text: readonly string[], color: string, letters: JsonObject, bottom: number): JsonObject {
  return { display: true, text, align: 'start', color, font: letters, padding: { top: 0, bottom } };
}

/** A card with nothing but a sentence. */
export function emptyCard(theme: ChartTheme, head: CardHead, sentence: string): ChartConfig {
  const heightPx = 84;
  const words = [{ atPx: INNER / 2, text: sentence, ink: PALETTES[theme].quietInk }];
  const scales = {
    x: hiddenScale('x', 0, INNER),
    card: cardScale(heightPx),
    sentence: wordRow(words, { topPx: 26, align: 'center', weight: 600 }),
  };
  return card(theme, head, { heightPx, type: 'line', datasets: [], scales });
}

/** Places in the body in pixels from its upper edge. */
export function cardScale(heightPx: number): JsonObject {
  return { ...hiddenScale('y', 0, heightPx), reverse: true };
}

/** A scale that places data and shows nothing. Chart.js would still make and measure labels for it if it were let. */
export function hiddenScale(axis: 'x' | 'y', min: number, max: number): JsonObject {
  const ticks = { display: false, count: 2 };
  return { type: 'linear', axis, display: false, min, max, ticks, grid: { display: false } };
}

export interface PlacedWord {
  /** From the left edge of the body: where it begins, ends or has its middle, as the row is aligned. */
  readonly atPx: number;
  /** An array has one entry for each line. */
  readonly text: string | readonly string[];
  readonly ink: string;
}

interface RowStyle {
  /** Upper edge, from that of the body. */
  readonly topPx: number;
  readonly align: 'start' | 'center' | 'end';
  readonly weight: 400 | 600;
  /** How far a word may stand beside its place. */
  readonly tolerancePx?: number;
}

/** Words in one row, as the labels of an axis across the whole body that has a slot for each of them. */
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
  // A colour for each slot costs more than one for all; where there is no word, none shows.
  const [first = ''] = words.map(({ ink }) => ink);
  const color = words.every(({ ink }) => ink === first) ? first : inks;
  return {
    ...slotAxis('x', { card: topPx }, labels),
    ticks: { autoSkip: false, maxRotation: 0, padding: 0, align, color, font: font(weight) },
  };
}

/** A category axis whose labels are finished words, in evenly spaced slots from edge to edge. */
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
  /** For each wanted share of the width, its slot. */
  readonly at: readonly number[];
}

export const MOST_SLOTS = 240;

/**
 * The smallest number of slots that has one for each wanted place, to within a `tolerance` that is a share of the width:
 * a slot costs about as much time as a label, also when it is empty.
 */
export function slotsFor(shares: readonly number[], tolerance: number, most = MOST_SLOTS): Slots {
  let count = Math.max(1, shares.length - 1);
  while (count < most && !hits(shares, count, tolerance)) count += 1;
  return { count, at: shares.map((share) => Math.round(share * count)) };
}

function hits(shares: readonly number[], count: number, tolerance: number): boolean {
  for (const share of shares) if (Math.abs(Math.round(share * count) / count - share) > tolerance) return false;
  return true;
}

/** On one line or on two of about the same length, broken between two facts where that fits: no word stands alone. */
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
  return wrapText(plain, TITLE_PX, MOST_TITLE_LINES, ' ');
}

/** Lines that fit between the margins, broken where `between` stands; what is too long for the last one is cut. */
function wrapText(text: string, sizePx: number, mostLines: number, between: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.replace(/\s+/g, ' ').trim().split(between)) {
    const longer = line === '' ? part : `${line}${between}${part}`;
    if (line === '' || lines.length === mostLines - 1 || textWidth(longer, sizePx) <= INNER) line = longer;
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

/** And of the signs that stand in every line. */
const SIGNS: Readonly<Record<string, number>> = { '·': 319, '–': 500, '…': 957 };

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How wide a text will be, near enough to keep it inside the picture: configurations are built without a canvas. */
export function textWidth(text: string, sizePx: number): number {
  let thousandths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Other alphabets run a little wider than Latin; from the CJK blocks on, a character is a full square.
    thousandths += WIDTHS[code - 32] ?? SIGNS[character] ?? (code < 0x2e80 ? 680 : 1000);
  }
  return (thousandths / 1000) * sizePx;
}

/** The text, or as much of it as fits followed by `…`. Never cuts a character that people see as one. */
export function fitText(text: string, sizePx: number, maxPx: number): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (textWidth(plain, sizePx) <= maxPx) return plain;
  let kept = '';
  for (const { segment } of segments.segment(plain)) {
    if (textWidth(`${kept}${segment}…`, sizePx) > maxPx) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The first `most` characters as people count them, the last one `…` when something was cut. */
export function fitCharacters(text: string, most: number): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  // Counted in UTF-16 units, which is never fewer than any other way of counting.
  if (plain.length <= most) return plain;
  let kept = '';
  for (const { segment } of segments.segment(plain)) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
