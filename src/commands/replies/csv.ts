/** Points and categories as CSV files: ISO times with offset, the zone in a column, unknown left empty. */
import { categoryName } from '../../insight/categories.ts';
import type { CategoryRow } from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { Attachment } from './reply.ts';

/** RFC 4180, with nothing that a spreadsheet would take for a formula. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

/**
 * An apostrophe where a formula would begin: at the start, and after anything that some spreadsheet takes for the end of a
 * cell. Where the list separator is a semicolon, the quotes around a field with one in its middle do not protect it.
 */
function withoutFormulas(text: string): string {
  const pieces = text.split(/([;\t\r\n])/);
  const neutral = pieces.map((piece) => (FORMULA.test(piece) ? `'${piece}` : piece)).join('');
  return /^[\t\r\n]/.test(neutral) ? `'${neutral}` : neutral;
}

export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const iso = (ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: zone, smallestUnit: 'second' });

export function timelineCsv(timeline: Timeline, zone: string): Attachment {
  const rows = timeline.points.map(({ endMs, requests, attacks }) => [
    iso(endMs - timeline.intervalMs, zone),
    iso(endMs, zone),
    zone,
    requests,
    attacks,
    endMs <= timeline.settledUntilMs ? 'yes' : 'no',
  ]);
  const head = ['interval_start', 'interval_end', 'zone', 'requests', 'attacks', 'complete'];
  return {
    name: `waf-timeline-${fileStamp(timeline.fromMs)}.csv`,
    title: 'Requests and attacks',
    content: toCsv([head, ...rows]),
  };
}

export function categoriesCsv(rows: readonly CategoryRow[], { from, to }: Range, zone: string): Attachment {
  const start = iso(from.epochMilliseconds, zone);
  const end = iso(to.epochMilliseconds, zone);
  const head = ['window_start', 'window_end', 'zone', 'category', 'name', 'events', 'events_before'];
  const body = rows.map((row) => [start, end, zone, row.category, categoryName(row.category), row.count, row.before]);
  return {
    name: `waf-attacks-${fileStamp(from.epochMilliseconds)}.csv`,
    title: 'Attacks by category',
    content: toCsv([head, ...body]),
  };
}

function fileStamp(ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ smallestUnit: 'minute' }).replace(/[:Z]/g, '');
}
