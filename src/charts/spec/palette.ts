/**
 * Colors of the opaque card, from the Okabe–Ito set if they carry meaning: distinguishable with every common kind of color
 * vision, and color is never the only difference (line or area, solid or dashed, hatched, ring, tick). A color means the
 * same in every chart. Lines have a contrast of at least 3:1 and words of 4.5:1; fills, stripes and the grid have less,
 * because an edge or a label says the same.
 */
export type ChartTheme = 'light' | 'dark';

export interface Palette {
  readonly card: string;
  /** Fills and the grid. */
  readonly grid: string;
  readonly stripe: string;
  readonly requestsFill: string;
  readonly usualFill: string;
  readonly markFill: string;
  /** Lines. */
  readonly attacks: string;
  readonly requests: string;
  readonly usual: string;
  readonly previous: string;
  readonly midnight: string;
  readonly filling: string;
  readonly mark: string;
  /** Words. */
  readonly ink: string;
  readonly quietInk: string;
  readonly attacksInk: string;
  readonly requestsInk: string;
  readonly usualInk: string;
  readonly previousInk: string;
}

const LIGHT: Palette = {
  card: '#ffffff',
  grid: '#e4e6ea',
  stripe: '#f5f6f8',
  requestsFill: '#d6e4f2',
  usualFill: '#d6ebe3',
  markFill: '#f6ead2',
  attacks: '#d5480b',
  requests: '#3f71a8',
  usual: '#438c75',
  previous: '#7a5a8c',
  midnight: '#7a8089',
  filling: '#868c95',
  mark: '#1d1c1d',
  ink: '#1d1c1d',
  quietInk: '#5b5f66',
  attacksInk: '#b8400b',
  requestsInk: '#2d5f95',
  usualInk: '#2d6b56',
  previousInk: '#6d4c80',
};

const DARK: Palette = {
  card: '#1a1d21',
  grid: '#32373e',
  stripe: '#22262b',
  requestsFill: '#25384c',
  usualFill: '#1f3d35',
  markFill: '#43391f',
  attacks: '#ff8b3d',
  requests: '#6a9fd8',
  usual: '#4f9f86',
  previous: '#b692cb',
  midnight: '#7d8590',
  filling: '#7d8590',
  mark: '#f2f3f5',
  ink: '#f2f3f5',
  quietInk: '#a9afb8',
  attacksInk: '#ffa366',
  requestsInk: '#8fbdec',
  usualInk: '#7ccbb2',
  previousInk: '#c9abda',
};

export const PALETTES: Readonly<Record<ChartTheme, Palette>> = { light: LIGHT, dark: DARK };
