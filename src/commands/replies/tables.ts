/** Every number of an answer as a table, for whoever wants all of them or cannot see the chart. */
import { categoryName } from '../../insight/categories.ts';
import { formatChange, formatCount, formatShare } from '../../insight/format.ts';
import type { CategoryRow, TimelineSummary } from '../../insight/summary.ts';
import type { Table } from './reply.ts';

const known = (count: number | null): string => (count === null ? '?' : formatCount(count));

/** `lengthRatio`: how long the window is in proportion to the one before it. */
export function categoryTable(rows: readonly CategoryRow[], lengthRatio = 1): Table {
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Attacks', align: 'right' },
      { name: 'Share', align: 'right' },
      { name: 'Before', align: 'right' },
      { name: changeName(lengthRatio), align: 'right' },
    ],
    rows: rows.map(({ category, count, share, before }) => [
      categoryName(category),
      formatCount(count),
      formatShare(share),
      known(before),
      before === null ? '?' : formatChange(count, before * lengthRatio),
    ]),
  };
}

/** Totals of two windows side by side, then the categories. */
export function comparisonTable(
  now: TimelineSummary,
  before: TimelineSummary | null,
  rows: readonly CategoryRow[],
  lengthRatio: number,
): Table {
  const share = (summary: TimelineSummary | null): string =>
    summary?.attackShare == null ? '–' : formatShare(summary.attackShare);
  const row = (name: string, count: number | null, was: number | null): string[] => {
    const change = count === null || was === null ? '?' : formatChange(count, was * lengthRatio);
    return [name, known(count), known(was), change];
  };
  return {
    columns: [
      { name: '', align: 'left' },
      { name: 'Now', align: 'right' },
      { name: 'Before', align: 'right' },
      { name: changeName(lengthRatio), align: 'right' },
    ],
    rows: [
      row('Requests', now.requests, before?.requests ?? null),
      row('Attacks', now.attacks, before?.attacks ?? null),
      ['Attack share', share(now), share(before), ''],
      ...rows.map(({ category, count, before: was }) => row(categoryName(category), count, was)),
    ],
  };
}

const changeName = (lengthRatio: number): string => (lengthRatio === 1 ? 'Change' : 'Change of the rate');
