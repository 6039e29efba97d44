/**
 * What the points of an overviews timeline mean, which the documents disagree about: whether a point is labeled with its
 * start or its end, and whether it is a count or a rate. Both are learned by comparing a settled window with its totals.
 */
import type { AnswerLimit } from '../../statistics/timeline.ts';
import { inferInterval, type PointColumn, type PointSeries, seriesWithin, type WindowEdges } from '../wire/exchange.ts';
import type { RawTimeline, WindowTotals } from './overviews-wire.ts';
import type { ServiceTraits } from './traits.ts';

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

/** Points at only one edge of the window show what they are labeled with. */
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
