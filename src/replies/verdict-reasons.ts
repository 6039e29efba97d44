/** What a verdict rests on: its reasons, its rule, what it was compared with, and every number considered. */

import type { CategoryChange, Verdict } from '../episodes/verdict/index.ts';
import { categoryName } from '../statistics/categories.ts';
import { formatChange, formatCount } from '../statistics/format.ts';
import { counted } from './phrases.ts';
import type { Explanation, Line, Table } from './reply.ts';
import { lasting } from './verdict-lines.ts';

/** `notes`: what else there is to say about the data. */
export function explanationOf(verdict: Verdict, notes: readonly Line[] = []): Explanation {
  const { sentence, reasons, confidence, completeness, rule } = verdict;
  const said = reasons.length === 0 ? [sentence] : reasons;
  const table = categoriesTable(verdict.categories);
  return {
    heading: 'Why',
    lines: [
      ...said.map((reason): Line => [reason]),
      ...comparedLines(verdict),
      ...(confidence === null ? [] : [[confidence.says]]),
      ...completeness.map((each): Line => [each]),
      ...notes,
      ['Attacks are requests that matched a firewall rule.'],
      [{ italic: `Rule: ${rule}.` }],
    ],
    table: table.rows.length === 0 ? undefined : table,
  };
}

/** The totals of this window and of those it was compared with. */
function comparedLines({ totals, references }: Verdict): Line[] {
  return [{ name: 'this window', totals }, ...references].flatMap(({ name, totals: counts }): Line[] => {
    if (counts.knownMs === 0) return [];
    const of = `${counted(counts.attacks, 'attack')} of ${counted(counts.requests, 'request')}`;
    return [[`In ${name}: `, { bold: of }, ` in ${lasting(counts.knownMs)}.`]];
  });
}

/** Every category considered, the largest first. */
function categoriesTable(categories: readonly CategoryChange[]): Table {
  const rows = categories
    .filter(({ observed, expected }) => observed > 0 || expected >= 0.5)
    .toSorted((a, b) => b.observed - a.observed || b.expected - a.expected);
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Now', align: 'right' },
      { name: 'Expected', align: 'right' },
      { name: 'Change', align: 'right' },
    ],
    rows: rows.map(({ name, observed, expected }) => [
      categoryName(name),
      formatCount(observed),
      formatCount(expected),
      formatChange(observed, expected < 0.5 ? 0 : expected),
    ]),
  };
}
