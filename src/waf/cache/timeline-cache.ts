/**
 * Timelines of windows that move with time, such as the seven hours that a watch evaluates every few minutes: only the end
 * of an earlier answer is requested again, and for windows in the past some hours are read ahead. The result is what the
 * service would have answered for the whole window.
 */

import { z } from 'zod';
import { LATE_LOGGING_MS, SETTLE_MS } from '../../statistics/settled.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { QueryWindow, WindowEdges } from '../wire/exchange.ts';
import type { PointSeries } from '../wire/series.ts';
import {
  type AnswerCacheOptions,
  answerSchema,
  type DatedAnswer,
  hostsKey,
  type IncrementalCache,
  seriesSchema,
} from './answer-cache.ts';

type TimelineCacheOptions = Pick<AnswerCacheOptions<PointSeries>, 'cache' | 'scope' | 'now' | 'fetch'>;

/** A piece of timeline. It begins and ends where an interval does. */
type Segment = DatedAnswer<PointSeries>;

const segmentsSchema = z.array(answerSchema(seriesSchema));

/** A shorter window is requested again as a whole: that is one call as well, and its answer is small. */
const MIN_WINDOW_MS = 2 * HOUR_MS;
/** Longer windows are rarely requested again, and a segment has to be read and written whole. */
const MAX_WINDOW_MS = 31 * HOUR_MS;
/** Intervals up to this begin at the same instants in every zone, so that zones can share. */
const MAX_INTERVAL_MS = 15 * MINUTE_MS;
const READ_AHEAD_MS = 6 * HOUR_MS;
/** Longer than between two runs of a watch; windows that grow, such as today, are of another length every minute. */
const TTL_MS = 2 * HOUR_MS;
/** Now, the day before, the week before, and one more. */
const MAX_SEGMENTS = 4;

/** By length, because the service chooses the interval by the length of the window. */
const groupIn =
  (scope: string) =>
  ({ fromMs, toMs, hosts }: QueryWindow): string | null => {
    const lengthMs = toMs - fromMs;
    const wholeMinutes = fromMs % MINUTE_MS === 0 && toMs % MINUTE_MS === 0;
    const usable = wholeMinutes && lengthMs >= MIN_WINDOW_MS && lengthMs <= MAX_WINDOW_MS;
    return usable ? `segments:${lengthMs}:${scope}:${hostsKey(hosts)}` : null;
  };

export function createTimelineCache({ cache, scope, now, fetch }: TimelineCacheOptions): IncrementalCache<PointSeries> {
  const list = async (group: string): Promise<readonly Segment[]> => (await cache.get(group, segmentsSchema)) ?? [];

  let lastWrite: Promise<void> = Promise.resolve();

  /** Windows far apart are requested in parallel, but the list of their segments is changed one after the other. */
  function store(group: string, segment: Segment, replaced?: Segment): Promise<void> {
    const isObsolete = (other: Segment) =>
      isWithin(other, segment) || (other.fromMs === replaced?.fromMs && other.toMs === replaced.toMs);
    lastWrite = lastWrite.then(async () => {
      const others = (await list(group)).filter((other) => !isObsolete(other));
      await cache.set(group, [segment, ...others].slice(0, MAX_SEGMENTS), TTL_MS);
    });
    return lastWrite;
  }

  /** `null` when the service has changed its intervals. */
  async function fetchEnd(segment: Segment, window: QueryWindow, resumeMs: number, signal: AbortSignal) {
    const asOfMs = now();
    const aheadMs = window.toMs + READ_AHEAD_MS;
    const readsAhead = aheadMs <= asOfMs - SETTLE_MS && aheadMs - resumeMs <= lengthOf(window);
    const toMs = readsAhead ? aheadMs : window.toMs;
    const value = await fetch({ ...window, fromMs: resumeMs, toMs }, signal);
    return extend(segment, { fromMs: resumeMs, toMs, asOfMs, value }, lengthOf(window));
  }

  return {
    groupOf: groupIn(scope),
    async find(group, window) {
      const found = (await list(group)).filter((segment) => covers(segment, window));
      const latest = found.toSorted((a, b) => b.asOfMs - a.asOfMs)[0];
      return latest === undefined ? undefined : cut(latest, window.fromMs, window.toMs);
    },
    async fetch(group, window, signal) {
      // The segment that ends last leaves the least to request.
      for (const segment of (await list(group)).toSorted((a, b) => b.toMs - a.toMs)) {
        const resumeMs = resumeAt(segment, window);
        if (resumeMs === null) continue;
        const longer = await fetchEnd(segment, window, resumeMs, signal);
        if (longer === null) break;
        await store(group, longer, segment);
        return { answer: cut(longer, window.fromMs, window.toMs), stored: true };
      }
      const asOfMs = now();
      const value = await fetch(window, signal);
      const answer = { fromMs: window.fromMs, toMs: window.toMs, asOfMs, value };
      const stored = isUsable(answer);
      if (stored) await store(group, answer);
      return { answer, stored };
    },
  };
}

const lengthOf = ({ fromMs, toMs }: WindowEdges): number => toMs - fromMs;

const isWithin = (inner: WindowEdges, outer: WindowEdges): boolean =>
  inner.fromMs >= outer.fromMs && inner.toMs <= outer.toMs;

/** Whether the edges lie between intervals: an interval that an edge cuts has fewer requests in the service's answer. */
function isAligned({ value: { ends, intervalMs } }: Segment, ...edgesMs: readonly number[]): boolean {
  const [firstMs = 0] = ends;
  return edgesMs.every((edgeMs) => (edgeMs - firstMs) % intervalMs === 0);
}

function isUsable(segment: Segment): boolean {
  const { intervalMs, ends, totals, gaps = [] } = segment.value;
  // Totals and gaps belong to the whole window and can't be cut.
  if (ends.length < 2 || intervalMs > MAX_INTERVAL_MS || totals !== undefined || gaps.length > 0) return false;
  return isAligned(segment, segment.fromMs, segment.toMs);
}

function covers(segment: Segment, window: QueryWindow): boolean {
  return isWithin(window, segment) && isAligned(segment, window.fromMs, window.toMs);
}

/**
 * The end of the last interval within the window that can't grow anymore, even if logging is late; `null` when the segment
 * is of no use for it.
 */
function resumeAt(segment: Segment, { fromMs, toMs }: QueryWindow): number | null {
  if (fromMs < segment.fromMs || !isAligned(segment, fromMs, toMs)) return null;
  const settledMs = Math.min(segment.toMs, segment.asOfMs - LATE_LOGGING_MS);
  const lastMs = segment.value.ends.findLast((endMs) => endMs <= settledMs);
  return lastMs === undefined || lastMs <= fromMs || lastMs >= toMs ? null : lastMs;
}

/** The segment with a later answer in place of its end; `null` when their intervals differ. */
function extend(segment: Segment, tail: Segment, lengthMs: number): Segment | null {
  const { intervalMs, ends, requests, attacks } = segment.value;
  const { value: added } = tail;
  const fits = added.ends.every((endMs) => (endMs - tail.fromMs) % intervalMs === 0);
  if (!fits || (added.ends.length > 0 && added.intervalMs !== intervalMs)) return null;
  const fromMs = Math.max(segment.fromMs, tail.toMs - Math.ceil((lengthMs + READ_AHEAD_MS) / intervalMs) * intervalMs);
  const first = ends.findIndex((endMs) => endMs > fromMs);
  const keep = ends.filter((endMs) => endMs <= tail.fromMs).length;
  const join = <V>(old: readonly V[], more: readonly V[]): V[] => [...old.slice(Math.max(0, first), keep), ...more];
  const value = {
    intervalMs,
    ends: join(ends, added.ends),
    requests: join(requests, added.requests),
    attacks: join(attacks, added.attacks),
    limits: [...new Set([...(segment.value.limits ?? []), ...(added.limits ?? [])])],
  };
  return { fromMs, toMs: tail.toMs, asOfMs: tail.asOfMs, value };
}

function cut({ value, asOfMs }: Segment, fromMs: number, toMs: number): Segment {
  const first = value.ends.findIndex((endMs) => endMs > fromMs);
  const count = value.ends.filter((endMs) => endMs > fromMs && endMs <= toMs).length;
  const part = <V>(column: readonly V[]): V[] => column.slice(Math.max(0, first), Math.max(0, first) + count);
  const series = {
    ...value,
    ends: part(value.ends),
    requests: part(value.requests),
    attacks: part(value.attacks),
  };
  return { fromMs, toMs, asOfMs, value: series };
}
