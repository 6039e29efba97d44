/** Words above the plot (the peak, the onset): each over its place, moved inwards at the edges, never over each other. */
import { TEXT_PX } from './layout.ts';
import { textWidth } from './text-fit.ts';
import { slotsFor } from './tick-slots.ts';

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

interface Placed extends Mark {
  readonly share: number;
  readonly fromPx: number;
  readonly toPx: number;
}

/** `plotPx` is the width of the plot, `spillPx` how far a word may reach beyond it on either side. */
export function markLabels(
  marks: readonly Mark[],
  fromMs: number,
  toMs: number,
  plotPx: number,
  spillPx: number,
): MarkLabels {
  const placed = marks.map((mark) => place(mark, (mark.atMs - fromMs) / (toMs - fromMs), plotPx, spillPx));
  const slots = slotsFor(
    placed.map(({ share }) => share),
    TOLERANCE,
  );
  const rows: Map<number, Placed>[] = [];
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

function place(mark: Mark, wanted: number, plotPx: number, spillPx: number): Placed {
  const half = textWidth(mark.text, TEXT_PX) / 2;
  const centre = Math.max(half - spillPx, Math.min(plotPx + spillPx - half, wanted * plotPx));
  const share = Math.max(0, Math.min(1, centre / plotPx));
  return { ...mark, share, fromPx: centre - half, toPx: centre + half };
}

function apart(one: Placed, other: Placed): boolean {
  return one.toPx + APART_PX < other.fromPx || other.toPx + APART_PX < one.fromPx;
}
