/** What is really asked of the service: a window in milliseconds and hosts, so that like questions are the same one. */
import { UsageError } from '../errors.ts';
import { offsetAt, type Range } from '../time/index.ts';

const MINUTE_MS = 60_000;

export interface WafQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  /** IANA name; the service is told its offset at the start of the range. */
  readonly zone: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Sorted, unique. */
  readonly hosts: readonly string[];
  /** `+HH:MM` */
  readonly offset: string;
}

/**
 * A window that reaches into the current minute is moved back to whole minutes, so that everyone who asks for the last
 * 24 hours within a minute asks the same. A window that is over stays as it is.
 */
export function windowOf({ range, hosts, zone }: WafQuery, nowMs: number): Window {
  const { epochMilliseconds: askedFromMs } = range.from;
  const { epochMilliseconds: askedToMs } = range.to;
  if (askedFromMs >= askedToMs) throw new UsageError('The end of the range is not after its start.');
  const current = askedToMs > nowMs - MINUTE_MS && askedToMs - askedFromMs > MINUTE_MS;
  const floor = (ms: number) => (current ? Math.floor(ms / MINUTE_MS) * MINUTE_MS : ms);
  return {
    fromMs: floor(askedFromMs),
    toMs: floor(askedToMs),
    hosts: [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))].sort(),
    offset: offsetAt(zone, range.from),
  };
}

/** `+05:30` → 19 800 000 */
export function offsetMs(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}
