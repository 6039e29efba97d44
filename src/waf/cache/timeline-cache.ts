/**
 * Timelines of windows that move with time, such as the seven hours that a watch evaluates every few minutes: of an
 * earlier answer only the end is asked for again, and for windows in the past some hours are read ahead. The result is
 * what the service would have answered for the whole window.
 */

import { SETTLE_MS } from '../../statistics/settled.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { QueryWindow } from '../wire/query-window.ts';
import type { PointSeries } from '../wire/series.ts';
import { type FetchedAnswer, hostsKey, type IncrementalCache } from './answer-cache.ts';
import type { BestEffortCache } from './best-effort-cache.ts';
import {
  type DatedAnswer,
  isFresh,
  type KeptAnswer,
  readAnswer,
  readReference,
  seriesCodec,
  writeAnswer,
  writeReference,
} from './stored-answer.ts';

interface TimelineCacheOptions {
  readonly cache: BestEffortCache;
  readonly scope: string;
  readonly now: () => number;
  /** Asks the service. */
  readonly fetch: (window: QueryWindow, signal: AbortSignal) => Promise<PointSeries>;
}

/** A piece of timeline. It begins and ends where an interval does. */
type Segment = DatedAnswer<PointSeries>;

/** Of a shorter window all is asked for again: that is one call as well, and its answer is small. */
const MIN_WINDOW_MS = 2 * 60 * MINUTE_MS;
/** Longer windows are rarely asked for again, and a segment has to be read and written whole. */
const MAX_WINDOW_MS = 31 * 60 * MINUTE_MS;
/** Intervals up to this begin at the same instants in every zone, so that zones can share. */
const MAX_INTERVAL_MS = 15 * MINUTE_MS;
const READ_AHEAD_MS = 6 * 60 * MINUTE_MS;
/** Longer than between two runs of a watch; windows that grow, such as today, are of another length every minute. */
const TTL_MS = 2 * 60 * MINUTE_MS;
/** Now, the day before, the week before, and one more. */
const MAX_SEGMENTS = 4;

export function createTimelineCache({ cache, scope, now, fetch }: TimelineCacheOptions): IncrementalCache<PointSeries> {
  /** By length, because the service chooses the interval by the length of the window. */
  function groupOf({ fromMs, toMs, hosts }: QueryWindow): string | null {
    const lengthMs = toMs - fromMs;
    const wholeMinutes = fromMs % MINUTE_MS === 0 && toMs % MINUTE_MS === 0;
    const usable = wholeMinutes && lengthMs >= MIN_WINDOW_MS && lengthMs <= MAX_WINDOW_MS;
    return usable ? `kept:${lengthMs}:${scope}:${hostsKey(hosts)}` : null;
  }

  /** Most are only looked at for their times: the numbers themselves are kept apart. */
  async function list(group: string): Promise<readonly KeptAnswer[]> {
    const stored = await cache.get(group);
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((text) => readReference(text) ?? []);
  }

  /** What is there by now: it may be of later than the list says, or gone. */
  const read = async ({ key }: KeptAnswer): Promise<Segment | undefined> =>
    readAnswer(await cache.get(key), seriesCodec);

  let lastListed: Promise<unknown> = Promise.resolve();

  /** Windows far apart are asked for side by side, but the list of what is kept of them is changed one after the other. */
  function enlist(group: string, kept: KeptDates, keyOf: (listed: readonly KeptAnswer[]) => string): Promise<string> {
    const listed = lastListed.then(() => add(group, kept, keyOf));
    lastListed = listed;
    return listed;
  }

  async function add(
    group: string,
    kept: KeptDates,
    keyOf: (listed: readonly KeptAnswer[]) => string,
  ): Promise<string> {
    const listed = await list(group);
    const key = keyOf(listed);
    const others = listed.filter((other) => other.key !== key && !isWithin(other, kept));
    await cache.set(group, [{ ...kept, key }, ...others].slice(0, MAX_SEGMENTS).map(writeReference), TTL_MS);
    return key;
  }

  /** In place of the one that was extended, so that a window that moves all day is stored once. */
  async function store(group: string, segment: Segment, { key }: KeptAnswer): Promise<void> {
    const place = await enlist(group, datesOf(segment), (listed) => (isPlace(key) ? key : freePlace(group, listed)));
    await cache.setText(place, () => writeAnswer(segment, seriesCodec), TTL_MS);
  }

  /** What was found for a window, for the question to the service that follows at once. */
  const lastFound = new WeakMap<QueryWindow, readonly KeptAnswer[]>();

  return {
    groupOf,
    async find(group, window) {
      const nowMs = now();
      const found = await list(group);
      lastFound.set(window, found);
      for (const kept of found) {
        if (!isFresh({ toMs: window.toMs, asOfMs: kept.asOfMs }, nowMs) || !isWithin(window, kept)) continue;
        const segment = await read(kept);
        if (segment !== undefined && covers(segment, window)) return cut(segment, window.fromMs, window.toMs);
      }
      return undefined;
    },
    async fetch(group, window, key, signal): Promise<FetchedAnswer<PointSeries>> {
      const found = lastFound.get(window) ?? (await list(group));
      // Of the one that goes on for longest the least is left to ask for.
      for (const kept of found.toSorted((a, b) => b.toMs - a.toMs)) {
        if (window.fromMs < kept.fromMs || window.fromMs >= kept.toMs) continue;
        const segment = await read(kept);
        const resumeMs = segment === undefined ? null : resumeAt(segment, window);
        if (segment === undefined || resumeMs === null) continue;
        const asOfMs = now();
        const aheadMs = window.toMs + READ_AHEAD_MS;
        const readsAhead = aheadMs <= asOfMs - SETTLE_MS && aheadMs - resumeMs <= lengthOf(window);
        const toMs = readsAhead ? aheadMs : window.toMs;
        const tail = await fetch({ ...window, fromMs: resumeMs, toMs }, signal);
        const longer = extend(segment, { fromMs: resumeMs, toMs, asOfMs, value: tail }, lengthOf(window));
        if (longer === null) break;
        return { ...cut(longer, window.fromMs, window.toMs), extended: true, stored: store(group, longer, kept) };
      }
      const asOfMs = now();
      const value = await fetch(window, signal);
      const whole = { fromMs: window.fromMs, toMs: window.toMs, asOfMs, value };
      const stored = isUsable(whole) ? enlist(group, datesOf(whole), () => key) : null;
      return { ...whole, extended: false, stored };
    },
  };
}

/** Where segments that were extended are stored; of others it is the answer itself. */
const PLACE = 'segment:';
const isPlace = (key: string): boolean => key.startsWith(PLACE);

function freePlace(group: string, listed: readonly KeptAnswer[]): string {
  const places = Array.from({ length: MAX_SEGMENTS }, (_, n) => `${PLACE}${n}:${group}`);
  const [last = ''] = places.slice(-1);
  return places.find((place) => listed.every(({ key }) => key !== place)) ?? last;
}

type KeptDates = Omit<KeptAnswer, 'key'>;

const datesOf = ({ fromMs, toMs, asOfMs }: KeptDates): KeptDates => ({ fromMs, toMs, asOfMs });

const lengthOf = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number => toMs - fromMs;

type Edges = Pick<Segment, 'fromMs' | 'toMs'>;

const isWithin = (inner: Edges, outer: Edges): boolean => inner.fromMs >= outer.fromMs && inner.toMs <= outer.toMs;

/** Whether the edges lie between intervals: an interval that an edge cuts has fewer requests in the service's answer. */
function isAligned({ value: { ends, intervalMs } }: Segment, ...edgesMs: readonly number[]): boolean {
  const [firstMs = 0] = ends;
  return edgesMs.every((edgeMs) => (edgeMs - firstMs) % intervalMs === 0);
}

function isUsable(segment: Segment): boolean {
  const { intervalMs, ends } = segment.value;
  if (ends.length < 2 || intervalMs > MAX_INTERVAL_MS) return false;
  return isAligned(segment, segment.fromMs, segment.toMs);
}

function covers(segment: Segment, window: QueryWindow): boolean {
  return isWithin(window, segment) && isAligned(segment, window.fromMs, window.toMs);
}

/** The end of the last final interval, where it lies within the window; `null` when the segment is of no use for it. */
function resumeAt(segment: Segment, { fromMs, toMs }: QueryWindow): number | null {
  if (fromMs < segment.fromMs || !isAligned(segment, fromMs, toMs)) return null;
  const settledMs = Math.min(segment.toMs, segment.asOfMs - SETTLE_MS);
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

/** The part of a segment between two edges. */
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
