/**
 * One end of a range, or all of it: a date, a clock time, a part of the day and a zone in any order (`5AM Jun 6`,
 * `monday at 14:30 CET`, `6AM, June 7, 2009`), or a complete expression (`now-1h`, `last 24h`).
 */
import {
  attempt,
  isTight,
  peek,
  readNumber,
  spanSince,
  type TokenReader,
  take,
  takeOne,
  textAt,
} from '../lexer/reader.ts';
import { TONIGHT_WORDS, WEEKDAYS } from '../lexer/words.ts';
import type { DateExpr, RangeEnd } from '../model.ts';
import { readZone } from '../zones/zone-phrase.ts';
import { readClock, readHourSign } from './clock-time.ts';
import { readDateMath } from './date-math.ts';
import { readDuration } from './duration.ts';
import { readHoliday } from './holidays.ts';
import { mergeDates } from './merge-dates.ts';
import { readNamedDate } from './named-date.ts';
import { readNthOfPeriod } from './nth.ts';
import { readHalfOfDay, readPartOfDay } from './part-of-day.ts';
import { readDayOffset, readPartOfPeriod, readWeekOf } from './period.ts';
import { readRelativeDate, thisUnit } from './relative-date.ts';
import { type EndParts, readAgo, rolling } from './rolling.ts';

type EndDraft = { -readonly [Key in keyof RangeEnd]: RangeEnd[Key] };

/** Words allowed between the parts of one end. */
const CONNECTING: ReadonlySet<string> = new Set([',', 'at', 'on', 'of', 'in', 'the', '@', 'during']);
/** What joins a date and its time without a space: `2025-06-05T14:00`, `06/05/2025:14:00:00`. */
const TIGHT_CONNECTING: ReadonlySet<string> = new Set(['t', ':']);
/** Words that end one end and start another. */
const OTHER_END: ReadonlySet<string> = new Set(['to', 'until', 'till', 'through', 'and', 'for', '..']);
const MAX_PARTS = 8;

/** `numbers`: bare numbers are allowed, because it is one of two ends. */
export function readEnd(r: TokenReader, numbers: boolean): RangeEnd | null {
  return attempt(r, () => {
    const first = r.at;
    const draft: EndDraft = { span: spanSince(r, first) };
    for (let parts = 0; parts < MAX_PARTS && readPiece(r, draft, parts === 0, numbers); parts++) take(r, "'", 's');
    if (r.at === first) return null;
    if (!isSomething(draft)) return null;
    draft.span = spanSince(r, first);
    const end = settleNumber(draft);
    return end && isTimeAtDayEnd(end) ? null : end;
  });
}

/** `until 16:03 EOD` names two times. */
const isTimeAtDayEnd = ({ date, clock, number }: RangeEnd): boolean =>
  date?.dayEnd === true && (clock !== undefined || number !== undefined);

/** A zone alone is not a time. */
const isSomething = ({ date, clock, part, number, instants, ago, future }: EndDraft): boolean =>
  Boolean(date ?? clock ?? part ?? number ?? instants ?? ago ?? future);

/** Reads one more part, and connecting words before it if a part follows. */
function readPiece(r: TokenReader, draft: EndDraft, isFirst: boolean, numbers: boolean): boolean {
  const mark = r.at;
  if (mark >= r.tokens.length || (!isFirst && OTHER_END.has(textAt(r)))) return false;
  if (addPiece(r, draft, isFirst, numbers)) return true;
  if (draft.date && isTight(r) && TIGHT_CONNECTING.has(textAt(r))) {
    const iso = textAt(r) === 't';
    r.at += 1;
    // `wed: 1 - 5 pm`, but `from:2025-06-05:3` is no hour.
    const isSpaced = peek(r)?.spaced === true;
    if (addClock(r, draft, iso) || (isSpaced && addNumber(r, draft, numbers))) return true;
    r.at = mark;
  }
  for (let connecting = 0; connecting < 3; connecting++) {
    const word = takeOne(r, CONNECTING);
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
  if (draft.instants || draft.future || (draft.ago && !draft.date)) return false;
  if (isFirst && addDayOffset(r, draft)) return true;
  if (addClock(r, draft, false) || (isFirst && addAlone(r, draft))) return true;
  return addDate(r, draft) || addPart(r, draft) || addNumber(r, draft, numbers);
}

function addZone(r: TokenReader, draft: EndDraft): boolean {
  if (draft.zone !== undefined) return false;
  const zone = readZone(r, draft.clock !== undefined, (draft.iso === true && isTight(r)) || isLogOffset(r, draft));
  if (zone === null) return false;
  draft.zone = zone;
  return true;
}

const OFFSET_CLOCK = /^(?!00:00)(?:0\d|1[0-4]):(?:00|30|45)$/;

/** `2025-06-05 10:00:00 -0500`, `10:00:00-05`, as logs write it: after a full date and time it is no end of a range. */
function isLogOffset(r: TokenReader, { date, clock }: EndDraft): boolean {
  const [sign, digits] = [peek(r), peek(r, 1)];
  if (!clock || clock.meridian || date?.fields?.year === undefined || digits?.spaced !== false) return false;
  if (digits.type === 'number' && sign?.spaced) return /^[01]\d[0-5]\d$/.test(digits.text);
  const hasSeconds = r.text.slice(clock.span.start, clock.span.end).split(':').length > 2;
  if (digits.type === 'number') return hasSeconds && /^[01]\d(?:[0-5]\d)?$/.test(digits.text);
  return hasSeconds && digits.type === 'clock' && OFFSET_CLOCK.test(digits.text);
}

function addDayOffset(r: TokenReader, draft: EndDraft): boolean {
  const date = attempt(r, readDayOffset);
  return date !== null && assign(draft, { date });
}

/** Expressions that allow no date or time next to them, only a zone. */
function addAlone(r: TokenReader, draft: EndDraft): boolean {
  const first = r.at;
  const dateMath = attempt(r, readDateMath);
  if (dateMath) return assign(draft, dateMath);
  const ago = readAgo(r);
  if (ago) return assign(draft, ago);
  return (
    attempt(r, () => {
      // `9h30`, `3 in the afternoon` and `2 march` begin like a duration.
      const duration = readDuration(r);
      return duration ? assign(draft, { ...rolling(r, first, duration), duration }) : null;
    }) === true
  );
}

function assign(draft: EndDraft, parts: EndParts & Pick<RangeEnd, 'duration'>): true {
  Object.assign(draft, parts);
  return true;
}

function addDate(r: TokenReader, draft: EndDraft): boolean {
  return (
    attempt(r, () => {
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
  if (!isBareYear(draft) || !isDay || day.fields?.year !== undefined || draft.number || draft.clock) return false;
  const value = draft.date?.fields?.year ?? 0;
  draft.number = { value, ordinal: false, digits: String(value), isTime: true };
  return true;
}

function isBareYear({ date }: EndDraft): boolean {
  const { year, ...others } = date?.fields ?? {};
  return year !== undefined && Object.keys(others).length === 0 && !date?.fixed && !date?.inside;
}

function readDateParts(r: TokenReader): EndParts | null {
  const period = attempt(r, readNthOfPeriod) ?? attempt(r, readWeekOf) ?? attempt(r, readPartOfPeriod);
  if (period) return { date: period };
  const relative = readTonight(r) ?? attempt(r, readRelativeDate);
  if (relative) return relative;
  const date = attempt(r, readHoliday) ?? attempt(r, readNamedDate);
  return date && { date };
}

/** `2pm-4pm two days ago`: next to a clock time it is a day. */
function dayAgo(r: TokenReader, draft: EndDraft): EndParts | null {
  const isTime = draft.clock ?? (draft.number?.digits.length === 4 || isBareYear(draft));
  const date = isTime ? readAgo(r)?.date : undefined;
  return date?.fixed?.unit === 'day' ? { date } : null;
}

function readTonight(r: TokenReader): EndParts | null {
  if (takeOne(r, TONIGHT_WORDS) === null) return null;
  const part = { name: 'night', from: 18, to: 24 } as const;
  const today: EndParts = {
    date: { fixed: { unit: 'day', at: ({ today: start }) => ({ start, end: start.add({ days: 1 }) }) } },
  };
  return { ...today, part };
}

function addClock(r: TokenReader, draft: EndDraft, iso: boolean): boolean {
  // `5 2pm`: the five could be anything.
  const isTaken = draft.clock !== undefined || draft.number?.ordinal === false;
  const clock = isTaken ? null : (attempt(r, readClock) ?? (draft.date ? readHourSign(r) : null));
  if (!clock) return false;
  draft.clock = clock;
  if (iso) draft.iso = true;
  return true;
}

function addPart(r: TokenReader, draft: EndDraft): boolean {
  if (draft.part) return false;
  const part = attempt(r, readPartOfDay) ?? (draft.date && !draft.clock && !draft.number ? readHalfOfDay(r) : null);
  if (part) draft.part = part;
  return part !== null;
}

/** A bare number: an hour or a day, depending on the rest of the phrase. */
function addNumber(r: TokenReader, draft: EndDraft, numbers: boolean): boolean {
  // `2 months ago 12`: the number could be anything.
  if (draft.number || (draft.ago && draft.date?.fixed?.unit !== 'day')) return false;
  const isMarked = textAt(r, -1) === 'at' || textAt(r, -1) === '@' || textAt(r, -1) === ':';
  const first = r.at;
  // After a clock time only a day can follow: `3pm on the 5th`.
  const number = attempt(r, () => {
    const next = readNumber(r);
    if (!next || (next.ordinal && next.value <= MAX_WEEKDAYS && WEEKDAYS.has(textAt(r)))) return null;
    if (next.ordinal && draft.date?.fields?.day !== undefined) return null;
    return next.ordinal || (numbers && !draft.clock) ? next : null;
  });
  if (!number) return false;
  // An ordinal without `the` needs a month from the other end, as in `eighth to eleventh may`.
  const isLoose = number.ordinal && number.digits === '' && r.tokens[first - 1]?.text !== 'the';
  // `8am to 11 on march 8`: a number before `on` is a time.
  const isTime = isMarked || (!number.ordinal && textAt(r) === 'on' && !draft.date);
  draft.number = { ...number, isTime, ...(isLoose ? { isLoose } : {}) };
  // `5.-16. august`: a dot before the dash makes it a day.
  if (textAt(r) === '.' && isTight(r) && textAt(r, 1) === '-') r.at += 1;
  if (number.ordinal && !draft.date && take(r, 'of', 'the', 'month')) assign(draft, thisUnit('month'));
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
