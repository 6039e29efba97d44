/** The face of the room: phrases to ranges and back, zones, offsets. Pure; nothing here reads a clock. */
export { describeRange } from './describe.ts';
export type { ParsedRange, RangeKind, TimeContext } from './parsed-range.ts';
export type { Range } from './range.ts';
export { type FoundRange, findRange, parseRange } from './read.ts';
export { slackDate, slackRange } from './slack-date.ts';
export { isZone, offsetAt, resolveZone } from './zones.ts';
