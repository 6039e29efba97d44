/** Timelines of the overviews dialect: `request/timeline`, or `qps/timeline` for services that only have that. */

import { LRUCache } from 'lru-cache';
import { BotError } from '../../errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { badAnswer } from '../client/failure.ts';
import { joinInTime, type PointSeries, type QueryWindow } from '../wire/exchange.ts';
import { countsFromRates, habitsFrom, type PointHabits, toSeries } from './overviews-points.ts';
import { isRefusedWindow, type OverviewsService, type OverviewWindow } from './overviews-service.ts';
import { cutToWindow, holdingWindow, sameFixedWindow, settledWindows } from './overviews-windows.ts';
import { type RawTimeline, readOverviewTimeline } from './overviews-wire.ts';

export const REQUEST_TIMELINE = 'waf/overviews/request/timeline';
export const QPS_TIMELINE = 'waf/overviews/qps/timeline';

/** How long until the habits of a silent service are looked for again. */
const LEARN_AGAIN_MS = HOUR_MS;
/** How long a long window is reused to cut others out of it. */
const REUSE_MS = MINUTE_MS;
const MAX_REUSED = 100;

/** Enough for a month in single minutes. */
const MAX_HALVINGS = 3;

const areKnown = ({ label, unit }: PointHabits): boolean => label !== null && unit !== null;
const isTooLarge = (error: unknown): boolean => error instanceof BotError && error.reason?.is === 'answer_too_large';

interface LabeledTimeline extends RawTimeline {
  readonly isQps: boolean;
}

async function requestPoints(
  { ask, unlessMissing }: OverviewsService,
  window: OverviewWindow,
  signal: AbortSignal,
): Promise<LabeledTimeline> {
  const requests = await unlessMissing(REQUEST_TIMELINE, () => ask(REQUEST_TIMELINE, window, signal));
  if (requests !== null) return { ...readOverviewTimeline(requests), isQps: false };
  return { ...readOverviewTimeline(await ask(QPS_TIMELINE, window, signal)), isQps: true };
}

/** Learns what points mean by comparing a settled window with its totals. */
function createHabits(service: OverviewsService) {
  const { totals, traits, now, closing } = service;
  let learning: Promise<void> | undefined;
  let learnAgainMs = 0;

  async function compareWithTotals(): Promise<void> {
    const nowMs = now();
    learnAgainMs = nowMs + LEARN_AGAIN_MS;
    for (const { fromMs, toMs } of settledWindows(nowMs)) {
      const window = { fromMs, toMs, hosts: [] };
      try {
        const [points, sums] = await Promise.all([requestPoints(service, window, closing), totals(window, closing)]);
        const { label, unit } = habitsFrom(points, sums, window);
        if (label !== null || unit !== null) traits.learn({ label, unit });
        if (areKnown(traits.current)) return;
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        // The question that follows meets the same failure and reports it.
        if (!isRefusedWindow(error)) return;
      }
    }
  }

  return async function learnHabits(): Promise<void> {
    if (areKnown(await traits.load()) || (learning === undefined && now() < learnAgainMs)) return;
    learning ??= compareWithTotals().finally(() => {
      learning = undefined;
    });
    await learning;
  };
}

/** Exact windows, as the service answers them. */
function createExactTimelines(service: OverviewsService) {
  const { totals, traits } = service;

  async function inCounts(points: LabeledTimeline, window: OverviewWindow, signal: AbortSignal): Promise<PointSeries> {
    const series = toSeries(points, traits.current.label, window);
    if (series.ends.length === 0 && [points.requests, points.attacks].some((column) => column?.times.length)) {
      throw badAnswer('statistics', 'timeline: all points lie outside the window');
    }
    const isSilent = [...series.requests, ...series.attacks].every((number) => (number ?? 0) === 0);
    // The other query gives counts by its name; for this one it has to be known.
    if (!points.isQps || traits.current.unit === 'counts' || (isSilent && traits.current.unit === null)) return series;
    const sums = await totals(window, signal);
    const known = traits.current.unit;
    const unit = known === 'rates' ? known : habitsFrom(points, sums, window).unit;
    if (unit === null || unit === 'neither')
      throw badAnswer('statistics', 'qps: neither counts nor rates compared with the totals');
    return unit === 'counts' ? series : countsFromRates(series, sums);
  }

  return async function exactly(window: OverviewWindow, signal: AbortSignal, halvings = 0): Promise<PointSeries> {
    try {
      return await inCounts(await requestPoints(service, window, signal), window, signal);
    } catch (error) {
      // Some give single minutes however long the window is.
      if (!isTooLarge(error) || halvings >= MAX_HALVINGS || window.toMs - window.fromMs <= 2 * HOUR_MS) throw error;
      const middleMs = Math.round((window.fromMs + window.toMs) / 2 / HOUR_MS) * HOUR_MS;
      const early = await exactly({ ...window, toMs: middleMs }, signal, halvings + 1);
      const late = await exactly({ ...window, fromMs: middleMs }, signal, halvings + 1);
      const limits = [...new Set([...(early.limits ?? []), ...(late.limits ?? [])])];
      return { ...joinInTime([early, late]), limits };
    }
  };
}

export function createOverviewTimelines(service: OverviewsService) {
  const { traits, now, closing } = service;
  const learnHabits = createHabits(service);
  const exactly = createExactTimelines(service);
  const reused = new LRUCache<string, Promise<PointSeries>>({
    max: MAX_REUSED,
    ttl: REUSE_MS,
    ttlResolution: 0,
    perf: { now },
  });

  /** Cut out of the shortest window that the service answers for. */
  async function cutOut(window: QueryWindow, signal: AbortSignal): Promise<PointSeries> {
    const fixed = holdingWindow(window, now());
    if (fixed === undefined) throw tooFarBack();
    const { fromMs, toMs } = fixed;
    const key = `${fromMs} ${toMs} ${window.hosts.join()}`;
    // Shared by several callers, so that none of them can abort it.
    const pending = reused.get(key) ?? exactly({ ...window, fromMs, toMs }, closing);
    reused.set(key, pending, { noUpdateTTL: true });
    pending.catch(() => reused.delete(key));
    const whole = await pending;
    signal.throwIfAborted();
    const series = cutToWindow(whole, window);
    if (series.ends.length === 0 && whole.ends.length > 0) throw tooShort();
    return series;
  }

  async function timeline(window: QueryWindow, signal: AbortSignal): Promise<PointSeries> {
    await learnHabits();
    const isFixed = traits.current.windows === 'fixed';
    if (isFixed && sameFixedWindow(window, now()) === undefined) return cutOut(window, signal);
    try {
      return await exactly(window, signal);
    } catch (error) {
      if (!isRefusedWindow(error) || holdingWindow(window, now()) === undefined) throw error;
      const series = await cutOut(window, signal);
      // Learned only now: a window may be refused for other reasons too.
      traits.learn({ windows: 'fixed' });
      return series;
    }
  }

  return { timeline, learnHabits };
}

const tooFarBack = () =>
  new BotError('limit', 'The service only answers for today, yesterday and the last 3, 7 and 30 days.', {
    hint: 'Ask for a time within the last 30 days.',
  });

const tooShort = () =>
  new BotError('limit', 'That far back, the service only has intervals longer than this window.', {
    hint: 'Ask for a longer window, or a more recent one.',
  });
