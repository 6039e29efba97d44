/**
 * Colours of the opaque card, from the Okabe–Ito set where they carry meaning: told apart with every common kind of
 * colour vision, and never by colour alone (area against line, solid against dashed against dotted, ring, tick).
 */
export type ChartTheme = 'light' | 'dark';

export interface Palette {
  readonly card: string;
  readonly ink: string;
  /** Second lines and axis labels: at least 4.5:1 on the card. */
  readonly quietInk: string;
  readonly grid: string;
  readonly stripe: string;
  readonly axis: string;
  /** Lets grid and marks show through. */
  readonly requestsFill: string;
  readonly requestsFaintFill: string;
  readonly requestsEdge: string;
  readonly requestsInk: string;
  readonly attacks: string;
  readonly attacksInk: string;
  readonly previous: string;
  readonly band: string;
  readonly bandEdge: string;
  readonly mark: string;
}

const LIGHT: Palette = {
  card: '#ffffff',
  ink: '#1d1c1d',
  quietInk: '#5b5f66',
  grid: '#e8eaed',
  stripe: '#f5f6f8',
  axis: '#c3c8cf',
  requestsFill: 'rgba(70, 130, 195, 0.26)',
  requestsFaintFill: 'rgba(70, 130, 195, 0.12)',
  requestsEdge: '#7fa8d1',
  requestsInk: '#2f6196',
  attacks: '#d55e00',
  attacksInk: '#b34700',
  previous: '#7a5a8c',
  band: 'rgba(0, 158, 115, 0.20)',
  bandEdge: 'rgba(0, 130, 95, 0.55)',
  mark: '#1d1c1d',
};

const DARK: Palette = {
  card: '#1a1d21',
  ink: '#f2f3f5',
  quietInk: '#a9afb8',
  grid: '#2e3339',
  stripe: '#22262b',
  axis: '#545b64',
  requestsFill: 'rgba(95, 155, 220, 0.30)',
  requestsFaintFill: 'rgba(95, 155, 220, 0.14)',
  requestsEdge: '#5b8fc7',
  requestsInk: '#8fbdec',
  attacks: '#ff8b3d',
  attacksInk: '#ffa366',
  previous: '#c3a2d6',
  band: 'rgba(46, 196, 153, 0.24)',
  bandEdge: 'rgba(86, 214, 176, 0.6)',
  mark: '#f2f3f5',
};

export const PALETTES: Readonly<Record<ChartTheme, Palette>> = { light: LIGHT, dark: DARK };
