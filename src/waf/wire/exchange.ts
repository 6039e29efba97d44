/**
 * What a call sends and what it gets, in every dialect: a window in milliseconds and hosts, split into parts that fit into
 * one call each; columns of points and counts by category, validated and normalized; and how the answers for parts that were
 * requested separately are joined again.
 */
import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import {
  type AttackActions,
  type AttackEvents,
  MAX_EVENTS,
  type ResponseCode,
  type ServerResponses,
} from '../../statistics/attack-details.ts';
import { CATEGORIES, canonicalCategory } from '../../statistics/categories.ts';
import type { StatisticsQuery } from '../../statistics/statistics.ts';
import type { AnswerLimit, CategoryCount, Gap } from '../../statistics/timeline.ts';
import { offsetAt, wholeMinutes } from '../../time/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';
import { badAnswer, type HttpReply } from '../client/failure.ts';

export interface WindowEdges {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface QueryWindow extends WindowEdges {
  /** Sorted, unique. */
  readonly hosts: readonly string[];
  /** `+HH:MM` */
  readonly offset: string;
  /** Not part of any key, because the answer is the same for everybody. */
  readonly asker?: string | undefined;
}

/** In whole minutes, so that everyone who asks within a minute shares one query. */
export function windowOf({ range, hosts, zone, asker }: StatisticsQuery): QueryWindow {
  if (Temporal.Instant.compare(range.from, range.to) >= 0) {
    throw new UsageError('That range is empty.');
  }
  const { from, to } = wholeMinutes(range);
  return {
    fromMs: from.epochMilliseconds,
    toMs: to.epochMilliseconds,
    hosts: [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))].sort(),
    offset: offsetAt(zone, from),
    asker,
  };
}

/** `+05:30` → 19 800 000 */
function offsetMs(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/** Parts of about the same length, so that they get the same interval, cut on the hour in the asker's zone. */
export function splitTime(window: QueryWindow, maxMs: number): readonly QueryWindow[] {
  const { fromMs, toMs } = window;
  const lengthMs = toMs - fromMs;
  if (lengthMs <= maxMs) return [window];
  const unitMs = maxMs >= 2 * HOUR_MS ? HOUR_MS : MINUTE_MS;
  const evenMs = Math.ceil(lengthMs / Math.ceil(lengthMs / maxMs) / unitMs) * unitMs;
  const stepMs = Math.min(evenMs, Math.max(unitMs, Math.floor(maxMs / unitMs) * unitMs));
  const shiftMs = offsetMs(window.offset);
  const parts: QueryWindow[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const cutMs = Math.floor((startMs + stepMs + shiftMs) / unitMs) * unitMs - shiftMs;
    // The rest may still fit into this part, which saves a call.
    const endMs = toMs - startMs <= maxMs ? toMs : Math.min(toMs, cutMs);
    parts.push({ ...window, fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return parts;
}

/** As many hosts per call as fit into the URL; each takes `&hosts=` and its own length. */
export function splitHosts(window: QueryWindow, maxBytes: number): readonly QueryWindow[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const host of window.hosts) {
    const cost = '&hosts='.length + percentEncode(host).length;
    if (bytes + cost > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(host);
    bytes += cost;
  }
  return parts.length <= 1 ? [window] : parts.map((hosts) => ({ ...window, hosts }));
}

/** Names and values, decoded; a name may repeat. */
export type QueryParameters = readonly (readonly [name: string, value: string])[];

export const timeParameters = ({ fromMs, toMs }: WindowEdges): QueryParameters => [
  ['from', String(fromMs)],
  ['to', String(toMs)],
];

export const hostParameters = ({ hosts }: Pick<QueryWindow, 'hosts'>): QueryParameters =>
  hosts.map((host) => ['hosts', host] as const);

/** Strict encoding: the plus of an offset must not become a space. */
export function queryString(parameters: QueryParameters): string {
  return parameters.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
}

/** Everything but `A-Za-z0-9-_.~` as upper-case hex; a lone surrogate as U+FFFD, because it has no UTF-8. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Throws a `BotError` when the body is not JSON. */
export function parseBody(reply: HttpReply): unknown {
  const body = parseJson(reply.body);
  if (body !== null || reply.body.trim() === 'null') return body;
  throw badAnswer('statistics', 'a body that is not JSON', reply.headers.get('x-request-id'));
}

/** Throws a `BotError` that says what is wrong and where, when the body has another shape. */
export function readAs<T>(schema: z.ZodType<T>, body: unknown, what: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badAnswer('statistics', `${what}: ${issue?.code} at ${issue?.path.join('.')}`);
}

/** A time below this is in seconds: in milliseconds it would lie before March 1973. */
const SECONDS_BELOW = 1e11;

/** A month of single minutes has fewer. */
const MAX_POINTS = 50_000;

/** One series: a time and a number for each point, sorted by time. */
export interface PointColumn {
  readonly times: readonly number[];
  readonly numbers: readonly (number | null)[];
}

/** A whole number from zero on. Some editions send numbers as decimal text. */
export const countSchema = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** The maximum length of any list in an answer. */
export const MAX_ITEMS = 1_000;

/** A list of names with their counts, as several queries give it. */
export const itemsSchema = z.object({
  items: z
    .array(z.object({ key: z.string(), num: countSchema }))
    .max(MAX_ITEMS)
    .nullish(),
});

/** `undefined` for anything that isn't a count. */
export function readCount(value: unknown): number | undefined {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/**
 * Sorted, without duplicates and without what lies before `firstMs`. The same point twice is accepted, two different
 * numbers for one time are not.
 */
export function readColumn(points: readonly unknown[], where: string, firstMs: number): PointColumn {
  if (points.length > MAX_POINTS) throw badAnswer('statistics', `timeline: more than ${MAX_POINTS} points`);
  const times: number[] = [];
  const numbers: (number | null)[] = [];
  let isSorted = true;
  for (const point of points) {
    const { time: label, num: given } = isRecord(point) ? point : {};
    const time = readCount(label);
    const num = given === null ? null : readCount(given);
    if (time === undefined) throw badAnswer('statistics', `timeline: a time in ${where} that isn't a whole number`);
    if (num === undefined) throw badAnswer('statistics', `timeline: a value in ${where} that isn't a number`);
    const ms = time < SECONDS_BELOW ? time * 1000 : time;
    if (ms < firstMs) continue;
    isSorted &&= times.length === 0 || ms > (times[times.length - 1] ?? 0);
    times.push(ms);
    numbers.push(num);
  }
  return isSorted ? { times, numbers } : sortedColumn(times, numbers, where);
}

function sortedColumn(times: readonly number[], numbers: readonly (number | null)[], where: string): PointColumn {
  const found = new Map<number, number | null>();
  for (const [index, time] of times.entries()) {
    const num = numbers[index] ?? null;
    if (found.has(time) && found.get(time) !== num) {
      throw badAnswer('statistics', `timeline: two numbers for one interval in ${where}`);
    }
    found.set(time, num);
  }
  const sorted = [...found.keys()].sort((a, b) => a - b);
  return { times: sorted, numbers: sorted.map((time) => found.get(time) ?? null) };
}

/** Two columns side by side; a missing point becomes `null`. */
function mergeColumns(requests: PointColumn, attacks: PointColumn): Omit<PointSeries, 'intervalMs'> {
  const same =
    requests.times.length === attacks.times.length && requests.times.every((time, i) => time === attacks.times[i]);
  if (same) return { ends: requests.times, requests: requests.numbers, attacks: attacks.numbers };
  const requested = new Map(requests.times.map((time, i) => [time, requests.numbers[i] ?? null]));
  const attacked = new Map(attacks.times.map((time, i) => [time, attacks.numbers[i] ?? null]));
  const ends = [...new Set([...requests.times, ...attacks.times])].sort((a, b) => a - b);
  return {
    ends,
    requests: ends.map((end) => requested.get(end) ?? null),
    attacks: ends.map((end) => attacked.get(end) ?? null),
  };
}

/** The most frequent gap; a single point covers the window up to its end. */
export function inferInterval(times: readonly number[], { fromMs, toMs }: WindowEdges): number {
  const seen = new Map<number, number>();
  for (let i = 1; i < times.length; i++) {
    const gap = (times[i] ?? 0) - (times[i - 1] ?? 0);
    seen.set(gap, (seen.get(gap) ?? 0) + 1);
  }
  let best = 0;
  for (const [gap, n] of seen) {
    const most = seen.get(best) ?? 0;
    if (n > most || (n === most && gap < best)) best = gap;
  }
  if (best > 0) return best;
  const lone = (times[0] ?? toMs) - fromMs;
  return lone > 0 && lone < toMs - fromMs ? lone : toMs - fromMs;
}

/** One series of both columns within the window. Their times are the ends of the intervals. */
export function seriesWithin(requests: PointColumn, attacks: PointColumn, window: WindowEdges): PointSeries {
  const merged = mergeColumns(requests, attacks);
  const intervalMs = inferInterval(merged.ends, window);
  // How far past the end of the window a point may end depends on the interval, so this is checked last.
  const past = merged.ends.findIndex((endMs) => endMs - intervalMs >= window.toMs);
  const count = past === -1 ? merged.ends.length : past;
  return {
    intervalMs,
    ends: merged.ends.slice(0, count),
    requests: merged.requests.slice(0, count),
    attacks: merged.attacks.slice(0, count),
  };
}

/** The vendor has about forty. */
const MAX_CATEGORIES = 200;
const MAX_CATEGORY_LENGTH = 100;

/** Checked before the schema, which would go through a million names. */
export function assertFewNames(names: readonly string[]): void {
  if (names.length > MAX_CATEGORIES || names.some((name) => name.length > MAX_CATEGORY_LENGTH)) {
    throw badAnswer('statistics', 'distribution: too many categories');
  }
}

const KNOWN = CATEGORIES.map((category) => category.field);

/**
 * Adds up the counts of several parts of a window, several hosts, or several names for one category. Known categories
 * come first and default to zero, unless the service names only some of them; others follow by name. A category whose
 * count is unknown in one part has no count at all.
 */
export function joinCounts(
  counts: readonly CategoryCount[],
  namesAll: boolean,
  unknownNames: readonly string[] = [],
): readonly CategoryCount[] {
  const isUnknown = new Set(unknownNames.map(canonicalCategory));
  // Without a prototype, because a category may be called toString.
  const totals: Record<string, number> = Object.create(null);
  for (const { category, count } of counts) {
    const name = canonicalCategory(category);
    totals[name] = (totals[name] ?? 0) + count;
  }
  const known = namesAll ? KNOWN : KNOWN.filter((field) => totals[field] !== undefined);
  const unknown = Object.keys(totals)
    .filter((field) => !KNOWN.includes(field))
    .sort();
  return [...known, ...unknown]
    .filter((category) => !isUnknown.has(category))
    .map((category) => ({ category, count: totals[category] ?? 0 }));
}

export interface PointSeries {
  readonly intervalMs: number;
  readonly ends: readonly number[];
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
  /** What isn't exact; left out if everything is. */
  readonly limits?: readonly AnswerLimit[];
  /** Parts of the window that the service can't report. */
  readonly gaps?: readonly Gap[] | undefined;
  /** The totals of the window, where its points alone can't tell. */
  readonly totals?: { readonly requests: number | null; readonly attacks: number | null } | undefined;
}

type PointCounts = [requests: number | null, attacks: number | null];

const EMPTY: PointSeries = { intervalMs: 0, ends: [], requests: [], attacks: [] };

function seriesOf(points: ReadonlyMap<number, PointCounts>, intervalMs: number): PointSeries {
  const ends = [...points.keys()].sort((a, b) => a - b);
  return {
    intervalMs,
    ends,
    requests: ends.map((end) => points.get(end)?.[0] ?? null),
    attacks: ends.map((end) => points.get(end)?.[1] ?? null),
  };
}

/** Sums to wider intervals that end where `anchor` does. An interval with a part missing has no number. */
function widen(series: PointSeries, intervalMs: number, anchor: number): PointSeries {
  if (series.intervalMs === intervalMs || series.ends.length === 0) return series;
  if (intervalMs % series.intervalMs !== 0) throw badAnswer('statistics', 'intervals that do not fit together');
  const perInterval = intervalMs / series.intervalMs;
  const first = series.ends[0] ?? 0;
  const last = series.ends.at(-1) ?? 0;
  const found = new Map<number, number>();
  const points = new Map<number, PointCounts>();
  series.ends.forEach((end, index) => {
    const wide = anchor + Math.ceil((end - anchor) / intervalMs) * intervalMs;
    found.set(wide, (found.get(wide) ?? 0) + 1);
    const [requests, attacks] = points.get(wide) ?? [0, 0];
    points.set(wide, [sum(requests, series.requests[index]), sum(attacks, series.attacks[index])]);
  });
  for (const [wide, n] of found) {
    const inside = wide - intervalMs >= first - series.intervalMs && wide <= last;
    if (inside && n < perInterval) points.set(wide, [null, null]);
  }
  return seriesOf(points, intervalMs);
}

function sum(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || b === null || a === undefined || b === undefined ? null : a + b;
}

/** All on the widest interval among them. */
function toSameInterval(parts: readonly PointSeries[]): readonly PointSeries[] {
  const filled = parts.filter((part) => part.ends.length > 0);
  const widest = filled.reduce((best, part) => (part.intervalMs > best.intervalMs ? part : best), filled[0] ?? EMPTY);
  return filled.map((part) => widen(part, widest.intervalMs, widest.ends[0] ?? 0));
}

/** Windows one after another. An interval that two of them cut gets the sum of its parts. */
export function joinInTime(parts: readonly PointSeries[]): PointSeries {
  const same = toSameInterval(parts);
  const ends = same.flatMap((part) => part.ends);
  const isInOrder = ends.every((end, at) => end > (ends[at - 1] ?? 0));
  if (!isInOrder || same[0] === undefined) return added(parts, () => true);
  return {
    intervalMs: same[0].intervalMs,
    ends,
    requests: same.flatMap((part) => part.requests),
    attacks: same.flatMap((part) => part.attacks),
  };
}

/** Different hosts over one window. A number needs all of them; hosts without any data do not count. */
export function joinHosts(parts: readonly PointSeries[]): PointSeries {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : added(parts, (found, of) => found === of);
}

/** Adds up the numbers at each end, if it was found in enough of the parts. */
function added(parts: readonly PointSeries[], isEnough: (found: number, of: number) => boolean): PointSeries {
  const same = toSameInterval(parts);
  const found = new Map<number, number>();
  const points = new Map<number, PointCounts>();
  for (const part of same) {
    part.ends.forEach((end, index) => {
      found.set(end, (found.get(end) ?? 0) + 1);
      const [requests, attacks] = points.get(end) ?? [0, 0];
      points.set(end, [sum(requests, part.requests[index]), sum(attacks, part.attacks[index])]);
    });
  }
  for (const [end, n] of found) if (!isEnough(n, same.length)) points.set(end, [null, null]);
  return seriesOf(points, same[0]?.intervalMs ?? longest(parts));
}

const longest = (parts: readonly PointSeries[]) => Math.max(0, ...parts.map((part) => part.intervalMs));

export function joinActions(parts: readonly AttackActions[]): AttackActions {
  const sum = (key: keyof AttackActions): number => parts.reduce((total, part) => total + part[key], 0);
  return { blocked: sum('blocked'), logged: sum('logged'), other: sum('other') };
}

/** If two parts have different leading paths, it isn't known which one leads overall. */
export function joinResponses(parts: readonly ServerResponses[]): ServerResponses {
  const joined = new Map<string, ResponseCode>();
  for (const each of parts.flatMap(({ codes }) => codes)) {
    const known = joined.get(each.code);
    const path = known === undefined || known.path === each.path ? each.path : null;
    joined.set(each.code, { ...each, count: (known?.count ?? 0) + each.count, path });
  }
  return { codes: [...joined.values()].sort((a, b) => b.count - a.count) };
}

export const joinEvents = (parts: readonly AttackEvents[]): AttackEvents => ({
  total: parts.reduce((sum, { total }) => sum + total, 0),
  events: parts
    .flatMap(({ events }) => events)
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, MAX_EVENTS),
});
