/**
 * What to expect at a moment: what the same time of earlier weeks had, each moved by how the level of the day has changed
 * since then. Without two such weeks the days before help out, and without any of them the level of the last day.
 */
import { HOUR_MS } from '../../time-units.ts';
import type { Past, PastSeries } from './past.ts';

/** How much earlier the same hours lie, by the calendar. */
export interface Lags {
  /** One to four weeks. */
  readonly weeks: readonly number[];
  /** One to three days. */
  readonly days: readonly number[];
}

/** What a forecast goes by. */
export type Basis = 'weeks' | 'days' | 'level';

export interface Forecast {
  readonly expected: number;
  readonly basis: Basis;
}

/** Events a day below which changes of the level are chance. */
const FEW_A_DAY = 40;
/** The level of a day may have changed this much; what is more is no level any more. */
const MOST_GROWTH = 4;

/** `at` is a step of the past or later; `level` is that of the day before it. Lags are in steps, later ones negative. */
export function forecastAt(
  { stepMs }: Past,
  { smooth, levels }: PastSeries,
  at: number,
  level: number,
  lags: Lags,
): Forecast | null {
  const perHour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const few = FEW_A_DAY / (24 * perHour);
  const found: number[] = [];
  const look = (lag: number): void => {
    const then = smooth[at - lag] ?? Number.NaN;
    if (Number.isNaN(then)) return;
    const before = levels[Math.floor((at - lag) / perHour)] ?? Number.NaN;
    const growth = (level + few) / (before + few);
    found.push(Number.isNaN(growth) ? then : then * Math.min(MOST_GROWTH, Math.max(1 / MOST_GROWTH, growth)));
  };
  for (const lag of lags.weeks) look(lag);
  if (found.length >= 2) return { expected: middle(found), basis: 'weeks' };
  for (const lag of lags.days) look(lag);
  if (found.length > 0) return { expected: middle(found), basis: 'days' };
  return Number.isNaN(level) ? null : { expected: level, basis: 'level' };
}

/** The mean without the largest and the smallest, where there are enough of them. */
function middle(values: readonly number[]): number {
  let sum = 0;
  let smallest = Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const value of values) {
    sum += value;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  return values.length < 3 ? sum / values.length : Math.max(smallest, (sum - smallest - largest) / (values.length - 2));
}
