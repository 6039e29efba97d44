/** What both charts share: the card, its letters and how wide they are, the head with title and second line, the legend. */
import { type ChartTheme, PALETTES, type Palette } from './palette.ts';

/** A configuration that any Chart.js 4 can draw: JSON and nothing else. */
type Json = string | number | boolean | null | readonly Json[] | JsonObject;

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

const WIDTH = 600;
const PIXEL_RATIO = 2;
const MARGIN = 16;
/** What lies between the margins. */
export const INNER = WIDTH - 2 * MARGIN;
const TITLE_PX = 19;
/** On a phone the picture is shown at about 360 px, where these are still 9.6 px. */
export const TEXT_PX = 16;
export const LINE_PX = 20;

const TOP = 14;
const HEAD_GAP_PX = 3;
const LEGEND_ICON_PX = 22;
const LEGEND_PADDING_PX = 4;
const LEGEND_GAP = '\u2002';

/** Ours first; the last ones are for a QuickChart server, which brings its own. */
const FONT_FAMILY =
  'Wafbot Inter, Wafbot Inter Ext, Wafbot Inter Cyrillic, Wafbot Inter Greek, Inter, Open Sans, sans-serif';

export function font(weight: 400 | 600, size = TEXT_PX): JsonObject {
  return { family: FONT_FAMILY, size, weight, lineHeight: LINE_PX / TEXT_PX };
}

export function card(theme: ChartTheme, height: number, config: JsonObject): ChartConfig {
  return { width: WIDTH, height, pixelRatio: PIXEL_RATIO, background: PALETTES[theme].card, config };
}

/** Options every chart has: a still picture of fixed size. */
export function chartOptions(plugins: JsonObject, scales: JsonObject, bottom: number): JsonObject {
  return {
    animation: false,
    responsive: false,
    layout: { padding: { left: MARGIN, right: MARGIN, top: TOP, bottom } },
    plugins: { tooltip: { enabled: false }, ...plugins },
    scales,
  };
}

export function head(title: string, below: readonly string[], colours: Palette, gapPx = HEAD_GAP_PX): JsonObject {
  const lines = below.map((line) => fitText(line, TEXT_PX, INNER));
  return {
    title: headLine([fitText(title, TITLE_PX, INNER)], colours.ink, font(600, TITLE_PX), HEAD_GAP_PX),
    subtitle: headLine(lines, colours.quietInk, font(400), gapPx),
  };
}

/** Height of the head with that many lines below the title. */
export function headPx(linesBelow: number, gapPx: number): number {
  const title = (TITLE_PX * LINE_PX) / TEXT_PX + HEAD_GAP_PX;
  return TOP + title + (linesBelow === 0 ? 0 : linesBelow * LINE_PX + gapPx);
}

function headLine(text: readonly string[], color: string, letters: JsonObject, bottom: number): JsonObject {
  const padding = { top: 0, bottom };
  return { display: text.length > 0, text, align: 'start', color, font: letters, padding };
}

/** A scale that places data and shows nothing. Chart.js would still make and measure labels for it if it were let. */
export function hiddenScale(axis: 'x' | 'y', min: number, max: number): JsonObject {
  const ticks = { display: false, count: 2 };
  return { type: 'linear', axis, display: false, min, max, ticks, grid: { display: false } };
}

/** A sentence in the middle of a card that has nothing else to show, as the title of an axis without labels. */
export function sentence(text: string, colours: Palette): JsonObject {
  const title = { display: true, text, color: colours.quietInk, font: font(600), padding: { top: 34, bottom: 0 } };
  const nothing = { display: false };
  return { type: 'category', axis: 'x', position: 'top', labels: [''], border: nothing, grid: nothing, title };
}

/** Of several ways to say something, fullest first, the first that fits. */
export function firstThatFits(ways: readonly string[]): string {
  return ways.find((way) => textWidth(way, TEXT_PX) <= INNER) ?? ways[ways.length - 1] ?? '';
}

/** Chart.js parts the items by the same padding that indents the first: a wide space does more of it. */
export function legendLabel(text: string): string {
  return `${text}${LEGEND_GAP}`;
}

export function legend(display: boolean, colours: Palette): JsonObject {
  return {
    display,
    position: 'top',
    align: 'start',
    labels: {
      usePointStyle: true,
      pointStyleWidth: LEGEND_ICON_PX,
      boxHeight: 9,
      padding: LEGEND_PADDING_PX,
      color: colours.ink,
      font: font(400),
    },
  };
}

/** How many lines the legend will take. */
export function legendRows(labels: readonly string[]): number {
  let rows = 1;
  let used = 0;
  for (const label of labels) {
    const width = LEGEND_PADDING_PX + LEGEND_ICON_PX + TEXT_PX / 2 + textWidth(label, TEXT_PX);
    if (used > 0 && used + width > INNER) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}

/** Advance widths of Inter SemiBold in thousandths of the size, from the space (32) to the tilde (126). */
const WIDTHS = [
  252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623, 636, 666, 612, 640,
  576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605, 588, 749, 746, 277, 580, 703, 565, 922,
  759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720, 713, 652, 373, 379, 373, 481, 469, 351, 574, 624, 583, 624,
  591, 389, 625, 612, 262, 262, 569, 262, 900, 612, 609, 624, 624, 397, 549, 353, 612, 587, 839, 569, 588, 566, 455,
  359, 455, 673,
] as const;

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How wide a text will be, near enough to keep it inside the picture: configurations are built without a canvas. */
export function textWidth(text: string, sizePx: number): number {
  let thousandths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Other alphabets run a little wider than Latin; from the CJK blocks on, a character is a full square.
    thousandths += WIDTHS[code - 32] ?? (code < 0x2e80 ? 680 : 1000);
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
