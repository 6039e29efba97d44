/** The face of the room: phrases to ranges and back, zones, offsets. Pure; nothing here reads a clock. */
import type { TimeContext } from './parsed-range.ts';
import type { Range } from './range.ts';

export type { ParsedRange, RangeKind, TimeContext } from './parsed-range.ts';
export type { Range } from './range.ts';
export { type FoundRange, findRange, parseRange } from './read.ts';
export { isZone, offsetAt, resolveZone } from './zones.ts';

export function describeRange({ from, to }: Range, _context: TimeContext): string {
  return `${from} to ${to}`;
}

export function slackDate(instant: Temporal.Instant): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${instant.toString({ smallestUnit: 'minute' })}>`;
}

export function slackRange({ from, to }: Range): string {
  return `${slackDate(from)} – ${slackDate(to)}`;
}
