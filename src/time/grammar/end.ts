/** One end of a range, or all of it: date, clock time, part of the day and zone in any order, or an expression like `now-1h`. */
import { isBefore } from '../calendar.ts';
import { refuse, type TokenReader } from '../lexer/lexer.ts';
import { WEEKDAYS } from '../lexer/words.ts';
import type { DateExpr, Env, RangeEnd, RuleGroup } from '../model.ts';
import { ZONE_ABBREVIATIONS, zoneByAbbreviation, zoneByCity, zoneByOffset } from '../zones/zones.ts';
import { readBeforeThat } from './before-that.ts';
import { bareYear, HALVES_OF_DAY, readClock, readHourSign, readPartName } from './clock-time.ts';
import { type EndParts, readAgo, readDuration, rolling } from './duration.ts';
import { readHoliday } from './holidays.ts';
import { mergeDates } from './merge-dates.ts';
import { readNamedDate } from './named-date.ts';
import { readDayOffset, readNthOfPeriod, readPartOfPeriod, readWeekOf } from './period.ts';
import { readDateMath, readRelativeDate, thisUnit } from './relative-date.ts';

type EndDraft = { -readonly [Key in keyof RangeEnd]: RangeEnd[Key] };

/** Words allowed between the parts of one end. */
const CONNECTING: ReadonlySet<string> = new Set([',', 'at', 'on', 'of', 'in', 'the', '@', 'during']);
/** What joins a date and its time without a space: `2025-06-05T14:00`, `06/05/2025:14:00:00`. */
const TIGHT_CONNECTING: ReadonlySet<string> = new Set(['t', ':']);
/** Words that finish one end of a range and start the other. */
const OTHER_END: ReadonlySet<string> = new Set(['to', 'until', 'through', 'and', 'for', '..']);
const MAX_PARTS = 8;

/** `numbers`: bare numbers are allowed, because it is one of two ends. */
export function readEnd(r: TokenReader, numbers: boolean): RangeEnd | null {
  return r.attempt(() => {
    const first = r.at;
    const draft: EndDraft = { span: r.spanSince(first) };
    for (let parts = 0; parts < MAX_PARTS && readPiece(r, draft, parts === 0, numbers); parts++) r.take("' s");
    if (r.at === first || !isSomething(draft)) return null;
    draft.span = r.spanSince(first);
    draft.typed = r.text.slice(draft.span.start, draft.span.end);
    const end = settleNumber(draft);
    return end && isTimeAtDayEnd(end) ? null : end;
  });
}

/** `until 16:03 EOD` names two times. */
const isTimeAtDayEnd = ({ date, clock, number }: RangeEnd): boolean =>
  date?.dayEnd === true && (clock !== undefined || number !== undefined);

/** Not a duration, which may yet turn out to be one. */
export const isInstant = ({ instants, duration }: RangeEnd): boolean =>
  instants !== undefined && duration === undefined;

/** A zone alone is not a time. */
const isSomething = ({ date, clock, part, number, instants, ago }: EndDraft): boolean =>
  Boolean(date ?? clock ?? part ?? number ?? instants ?? ago);

/** Reads one more part, and connecting words before it if a part follows. */
function readPiece(r: TokenReader, draft: EndDraft, isFirst: boolean, numbers: boolean): boolean {
  const mark = r.at;
  if (mark >= r.tokens.length || (!isFirst && OTHER_END.has(r.textAt()))) return false;
  if (addPiece(r, draft, isFirst, numbers)) return true;
  if (draft.date && r.isTight() && TIGHT_CONNECTING.has(r.textAt())) {
    const iso = r.textAt() === 't';
    r.at += 1;
    // `wed: 1 - 5 pm`, but `from:2025-06-05:3` is no hour.
    const isSpaced = r.peek()?.spaced === true;
    if (addClock(r, draft, iso) || (isSpaced && addNumber(r, draft, numbers))) return true;
    r.at = mark;
  }
  for (let connecting = 0; connecting < 3; connecting++) {
    const word = r.takeOne(CONNECTING);
    if (word === null) break;
    // Only a time can follow `@`; and `in 2 hours` is not the duration `2 hours`.
    const found =
      word === '@' ? addClock(r, draft, false) || addNumber(r, draft, numbers) : addPiece(r, draft, false, numbers);
    if (found) return true;
  }
  r.at = mark;
  return false;
}

function addPiece(r: TokenReader, draft: EndDraft, isFirst: boolean, numbers: boolean): boolean {
  if (addZone(r, draft)) return true;
  if (draft.instants || (draft.ago && !draft.date)) return false;
  if (isFirst && addDayOffset(r, draft)) return true;
  if (addClock(r, draft, false) || (isFirst && addAlone(r, draft))) return true;
  return addDate(r, draft) || addPart(r, draft) || addNumber(r, draft, numbers);
}

function addZone(r: TokenReader, draft: EndDraft): boolean {
  if (draft.zone !== undefined) return false;
  const zone = readZone(r, draft.clock !== undefined, (draft.iso === true && r.isTight()) || isLogOffset(r, draft));
  return zone !== null && assign(draft, { zone });
}

/** ` -0500` after a time; ` -05:00` could also be the end of a range. */
export function isSpacedOffset(r: TokenReader): boolean {
  const [sign, digits] = [r.peek(), r.peek(1)];
  const isSigned = sign?.text === '-' && sign.spaced && digits?.spaced === false;
  return isSigned && /^(?:(?:0\d|1[0-2])[0-5]\d|0[0-8]:[034][05])$/.test(digits.text);
}

/** Without a colon, nine hours or more could also be a time that ends a range: `9am -1100`. */
const SURE_OFFSET = /^0[0-8][034][05]$/;

export const isTightOffset = (r: TokenReader): boolean =>
  r.textAt() === '-' && r.isTight() && r.isTight(1) && SURE_OFFSET.test(r.peek(1)?.text ?? '');

const OFFSET_CLOCK = /^(?!00:00)(?:0\d|1[0-4]):(?:00|30|45)$/;

/** `2025-06-05 10:00:00 -0500`, `10:00:00-05`, as in logs: after a full date and time it isn't the end of a range. */
function isLogOffset(r: TokenReader, { date, clock }: EndDraft): boolean {
  const digits = r.peek(1);
  if (!clock || digits?.spaced !== false) return false;
  const hasYear = date?.fields?.year !== undefined;
  if (isSpacedOffset(r))
    return SURE_OFFSET.test(digits.text) || (hasYear && !clock.meridian && digits.type === 'number');
  if (clock.meridian || !hasYear) return false;
  const hasSeconds = r.text.slice(clock.span.start, clock.span.end).split(':').length > 2;
  if (digits.type === 'number') return hasSeconds && /^[01]\d(?:[0-5]\d)?$/.test(digits.text);
  return hasSeconds && digits.type === 'clock' && OFFSET_CLOCK.test(digits.text);
}

function addDayOffset(r: TokenReader, draft: EndDraft): boolean {
  const date = r.attempt(readDayOffset);
  return date !== null && assign(draft, { date });
}

/** How `the same time yesterday` begins. */
const SAME_TIME: ReadonlySet<string> = new Set(['the', 'same', 'this']);

/** Expressions that allow no date or time next to them, only a zone. */
function addAlone(r: TokenReader, draft: EndDraft): boolean {
  const first = r.at;
  const beforeThat = r.tokens.at(-1)?.text === 'before' || SAME_TIME.has(r.textAt()) ? readBeforeThat(r) : null;
  if (beforeThat) return assign(draft, beforeThat);
  const parts = r.first(readDateMath, readAgo);
  if (parts) return assign(draft, parts);
  const duration = r.attempt(readDuration);
  return duration !== null && assign(draft, { ...rolling(r, first, duration), duration });
}

function assign(draft: EndDraft, parts: Partial<RangeEnd>): true {
  Object.assign(draft, parts);
  return true;
}

function addDate(r: TokenReader, draft: EndDraft): boolean {
  return (
    r.attempt(() => {
      const parts = readDateParts(r) ?? dayAgo(r, draft);
      if (!parts) return null;
      if (parts.date && !parts.part && asTimeBefore(draft, parts.date)) return assign(draft, parts);
      const merged = draft.date && parts.date ? mergeDates(draft.date, parts.date) : (draft.date ?? parts.date);
      const clash =
        (draft.date && !parts.date) || (parts.part && draft.part) || (parts.instants && Object.keys(draft).length > 1);
      if (clash || (draft.date && !merged)) return null;
      return assign(draft, merged ? { ...parts, date: merged } : parts);
    }) === true
  );
}

/** `1916 yesterday`: four digits before a day that has no year are a time of day. */
function asTimeBefore(draft: EndDraft, day: DateExpr): boolean {
  const isDay = day.fixed?.unit === 'day' || day.fields?.weekday !== undefined;
  const value = bareYear(draft);
  if (value === null || !isDay || day.fields?.year !== undefined) return false;
  draft.number = { value, ordinal: false, digits: String(value), isTime: true };
  return true;
}

function readDateParts(r: TokenReader): EndParts | null {
  const period = r.first(readNthOfPeriod, readWeekOf, readPartOfPeriod);
  if (period) return { date: period };
  const relative = r.attempt(readRelativeDate);
  if (relative) return relative;
  const first = r.at;
  const date = r.first(readHoliday, readNamedDate);
  return date && { date: r.take('so far') ? soFar(r, first, date) : date };
}

/** `october so far`, while it lasts. */
function soFar(r: TokenReader, first: number, date: DateExpr): DateExpr {
  const span = r.spanSince(first);
  const at = (env: Env) => {
    const days = env.daysOf(date);
    if (days && !isBefore(env.today, days.end)) refuse(span, "That's already over. Leave out “so far”.");
    return days;
  };
  return { fixed: { unit: 'month', at } };
}

/** `2pm-4pm two days ago`: next to a clock time it is a day. */
function dayAgo(r: TokenReader, draft: EndDraft): EndParts | null {
  const isTime = draft.clock ?? (draft.number?.digits.length === 4 || bareYear(draft) !== null);
  const date = isTime ? readAgo(r)?.date : undefined;
  return date?.fixed?.unit === 'day' ? { date } : null;
}

function addClock(r: TokenReader, draft: EndDraft, iso: boolean): boolean {
  // `5 2pm`: the five could be anything.
  const isTaken = draft.clock !== undefined || draft.number?.ordinal === false;
  const clock = isTaken ? null : (r.attempt(readClock) ?? (draft.date ? readHourSign(r) : null));
  return clock !== null && assign(draft, iso ? { clock, iso } : { clock });
}

function addPart(r: TokenReader, draft: EndDraft): boolean {
  if (draft.part) return false;
  const mayBeHalf = draft.date && !draft.clock && !draft.number;
  const part = readPartName(r) ?? (mayBeHalf ? r.takeFrom(HALVES_OF_DAY) : undefined);
  return part !== undefined && assign(draft, { part });
}

/** A bare number: an hour or a day, depending on the rest of the phrase. */
function addNumber(r: TokenReader, draft: EndDraft, numbers: boolean): boolean {
  // `2 months ago 12`: the number could be anything.
  if (draft.number || (draft.ago && draft.date?.fixed?.unit !== 'day')) return false;
  const isMarked = /^(?:at|@|:)$/.test(r.textAt(-1));
  const first = r.at;
  // After a clock time only a day can follow: `3pm on the 5th`.
  const number = r.attempt(() => {
    const next = r.readNumber();
    if (!next || (next.ordinal && next.value <= MAX_WEEKDAYS && WEEKDAYS.has(r.textAt()))) return null;
    if (next.ordinal && draft.date?.fields?.day !== undefined) return null;
    return next.ordinal || (numbers && !draft.clock) ? next : null;
  });
  if (!number) return false;
  // An ordinal without `the` needs a month from the other end, as in `eighth to eleventh may`.
  const isLoose = number.ordinal && number.digits === '' && r.tokens[first - 1]?.text !== 'the';
  // `8am to 11 on march 8`: a number before `on` is a time.
  const isTime = isMarked || (!number.ordinal && r.textAt() === 'on' && !draft.date);
  draft.number = { ...number, isTime, ...(isLoose ? { isLoose } : {}) };
  // `5.-16. august`: a dot before the dash makes it a day.
  if (r.textAt() === '.' && r.isTight() && r.textAt(1) === '-') r.at += 1;
  if (number.ordinal && !draft.date && r.take('of the month')) assign(draft, thisUnit('month'));
  settleOrdinal(draft);
  return true;
}

/** `the 27th 6-10pm`: once the day is one, the next number is an hour. */
function settleOrdinal(draft: EndDraft): void {
  const { number, ...settled } = settleNumber(draft);
  if (number || !draft.number?.ordinal) return;
  delete draft.number;
  Object.assign(draft, settled);
}

/** `second monday`, `3rd friday`: the month is missing. */
const MAX_WEEKDAYS = 5;

/** `the 17th` is a day whatever follows; `22 this month` too. */
function settleNumber(draft: EndDraft): RangeEnd {
  const { number, date, ...rest } = draft;
  if (!number) return draft;
  const inMonth = date?.fixed?.unit === 'month' && !date.fields;
  const isDay = (number.ordinal && !number.isLoose && Number.isInteger(number.value)) || inMonth;
  if (!isDay) return draft;
  const day: DateExpr = { fields: { day: number.value } };
  const merged = date ? mergeDates(date, day) : day;
  return merged ? { ...rest, date: merged } : draft;
}

export const ZONES: RuleGroup = {
  title: 'Zones',
  about: 'A zone or offset in the phrase overrides the asker’s own.',
  examples: `
9:00-10:00 UTC                           => 2025-06-18 11:00 .. 2025-06-18 12:00 in UTC
yesterday 2pm-4pm PST                    => 2025-06-18 .. 2025-06-18 02:00 in -08:00
today 9am to 10am ET                     => 2025-06-18 15:00 .. 2025-06-18 16:00 in America/New_York
9am to 10am Tokyo time                   => 2025-06-18 02:00 .. 2025-06-18 03:00 in Asia/Tokyo
9am-10am London                          => 2025-06-18 10:00 .. 2025-06-18 11:00 in Europe/London
yesterday in America/New_York            => 2025-06-17 06:00 .. 2025-06-18 06:00 in America/New_York
9:00-10:00 +05:30                        => 2025-06-18 05:30 .. 2025-06-18 06:30 in +05:30
9:00-10:00 UTC+2                         => 2025-06-18 09:00 .. 2025-06-18 10:00 in +02:00
02:30+02:00 to 02:30+01:00               => 2025-06-18 02:30 .. 2025-06-18 03:30 in +02:00
2025-06-05 14:00 CET to 16:00 CET        => 2025-06-05 15:00 .. 2025-06-05 17:00 in +01:00
yesterday 2pm to 3pm my time             => 2025-06-17 14:00 .. 2025-06-17 15:00
9am to 10am local time                   => 2025-06-18 09:00 .. 2025-06-18 10:00
`,
};

/** The asker's own zone: `my time`, `local time`. */
export const LOCAL_ZONE = 'local';

/** `hyphen`: after a time with a `T` before it, `-06:00` is an offset and not the end of a range. */
function readZone(r: TokenReader, afterClock: boolean, hyphen: boolean): string | null {
  return r.attempt(() => {
    const zone = readBare(r, afterClock, hyphen);
    if (zone !== null && zone !== LOCAL_ZONE && r.textAt() === 'time' && r.textAt(1) !== 'range') r.at += 1;
    return zone;
  });
}

function readBare(r: TokenReader, afterClock: boolean, hyphen: boolean): string | null {
  const sign = r.textAt();
  if (afterClock && (sign === '+' || (sign === '-' && hyphen))) return r.isTight(1) ? readOffset(r) : null;
  const isIn = r.take('in');
  if (isIn) r.take('the');
  const token = r.peek();
  if (token?.type === 'zone') {
    r.at += 1;
    return token.zone;
  }
  return r.attempt(readLocal) ?? readAbbreviation(r, afterClock) ?? readCity(r, isIn || afterClock);
}

const readLocal = (r: TokenReader): string | null => {
  const isLocal = r.take('local');
  return (isLocal || r.take('my|our')) && (r.take('time|timezone|tz') || isLocal) ? LOCAL_ZONE : null;
};

function readAbbreviation(r: TokenReader, afterClock: boolean): string | null {
  const word = r.textAt();
  const zone = zoneByAbbreviation(word);
  if (zone === null || (word === 'z' && !afterClock)) return null;
  // `10aEST` could be 10 am in New York or 10:00 in Sydney.
  if (r.isTight() && word.startsWith('a') && ZONE_ABBREVIATIONS.has(word.slice(1))) return null;
  r.at += 1;
  const signed = (r.textAt() === '+' || r.textAt() === '-') && r.isTight() && r.isTight(1);
  return (word === 'utc' || word === 'gmt') && signed ? (r.attempt(readOffset) ?? zone) : zone;
}

/** `+2`, `+02:00`, `+0200`. */
function readOffset(r: TokenReader): string | null {
  const sign = r.textAt();
  const token = r.peek(1);
  r.at += 2;
  if (token?.type === 'clock' && token.second === 0) return zoneByOffset(sign, token.hour, token.minute);
  // `14:00+2h` is a duration.
  const isCounted = r.isTight() && r.peek()?.type === 'word' && r.textAt() !== 't';
  if (token?.type !== 'number' || isCounted || !/^\d{1,4}$/.test(token.text)) return null;
  if (token.text.length <= 2) return zoneByOffset(sign, token.value, 0);
  return token.text.length === 4 ? zoneByOffset(sign, Math.floor(token.value / 100), token.value % 100) : null;
}

const MAX_WORDS = 3;

/** A city is a zone after `in` or a time of day, or before `time`; the longest name wins (`new york`, `port of spain`). */
function readCity(r: TokenReader, isPlace: boolean): string | null {
  for (let words = MAX_WORDS; words >= 1; words--) {
    if (!isPlace && r.textAt(words) !== 'time') continue;
    const names = Array.from({ length: words }, (_, index) => r.textAt(index));
    const zone = names.includes('') ? null : zoneByCity(names.join(' '));
    if (zone === null) continue;
    r.at += words;
    return zone;
  }
  return null;
}
