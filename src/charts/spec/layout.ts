/** What both charts share: the card and its letters, the head with title and second line, the legend. */

import type { ChartConfig, JsonObject } from './chart-json.ts';
import type { ChartTheme } from './chart-spec.ts';
import { type Palette, palette } from './palette.ts';
import { fitText, textWidth } from './text-fit.ts';

export const WIDTH = 600;
export const PIXEL_RATIO = 2;
export const MARGIN = 16;
/** What lies between the margins. */
export const INNER = WIDTH - 2 * MARGIN;
export const TITLE_PX = 19;
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
  return { width: WIDTH, height, pixelRatio: PIXEL_RATIO, background: palette(theme).card, config };
}

/** Options every chart has: still, of fixed size, silent under the mouse. */
export function still(plugins: JsonObject, scales: JsonObject, bottom: number): JsonObject {
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
