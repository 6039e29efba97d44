/**
 * One end of a range, or the whole of it: a date, a clock time, a part of the day and a zone in any order
 * (`5AM Jun 6`, `monday at 14:30 CET`, `6AM, June 7, 2009`), or something that stands alone (`now-1h`, `last 24h`).
 */
import { readClock } from './clock.ts';
import { readNamedDate } from './date.ts';
import { readHoliday } from './holidays.ts';
import { readLength } from './length.ts';
import { readMath } from './math.ts';
import { mergeDates } from './merge.ts';
import type { DateExpr, End } from './model.ts';
import { readNth } from './nth.ts';
import { readNumber } from './number.ts';
import { readPart } from './part-of-day.ts';
import { readPartial, readWeekOf } from './period.ts';
import { attempt, isTight, type Reader, spanSince, take, takeOne, textAt } from './reader.ts';
import { type Bit, readAgo, readRelative, rolling } from './relative.ts';
import { readZone } from './zone-phrase.ts';

type Draft = { -readonly [Key in keyof End]: End[Key] };

/** Words that may stand between the parts of one end. */
const JOINTS: ReadonlySet<string> = new Set([',', 'at', 'on', 'of', 'in', 'the', '@', ':', 't', 'during']);
const MOST_PARTS = 8;

/** `numbers`: bare ones may belong to it, because it is one of two ends. */
export function readEnd(r: Reader, numbers: boolean): End | null {
  return attempt(r, () => {
    const first = r.at;
    const draft: Draft = { span: spanSince(r, first) };
    for (let parts = 0; parts < MOST_PARTS && readPiece(r, draft, parts === 0, numbers); parts++) take(r, "'", 's');
    if (r.at === first) return null;
    if (Object.keys(draft).length === 1 || (Object.keys(draft).length === 2 && draft.zone !== undefined)) return null;
    draft.span = spanSince(r, first);
    return settleNumber(draft);
  });
}

/** One more part; joints before it count only if a part follows. */
function readPiece(r: Reader, draft: Draft, isFirst: boolean, numbers: boolean): boolean {
  const mark = r.at;
  if (addPiece(r, draft, isFirst, numbers)) return true;
  const iso = textAt(r) === 't' && isTight(r);
  for (let joints = 0; joints < 3 && takeOne(r, JOINTS) !== null; joints++) {
    // `in 2 hours` is not the length `2 hours`.
    if (addPiece(r, draft, false, numbers, iso)) return true;
  }
  r.at = mark;
  return false;
}

function addPiece(r: Reader, draft: Draft, isFirst: boolean, numbers: boolean, iso = false): boolean {
  if (addZone(r, draft)) return true;
  if (draft.stretch || draft.ahead) return false;
  if (addClock(r, draft, iso) || (isFirst && addAlone(r, draft))) return true;
  return addDate(r, draft) || addPart(r, draft) || addNumber(r, draft, numbers);
}

function addZone(r: Reader, draft: Draft): boolean {
  if (draft.zone !== undefined) return false;
  const zone = readZone(r, draft.clock !== undefined, draft.iso === true);
  if (zone !== null) draft.zone = zone;
  return zone !== null;
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

function addDate(r: Reader, draft: Draft): boolean {
  return (
    attempt(r, () => {
      const nth = readNth(r) ?? readWeekOf(r) ?? readPartial(r);
      const bit: Bit | null = nth ? { date: nth } : (readTonight(r) ?? readRelative(r) ?? named(r));
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
  const clock = draft.clock ? null : readClock(r);
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
  if (draft.number || draft.clock) return false;
  const number = attempt(r, readNumber);
  if (!number || !(numbers || number.ordinal)) return false;
  draft.number = number;
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
