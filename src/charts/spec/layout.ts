/** What both charts share: the size of the card, its letters, and the head with title and second line. */
import type { Json } from './chart-config.ts';
import type { Palette } from './palette.ts';
import { fitText } from './text-fit.ts';

export const WIDTH = 600;
export const PIXEL_RATIO = 2;
export const MARGIN = 16;
export const TITLE_PX = 19;
/** On a phone the picture is shown at about 360 px, where these are still 9.6 px. */
export const TEXT_PX = 16;

/** Ours first; the last two are for a QuickChart server, which brings its own. */
export const FONT_FAMILY =
  'Wafbot Inter, Wafbot Inter Ext, Wafbot Inter Cyrillic, Wafbot Inter Greek, Inter, Open Sans, sans-serif';

export function font(weight: 400 | 600, size = TEXT_PX, lineHeight = 1.25): Json {
  return { family: FONT_FAMILY, size, weight, lineHeight };
}

export function head(title: string, subtitle: string, colours: Palette): { title: Json; subtitle: Json } {
  const room = WIDTH - 2 * MARGIN;
  return {
    title: {
      display: true,
      text: fitText(title, TITLE_PX, room),
      align: 'start',
      color: colours.ink,
      font: font(600, TITLE_PX),
      padding: { top: 0, bottom: 2 },
    },
    subtitle: {
      display: subtitle !== '',
      text: fitText(subtitle, TEXT_PX, room),
      align: 'start',
      color: colours.quietInk,
      font: font(400),
      padding: { top: 0, bottom: 4 },
    },
  };
}
