/**
 * Colours of the opaque card, from the Okabe–Ito set where they carry meaning: told apart with every common kind of
 * colour vision, and never by colour alone (area against line, solid against dashed against dotted, ring, tick).
 */
import type { ChartTheme } from './chart-spec.ts';

export interface Palette {
  readonly card: string;
  readonly ink: string;
  /** Second lines and axis labels: at least 4.5:1 on the card. */
  readonly quietInk: string;
  readonly grid: string;
  readonly axis: string;
  readonly requestsFill: string;
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
  axis: '#c3c8cf',
  requestsFill: '#cfdff0',
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
  axis: '#545b64',
  requestsFill: '#2b415c',
  requestsEdge: '#5b8fc7',
  requestsInk: '#8fbdec',
  attacks: '#ff8b3d',
  attacksInk: '#ffa366',
  previous: '#c3a2d6',
  band: 'rgba(46, 196, 153, 0.24)',
  bandEdge: 'rgba(86, 214, 176, 0.6)',
  mark: '#f2f3f5',
};

export function palette(theme: ChartTheme): Palette {
  return theme === 'dark' ? DARK : LIGHT;
}
