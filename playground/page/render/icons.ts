/** The page's icons as SVG, because not every machine has a font for them. */
import type { Html } from './html.ts';

const icon = (path: string): Html => ({
  markup: `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="${path}"/></svg>`,
});

export const CHECK = icon('M4 10.5l4 4 8-9');
export const CROSS = icon('M5 5l10 10M15 5L5 15');
export const EYE = icon('M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zM10 8a2 2 0 100 4 2 2 0 000-4z');
export const MENU = icon('M3 5h14M3 10h14M3 15h14');
export const PAGE = icon('M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5');
export const PICTURE = icon('M3 4h14v12H3zM3 13.5l4-4 3.5 3.5 2.5-2.5 4 4M13 7.2a.3.3 0 100 .6.3.3 0 000-.6z');
export const REPLY = icon('M3 4.5h14v9H9l-4 3.5v-3.5H3z');
export const SPARK = icon(
  'M10 2.5v4M10 13.5v4M2.5 10h4M13.5 10h4M5 5l2.5 2.5M12.5 12.5L15 15M15 5l-2.5 2.5M7.5 12.5L5 15',
);
