/** Windows as sentences: the period before, earlier and later ones, and how to name each so that it is read again. */
import { parseRange, type Range } from '../../time/index.ts';
import { type Host, namedHosts } from './hosts.ts';

/** The period of equal length that ends where this one begins. */
export function periodBefore({ from, to }: Range): Range {
  return { from: from.subtract(from.until(to)), to: from };
}

/** The window one length later, cut at now; `null` when nothing of it has happened yet. */
export function periodAfter({ from, to }: Range, now: Temporal.Instant): Range | null {
  if (Temporal.Instant.compare(to, now) >= 0) return null;
  const end = to.add(from.until(to));
  return { from: to, to: Temporal.Instant.compare(end, now) > 0 ? now : end };
}

/** `2026-03-01T14:00Z/2026-03-01T16:00Z`: says the same to everyone at any time, to the second. */
export function isoInterval({ from, to }: Range): string {
  return `${isoInstant(from)}/${isoInstant(to)}`;
}

function isoInstant(instant: Temporal.Instant): string {
  const whole = instant.round({ smallestUnit: 'second', roundingMode: 'floor' });
  const minutes = whole.epochMilliseconds % 60_000 === 0;
  return whole.toString({ smallestUnit: minutes ? 'minute' : 'second' });
}

export interface SentenceParts {
  readonly verb: string;
  readonly range: Range;
  readonly versus?: Range | 'previous';
  readonly hosts: readonly Host[];
  readonly zone: string;
  readonly flags?: readonly string[];
}

/** A sentence that asks for exactly this again. */
export function writeSentence({ verb, range, versus, hosts, zone, flags = [] }: SentenceParts): string {
  const against = versus === undefined ? '' : ` vs ${versus === 'previous' ? versus : isoInterval(versus)}`;
  return [`${verb} ${isoInterval(range)}${against}${namedHosts(hosts)} in ${zone}`, ...flags].join(' ');
}

/** Whether a name would be read as a time, and so could not be used for a host. */
export function readsAsTime(name: string, now: Temporal.Instant): boolean {
  try {
    parseRange(name, { now, zone: 'UTC' });
    return true;
  } catch {
    return false;
  }
}
