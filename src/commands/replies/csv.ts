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
  if (!/[;\t\r\n]/.test(text)) return FORMULA.test(text) ? `'${text}` : text;
  const pieces = text.split(/([;\t\r\n])/);
  const neutral = pieces.map((piece) => (FORMULA.test(piece) ? `'${piece}` : piece)).join('');
  return /^[\t\r\n]/.test(neutral) ? `'${neutral}` : neutral;
}

export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** No zone changes its offset more often. */
const QUARTER_MS = 15 * 60_000;

/**
 * Writes instants as ISO times with the zone's offset. That of a quarter of an hour is looked up once: a day has
 * thousands of times to write, and each look-up takes longer than all the rest.
 */
function isoTimes(zone: string): (ms: number) => string {
  const offsets = new Map<number, { readonly ms: number; readonly text: string }>();
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      offset = { ms: there.offsetNanoseconds / 1e6, text: there.offset.slice(0, 6) };
      offsets.set(quarter, offset);
    }
    return new Date(ms + offset.ms).toISOString().slice(0, 19) + offset.text;
  };
}

/** `untilMs`: how far was asked; what is still filling by then has rows without numbers. */
export function timelineCsv(timeline: Timeline, zone: string, untilMs = timeline.toMs): Attachment {
  const iso = isoTimes(zone);
  const { intervalMs, toMs } = timeline;
  const rows = timeline.points.map(({ endMs, requests, attacks }) => [
    iso(endMs - timeline.intervalMs),
    iso(endMs),
    zone,
    requests,
    attacks,
    endMs <= timeline.settledUntilMs ? 'yes' : 'no',
  ]);
  const lastMs = timeline.points.at(-1)?.endMs ?? toMs;
  for (let endMs = lastMs + intervalMs; endMs <= untilMs; endMs += intervalMs) {
    rows.push([iso(endMs - intervalMs), iso(endMs), zone, null, null, 'no']);
  }
  const head = ['interval_start', 'interval_end', 'zone', 'requests', 'attacks', 'complete'];
  return {
    name: `waf-timeline-${fileStamp(timeline.fromMs)}.csv`,
    title: 'Requests and attacks',
    content: toCsv([head, ...rows]),
  };
}

export function categoriesCsv(rows: readonly CategoryRow[], { from, to }: Range, zone: string): Attachment {
  const iso = isoTimes(zone);
  const start = iso(from.epochMilliseconds);
  const end = iso(to.epochMilliseconds);
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
