/**
 * Colors of the opaque card, from the Okabe–Ito set if they carry meaning: distinguishable with every common kind of color
 * vision, and color is never the only difference (line or area, solid or dashed, hatched, ring, tick). A color means the
 * same in every chart. Lines have a contrast of at least 3:1 and words of 4.5:1; fills, stripes and the grid have less,
 * because an edge or a label says the same.
 */
export const COLORS = {
  card: '#ffffff',
  // Fills and the grid.
  grid: '#e4e6ea',
  stripe: '#f5f6f8',
  requestsFill: '#d6e4f2',
  usualFill: '#d6ebe3',
  markFill: '#f6ead2',
  // Lines.
  attacks: '#d5480b',
  requests: '#3f71a8',
  usual: '#438c75',
  previous: '#7a5a8c',
  midnight: '#7a8089',
  filling: '#868c95',
  mark: '#1d1c1d',
  // Words.
  ink: '#1d1c1d',
  quietInk: '#5b5f66',
  attacksInk: '#b8400b',
  requestsInk: '#2d5f95',
  usualInk: '#2d6b56',
  previousInk: '#6d4c80',
} as const;
