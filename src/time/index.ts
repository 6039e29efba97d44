/** What the other folders use: phrases to ranges and back, zones, offsets. Pure; nothing here reads a clock. */
export { describeRange } from './describe/describe.ts';
export { plainPunctuation } from './lexer/plain-text.ts';
export { type Comparison, compareLikeWithLike, completePart, periodBefore, SETTLE_MS } from './like-with-like.ts';
export type { ParsedRange, Range, TimeContext, TypedRange } from './model.ts';
export { parseRange, suggestedRange } from './parse.ts';
export { wholeMinutes } from './resolve/range.ts';
export { findZone, offsetAt, resolveZone } from './zones/zones.ts';
