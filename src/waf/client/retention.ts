/**
 * How far back the service keeps data, learned from its own timelines: where numbers begin for all hosts at once. Older
 * data is gone, so it is unknown and not zero, whether the service leaves it out or sends zeros.
 */
import { z } from 'zod';
import type { Gap } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
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
  /** When no number was found at all, even recent ones. */
  let silentMs = Number.NEGATIVE_INFINITY;

  const reachesBack = ({ fromMs }: WindowEdges): boolean => now() - fromMs > MIN_RETENTION_MS;

  async function learned(): Promise<Learned> {
    return (await cache.get(key, learnedSchema)) ?? { seenMs: 0, emptyMs: null };
  }

  async function learn(window: QueryWindow, series: PointSeries): Promise<Learned> {
    const known = await learned();
    const next = withTimeline(known, window, series, now());
    if (next.seenMs !== known.seenMs || next.emptyMs !== known.emptyMs) await cache.set(key, next, TTL_MS);
    return next;
  }

  /** The same, and of newer numbers too if there are none in the window: without those it may just be a silent project. */
  async function learnFrom(window: QueryWindow, series: PointSeries): Promise<Learned> {
    const known = await learn(window, series);
    const newer = { ...window, fromMs: window.toMs, toMs: Math.floor(now() / HOUR_MS) * HOUR_MS };
    const canTell = newer.toMs - newer.fromMs >= MIN_EMPTY_MS && now() - silentMs >= TTL_MS;
    if (firstNumber(series) >= 0 || known.seenMs > 0 || !canTell) return known;
    silentMs = now();
    if ((await learn(newer, await timeline(newer))).seenMs > 0) silentMs = Number.NEGATIVE_INFINITY;
    return learn(window, series);
  }

  function gapIn({ fromMs, toMs }: WindowEdges, known: Learned): readonly Gap[] {
    if (known.emptyMs === null) return [];
    const keptSinceMs = isSharp(known) ? now() - known.seenMs : undefined;
    const beginMs = keptSinceMs ?? now() - known.emptyMs;
    return fromMs >= beginMs ? [] : [{ fromMs, toMs: Math.min(toMs, beginMs), reason: 'retention', keptSinceMs }];
  }

  /** By the timeline of all hosts, requested once a day if nothing is known yet. */
  async function ofWindow(window: QueryWindow): Promise<readonly Gap[]> {
    if (!reachesBack(window)) return [];
    const known = await learned();
    const isKnown = isSharp(known) || now() - window.fromMs <= known.seenMs;
    if (isKnown || now() - window.fromMs <= MIN_ASKED_MS) return gapIn(window, known);
    const all = { ...window, hosts: [] };
    return gapIn(window, await learnFrom(all, await timeline(all)));
  }

  return {
    /** The gap in a timeline, learning from it on the way. */
    async ofTimeline(window: QueryWindow, series: PointSeries): Promise<readonly Gap[]> {
      if (!reachesBack(window)) return [];
      if (window.hosts.length === 0) return gapIn(window, await learnFrom(window, series));
      await learn(window, series);
      // Hosts may be newer than the service's data, which only the timeline of all hosts can tell.
      const firstEndMs = series.ends[firstNumber(series)];
      const emptyMs = (firstEndMs === undefined ? window.toMs : firstEndMs - series.intervalMs) - window.fromMs;
      return emptyMs < MIN_EMPTY_MS ? [] : ofWindow(window);
    },
    /** The gap in a window of which only totals are known. */
    ofWindow,
  };
}

/** Whether it is known where the data begins, and not only that there is none in some older window. */
const isSharp = ({ seenMs, emptyMs }: Learned): boolean => emptyMs !== null && emptyMs - seenMs <= MIN_EMPTY_MS;

/** The index of the first interval with any number but zero; -1 if there is none. */
const firstNumber = ({ ends, requests, attacks }: PointSeries): number =>
  ends.findIndex((_, at) => (requests[at] ?? 0) + (attacks[at] ?? 0) > 0);

/** What a timeline adds to what is known. Only one of all hosts shows that there is no data. */
function withTimeline(known: Learned, window: QueryWindow, series: PointSeries, nowMs: number): Learned {
  const { ends, intervalMs } = series;
  const first = firstNumber(series);
  const isOfAll = window.hosts.length === 0;
  if (first < 0 && !isOfAll) return known;
  if (first < 0) {
    // Nothing at all says nothing, unless newer numbers were seen.
    const ageMs = nowMs - window.toMs;
    const isBeyond = known.seenMs > 0 && ageMs >= known.seenMs - DAY_MS && window.toMs - window.fromMs >= MIN_EMPTY_MS;
    return isBeyond ? { ...known, emptyMs: Math.min(known.emptyMs ?? ageMs, ageMs) } : known;
  }
  const beginMs = Math.max(window.fromMs, (ends[first] ?? 0) - intervalMs);
  const seenMs = Math.max(known.seenMs, nowMs - beginMs);
  const isEmptyBefore = beginMs - window.fromMs >= MIN_EMPTY_MS;
  if (isOfAll && isEmptyBefore && nowMs - beginMs >= known.seenMs) return { seenMs, emptyMs: nowMs - beginMs };
  return { seenMs, emptyMs: known.emptyMs !== null && known.emptyMs < seenMs ? null : known.emptyMs };
}
