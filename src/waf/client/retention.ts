/**
 * How far back the service keeps data, learned from its own timelines: where numbers begin for all hosts at once. Older
 * data is gone, so it is unknown and not zero, whether the service leaves it out or sends zeros.
 */
import { z } from 'zod';
import type { Gap } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import type { QueryWindow, WindowEdges } from '../wire/query-window.ts';
import type { PointSeries } from '../wire/series.ts';

/** The family keeps 30 days and more, so shorter questions never have to find out. */
const MIN_RETENTION_MS = 28 * DAY_MS;
/** A site may be quiet for a night; without a single request for this long there is no data. */
const MIN_EMPTY_MS = DAY_MS;
/** A verdict looks at the five weeks before; only a window that reaches further back is worth a call. */
const MIN_ASKED_MS = 35 * DAY_MS;
const TTL_MS = DAY_MS;

const learnedSchema = z.object({
  /** Age of the oldest numbers that were seen. */
  seenMs: z.number(),
  /** Age from which on there are none; `null` until that was seen. */
  emptyMs: z.number().nullable(),
});
type Learned = Readonly<z.infer<typeof learnedSchema>>;

interface RetentionOptions {
  readonly cache: BestEffortCache;
  readonly scope: string;
  readonly now: () => number;
  /** The timeline of all hosts, to find out where its numbers begin. */
  readonly timeline: (window: QueryWindow) => Promise<PointSeries>;
}

export function createRetention({ cache, scope, now, timeline }: RetentionOptions) {
  const key = `retention:${scope}`;

  const reachesBack = ({ fromMs }: WindowEdges): boolean => now() - fromMs > MIN_RETENTION_MS;

  async function learned(): Promise<Learned> {
    return (await cache.get(key, learnedSchema)) ?? { seenMs: 0, emptyMs: null };
  }

  async function learn(window: QueryWindow, series: PointSeries): Promise<Learned> {
    const known = await learned();
    if (window.hosts.length > 0) return known;
    const next = withTimeline(known, window, series, now());
    if (next.seenMs !== known.seenMs || next.emptyMs !== known.emptyMs) await cache.set(key, next, TTL_MS);
    return next;
  }

  function gapIn({ fromMs, toMs }: WindowEdges, { seenMs, emptyMs }: Learned): readonly Gap[] {
    const beginMs = now() - seenMs;
    if (emptyMs === null || fromMs >= beginMs) return [];
    return [{ fromMs, toMs: Math.min(toMs, beginMs), reason: 'retention' }];
  }

  return {
    /** The gap in a timeline, learning from it on the way. */
    async ofTimeline(window: QueryWindow, series: PointSeries): Promise<readonly Gap[]> {
      return reachesBack(window) ? gapIn(window, await learn(window, series)) : [];
    },
    /** The gap in a window of which only totals are known. Asks for its timeline, once a day, if nothing is known yet. */
    async ofWindow(window: QueryWindow): Promise<readonly Gap[]> {
      if (!reachesBack(window)) return [];
      const known = await learned();
      const isKnown = known.emptyMs !== null || now() - window.fromMs <= known.seenMs;
      if (isKnown || now() - window.fromMs <= MIN_ASKED_MS) return gapIn(window, known);
      const all = { ...window, hosts: [] };
      return gapIn(window, await learn(all, await timeline(all)));
    },
  };
}

/** What a timeline of all hosts adds to what is known. */
function withTimeline(known: Learned, window: WindowEdges, series: PointSeries, nowMs: number): Learned {
  const { ends, requests, attacks, intervalMs } = series;
  const first = ends.findIndex((_, at) => (requests[at] ?? 0) + (attacks[at] ?? 0) > 0);
  if (first < 0) {
    // Nothing at all says nothing, unless newer numbers were seen.
    const ageMs = nowMs - window.toMs;
    const isBeyond = known.seenMs > 0 && ageMs >= known.seenMs - DAY_MS && window.toMs - window.fromMs >= MIN_EMPTY_MS;
    return isBeyond ? { ...known, emptyMs: Math.min(known.emptyMs ?? ageMs, ageMs) } : known;
  }
  const beginMs = Math.max(window.fromMs, (ends[first] ?? 0) - intervalMs);
  const seenMs = Math.max(known.seenMs, nowMs - beginMs);
  const isEmptyBefore = beginMs - window.fromMs >= MIN_EMPTY_MS;
  if (isEmptyBefore && nowMs - beginMs >= known.seenMs) return { seenMs, emptyMs: nowMs - beginMs };
  return { seenMs, emptyMs: known.emptyMs !== null && known.emptyMs < seenMs ? null : known.emptyMs };
}
