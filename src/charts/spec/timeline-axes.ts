/** The axes of a timeline that carry words: time below, counts at both sides, marks above. */
import type { JsonObject } from './chart-json.ts';
import type { TimelineChart } from './chart-spec.ts';
import { AXIS_STEPS, type CountAxis } from './count-axis.ts';
import { font } from './layout.ts';
import type { MarkLabels } from './mark-labels.ts';
import type { Palette } from './palette.ts';
import { slotsFor } from './tick-slots.ts';
import { type TimeTick, timeTicks } from './time-ticks.ts';
import type { TimelineView } from './timeline-view.ts';

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
