/** Clock times: `14:30`, `2pm`, `9h30`, `9.30 p.m.`, `3 o'clock`, `half past seven`, `noon`, `3 in the afternoon`. */
import type { Clock } from './model.ts';
import { type Num, readNumber } from './number.ts';
import { attempt, isTight, peek, type Reader, spanSince, take, textAt } from './reader.ts';
import { NUMBER_WORDS } from './vocabulary.ts';

type Meridian = 'am' | 'pm';
type Time = Pick<Clock, 'hour' | 'minute' | 'second' | 'ns'>;

const NAMED: ReadonlyMap<string, Meridian> = new Map([
  ['noon', 'pm'],
  ['midday', 'pm'],
  ['noontime', 'pm'],
  ['midnight', 'am'],
]);
const DOTTED = /^(\d{1,2})\.(\d{2})$/;

/** The words a clock time can begin with. */
export const CLOCK_STARTS: ReadonlySet<string> = new Set([
  ...NAMED.keys(),
  'a',
  'half',
  'quarter',
  ...NUMBER_WORDS.keys(),
]);

export function readClock(r: Reader): Clock | null {
  const type = peek(r)?.type;
  if (type !== 'clock' && type !== 'number' && !CLOCK_STARTS.has(textAt(r))) return null;
  return attempt(r, () => readNamed(r) ?? readWritten(r) ?? readPast(r) ?? readHour(r));
}

function clockOf(
  r: Reader,
  first: number,
  time: Partial<Time> & { hour: number },
  sure: boolean,
  meridian?: Meridian,
): Clock {
  const whole = { minute: 0, second: 0, ns: 0, ...time, sure, span: spanSince(r, first) };
  return meridian === undefined ? whole : { ...whole, meridian };
}

function readNamed(r: Reader): Clock | null {
  const first = r.at;
  const twelve = peek(r)?.text === '12' && NAMED.has(textAt(r, 1));
  const meridian = NAMED.get(textAt(r, twelve ? 1 : 0));
  if (meridian === undefined) return null;
  r.at += twelve ? 2 : 1;
  return clockOf(r, first, { hour: 12 }, false, meridian);
}

function readWritten(r: Reader): Clock | null {
  const first = r.at;
  const token = peek(r);
  if (token?.type !== 'clock') return null;
  r.at += 1;
  const meridian = readMeridian(r);
  take(r, 'h') || take(r, 'hrs') || take(r, 'hours') || takeOclock(r);
  const { hour, minute, second, ns } = token;
  const sure = meridian === null && (token.text.startsWith('0') || hour > 12);
  return clockOf(r, first, { hour, minute, second, ns }, sure, meridian ?? undefined);
}

/** `half past seven`, `quarter to 8 pm`, `ten past three`. */
function readPast(r: Reader): Clock | null {
  return attempt(r, () => {
    const first = r.at;
    take(r, 'a');
    const minutes = take(r, 'half') ? 30 : take(r, 'quarter') ? 15 : readNumber(r)?.value;
    const sign = take(r, 'past') ? 1 : minutes === 15 && take(r, 'to') ? -1 : 0;
    if (minutes === undefined || sign === 0 || minutes > 59) return null;
    const hour = readNumber(r);
    if (!hour || hour.value < 1 || hour.value > 12) return null;
    const meridian = readMeridian(r) ?? undefined;
    if (sign > 0) return clockOf(r, first, { hour: hour.value, minute: minutes }, false, meridian);
    const before = hour.value === 1 ? 12 : hour.value - 1;
    return clockOf(r, first, { hour: before, minute: 60 - minutes }, false, meridian);
  });
}

/** A number with something that makes it an hour. */
function readHour(r: Reader): Clock | null {
  const first = r.at;
  const num = readNumber(r);
  if (!num || num.ordinal) return null;
  const time = timeOf(num);
  if (time === null) return null;
  const minute = time.minute === 0 ? readMinutesAfterH(r) : null;
  if (minute !== null)
    return clockOf(r, first, { hour: time.hour, minute }, time.hour > 12 || num.digits.startsWith('0'));
  if (takeOclock(r)) return clockOf(r, first, time, false, readMeridian(r) ?? undefined);
  const meridian = readMeridian(r);
  return meridian === null ? null : clockOf(r, first, time, false, meridian);
}

function timeOf(num: Num): { hour: number; minute: number } | null {
  const dotted = DOTTED.exec(num.digits);
  if (dotted) return { hour: Number(dotted[1]), minute: Number(dotted[2]) };
  return Number.isInteger(num.value) && num.digits.length <= 2 ? { hour: num.value, minute: 0 } : null;
}

/** `14h` after a date, where it cannot be a length. */
export function readHourSign(r: Reader): Clock | null {
  return attempt(r, () => {
    const first = r.at;
    const num = readNumber(r);
    if (!num || num.ordinal || num.digits.length > 2 || !Number.isInteger(num.value)) return null;
    if (!isTight(r) || !take(r, 'h')) return null;
    return clockOf(r, first, { hour: num.value }, true);
  });
}

/** `9h30`: the hours' sign stands between, without spaces. */
function readMinutesAfterH(r: Reader): number | null {
  const minutes = peek(r, 1);
  if (textAt(r) !== 'h' || !isTight(r) || !isTight(r, 1)) return null;
  // `2h30m` is a length: something tight follows the minutes.
  const after = peek(r, 2);
  if (minutes?.type !== 'number' || !/^\d\d$/.test(minutes.text) || (after?.type === 'word' && !after.spaced))
    return null;
  r.at += 2;
  return minutes.value;
}

function takeOclock(r: Reader): boolean {
  return take(r, 'o', "'", 'clock') || take(r, 'oclock') || take(r, 'o', 'clock');
}

/** `pm`, `p.m.`, `p m`, tight `p`; `in the afternoon`. */
export function readMeridian(r: Reader): Meridian | null {
  return attempt(r, () => {
    const spoken = readSpokenMeridian(r);
    if (spoken) return spoken;
    const word = textAt(r);
    const tight = isTight(r);
    if (word === 'am' || word === 'pm') {
      r.at += 1;
      takeDot(r);
      return word;
    }
    if (word !== 'a' && word !== 'p') return null;
    const full = word === 'a' ? 'am' : 'pm';
    r.at += 1;
    const dot = takeDot(r);
    if (textAt(r) === 'm') {
      r.at += 1;
      takeDot(r);
      return full;
    }
    return tight && !dot ? full : null;
  });
}

/** The full stop of an abbreviation, not one that stands alone. */
function takeDot(r: Reader): boolean {
  if (textAt(r) !== '.' || !isTight(r)) return false;
  r.at += 1;
  return true;
}

function readSpokenMeridian(r: Reader): Meridian | null {
  if (take(r, 'in', 'the', 'morning')) return 'am';
  if (take(r, 'in', 'the', 'am')) return 'am';
  const later = ['pm', 'afternoon', 'evening'].some((word) => take(r, 'in', 'the', word));
  return later ? 'pm' : null;
}
