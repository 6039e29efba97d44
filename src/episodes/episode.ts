/**
 * A time in which attacks, or visitors, were not as usual. Its beginning, end, total and categories are computed here and kept, so that
 * a watch's messages, a check, an incident, a digest and every picture of it say the same, to the minute.
 */
import { leadingFirst } from '../statistics/movers.ts';
import type { CategoryCount, Distribution, Timeline } from '../statistics/timeline.ts';
import type { AnomalyKind, Drop } from './verdict/index.ts';

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

/** A category in the episode; what was expected of it is `null` where that is not known. */
export interface EpisodeCategory extends CategoryCount {
  readonly expected: number | null;
}

/**
 * What was counted from the onset to the end, or as far as the numbers were final, and what was expected in that time:
 * attacks, or visits where visitors are gone.
 */
export interface EpisodeFigures {
  readonly untilMs: number;
  readonly total: number;
  /** By what was usual before the onset: an episode does not make itself usual. `null` where that is not known. */
  readonly expected: number | null;
  /** The most in one interval. */
  readonly peak: EpisodePeak | null;
  /** The largest first; those without an event are left out. */
  readonly categories: readonly EpisodeCategory[];
}

/** Attacks to expect in the time of an episode, and of each category. */
export interface UsualInEpisode {
  readonly total: number;
  readonly categories: ReadonlyMap<string, number>;
}

export interface Episode extends EpisodeSpan {
  readonly id: string;
  /** What has stopped, where something has; else there was more than usual, as in all that earlier versions have stored. */
  readonly drop?: Drop['what'];
  /** At its worst. */
  readonly worst: 'elevated' | 'surge';
  readonly shape: AnomalyKind | null;
  /** The kinds of attack that have led it, in the order of time: the last one leads now, or led at the end. */
  readonly leading: readonly string[];
  readonly figures: EpisodeFigures | null;
  readonly acknowledged: { readonly by: string; readonly atMs: number } | null;
}

export const dropFigures = ({ untilMs, observed, expected }: Drop): EpisodeFigures => ({
  untilMs,
  total: observed,
  expected,
  peak: null,
  categories: [],
});

/** Counts the finished intervals that lie within the span. */
export function episodeFigures(
  { onsetMs, endMs }: EpisodeSpan,
  timeline: Timeline,
  { distribution = null, usual = null, what = 'attacks' }: CountedBeside = {},
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
    .toSorted((a, b) => b.count - a.count)
    .map(({ category, count }) => ({
      category,
      count,
      expected: usual === null || usual.categories.size === 0 ? null : (usual.categories.get(category) ?? 0),
    }));
  return { untilMs, total, expected: usual?.total ?? null, peak, categories };
}

interface CountedBeside {
  readonly distribution?: Distribution | null;
  readonly usual?: UsualInEpisode | null;
  readonly what?: 'attacks' | 'requests';
}

/** Of less than this no multiple is said. */
const LEAST_EXPECTED = 1;

/** How many times the usual it was, from the first minute to the last; `null` where that is not known. */
export function timesUsual(counted: Pick<EpisodeFigures, 'total' | 'expected'> | null): number | null {
  // What an earlier version has stored does not say what was expected.
  const { total, expected = null } = counted ?? { total: 0 };
  return expected === null || expected < LEAST_EXPECTED ? null : total / expected;
}

/** The category that leads in the episode itself: a window around it may hold others of another kind. */
export function leadingIn({ categories }: EpisodeFigures): string | null {
  const known = categories.flatMap(({ category, count, expected }) =>
    expected === null ? [] : [{ category, observed: count, expected }],
  );
  return leadingFirst(known)[0]?.category ?? null;
}

export const overlaps = (a: EpisodeSpan, fromMs: number, toMs: number): boolean =>
  a.onsetMs < toMs && (a.endMs ?? Number.POSITIVE_INFINITY) > fromMs;

/** An episode with where to read about it. */
export interface ReportedEpisode extends Episode {
  readonly watch: string;
  /** Where the watch is for a number, which: `attacks over 500 per 15 minutes`; `null` where it is for anything odd. */
  readonly limit: string | null;
  /** Names as the watch has them; none means all of the project. */
  readonly hosts: readonly string[];
  /** When the channel was told. */
  readonly openedMs: number;
  /** Its first message in the channel; `null` where there was none. */
  readonly firstTs: string | null;
}
