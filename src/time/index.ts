/** Public API: phrases to ranges and back, dates in words, zones. Pure functions; nothing here reads the clock. */
export { monthsBetween } from './calendar.ts';
export {
  clock,
  clockOf,
  clockOrDay,
  dayAndMonth,
  dayInWords,
  intervalInWords,
  monthName,
  offsetName,
  offsetsInWords,
  spanInWords,
  type Times,
  timeWords,
  windowInWords,
  zoned,
} from './describe/dates.ts';
export { describeRange } from './describe/range.ts';
export { GERMAN_TIME_WORDS, isGermanWord } from './lexer/german-words.ts';
export { plainPunctuation } from './lexer/plain-text.ts';
export { isTimeWord } from './lexer/words.ts';
export type { ParsedRange, Range, TimeContext, TypedRange } from './model.ts';
export { isSameRange, parseRange, suggestedRange, timeWordsNear, unlessRefused } from './parse.ts';
export { wholeMinutes } from './resolve/range.ts';
export { isSwap } from './typos.ts';
export { parseUntil, untilWords } from './until.ts';
export {
  type ClockOffsets,
  clockLag,
  clockOffsets,
  findZone,
  isMidnight,
  offsetAt,
  resolveZone,
  type Zoned,
  zoneNames,
} from './zones/zones.ts';
