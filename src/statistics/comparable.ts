/**
 * Two windows brought to what can be compared. What a service can't report of one of them is left out of both, and where
 * too little remains there is a reason instead of a comparison: unknown numbers are never compared as if they were zero.
 */
import type { Range } from '../time/index.ts';
import { REST } from './categories.ts';
import {
  type AnswerLimit,
  type CategoryCount,
  countOf,
  type Distribution,
  type Gap,
  type Timeline,
} from './timeline.ts';

/** Why two windows can't be compared. `categories`: the service names other categories in the one than in the other. */
export type Incomparable = Gap['reason'] | 'categories';

/** Less than this share of a window says too little about it. */
const MIN_SHARE = 0.5;

interface Windows {
  readonly counted: Range;
  readonly against: Range;
}

export interface ComparableTimelines extends Windows {
  readonly now: Timeline;
  readonly before: Timeline;
  /** Whether a part of the windows had to be left out. */
  readonly isCut: boolean;
}

interface Offsets {
  readonly startMs: number;
  readonly endMs: number;
}

/** The part of a window that has numbers, as distances from its start. Gaps lie at its edges. */
function knownPart({ gaps = [] }: Timeline, { from, to }: Range): Offsets {
  const [fromMs, toMs] = [from.epochMilliseconds, to.epochMilliseconds];
  const startMs = Math.max(fromMs, ...gaps.filter((gap) => gap.fromMs <= fromMs).map((gap) => gap.toMs));
  const endMs = Math.min(toMs, ...gaps.filter((gap) => gap.toMs >= toMs).map((gap) => gap.fromMs));
  return { startMs: startMs - fromMs, endMs: Math.max(startMs, endMs) - fromMs };
}

const overlap = (a: Offsets, b: Offsets): Offsets => ({
  startMs: Math.max(a.startMs, b.startMs),
  endMs: Math.min(a.endMs, b.endMs),
});

/** Moved inward to where intervals of the timeline begin and end. */
function onIntervals({ points, intervalMs }: Timeline, { from }: Range, { startMs, endMs }: Offsets): Offsets {
  const fromMs = from.epochMilliseconds;
  const inside = points.filter(
    (point) => point.endMs - intervalMs >= fromMs + startMs && point.endMs <= fromMs + endMs,
  );
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined) return { startMs, endMs: startMs };
  return { startMs: first.endMs - intervalMs - fromMs, endMs: last.endMs - fromMs };
}

interface ComparedParts {
  readonly now: Offsets;
  readonly before: Offsets;
}

/**
 * At the same distance from the start. Each side can only be cut where its own intervals end, which may take a bit more
 * from the other. `null` if their intervals never end together.
 */
function samePart(
  now: Timeline,
  before: Timeline,
  { counted, against }: Windows,
  known: Offsets,
): ComparedParts | null {
  let part = known;
  for (let last = { startMs: -1, endMs: -1 }; part.startMs !== last.startMs || part.endMs !== last.endMs; ) {
    last = part;
    part = onIntervals(before, against, onIntervals(now, counted, part));
  }
  return part.endMs > part.startMs ? { now: part, before: part } : null;
}

/** As many intervals of both, less than one interval apart; none if their intervals differ in length. */
function equalParts(now: Timeline, before: Timeline, { counted, against }: Windows, known: Offsets): ComparedParts {
  const [a, b] = [onIntervals(now, counted, known), onIntervals(before, against, known)];
  const isAlike = now.intervalMs === before.intervalMs;
  const lengthMs = isAlike ? Math.min(a.endMs - a.startMs, b.endMs - b.startMs) : 0;
  return { now: { ...a, endMs: a.startMs + lengthMs }, before: { ...b, endMs: b.startMs + lengthMs } };
}

function cut(timeline: Timeline, window: Range): Timeline {
  const [fromMs, toMs] = [window.from.epochMilliseconds, window.to.epochMilliseconds];
  const { intervalMs, points } = timeline;
  const inside = points.filter((point) => point.endMs - intervalMs >= fromMs && point.endMs <= toMs);
  return { ...timeline, fromMs, toMs, points: inside, gaps: [] };
}

/** Both timelines over the parts of their windows, as far as possible at the same distance from the start, for which both have numbers. */
export function comparableTimelines(
  now: Timeline,
  before: Timeline,
  { counted, against }: Windows,
): ComparableTimelines | Incomparable {
  const gaps = [...(now.gaps ?? []), ...(before.gaps ?? [])];
  if (gaps.length === 0) return { now, before, counted, against, isCut: false };
  // What is gone may be most of a window, and what is left of it another time of the week.
  if (gaps.some(({ reason }) => reason === 'retention')) return 'retention';
  const lengthMs = counted.to.epochMilliseconds - counted.from.epochMilliseconds;
  const known = overlap(knownPart(now, counted), knownPart(before, against));
  const parts =
    samePart(now, before, { counted, against }, known) ?? equalParts(now, before, { counted, against }, known);
  if (parts.now.endMs - parts.now.startMs < MIN_SHARE * lengthMs) {
    return 'steps';
  }
  const partOf = ({ from }: Range, { startMs, endMs }: Offsets): Range => ({
    from: from.add({ milliseconds: startMs }),
    to: from.add({ milliseconds: endMs }),
  });
  const windows = { counted: partOf(counted, parts.now), against: partOf(against, parts.before) };
  return { now: cut(now, windows.counted), before: cut(before, windows.against), ...windows, isCut: true };
}

export interface ComparableDistributions {
  readonly now: Distribution;
  readonly before: Distribution;
}

const hasLimit = ({ limits = [] }: Distribution, limit: AnswerLimit): boolean => limits.includes(limit);

/** Both with the categories that are known in both, and everything else together. */
export function comparableDistributions(
  now: Distribution,
  before: Distribution,
): ComparableDistributions | Incomparable {
  const gap = [...(now.gaps ?? []), ...(before.gaps ?? [])][0];
  if (gap !== undefined) return gap.reason;
  if (hasLimit(now, 'groups') !== hasLimit(before, 'groups')) return 'categories';
  const unknown = new Set([...(now.unknownCategories ?? []), ...(before.unknownCategories ?? [])]);
  if (unknown.size === 0 && hasLimit(now, 'largest') === hasLimit(before, 'largest')) return { now, before };
  const names = [...new Set([...now.counts, ...before.counts].map(({ category }) => category))].filter(
    (category) => category !== REST && !unknown.has(category) && isKnown(now, category) && isKnown(before, category),
  );
  return { now: reduced(now, names, unknown), before: reduced(before, names, unknown) };
}

const isKnown = (distribution: Distribution, category: string): boolean => countOf(distribution, category) !== null;

/** The named categories, and the rest as one. What one side doesn't know at all is in neither. */
function reduced(distribution: Distribution, names: readonly string[], unknown: ReadonlySet<string>): Distribution {
  const counts: CategoryCount[] = names.map((category) => ({ category, count: countOf(distribution, category) ?? 0 }));
  const others = distribution.counts.filter(({ category }) => !names.includes(category) && !unknown.has(category));
  const rest = others.reduce((sum, { count }) => sum + count, 0);
  return { ...distribution, counts: rest > 0 ? [...counts, { category: REST, count: rest }] : counts };
}
