/** Words above the plot (the peak, the onset): each over its place, moved inwards at the edges, never over each other. */
import { TEXT_PX } from './layout.ts';
import { textWidth } from './text-fit.ts';

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

const SLOTS = 60;
const APART_PX = 14;

interface Placed {
  readonly ink: string;
  readonly text: string;
  readonly slot: number;
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
  const rows: Placed[][] = [];
  for (const mark of marks) {
    const placed = place(mark, fromMs, toMs, plotPx, spillPx);
    const free = rows.find((row) => row.every((other) => apart(other, placed)));
    if (free === undefined) rows.push([placed]);
    else free.push(placed);
  }
  const lines = Array.from({ length: SLOTS + 1 }, (_, slot) =>
    rows.toReversed().map((row) => row.find((placed) => placed.slot === slot)?.text ?? ''),
  );
  const inks = lines.map((_, slot) => rows.flat().find((placed) => placed.slot === slot)?.ink ?? 'transparent');
  return { slots: SLOTS, lines, inks, rows: rows.length };
}

function place(mark: Mark, fromMs: number, toMs: number, plotPx: number, spillPx: number): Placed {
  const half = textWidth(mark.text, TEXT_PX) / 2;
  const wanted = ((mark.atMs - fromMs) / (toMs - fromMs)) * plotPx;
  const centre = Math.max(half - spillPx, Math.min(plotPx + spillPx - half, wanted));
  const slot = Math.max(0, Math.min(SLOTS, Math.round((centre / plotPx) * SLOTS)));
  return { text: mark.text, ink: mark.ink, slot, fromPx: centre - half, toPx: centre + half };
}

function apart(one: Placed, other: Placed): boolean {
  return one.slot !== other.slot && (one.toPx + APART_PX < other.fromPx || other.toPx + APART_PX < one.fromPx);
}
