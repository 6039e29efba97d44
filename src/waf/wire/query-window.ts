/** A query as it is sent: a window in milliseconds and hosts, split into parts that fit into one call each. */

import { UsageError } from '../../errors.ts';
import type { StatisticsQuery } from '../../statistics/statistics.ts';
import { offsetAt, wholeMinutes } from '../../time/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';

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
