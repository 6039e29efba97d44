/**
 * One end of a range, or the whole of it: a date, a clock time, a part of the day and a zone in any order
 * (`5AM Jun 6`, `monday at 14:30 CET`, `6AM, June 7, 2009`), or something that stands alone (`now-1h`, `last 24h`).
 */
import { readBeside } from './beside.ts';
import { readClock, readHourSign } from './clock.ts';
import { DATE_STARTS, readNamedDate } from './date.ts';
import { HOLIDAY_STARTS, readHoliday } from './holidays.ts';
import { readLength } from './length.ts';
import { readMath } from './math.ts';
import { mergeDates } from './merge.ts';
import type { DateExpr, End } from './model.ts';
import { NTH_STARTS, readNth } from './nth.ts';
import { readNumber } from './number.ts';
import { readPart } from './part-of-day.ts';
import { EDGE_STARTS, readPartial, readWeekOf } from './period.ts';
import { attempt, isTight, peek, type Reader, spanSince, take, takeOne, textAt } from './reader.ts';
import { type Bit, RELATIVE_STARTS, readAgo, readRelative, rolling, thisUnit } from './relative.ts';
import { readZone } from './zone-phrase.ts';

type Draft = { -readonly [Key in keyof End]: End[Key] };

/** Words that may stand between the parts of one end. */
const JOINTS: ReadonlySet<string> = new Set([',', 'at', 'on', 'of', 'in', 'the', '@', 'during']);
/** What joins a date and its time without a space: `2025-06-05T14:00`, `06/05/2025:14:00:00`. */
const TIGHT_JOINTS: ReadonlySet<string> = new Set(['t', ':']);
/** Here one end is over and another begins. */
const OTHER_END: ReadonlySet<string> = new Set(['to', 'until', 'till', 'through', 'and', 'for', '..']);
const MOST_PARTS = 8;

/** `numbers`: bare ones may belong to it, because it is one of two ends. */
export function readEnd(r: Reader, numbers: boolean): End | null {
  return attempt(r, () => {
    const first = r.at;
    const draft: Draft = { span: spanSince(r, first) };
    for (let parts = 0; parts < MOST_PARTS && readPiece(r, draft, parts === 0, numbers); parts++) take(r, "'", 's');
    if (r.at === first) return null;
    if (!isSomething(draft)) return null;
    draft.span = spanSince(r, first);
    return settleNumber(draft);
  });
}

/** More than a zone, which alone is no time. */
const isSomething = ({ date, clock, part, number, stretch, ago, ahead }: Draft): boolean =>
  Boolean(date ?? clock ?? part ?? number ?? stretch ?? ago ?? ahead);

/** One more part; joints before it count only if a part follows. */
function readPiece(r: Reader, draft: Draft, isFirst: boolean, numbers: boolean): boolean {
  const mark = r.at;
  if (mark >= r.tokens.length || (!isFirst && OTHER_END.has(textAt(r)))) return false;
  if (addPiece(r, draft, isFirst, numbers)) return true;
  if (draft.date && isTight(r) && TIGHT_JOINTS.has(textAt(r))) {
    const iso = textAt(r) === 't';
    r.at += 1;
    if (addClock(r, draft, iso)) return true;
    r.at = mark;
  }
  for (let joints = 0; joints < 3 && takeOne(r, JOINTS) !== null; joints++) {
    // `in 2 hours` is not the length `2 hours`.
    if (addPiece(r, draft, false, numbers)) return true;
  }
  r.at = mark;
  return false;
}

function addPiece(r: Reader, draft: Draft, isFirst: boolean, numbers: boolean): boolean {
  if (addZone(r, draft)) return true;
  if (draft.stretch || draft.ahead) return false;
  if (isFirst && addBeside(r, draft)) return true;
  if (addClock(r, draft, false) || (isFirst && addAlone(r, draft))) return true;
  return addDate(r, draft) || addPart(r, draft) || addNumber(r, draft, numbers);
}

function addZone(r: Reader, draft: Draft): boolean {
  if (draft.zone !== undefined) return false;
  const zone = readZone(r, draft.clock !== undefined, (draft.iso === true && isTight(r)) || isLogOffset(r, draft));
  if (zone !== null) draft.zone = zone;
  return zone !== null;
}

/** `2025-06-05 10:00:00 -0500`, as logs write it: four digits after a full date and time are no end of a range. */
function isLogOffset(r: Reader, { date, clock }: Draft): boolean {
  const digits = peek(r, 1);
  const isFull = date?.fields?.year !== undefined && clock !== undefined && peek(r)?.spaced === true;
  return isFull && digits?.type === 'number' && !digits.spaced && /^[01]\d[0-5]\d$/.test(digits.text);
}

function addBeside(r: Reader, draft: Draft): boolean {
  const date = readBeside(r);
  return date !== null && assign(draft, { date });
}

/** What takes no clock time or date beside it, only a zone. */
function addAlone(r: Reader, draft: Draft): boolean {
  const first = r.at;
  const math = readMath(r);
  if (math) return assign(draft, math);
  const ago = readAgo(r);
  if (ago) return assign(draft, ago);
  return (
    attempt(r, () => {
      // `9h30`, `3 in the afternoon` and `2 march` begin like a length.
      const length = readLength(r);
      return length ? assign(draft, { ...rolling(r, first, length), plain: length }) : null;
    }) === true
  );
}

function assign(draft: Draft, bit: Bit & Pick<End, 'plain'>): true {
  Object.assign(draft, bit);
  return true;
}

const DATE_WORDS: ReadonlySet<string> = new Set([
  ...NTH_STARTS,
  ...EDGE_STARTS,
  ...RELATIVE_STARTS,
  ...DATE_STARTS,
  ...HOLIDAY_STARTS,
  'tonight',
  'wc',
]);

function addDate(r: Reader, draft: Draft): boolean {
  const type = peek(r)?.type;
  if (type !== 'number' && type !== 'date' && !DATE_WORDS.has(textAt(r))) return false;
  return (
    attempt(r, () => {
      const nth = readNth(r) ?? readWeekOf(r) ?? readPartial(r);
      const bit: Bit | null = nth ? { date: nth } : (readTonight(r) ?? readRelative(r) ?? named(r) ?? dayAgo(r, draft));
      if (!bit) return null;
      const merged = draft.date && bit.date ? mergeDates(draft.date, bit.date) : (draft.date ?? bit.date);
      const clash =
        (draft.date && !bit.date) || (bit.part && draft.part) || (bit.stretch && Object.keys(draft).length > 1);
      if (clash || (draft.date && !merged)) return null;
      return assign(draft, merged ? { ...bit, date: merged } : bit);
    }) === true
  );
}

function named(r: Reader): Bit | null {
  const date: DateExpr | null = readNamedDate(r) ?? readHoliday(r);
  return date && { date };
}

/** `2pm-4pm two days ago`: beside a clock time it is a day. */
function dayAgo(r: Reader, draft: Draft): Bit | null {
  const date = draft.clock ? readAgo(r)?.date : undefined;
  return date?.fixed?.unit === 'day' ? { date } : null;
}

function readTonight(r: Reader): Bit | null {
  if (textAt(r) !== 'tonight') return null;
  const part = { name: 'night', from: 18, to: 24 } as const;
  r.at += 1;
  const today: Bit = {
    date: { fixed: { unit: 'day', at: ({ today: start }) => ({ start, end: start.add({ days: 1 }) }) } },
  };
  return { ...today, part };
}

function addClock(r: Reader, draft: Draft, iso: boolean): boolean {
  const clock = draft.clock ? null : (readClock(r) ?? (draft.date ? readHourSign(r) : null));
  if (!clock) return false;
  draft.clock = clock;
  if (iso) draft.iso = true;
  return true;
}

function addPart(r: Reader, draft: Draft): boolean {
  const part = draft.part ? null : readPart(r);
  if (part) draft.part = part;
  return part !== null;
}

/** A bare number: an hour or a day, as the rest of the phrase decides. */
function addNumber(r: Reader, draft: Draft, numbers: boolean): boolean {
  if (draft.number) return false;
  const isTime = textAt(r, -1) === 'at' || textAt(r, -1) === '@';
  // After a clock time only a day can follow: `3pm on the 5th`.
  const number = attempt(r, () => {
    const next = readNumber(r);
    return next && (next.ordinal || (numbers && !draft.clock)) ? next : null;
  });
  if (!number) return false;
  draft.number = { ...number, isTime };
  // `5.-16. august`: a dot before the dash makes it a day.
  if (textAt(r) === '.' && isTight(r) && textAt(r, 1) === '-') r.at += 1;
  if (number.ordinal && !draft.date && take(r, 'of', 'the', 'month')) assign(draft, thisUnit('month'));
  return true;
}

/** `the 17th` is a day whatever follows; `22 this month` too. */
function settleNumber(draft: Draft): End {
  const { number, date, ...rest } = draft;
  if (!number) return draft;
  const inMonth = date?.fixed?.unit === 'month' && !date.fields;
  const isDay = (number.ordinal && Number.isInteger(number.value)) || inMonth;
  if (!isDay) return draft;
  const day: DateExpr = { fields: { day: number.value } };
  const merged = date ? mergeDates(date, day) : day;
  return merged ? { ...rest, date: merged } : draft;
}
