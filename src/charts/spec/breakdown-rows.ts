/** The rows of a breakdown: what happened, largest first; categories without any event are only counted. */
import { categoryName } from '../../insight/categories.ts';
import type { BreakdownChart } from './chart-spec.ts';

export interface BreakdownRow {
  readonly category: string;
  readonly name: string;
  readonly count: number;
  /** Null when there is no period to compare with. */
  readonly before: number | null;
}

export interface BreakdownRows {
  readonly rows: readonly BreakdownRow[];
  readonly total: number;
  readonly totalBefore: number | null;
  /** Categories with nothing now and nothing before. */
  readonly silent: number;
}

export function breakdownRows(spec: BreakdownChart): BreakdownRows {
  const { previous } = spec;
  const before = new Map((previous?.counts ?? []).map(({ category, count }) => [category, count]));
  const now = new Map(spec.distribution.counts.map(({ category, count }) => [category, count]));
  const all = [...new Set([...now.keys(), ...before.keys()])].map((category) => ({
    category,
    name: categoryName(category),
    count: now.get(category) ?? 0,
    before: previous === null ? null : (before.get(category) ?? 0),
  }));
  const rows = all.filter((row) => row.count > 0 || (row.before ?? 0) > 0);
  // Equal counts keep the order of the specification: sort is stable.
  rows.sort((a, b) => b.count - a.count || (b.before ?? 0) - (a.before ?? 0));
  return {
    rows,
    total: rows.reduce((sum, row) => sum + row.count, 0),
    totalBefore: previous === null ? null : rows.reduce((sum, row) => sum + (row.before ?? 0), 0),
    silent: all.length - rows.length,
  };
}
