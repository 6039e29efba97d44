/** Clock times and parts of the day: `14:30`, `2pm`, `9h30`, `half past seven`, `noon`, `3 in the afternoon`, `at night`. */
import type { NumberValue, TokenReader } from '../lexer/lexer.ts';
import type { ClockTime, PartOfDay, RangeEnd, RuleGroup } from '../model.ts';

export const TIMES_OF_DAY: RuleGroup = {
  title: 'Times of day',
  about: `Clock times are exact ends. Without am or pm, times are on the 24-hour clock unless the pair would run
    backwards. A pair past midnight ends the next day. A time later than now means the day before. Midnight ends the day
    it is named with. Four digits are years if both could be, otherwise times.`,
  examples: `
yesterday 2pm to 4pm                     => 2025-06-17 14:00 .. 2025-06-17 16:00
9:30-11:00 on thursday                   => 2025-06-12 09:30 .. 2025-06-12 11:00
2p-4p yday                               => 2025-06-17 14:00 .. 2025-06-17 16:00
3 to 4pm                                 => 2025-06-18 15:00 .. 2025-06-18 16:00
9.30-4.30pm                              => 2025-06-18 09:30 .. now
10 to 4 yesterday                        => 2025-06-17 10:00 .. 2025-06-17 16:00
0900-1030 yesterday                      => 2025-06-17 09:00 .. 2025-06-17 10:30
1400-1500Z                               => 2025-06-18 16:00 .. now in UTC
half past seven to quarter to nine am    => 2025-06-18 07:30 .. 2025-06-18 08:45
11pm to 3am on sunday                    => 2025-06-15 23:00 .. 2025-06-16 03:00
sunday 11am to 1am                       => 2025-06-15 11:00 .. 2025-06-16 01:00
yesterday 22:00-02:00                    => 2025-06-17 22:00 .. 2025-06-18 02:00
monday 6pm to midnight                   => 2025-06-16 18:00 .. 2025-06-17
yesterday 3pm until end of day           => 2025-06-17 15:00 .. 2025-06-18
since 930am                              => 2025-06-18 09:30 .. now
monday: 1 - 5 pm                         => 2025-06-16 13:00 .. 2025-06-16 17:00
1900-2300                                => 2025-06-17 19:00 .. 2025-06-17 23:00
2014-2018                                => 2014-01-01 .. 2019-01-01
monday morning                           => 2025-06-16 .. 2025-06-16 12:00
between 8 and 10 last night              => 2025-06-17 20:00 .. 2025-06-17 22:00
3 in the afternoon to 6 yesterday        => 2025-06-17 15:00 .. 2025-06-17 18:00
`,
};

type Meridian = 'am' | 'pm';

const NAMED: ReadonlyMap<string, Meridian> = new Map([
  ['noon', 'pm'],
  ['midday', 'pm'],
  ['midnight', 'am'],
]);
const DOTTED = /^(\d{1,2})\.(\d{2})$/;

export const readClock = (r: TokenReader): ClockTime | null =>
  readNamed(r) ?? readWritten(r) ?? readPast(r) ?? r.attempt(readHour);

type Read = Pick<ClockTime, 'hour'> & Partial<ClockTime>;

function clockOf(r: TokenReader, first: number, time: Read): ClockTime {
  return { minute: 0, second: 0, ns: 0, sure: false, ...time, span: r.spanSince(first) };
}

function readNamed(r: TokenReader): ClockTime | null {
  const first = r.at;
  const twelve = r.peek()?.text === '12' && NAMED.has(r.textAt(1));
  const meridian = NAMED.get(r.textAt(twelve ? 1 : 0));
  if (meridian === undefined) return null;
  r.at += twelve ? 2 : 1;
  return clockOf(r, first, { hour: 12, meridian, named: true });
}

function readWritten(r: TokenReader): ClockTime | null {
  const first = r.at;
  const token = r.peek();
  if (token?.type !== 'clock') return null;
  r.at += 1;
  const meridian = readMeridian(r);
  r.take("h|hrs|hours|o ' clock|o clock");
  const { hour, minute, second, ns } = token;
  const sure = !meridian && (token.text.startsWith('0') || hour > 12);
  const clock = clockOf(r, first, { hour, minute, second, ns, sure, meridian });
  return !meridian && hour >= 10 ? { ...clock, twoDigits: true } : clock;
}

/** `half past seven`, `quarter to 8 pm`, `ten past three`. */
function readPast(r: TokenReader): ClockTime | null {
  return r.attempt(() => {
    const first = r.at;
    r.take('a');
    const minutes = r.take('half') ? 30 : r.take('quarter') ? 15 : r.readNumber()?.value;
    const sign = r.take('past') ? 1 : minutes === 15 && r.take('to') ? -1 : 0;
    if (minutes === undefined || sign === 0 || minutes > 59) return null;
    const hour = r.readNumber();
    if (!hour || hour.value < 1 || hour.value > 12) return null;
    const meridian = readMeridian(r);
    if (sign > 0) return clockOf(r, first, { hour: hour.value, minute: minutes, meridian });
    const before = hour.value === 1 ? 12 : hour.value - 1;
    return clockOf(r, first, { hour: before, minute: 60 - minutes, meridian });
  });
}

/** A number with something that makes it an hour. */
function readHour(r: TokenReader): ClockTime | null {
  const first = r.at;
  const num = r.readNumber();
  if (!num || num.ordinal) return null;
  const compact = compactTime(r, num);
  if (compact) return clockOf(r, first, { ...compact, sure: true });
  const time = timeOf(num);
  if (time === null) return readCompactHalf(r, num, first);
  const spaced = r.attempt(() => readSpacedMinutes(r, num, first));
  if (spaced) return spaced;
  const minute = time.minute === 0 ? readMinutesAfterH(r) : null;
  const sure = time.hour > 12 || num.digits.startsWith('0');
  if (minute !== null) return clockOf(r, first, { hour: time.hour, minute, sure });
  const isOClock = r.take("o ' clock|o clock");
  const meridian = readMeridian(r);
  return isOClock || meridian ? clockOf(r, first, { ...time, meridian }) : null;
}

/** `930am`, `1015 pm`. */
function readCompactHalf(r: TokenReader, { digits }: NumberValue, first: number): ClockTime | null {
  const parts = COMPACT_HALF.exec(digits);
  const meridian = parts && readMeridian(r);
  return parts && meridian ? clockOf(r, first, { ...timeFrom(parts), meridian }) : null;
}

function timeOf(num: NumberValue): { hour: number; minute: number } | null {
  const dotted = DOTTED.exec(num.digits);
  if (dotted) return timeFrom(dotted);
  return Number.isInteger(num.value) && num.digits.length <= 2 ? { hour: num.value, minute: 0 } : null;
}

const timeFrom = ([, hour, minute]: RegExpExecArray) => ({ hour: Number(hour), minute: Number(minute) });
const hourOnly = (digits: string) => (/^\d{2}$/.test(digits) ? { hour: Number(digits), minute: 0 } : null);
/** Before these words, hours are a duration. */
const DURATION_TAILS: ReadonlySet<string> = new Set('ago back earlier from before after until up'.split(' '));

/** `1400Z`, `14Z`, `0930h`, `1400 hours`: four digits are a time if the letters after them say so. */
function compactTime(r: TokenReader, { digits }: NumberValue): { hour: number; minute: number } | null {
  const parts = COMPACT.exec(digits);
  const isFollowed = (r.peek(1)?.type === 'number' && r.isTight(1)) || DURATION_TAILS.has(r.textAt(1));
  if (isFollowed) return null;
  if (r.textAt() === 'z') return parts ? timeFrom(parts) : r.isTight() ? hourOnly(digits) : null;
  const isHours = (r.isTight() && r.take('h')) || r.take('hrs|hours');
  return parts && isHours ? timeFrom(parts) : null;
}

/** `2 30 pm`, `nine thirty am`, `nine forty five`: digits need am or pm after them. */
function readSpacedMinutes(r: TokenReader, hour: NumberValue, first: number): ClockTime | null {
  if (!Number.isInteger(hour.value) || hour.value < 1 || hour.value > 12 || hour.digits.length > 2) return null;
  const minutes = r.readNumber();
  if (!minutes || minutes.ordinal || minutes.value > 59 || (hour.digits === '') !== (minutes.digits === ''))
    return null;
  if (minutes.digits === '' ? minutes.value < 10 : minutes.digits.length !== 2) return null;
  const meridian = readMeridian(r);
  if (!meridian && minutes.digits !== '') return null;
  return clockOf(r, first, { hour: hour.value, minute: minutes.value, meridian });
}

/** `14h` after a date, where it cannot be a duration. */
export function readHourSign(r: TokenReader): ClockTime | null {
  return r.attempt(() => {
    const first = r.at;
    const num = r.readNumber();
    if (!num || num.ordinal || num.digits.length > 2 || !Number.isInteger(num.value)) return null;
    if (!r.isTight() || !r.take('h')) return null;
    return clockOf(r, first, { hour: num.value, sure: true });
  });
}

/** `9h30`, without spaces. */
function readMinutesAfterH(r: TokenReader): number | null {
  const minutes = r.peek(1);
  if (r.textAt() !== 'h' || !r.isTight() || !r.isTight(1)) return null;
  // `2h30m` is a duration: a letter follows the minutes.
  const after = r.peek(2);
  if (minutes?.type !== 'number' || !/^\d\d$/.test(minutes.text) || (after?.type === 'word' && !after.spaced))
    return null;
  r.at += 2;
  return minutes.value;
}

/** `pm`, `p.m.`, `p m`, tight `p`; `in the afternoon`. */
function readMeridian(r: TokenReader): Meridian | undefined {
  if (r.take('in the morning|in the am')) return 'am';
  if (r.take('in the pm|in the afternoon|in the evening')) return 'pm';
  const isDotted = r.textAt(1) === '.' && r.isTight(1);
  const isAm = r.take('am|a m|a . m');
  if (isAm || r.take('pm|p m|p . m')) {
    if (r.isTight()) r.take('.');
    return isAm ? 'am' : 'pm';
  }
  return r.isTight() && !isDotted ? r.takeFrom(LETTERS) : undefined;
}
const LETTERS: ReadonlyMap<string, Meridian> = new Map([
  ['a', 'am'],
  ['p', 'pm'],
]);

/** A whole hour as a time of day. */
export const hourClock = (hour: number, digits: string, { span }: RangeEnd): ClockTime => {
  const sure = hour > 12 || (digits.length === 2 && digits.startsWith('0'));
  return { hour, minute: 0, second: 0, ns: 0, sure, span };
};

const COMPACT = /^([01]\d|2[0-4])([0-5]\d)$/;

/** `930` and `1015` next to am or pm; elsewhere three digits could be anything. */
const COMPACT_HALF = /^([1-9]|1[0-2])([0-5]\d)$/;

/** `1930`, `0930`. */
export const isCompact = (digits: string): boolean => COMPACT.test(digits);

/** A bare number as a time of day: `9`, `9.30`, `0930`. */
export function asClock(end: RangeEnd, isHalved = false): RangeEnd | null {
  const { number, ...rest } = end;
  if (!number || number.ordinal) return null;
  const short = isHalved ? COMPACT_HALF.exec(number.digits) : null;
  const compact = short ? null : COMPACT.exec(number.digits);
  const parts = short ?? compact ?? DOTTED.exec(number.digits);
  if (parts) {
    const { hour, minute } = timeFrom(parts);
    return { ...rest, clock: { ...hourClock(hour, compact ? '00' : '', end), minute } };
  }
  const isHour = Number.isInteger(number.value) && number.digits.length <= 2 && number.value <= 24;
  return isHour ? { ...rest, clock: hourClock(number.value, number.digits, end) } : null;
}

/** The year, if the end is nothing else but perhaps a zone. */
export function bareYear({ date, clock, part, number, ago }: RangeEnd): number | null {
  const { year, ...others } = date?.fields ?? {};
  const isAlone = Object.keys(others).length === 0 && !date?.fixed && !date?.inside && !date?.part && !date?.which;
  return year !== undefined && isAlone && !clock && !part && !number && !ago ? year : null;
}

/** `1930` as a time of day. */
export function asTime(end: RangeEnd, year: number): RangeEnd {
  const { date: _, ...rest } = end;
  const number = { value: year, ordinal: false, digits: String(year), isTime: false };
  return asClock({ ...rest, number }) ?? end;
}

export const DAY_AND_MONTH = /^(?:[1-9]|[0-2]\d|3[01])\.(?:0[1-9]|1[0-2])$/;

/** `9.10` without a final dot could be a time or a day. */
export const isDayAndMonth = ({ number }: RangeEnd): boolean => DAY_AND_MONTH.test(number?.digits ?? '');

/** One night: from the evening to the morning after. */
export const NIGHT: PartOfDay = { name: 'night', from: 18, to: 32 };

/** In whole hours; from 24 on, they're on the next day. */
export const PARTS_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['morning', { name: 'morning', from: 0, to: 12 }],
  ['afternoon', { name: 'afternoon', from: 12, to: 19 }],
  ['evening', { name: 'evening', from: 18, to: 24 }],
  ['night', NIGHT],
]);

const EARLY_MORNING: PartOfDay = { name: 'morning', from: 0, to: 9 };

export const readPartName = (r: TokenReader): PartOfDay | undefined =>
  r.take('early morning') ? EARLY_MORNING : r.takeFrom(PARTS_OF_DAY);

/** `yesterday pm`, `this am`. */
export const HALVES_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['am', { name: 'morning', from: 0, to: 12 }],
  ['pm', { name: 'afternoon', from: 12, to: 24 }],
]);
