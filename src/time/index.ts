/** What the other folders use: phrases to ranges and back, zones, offsets. Pure; nothing here reads a clock. */
export { monthsBetween } from './calendar.ts';
export {
  clock,
  clockOrDay,
  dayAndMonth,
  dayInWords,
  intervalInWords,
  monthName,
  offsetName,
  offsetsInWords,
  windowInWords,
  zoned,
} from './describe/dates.ts';
export { describeRange } from './describe/range.ts';
export { plainPunctuation } from './lexer/plain-text.ts';
export type { ParsedRange, Range, TimeContext, TypedRange } from './model.ts';
export { parseRange, suggestedRange } from './parse.ts';
export { wholeMinutes } from './resolve/range.ts';
export { findZone, isMidnight, offsetAt, resolveZone, type Zoned } from './zones/zones.ts';
