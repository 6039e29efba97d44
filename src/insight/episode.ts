/**
 * A time in which attacks were not as usual. Its beginning, end, total and categories are computed here and kept, so that
 * a watch's messages, a check, an incident, a digest and every picture of it say the same, to the minute.
 */
import { leadingFirst } from './movers.ts';
import type { CategoryCount, Distribution, Timeline } from './timeline.ts';
import type { AnomalyKind } from './verdict/index.ts';

export interface EpisodeSpan {
  /** When it began by the numbers; the first look that noticed it, where they do not say. */
  readonly onsetMs: number;
  /** When it ended by the numbers; `null` while it goes on. */
  readonly endMs: number | null;
}

export interface EpisodePeak {
  readonly count: number;
  readonly endMs: number;
  readonly intervalMs: number;
}

/** What was counted from the onset to the end, or as far as the numbers were final. */
export interface EpisodeFigures {
  readonly untilMs: number;
  readonly total: number;
  /** The most in one interval. */
  readonly peak: EpisodePeak | null;
  /** The largest first; those without an event are left out. */
  readonly categories: readonly CategoryCount[];
}

export interface Episode extends EpisodeSpan {
  readonly id: string;
  /** At its worst. */
  readonly worst: 'elevated' | 'surge';
  readonly shape: AnomalyKind | null;
  /** At its strongest, as a multiple of the usual; `null` where that is not known. */
  readonly ratio: number | null;
  /** The kinds of attack that have led it, in the order of time: the last one leads now, or led at the end. */
  readonly leading: readonly string[];
  readonly figures: EpisodeFigures | null;
  readonly acknowledged: { readonly by: string; readonly atMs: number } | null;
}

/** Counts the finished intervals that lie within the span. */
export function episodeFigures(
  { onsetMs, endMs }: EpisodeSpan,
  timeline: Timeline,
  distribution: Distribution | null,
  what: 'attacks' | 'requests' = 'attacks',
): EpisodeFigures {
  const { intervalMs, settledUntilMs, toMs } = timeline;
  const untilMs = Math.max(onsetMs, Math.min(endMs ?? toMs, toMs, settledUntilMs));
  let total = 0;
  let peak: EpisodePeak | null = null;
  for (const point of timeline.points) {
    const count = point[what];
    if (count === null || point.endMs > untilMs || point.endMs - intervalMs < onsetMs) continue;
    total += count;
    if (count > (peak?.count ?? 0)) peak = { count, endMs: point.endMs, intervalMs };
  }
  const categories = (distribution?.counts ?? [])
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  return { untilMs, total, peak, categories };
}

/** The events to expect of each category in a millisecond. */
export type UsualCategories = ReadonlyMap<string, number>;

/** The category that leads in the episode itself: a window around it may hold others of another kind. */
export function leadingIn(
  { categories, untilMs }: EpisodeFigures,
  { onsetMs }: EpisodeSpan,
  usual: UsualCategories,
): string | null {
  if (usual.size === 0) return null;
  const expectedOf = (category: string): number => (usual.get(category) ?? 0) * (untilMs - onsetMs);
  const counted = categories.map(({ category, count }) => ({
    category,
    observed: count,
    expected: expectedOf(category),
  }));
  return leadingFirst(counted)[0]?.category ?? null;
}

export const overlaps = (a: EpisodeSpan, fromMs: number, toMs: number): boolean =>
  a.onsetMs < toMs && (a.endMs ?? Number.POSITIVE_INFINITY) > fromMs;
