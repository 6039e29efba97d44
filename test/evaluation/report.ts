/** The report on public series, and how reports get into pages. */
import type { StreamOutcome } from './stream-outcomes.ts';
import { sensitivityTable, streamsTable, streamsWhereTable } from './stream-report.ts';
import { number } from './tables.ts';

/** Paragraphs and tables, with an empty line between them. */
type Report = readonly string[];

export function publicReport(outcomes: readonly StreamOutcome[], left: readonly string[]): Report {
  const weeks = outcomes.reduce((sum, each) => sum + each.weeks, 0);
  return [
    `### Public series`,
    `${outcomes.length} series, ${number(weeks, 0)} weeks. *Found* is of labelled rises.`,
    sensitivityTable(outcomes),
    streamsTable(outcomes),
    streamsWhereTable(outcomes),
    ...(left.length === 0 ? [] : [`Left out, since too short or in intervals over five minutes: ${left.join(', ')}.`]),
  ];
}

/** The text between the markers of a page, replaced. */
export function withReport(page: string, name: string, report: Report): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no place for ${name}.`);
  return `${page.slice(0, from + begin.length)}\n\n${report.join('\n\n')}\n\n${page.slice(to)}`;
}
