/**
 * The axes of a timeline that carry words: time below, counts at both sides, marks (the peak, the onset) above. They are
 * category axes with evenly spaced slots, of which only some have a label.
 */
import { compactCount } from '../../insight/format.ts';
import { font, type JsonObject, TEXT_PX, textWidth } from './layout.ts';
import type { Palette } from './palette.ts';
import { type TimeTick, timeTicks } from './time-labels.ts';
import type { TimelineChart, TimelineView } from './timeline-chart.ts';

const MOST_TICKS = 6;
/** A date further right than this share of the width would run into the note. */
const ROOM_FROM = 0.72;
/** Of a plot about 470 px wide: a pixel and a half for labels, half a pixel for a line across the data. */
const LABEL_TOLERANCE = 0.0035;
const LINE_TOLERANCE = 0.001;
/** Labels are centred: spaces behind the note at the right end keep it off the edge of the card. */
const INWARDS = '\u2002\u2002\u2002';
const NOTHING = 'transparent';

/** The ticks, and whether a word fits below the right end, next to the dates. */
export function timeTicksOf(
  spec: TimelineChart,
  view: TimelineView,
): { ticks: readonly TimeTick[]; roomBelow: boolean } {
  const ticks = timeTicks(view.fromMs, view.toMs, spec.zone, MOST_TICKS);
  const lastDated = ticks.findLast((tick) => tick.lines[1] !== '')?.atMs ?? view.fromMs;
  return { ticks, roomBelow: lastDated < view.fromMs + (view.toMs - view.fromMs) * ROOM_FROM };
}

/** `note` stands below the right end. */
export function timeAxis(
  spec: TimelineChart,
  view: TimelineView,
  ticks: readonly TimeTick[],
  note: string,
  colours: Palette,
): JsonObject {
  const share = (ms: number) => (ms - view.fromMs) / (view.toMs - view.fromMs);
  const lines = [spec.onsetMs, spec.endMs].filter((ms) => ms !== null && ms >= view.fromMs && ms <= view.toMs);
  const tolerance = lines.length === 0 ? LABEL_TOLERANCE : LINE_TOLERANCE;
  const slots = slotsFor([...ticks.map((tick) => tick.atMs), ...lines.map(Number)].map(share), tolerance);
  const labels: string[][] = Array.from({ length: slots.count + 1 }, () => []);
  const grid: string[] = labels.map(() => NOTHING);
  slots.at.forEach((slot, index) => {
    const tick = ticks[index];
    if (tick === undefined) grid[slot] = colours.mark;
    else {
      labels[slot] = [...tick.lines];
      if (tick.strong) grid[slot] = colours.axis;
    }
  });
  if (note !== '') labels[slots.count] = [labels[slots.count]?.[0] ?? '', `${note}${INWARDS}`];
  return {
    ...words('x', 'bottom', labels, slots.count),
    border: { color: colours.axis },
    grid: { color: grid, drawTicks: false, lineWidth: 1.25 },
    ticks: { autoSkip: false, maxRotation: 0, color: colours.quietInk, font: font(400), padding: 7 },
  };
}

export function markAxis(marks: MarkLabels): JsonObject {
  return {
    ...words('x', 'top', marks.lines, marks.slots),
    border: { display: false },
    grid: { display: false },
    ticks: { autoSkip: false, maxRotation: 0, color: marks.inks, font: font(600), padding: 2 },
  };
}

export function countAxisWords(side: 'left' | 'right', axis: CountAxis, ink: string, colours: Palette): JsonObject {
  return {
    ...words('y', side, axis.labels.toReversed(), AXIS_STEPS),
    border: { display: false },
    // Both sides have their lines at the same heights: one of them draws.
    grid: { display: side === 'left', color: colours.grid, drawTicks: false, lineWidth: 1 },
    ticks: { autoSkip: false, color: ink, font: font(400), padding: 8 },
  };
}

function words(axis: 'x' | 'y', position: string, labels: JsonObject[string], last: number): JsonObject {
  return { type: 'category', axis, position, labels, min: 0, max: last, offset: false };
}

export interface CountAxis {
  readonly max: number;
  /** From the bottom up, one for every grid line. */
  readonly labels: readonly string[];
}

const AXIS_STEPS = 4;

/** So that the mark of a peak does not touch the upper edge. */
const HEADROOM = 1.03;

/** Round enough to be read, close enough together that little of the height is wasted. */
const ROUND = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 10];

/** A scale for counts: from zero, in round steps, with as many lines on every axis so that the grids agree. */
export function countAxis(largest: number): CountAxis {
  const withRoom = largest * HEADROOM;
  const step = withRoom <= AXIS_STEPS ? 1 : roundStep(withRoom / AXIS_STEPS);
  return {
    max: step * AXIS_STEPS,
    labels: Array.from({ length: AXIS_STEPS + 1 }, (_, line) => compactCount(step * line)),
  };
}

function roundStep(atLeast: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  for (const factor of ROUND) {
    const step = factor * magnitude;
    // Counts are whole, and a label such as 13 k for 12.5 k would be wrong.
    if (step >= atLeast && Number.isInteger(step) && exact(step)) return step;
  }
  return 10 * magnitude;
}

function exact(step: number): boolean {
  return Array.from({ length: AXIS_STEPS }, (_, line) => step * (line + 1)).every(isExact);
}

function isExact(value: number): boolean {
  const [digits = '', letter] = compactCount(value).split(' ');
  const unit = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[letter ?? ''] ?? 1;
  return Math.abs(Number(digits) * unit - value) < value * 1e-9;
}

export interface Mark {
  readonly atMs: number;
  readonly text: string;
  readonly ink: string;
}

export interface MarkLabels {
  /** Slots are numbered 0 to `slots`. */
  readonly slots: number;
  /** For every slot the lines from the top down; all have as many. Empty where nothing stands. */
  readonly lines: readonly (readonly string[])[];
  /** The colour of each slot's words. */
  readonly inks: readonly string[];
  readonly rows: number;
}

const APART_PX = 14;
/** A word may stand this share of the width beside its place. */
const TOLERANCE = 0.015;

interface PlacedMark extends Mark {
  readonly share: number;
  readonly fromPx: number;
  readonly toPx: number;
}

/**
 * Each mark over its place, moved inwards at the edges, never over another. `plotPx` is the width of the plot, `spillPx`
 * how far a word may reach beyond it on either side.
 */
export function markLabels(
  marks: readonly Mark[],
  fromMs: number,
  toMs: number,
  plotPx: number,
  spillPx: number,
): MarkLabels {
  const placed = marks.map((mark) => placeMark(mark, (mark.atMs - fromMs) / (toMs - fromMs), plotPx, spillPx));
  const slots = slotsFor(
    placed.map(({ share }) => share),
    TOLERANCE,
  );
  const rows: Map<number, PlacedMark>[] = [];
  placed.forEach((one, index) => {
    const slot = slots.at[index] ?? 0;
    const free = rows.find((row) => !row.has(slot) && [...row.values()].every((other) => apart(one, other)));
    if (free === undefined) rows.push(new Map([[slot, one]]));
    else free.set(slot, one);
  });
  // The first row is the one next to the plot.
  const topDown = rows.toReversed();
  const all = Array.from({ length: slots.count + 1 }, (_, slot) => slot);
  return {
    slots: slots.count,
    lines: all.map((slot) => topDown.map((row) => row.get(slot)?.text ?? '')),
    inks: all.map((slot) => rows.find((row) => row.has(slot))?.get(slot)?.ink ?? 'transparent'),
    rows: rows.length,
  };
}

function placeMark(mark: Mark, wanted: number, plotPx: number, spillPx: number): PlacedMark {
  const half = textWidth(mark.text, TEXT_PX) / 2;
  const centre = Math.max(half - spillPx, Math.min(plotPx + spillPx - half, wanted * plotPx));
  const share = Math.max(0, Math.min(1, centre / plotPx));
  return { ...mark, share, fromPx: centre - half, toPx: centre + half };
}

function apart(one: PlacedMark, other: PlacedMark): boolean {
  return one.toPx + APART_PX < other.fromPx || other.toPx + APART_PX < one.fromPx;
}

interface Slots {
  /** Slots are numbered 0 to `count`, edges included. */
  readonly count: number;
  /** For each wanted share of the width, its slot. */
  readonly at: readonly number[];
}

const MOST_SLOTS = 240;

/**
 * The smallest number of slots that has one for each wanted place, to within a `tolerance` that is a share of the width:
 * a slot costs about as much time as a label, also when it is empty.
 */
export function slotsFor(shares: readonly number[], tolerance: number): Slots {
  for (let count = Math.max(1, shares.length - 1); count < MOST_SLOTS; count += 1) {
    if (shares.every((share) => Math.abs(Math.round(share * count) / count - share) <= tolerance)) {
      return slotsAt(shares, count);
    }
  }
  return slotsAt(shares, MOST_SLOTS);
}

function slotsAt(shares: readonly number[], count: number): Slots {
  return { count, at: shares.map((share) => Math.round(share * count)) };
}
