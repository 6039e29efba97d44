/** Timelines, categories and sources as CSV files: ISO times with offset, the zone in a column, unknown numbers empty. */

import type { AttackEvent } from '../statistics/attack-details.ts';
import { type AttackSources, SOURCE_KINDS } from '../statistics/attack-sources.ts';
import { type CategoryRow, categoryName } from '../statistics/categories.ts';
import type { Timeline } from '../statistics/timeline.ts';
import type { Range } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import type { Attachment } from './reply.ts';

/** RFC 4180, with nothing that a spreadsheet would read as a formula. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

/**
 * Puts an apostrophe where a formula would begin: at the start, and after anything that some spreadsheet reads as the end
 * of a cell. If the list separator is a semicolon, quotes around a field don't protect it.
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
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * Writes instants as ISO times with the zone's offset. The offset is looked up once per quarter of an hour, because a
 * file of a day has thousands of times and looking each one up takes tens of milliseconds.
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

/** The project has a column of its own if there are several, so that files can be combined. */
interface FileSubject {
  readonly zone: string;
  readonly project: { readonly label: string | null };
}

const projectCell = ({ project: { label } }: FileSubject): string[] => (label === null ? [] : [label]);
const projectHead = ({ project: { label } }: FileSubject): string[] => (label === null ? [] : ['project']);
const ofProject = ({ project: { label } }: FileSubject): string => (label === null ? '' : `${label}-`);

/** `untilMs`: the end of the request. Intervals that are still filling in have rows without numbers. */
export function timelineCsv(timeline: Timeline, subject: FileSubject, untilMs = timeline.toMs): Attachment {
  const { zone } = subject;
  const iso = isoTimes(zone);
  const { intervalMs, toMs } = timeline;
  const rows = timeline.points.map(({ endMs, requests, attacks }) => [
    // The service's first interval may begin before the window, but what it counts doesn't.
    iso(Math.max(timeline.fromMs, endMs - intervalMs)),
    iso(endMs),
    zone,
    requests,
    attacks,
    endMs <= timeline.settledUntilMs ? 'yes' : 'no',
    ...projectCell(subject),
  ]);
  const lastMs = timeline.points.at(-1)?.endMs ?? toMs;
  for (let endMs = lastMs + intervalMs; endMs <= untilMs; endMs += intervalMs) {
    rows.push([iso(endMs - intervalMs), iso(endMs), zone, null, null, 'no', ...projectCell(subject)]);
  }
  const head = ['interval_start', 'interval_end', 'zone', 'requests', 'attacks', 'complete', ...projectHead(subject)];
  return {
    name: `waf-timeline-${ofProject(subject)}${fileStamp(timeline.fromMs)}.csv`,
    title: 'Requests and attacks',
    content: toCsv([head, ...rows]),
  };
}

export function sourcesCsv(
  sources: AttackSources,
  before: AttackSources | null,
  { from, to }: Range,
  subject: FileSubject,
): Attachment {
  const iso = isoTimes(subject.zone);
  const window = [iso(from.epochMilliseconds), iso(to.epochMilliseconds), subject.zone];
  const head = ['window_start', 'window_end', 'zone', 'kind', 'name', 'attacks', 'attacks_before'];
  const body = SOURCE_KINDS.flatMap((kind) =>
    (sources[kind] ?? []).map(({ key, count }) => {
      const then = key === '' ? undefined : before?.[kind]?.find((each) => each.key === key);
      return [...window, kind, key, count, then?.count ?? null, ...projectCell(subject)];
    }),
  );
  return {
    name: `waf-who-${ofProject(subject)}${fileStamp(from.epochMilliseconds)}.csv`,
    title: 'Attack sources',
    content: toCsv([[...head, ...projectHead(subject)], ...body]),
  };
}

/** The latest attacks, one per row. */
export function eventsCsv(events: readonly AttackEvent[], { from }: Range, subject: FileSubject): Attachment {
  const iso = isoTimes(subject.zone);
  const head = ['time', 'zone', 'host', 'path', 'category', 'rule', 'action', 'address'];
  const body = events.map(({ atMs, host, path, category, rule, action, address }) => [
    iso(atMs),
    subject.zone,
    ...[host, path, category, rule, action, address],
    ...projectCell(subject),
  ]);
  return {
    name: `waf-events-${ofProject(subject)}${fileStamp(from.epochMilliseconds)}.csv`,
    title: 'Single events',
    content: toCsv([[...head, ...projectHead(subject)], ...body]),
  };
}

/** `versus`: the project to compare with instead of an earlier window. */
export function categoriesCsv(
  rows: readonly (Pick<CategoryRow, 'category' | 'before'> & { readonly count: number | null })[],
  { from, to }: Range,
  subject: FileSubject,
  versus: string | null = null,
): Attachment {
  const { zone } = subject;
  const iso = isoTimes(zone);
  const start = iso(from.epochMilliseconds);
  const end = iso(to.epochMilliseconds);
  const before = versus === null ? 'events_before' : `events_in_${versus}`;
  const head = ['window_start', 'window_end', 'zone', 'category', 'name', 'events', before, ...projectHead(subject)];
  const body = rows.map(({ category, count, before: was }) => [
    ...[start, end, zone, category, categoryName(category), count, was],
    ...projectCell(subject),
  ]);
  return {
    name: `waf-attacks-${ofProject(subject)}${fileStamp(from.epochMilliseconds)}.csv`,
    title: 'Attacks by category',
    content: toCsv([head, ...body]),
  };
}

function fileStamp(ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ smallestUnit: 'minute' }).replace(/[:Z]/g, '');
}
