/**
 * Timelines of up to a day, cut from those of whole days in UTC: whoever asks about a part of a day shares one answer, a day
 * that is over is requested once, and of the current one only the end is requested again. The result is what the service
 * would have answered for the window itself.
 */

import { LRUCache } from 'lru-cache';
import { LATE_LOGGING_MS } from '../../statistics/settled.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { PointSeries, QueryWindow, WindowEdges } from '../wire/exchange.ts';
import {
  type AnswerCacheOptions,
  answerSchema,
  type CachedAnswer,
  type DatedAnswer,
  hostsKey,
  type IncrementalCache,
  seriesSchema,
} from './answer-cache.ts';

type TimelineCacheOptions = Pick<AnswerCacheOptions<PointSeries>, 'cache' | 'scope' | 'now' | 'fetch'>;

const daySchema = answerSchema(seriesSchema);

/** A shorter window is requested as it is: its answer is small. */
const MIN_WINDOW_MS = 2 * HOUR_MS;
/** The service gives minutes for up to a day. */
const INTERVAL_MS = MINUTE_MS;
/** Older days may begin before the service's data does. */
const MAX_AGE_MS = 28 * DAY_MS;
/** Longer than between two runs of a watch. */
const TTL_MS = 2 * HOUR_MS;
const MAX_UNFIT = 500;

const dayStart = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Whether nothing can be added to the day, even if logging is late. */
const isOver = (startMs: number, nowMs: number): boolean => startMs + DAY_MS <= nowMs - LATE_LOGGING_MS;

export function createTimelineCache(options: TimelineCacheOptions) {
  const { scope, now } = options;
  /** Hosts of which the service gives something else than minutes. */
  const unfit = new LRUCache<string, true>({ max: MAX_UNFIT });
  const isFit = ({ hosts }: QueryWindow): boolean => !unfit.has(hostsKey(hosts));
  const fetchDay = createDayFetch(options);

  const incremental: IncrementalCache<PointSeries> = {
    groupOf(window) {
      const { fromMs, toMs, hosts } = window;
      const isCurrent = fromMs % DAY_MS === 0 && toMs <= fromMs + DAY_MS && !isOver(fromMs, now());
      return isCurrent && isFit(window) ? `day:${fromMs}:${scope}:${hostsKey(hosts)}` : null;
    },
    async find(group, window) {
      const day = await options.cache.get(group, daySchema);
      return day === undefined || window.toMs > day.toMs ? undefined : cut(day, window);
    },
    fetch: fetchDay,
  };

  return {
    incremental,
    /** The days that a window is cut from; `null` for a window that has to be requested as it is. */
    daysOf(window: QueryWindow): readonly QueryWindow[] | null {
      const { fromMs, toMs } = window;
      const lengthMs = toMs - fromMs;
      const isRecent = now() - dayStart(fromMs) <= MAX_AGE_MS;
      if (lengthMs < MIN_WINDOW_MS || lengthMs > DAY_MS || !isRecent || !isFit(window)) return null;
      return [...new Set([dayStart(fromMs), dayStart(toMs - 1)])].map((startMs) => {
        const endMs = startMs + DAY_MS;
        return {
          ...window,
          offset: '+00:00',
          fromMs: startMs,
          toMs: isOver(startMs, now()) ? endMs : Math.min(toMs, endMs),
        };
      });
    },
    /** The answers for a day, cut to the window; `null` if they can't be cut. */
    cutDay(window: QueryWindow, day: readonly CachedAnswer<PointSeries>[]): CachedAnswer<PointSeries>[] | null {
      if (day.every(({ value }) => isByMinute(value))) return day.map((part) => ({ ...part, ...cut(part, window) }));
      if (day.some(({ value }) => value.ends.length > 1)) unfit.set(hostsKey(window.hosts), true);
      return null;
    },
  };
}

/**
 * The day that isn't over is requested up to the current minute, whatever part of it is needed, and afterwards only what comes
 * after the earlier answer.
 */
function createDayFetch({ cache, now, fetch }: TimelineCacheOptions): IncrementalCache<PointSeries>['fetch'] {
  return async (group, window, signal) => {
    const { fromMs } = window;
    const nowMinute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    const toMs = Math.min(fromMs + DAY_MS, Math.max(window.toMs, nowMinute));
    const earlier = await cache.get(group, daySchema);
    const resumeMs = earlier === undefined ? null : resumeAt(earlier, toMs);
    const asOfMs = now();
    const added = await fetch({ ...window, fromMs: resumeMs ?? fromMs, toMs }, signal);
    const value = earlier === undefined || resumeMs === null ? added : extend(earlier.value, added, resumeMs);
    if (isByMinute(value)) {
      const day = { fromMs, toMs, asOfMs, value };
      await cache.set(group, day, TTL_MS);
      return { answer: cut(day, window), stored: true };
    }
    const isWhole = resumeMs === null && toMs === window.toMs;
    const exact = isWhole ? added : await fetch(window, signal);
    return { answer: { fromMs, toMs: window.toMs, asOfMs, value: exact }, stored: false };
  };
}

/** Whether every part of it can be cut out: totals, gaps and limits belong to the whole. */
function isByMinute({ intervalMs, ends: [first], totals, gaps = [], limits = [] }: PointSeries): boolean {
  const isWhole = totals !== undefined || gaps.length > 0 || limits.length > 0;
  return !isWhole && intervalMs === INTERVAL_MS && first !== undefined && first % INTERVAL_MS === 0;
}

/** The end of the last minute that can't grow anymore, even if logging is late; `null` if there is none. */
function resumeAt(day: DatedAnswer<PointSeries>, toMs: number): number | null {
  const settledMs = Math.min(day.toMs, day.asOfMs - LATE_LOGGING_MS);
  const lastMs = day.value.ends.findLast((endMs) => endMs <= settledMs);
  return lastMs === undefined || lastMs >= toMs ? null : lastMs;
}

/** The series with a later answer in place of its end. */
function extend(series: PointSeries, end: PointSeries, resumeMs: number): PointSeries {
  // The service has changed its intervals.
  if (end.ends.length > 0 && !isByMinute(end)) return end;
  const kept = series.ends.filter((endMs) => endMs <= resumeMs).length;
  const join = <V>(old: readonly V[], more: readonly V[]): V[] => [...old.slice(0, kept), ...more];
  return {
    intervalMs: series.intervalMs,
    ends: join(series.ends, end.ends),
    requests: join(series.requests, end.requests),
    attacks: join(series.attacks, end.attacks),
  };
}

function cut(day: DatedAnswer<PointSeries>, window: WindowEdges): DatedAnswer<PointSeries> {
  const [fromMs, toMs] = [Math.max(day.fromMs, window.fromMs), Math.min(day.toMs, window.toMs)];
  const { ends, requests, attacks } = day.value;
  const isPart = (_: unknown, at: number): boolean => (ends[at] ?? 0) > fromMs && (ends[at] ?? 0) <= toMs;
  const value = {
    ...day.value,
    ends: ends.filter(isPart),
    requests: requests.filter(isPart),
    attacks: attacks.filter(isPart),
  };
  return { fromMs, toMs, asOfMs: day.asOfMs, value };
}
