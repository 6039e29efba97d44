/**
 * Timelines of the overviews dialect: `request/timeline`, or `qps/timeline` for services that only have that. The documents
 * disagree about what a point means: whether it's labeled with its start or its end, and whether it is a count or a rate. Both
 * are learned by comparing a settled window with its totals.
 */
import { LRUCache } from 'lru-cache';
import { BotError } from '../../errors.ts';
import type { AnswerLimit } from '../../statistics/timeline.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { badAnswer } from '../client/failure.ts';
import {
  inferInterval,
  joinInTime,
  type PointColumn,
  type PointSeries,
  type QueryWindow,
  seriesWithin,
  type WindowEdges,
} from '../wire/exchange.ts';
import {
  isRefusedWindow,
  type OverviewsService,
  type OverviewWindow,
  type ServiceTraits,
} from './overviews-service.ts';
import { cutToWindow, holdingWindow, sameFixedWindow, settledWindows } from './overviews-windows.ts';
import { type RawTimeline, readOverviewTimeline, type WindowTotals } from './overviews-wire.ts';

export const REQUEST_TIMELINE = 'waf/overviews/request/timeline';
export const QPS_TIMELINE = 'waf/overviews/qps/timeline';

/** How long to wait before learning again from a service that had no traffic. */
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
    // By its name, the other query returns counts; for this one it has to be learned.
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

export type PointHabits = Pick<ServiceTraits, 'label' | 'unit'>;

const EMPTY: PointColumn = { times: [], numbers: [] };

const sumWhere = ({ times, numbers }: PointColumn, isCounted: (time: number) => boolean): number =>
  numbers.reduce<number>((sum, number, at) => sum + (isCounted(times[at] ?? 0) ? (number ?? 0) : 0), 0);

/** How much a service may disagree with itself. */
const close = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(1, 0.005 * b);

/**
 * From a window that begins and ends where points do and whose numbers are final. Without traffic, only the position of
 * the points says something.
 */
export function habitsFrom(timeline: RawTimeline, totals: WindowTotals, window: WindowEdges): PointHabits {
  const column = timeline.requests ?? EMPTY;
  const total = totals.requests ?? 0;
  const stepMs = inferInterval(column.times, window);
  const { fromMs, toMs } = window;
  const byStart = sumWhere(column, (time) => time >= fromMs && time < toMs);
  const byEnd = sumWhere(column, (time) => time > fromMs && time <= toMs);
  const shape = labelByShape(column.times, window, stepMs);
  if (total === 0) return { label: shape, unit: null };
  const [fitsStart, fitsEnd] = [close(byStart, total), close(byEnd, total)];
  if (fitsStart || fitsEnd) {
    const [offStart, offEnd] = [Math.abs(byStart - total), Math.abs(byEnd - total)];
    const label = offStart === offEnd ? shape : offStart < offEnd ? 'start' : 'end';
    return { label, unit: 'counts' };
  }
  // A rate is rounded, so each point may be off by a request per second.
  const perPoint = stepMs / 1000;
  const isOneOf = (rates: number): boolean =>
    rates < total / 2 && Math.abs(rates * perPoint - total) <= column.times.length * perPoint;
  const isRate = isOneOf(byStart) || isOneOf(byEnd);
  return { label: shape, unit: isRate ? 'rates' : 'neither' };
}

/** Points at only one edge of the window show whether labels are starts or ends. */
export function labelByShape(
  times: readonly number[],
  { fromMs, toMs }: WindowEdges,
  stepMs: number,
): 'start' | 'end' | null {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (first < fromMs + stepMs && first >= fromMs - stepMs && last < toMs) return first <= fromMs ? 'start' : null;
  if (first > fromMs && last >= toMs) return 'end';
  return null;
}

/** The points as intervals with an end, within the window. */
export function toSeries(timeline: RawTimeline, label: 'start' | 'end' | null, window: WindowEdges): PointSeries {
  const { requests, attacks } = timeline;
  const times = [...new Set([...(requests?.times ?? []), ...(attacks?.times ?? [])])].sort((a, b) => a - b);
  const stepMs = inferInterval(times, window);
  const isStart = (label ?? labelByShape(times, window, stepMs) ?? 'start') === 'start';
  const shift = (column: PointColumn | null): PointColumn => {
    const ends = (column ?? EMPTY).times.map((time) => time + (isStart ? stepMs : 0));
    const first = ends.findIndex((endMs) => endMs > window.fromMs);
    return first === -1 ? EMPTY : { times: ends.slice(first), numbers: (column ?? EMPTY).numbers.slice(first) };
  };
  const series = seriesWithin(shift(requests), shift(attacks), window);
  // A single point doesn't show the interval once its label is moved.
  return times.length < 2 ? { ...series, intervalMs: stepMs } : series;
}

/** Up to this factor between the sum of the rates and the total, the rates show how the total is distributed. */
const MAX_FACTOR = 2;

function spread(rates: readonly (number | null)[], total: number | null): readonly (number | null)[] {
  const sum = rates.reduce<number>((all, rate) => all + (rate ?? 0), 0);
  if (total === 0) return rates.map((rate) => (rate === null ? null : 0));
  return total === null || sum === 0 ? rates.map(() => null) : shares(rates, sum, total);
}

/** Whole numbers that add up to the total, each in proportion to its rate. */
function shares(rates: readonly (number | null)[], sum: number, total: number): readonly (number | null)[] {
  let [before, given] = [0, 0];
  return rates.map((rate) => {
    if (rate === null) return null;
    before += rate;
    const upTo = Math.round((before / sum) * total);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}

const RATES: readonly AnswerLimit[] = ['rates'];

/**
 * Counts from rates per second: the total of the window, distributed like the rates. Rates are rounded, so a few events
 * look like none; if they don't add up to about the total, the numbers are unknown, which is not zero.
 */
export function countsFromRates(series: PointSeries, totals: WindowTotals): PointSeries {
  const perPoint = series.intervalMs / 1000;
  const counts = (rates: readonly (number | null)[], total: number | null): readonly (number | null)[] => {
    const sum = rates.reduce<number>((all, rate) => all + (rate ?? 0) * perPoint, 0);
    const isFar = total !== null && total > 0 && (sum > MAX_FACTOR * total || sum * MAX_FACTOR < total);
    return isFar ? rates.map(() => null) : spread(rates, total);
  };
  return {
    ...series,
    requests: counts(series.requests, totals.requests),
    attacks: counts(series.attacks, totals.attacks),
    limits: RATES,
    totals: { requests: totals.requests, attacks: totals.attacks },
  };
}
