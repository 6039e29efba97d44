/**
 * German to English, word by word, before the grammar sees it. Only differences in word order or notation have a rule
 * here: `14 Uhr 30`, `halb neun`, `vor 3 Tagen`, `am 5.`, `2,5`. Every token keeps its place in the text as typed.
 */

import type { RuleGroup, TimeToken } from '../model.ts';
import { foldGerman, GERMAN_NUMBERS, GERMAN_ORDINALS, GERMAN_PHRASES } from './german-words.ts';

export const GERMAN: RuleGroup = {
  title: 'German',
  about: `German words are read as their English counterparts, with umlauts or without. Times are on the 24-hour clock. Spoken times
    before half past five need a part of the day, because \`halb drei\` could be either.`,
  examples: `
letzte 24 Stunden                        => 2025-06-17 16:25:40 .. now
seit 3 Stunden                           => 2025-06-18 13:25:40 .. now
seit heute früh                          => 2025-06-18 .. now
vorgestern Abend                         => 2025-06-16 18:00 .. 2025-06-17
vor 3 Tagen                              => 2025-06-15 .. 2025-06-16
diese Woche                              => 2025-06-16 .. now
letzten Montag                           => 2025-06-16 .. 2025-06-17
KW 23                                    => 2025-06-02 .. 2025-06-09
Anfang Mai                               => 2025-05-01 .. 2025-05-11
gestern 14 bis 16 Uhr                    => 2025-06-17 14:00 .. 2025-06-17 16:00
gestern von 14.30 Uhr bis Viertel nach acht abends => 2025-06-17 14:30 .. 2025-06-17 20:15
am 5.6. von 9 bis 11 Uhr                 => 2025-06-05 09:00 .. 2025-06-05 11:00
vom 28. Mai bis zum 3. Juni              => 2025-05-28 .. 2025-06-04
gegen 14:30                              => 2025-06-18 14:00 .. 2025-06-18 15:00
in der Nacht auf Dienstag                => 2025-06-16 18:00 .. 2025-06-17 08:00
seit halb drei                           => refused: halb
`,
};

type Tokens = readonly TimeToken[];
type NumberToken = Extract<TimeToken, { type: 'number' }>;

export const UNCLEAR_DATE = 'date?';

/** What the tokens from an index on are replaced by, and how many of them. */
interface Replaced {
  readonly length: number;
  readonly by: Tokens;
}
type Rule = (tokens: Tokens, at: number) => Replaced | null;

/** The tokens with every German word in English. */
export const inEnglish = (tokens: Tokens): Tokens =>
  [NUMBERS, CLOCKS, pairedClocks(tokens), DATES, ORDER, WORDS].reduce(rewritten, tokens);

function rewritten(tokens: Tokens, rules: readonly Rule[]): Tokens {
  const result: TimeToken[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = rules.reduce<Replaced | null>((before, rule) => before ?? rule(tokens, at), null);
    result.push(...(found?.by ?? tokens.slice(at, at + 1)));
    at += found?.length ?? 1;
  }
  return result;
}

const keyAt = (tokens: Tokens, at: number): string => {
  const token = tokens[at];
  return token?.type === 'word' ? foldGerman(token.text) : token?.type === 'mark' ? token.text : '';
};
const isOneOf = (tokens: Tokens, at: number, words: string): boolean => {
  const key = keyAt(tokens, at);
  return key !== '' && words.split(' ').includes(key);
};
const numberAt = (tokens: Tokens, at: number): NumberToken | null => {
  const token = tokens[at];
  return token?.type === 'number' ? token : null;
};
const isTight = (tokens: Tokens, at: number): boolean => tokens[at]?.spaced === false;

/** Where several tokens are in the text. */
function placeOf(tokens: Tokens, at: number, length: number): Pick<TimeToken, 'start' | 'end' | 'spaced'> {
  const [first, last] = [tokens[at], tokens[at + length - 1]];
  return { start: first?.start ?? 0, end: last?.end ?? 0, spaced: first?.spaced ?? true };
}

const numberToken = (value: number, ordinal: boolean, place: ReturnType<typeof placeOf>): TimeToken => ({
  type: 'number',
  value,
  ordinal,
  text: String(value),
  ...place,
});

function englishToken(word: string, place: ReturnType<typeof placeOf>): TimeToken {
  return /^\d/.test(word) ? numberToken(Number(word), false, place) : { type: 'word', text: word, ...place };
}

const english = (words: readonly string[], place: ReturnType<typeof placeOf>): Tokens =>
  words.map((word, index) => englishToken(word, index === 0 ? place : { ...place, spaced: true }));

const HALVES = /^(?:halb|viertelstunde|paar)/;

/** `neun`, `einundzwanzig`; `2,5`; `5.` and `fünften`, which are ordinals. */
const NUMBERS: readonly Rule[] = [
  (tokens, at) => {
    const [whole, part] = [numberAt(tokens, at), numberAt(tokens, at + 2)];
    const isDecimal = keyAt(tokens, at + 1) === ',' && isTight(tokens, at + 1) && isTight(tokens, at + 2);
    if (!whole || !part || !isDecimal) return null;
    return { length: 3, by: [numberToken(Number(`${whole.text}.${part.text}`), false, placeOf(tokens, at, 3))] };
  },
  (tokens, at) => {
    const number = numberAt(tokens, at);
    const isDotted =
      keyAt(tokens, at + 1) === '.' && isTight(tokens, at + 1) && numberAt(tokens, at + 2)?.spaced !== false;
    if (!number || !isDotted || !Number.isInteger(number.value) || number.text.length > 2) return null;
    return { length: 2, by: [numberToken(number.value, true, placeOf(tokens, at, 2))] };
  },
  (tokens, at) => {
    const key = keyAt(tokens, at);
    const [value, nth] = [GERMAN_NUMBERS.get(key), GERMAN_ORDINALS.get(key)];
    if ((value === undefined && nth === undefined) || (value === 1 && HALVES.test(keyAt(tokens, at + 1)))) return null;
    return { length: 1, by: [numberToken(value ?? nth ?? 0, value === undefined, placeOf(tokens, at, 1))] };
  },
];

const isUnit = (tokens: Tokens, at: number): boolean =>
  /^(?:sekunden?|sek|minuten?|min|stunden?|std|h|m|s|tage?n?|wochen?|monate?n?|jahre?n?|quartale?|viertelstunde)$/.test(
    keyAt(tokens, at),
  );

/** A time of the 24-hour clock. Written with two digits it stays as it is, with one a part of the day may still decide. */
function clockToken(tokens: Tokens, at: number, length: number, hour: number, minute: number): TimeToken {
  const isOpen = tokens.some((_, index) => PART_OF_DAY.test(keyAt(tokens, index)));
  const two = (value: number): string => String(value).padStart(2, '0');
  const text = `${isOpen ? hour : two(hour)}:${two(minute)}`;
  return { type: 'clock', hour, minute, second: 0, ns: 0, text, ...placeOf(tokens, at, length) };
}

const PART_OF_DAY = /(?:morgen|frueh|fruh|vormittag|nachmittag|abend|nacht)s?$/;
const DOTTED = /^(\d{1,2})\.([0-5]\d)$/;

/** `9`, `9.30`: the hour and the minute that a number can be. */
function timeOf(number: NumberToken | null): readonly [hour: number, minute: number] | null {
  if (!number || number.ordinal) return null;
  const dotted = DOTTED.exec(number.text);
  const [hour, minute] = dotted ? [Number(dotted[1]), Number(dotted[2])] : [number.value, 0];
  return Number.isInteger(hour) && number.text.length <= 5 && hour < 100 ? [hour, minute] : null;
}

const CLOCKS: readonly Rule[] = [
  (tokens, at) => (tokens[at]?.type === 'clock' && keyAt(tokens, at + 1) === 'uhr' ? withPart(tokens, at, 2) : null),
  (tokens, at) => {
    const time = keyAt(tokens, at + 1) === 'uhr' ? timeOf(numberAt(tokens, at)) : null;
    const minutes = numberAt(tokens, at + 2);
    const hasMinutes =
      minutes && !minutes.ordinal && /^\d\d$/.test(minutes.text) && minutes.value < 60 && time?.[1] === 0;
    if (!time) return null;
    const isAfter = hasMinutes && !isUnit(tokens, at + 3) && keyAt(tokens, at + 3) !== 'uhr';
    return withPart(tokens, at, isAfter ? 3 : 2, [time[0], isAfter ? minutes.value : time[1]]);
  },
  spokenClock,
];

/** `halb neun`, `viertel nach acht`, `zehn vor neun`, `fünf nach halb neun`. */
function spokenClock(tokens: Tokens, at: number): Replaced | null {
  const isHalf = keyAt(tokens, at) === 'halb';
  const quarter = keyAt(tokens, at) === 'viertel' ? 15 : (numberAt(tokens, at)?.value ?? Number.NaN);
  const sign = isHalf ? 0 : isOneOf(tokens, at + 1, 'nach') ? 1 : isOneOf(tokens, at + 1, 'vor') ? -1 : Number.NaN;
  const toHalf = !isHalf && keyAt(tokens, at + 2) === 'halb';
  const place = isHalf ? at + 1 : at + (toHalf ? 3 : 2);
  const hour = numberAt(tokens, place);
  const offset = isHalf ? -30 : sign * quarter - (toHalf ? 30 : 0);
  if (!hour || hour.ordinal || !(Math.abs(offset) < 60) || quarter > 29 || !/^(?:[1-9]|1[0-2])$/.test(hour.text))
    return null;
  if (isUnit(tokens, place + 1)) return null;
  const length = place - at + 1 + (keyAt(tokens, place + 1) === 'uhr' ? 1 : 0);
  const minutes = (hour.value * 60 + offset + 720) % 720;
  const time = [Math.floor(minutes / 60) || 12, minutes % 60] as const;
  const found = withPart(tokens, at, length, time);
  const isClear = found.length > length || tokens.some((_, index) => PART_OF_DAY.test(keyAt(tokens, index)));
  // From one to half past five, people rarely mean the night, so without a part of the day it's ambiguous.
  return isClear || time[0] >= 6 ? found : null;
}

const MORNING = 'morgens frueh vormittags';
const LATER = 'nachmittags abends';

/** A clock time with the part of the day after it: `8 Uhr abends`, `2 Uhr nachts`, `3 Uhr in der Nacht`. */
function withPart(
  tokens: Tokens,
  at: number,
  length: number,
  time?: readonly [hour: number, minute: number],
): Replaced {
  const written = tokens[at];
  const [hour, minute] = time ?? (written?.type === 'clock' ? [written.hour, written.minute] : [0, 0]);
  const end = at + length;
  const isNight = keyAt(tokens, end) === 'nachts';
  const isMorning = isOneOf(tokens, end, MORNING) || (isNight && hour <= 6);
  const isLater = isOneOf(tokens, end, LATER) || (isNight && hour >= 7 && hour < 12);
  const isMidday = keyAt(tokens, end) === 'mittags' && (hour === 12 || hour <= 2);
  if (!isMorning && !isLater && !isMidday) {
    const { start, end: last } = placeOf(tokens, at, length);
    const by = time || written?.type !== 'clock' ? clockToken(tokens, at, length, hour, minute) : written;
    return { length, by: [{ ...by, start, end: last }] };
  }
  const moved = hour < 12 && (isLater || isMidday) ? hour + 12 : hour;
  const settled = clockToken(tokens, at, length + 1, moved, minute);
  return { length: length + 1, by: [{ ...settled, text: settled.text.padStart(5, '0') }] };
}

const isJoint = (tokens: Tokens, at: number): boolean => isOneOf(tokens, at, 'bis und -');

/** `14 bis 16 Uhr`, `von 8 bis 10 Uhr abends`: what the second time says also applies to the first. */
function pairedClocks(typed: Tokens): readonly Rule[] {
  const hasPart = ({ start, end }: TimeToken): boolean =>
    typed.some((token, at) => token.start >= start && token.end <= end && isOneOf(typed, at, `${LATER} nachts`));
  return [
    (tokens, at) => {
      const [first, second] = [tokens[at], tokens[at + 2]];
      if (!first || second?.type !== 'clock' || !isJoint(tokens, at + 1) || isDate(tokens, at)) return null;
      const time = first.type === 'clock' ? ([first.hour, first.minute] as const) : timeOf(numberAt(tokens, at));
      if (!time) return null;
      const isLater = second.hour > 12 ? time[0] + 12 <= second.hour : time[0] >= 7;
      const isMoved = hasPart(second) && !hasPart(first) && time[0] < 12 && isLater;
      if (first.type === 'clock' && !isMoved) return null;
      return { length: 1, by: [clockToken(tokens, at, 1, time[0] + (isMoved ? 12 : 0), time[1])] };
    },
  ];
}

const isDate = (tokens: Tokens, at: number): boolean => isOneOf(tokens, at - 1, 'am vom dem den zum');

const isDayAndMonth = (number: NumberToken | null): boolean =>
  /^(?:[0-2]?\d|3[01])\.(?:0[1-9]|1[0-2])$/.test(number?.text ?? '');

const MONTH = /^(?:jan|feb|mae?rz|mrz|apr|mai|jun|jul|aug|sep|okt|nov|dez)/;
const isYearOrDay = (tokens: Tokens, at: number): boolean =>
  MONTH.test(keyAt(tokens, at - 1)) &&
  numberAt(tokens, at - 2) === null &&
  numberAt(tokens, at)?.ordinal === false &&
  numberAt(tokens, at)?.text.length === 2;

/** `am 5.`, `am 5.10`, `vom 5.10 bis 9.10`; `41. KW`, `3. Quartal`, `1. Halbjahr`. */
const DATES: readonly Rule[] = [
  (tokens, at) => {
    const number = numberAt(tokens, at);
    const unit = { kw: 'w', kalenderwoche: 'w', quartal: 'q', halbjahr: 'h' }[keyAt(tokens, at + 1)];
    if (!number?.ordinal || unit === undefined) return null;
    const place = placeOf(tokens, at, 2);
    return {
      length: 2,
      by: [englishToken(unit, place), numberToken(number.value, false, { ...place, spaced: false })],
    };
  },
  (tokens, at) => {
    const number = numberAt(tokens, at);
    const dotted = /^(\d{1,2})\.(\d{1,2})$/.exec(number?.text ?? '');
    const isSecond =
      isOneOf(tokens, at - 1, 'bis -') && /\./.test(numberAt(tokens, at - 2)?.text ?? '') && isDate(tokens, at - 2);
    if (!number || number.ordinal || !(isDate(tokens, at) || isSecond)) return null;
    const place = placeOf(tokens, at, 1);
    if (dotted) {
      const date = { day: Number(dotted[1]), month: Number(dotted[2]) };
      return { length: 1, by: [{ type: 'date', date, text: number.text, ...place }] };
    }
    const isDay = /^\d{1,2}$/.test(number.text) && !isUnit(tokens, at + 1);
    return isDay ? { length: 1, by: [numberToken(number.value, true, place)] } : null;
  },
  // `5.10 bis 9.10` could be dates or times, `Oktober 25` a day or a year: no rule knows such a word.
  (tokens, at) => {
    const isUnclear = (isDayAndMonth(numberAt(tokens, at)) && !isUnit(tokens, at + 1)) || isYearOrDay(tokens, at);
    return isUnclear ? { length: 1, by: [{ ...placeOf(tokens, at, 1), type: 'word', text: UNCLEAR_DATE }] } : null;
  },
];

const UNIT_WORDS = 'tag woche monat quartal jahr wochenende';

/** Other word order: `vor 3 Tagen`, `vorletzte Woche`, `Nacht auf Dienstag`; `von gestern` without an end. */
const ORDER: readonly Rule[] = [
  (tokens, at) => {
    if (keyAt(tokens, at) !== 'vor') return null;
    const isPair =
      numberAt(tokens, at + 1) !== null && keyAt(tokens, at + 2) === 'bis' && numberAt(tokens, at + 3) !== null;
    const length = durationLength(tokens, at + (isPair ? 3 : 1)) + (isPair ? 2 : 0);
    if (length === (isPair ? 2 : 0)) return null;
    const inside = tokens.slice(at + 1, at + 1 + length);
    const place = placeOf(tokens, at, 1 + length);
    const ago = [...rewritten(inside, WORDS), ...english(['ago'], place)];
    return { length: length + 1, by: ago.map((token) => ({ ...token, start: place.start })) };
  },
  (tokens, at) => {
    if (!/^vorletzt(?:e[nrsm]?)$/.test(keyAt(tokens, at)) || !isOneOf(tokens, at + 1, UNIT_WORDS)) return null;
    const unit = rewritten(tokens.slice(at + 1, at + 2), WORDS).map(({ text }) => text);
    return { length: 2, by: english([...unit, 'before', 'last'], placeOf(tokens, at, 2)) };
  },
  nightBetween,
  (tokens, at) => {
    const isOf =
      isOneOf(tokens, at, 'von vom') && !tokens.some((_, index) => index > at && isOneOf(tokens, index, 'bis - ..'));
    const isOpen = tokens.some((_, index) => index > at && keyAt(tokens, index) === 'an');
    if (!isOf) return null;
    return { length: 1, by: isOpen ? english(['since'], placeOf(tokens, at, 1)) : [] };
  },
  (tokens, at) =>
    keyAt(tokens, at) === 'an' && isOneOf(tokens, firstFrom(tokens), 'von vom') ? { length: 1, by: [] } : null,
  (tokens, at) => {
    const isAround = keyAt(tokens, at) === 'um' && tokens.some((_, index) => isOneOf(tokens, index, 'herum rum'));
    const isNamed = isOneOf(tokens, at + 1, 'ca circa etwa ungefaehr');
    return isAround && !isNamed ? { length: 1, by: english(['around'], placeOf(tokens, at, 1)) } : null;
  },
  (tokens, at) =>
    isOneOf(tokens, at, 'herum rum') && tokens.some((_, index) => isOneOf(tokens, index, 'um gegen'))
      ? { length: 1, by: [] }
      : null,
];

const firstFrom = (tokens: Tokens): number => tokens.findIndex((_, at) => isOneOf(tokens, at, 'von vom'));

/** How many tokens are a duration: `3 tagen`, `einer halben stunde`. */
function durationLength(tokens: Tokens, at: number): number {
  const number = numberAt(tokens, at);
  if (number && !number.ordinal && isUnit(tokens, at + 1)) return 2;
  if (/^(?:anderthalb|(?:ein|zwei|drei)einhalb)$/.test(keyAt(tokens, at)) && isUnit(tokens, at + 1)) return 2;
  const phrase = phraseAt(tokens, at);
  return phrase?.english[1] === 'minutes' ? phrase.words.length : 0;
}

const WEEKDAYS = 'montag dienstag mittwoch donnerstag freitag samstag sonntag'.split(' ');

/** `in der Nacht auf Dienstag`, `Nacht von Montag auf Dienstag`: the night that began on Monday. */
function nightBetween(tokens: Tokens, at: number): Replaced | null {
  let next = at;
  if (keyAt(tokens, next) === 'in') next += 1;
  if (isOneOf(tokens, next, 'der die')) next += 1;
  if (keyAt(tokens, next) !== 'nacht') return null;
  next += 1;
  const first = isOneOf(tokens, next, 'von vom') ? WEEKDAYS.indexOf(keyAt(tokens, next + 1)) : null;
  if (first !== null) next += 2;
  if (!isOneOf(tokens, next, 'auf zu zum')) return null;
  next += isOneOf(tokens, next + 1, 'den') ? 2 : 1;
  const last = WEEKDAYS.indexOf(keyAt(tokens, next));
  if (last < 0 || (first !== null && (first + 1) % 7 !== last)) return null;
  const day = GERMAN_PHRASES.get(WEEKDAYS[(last + 6) % 7] ?? '')?.at(-1)?.english ?? [];
  return { length: next - at + 1, by: english([...day, 'night'], placeOf(tokens, at, next - at + 1)) };
}

function phraseAt(tokens: Tokens, at: number) {
  return GERMAN_PHRASES.get(keyAt(tokens, at))?.find(({ words }) =>
    words.every((word, index) => keyAt(tokens, at + index) === word),
  );
}

/** After a time `am` is English if nothing follows that could be a day: `9 am`, `9 am bis 11 am`. `so far` always is. */
function isEnglish(tokens: Tokens, at: number): boolean {
  if (keyAt(tokens, at) === 'so') return keyAt(tokens, at + 1) === 'far';
  const isAfterTime = numberAt(tokens, at - 1) !== null || tokens[at - 1]?.type === 'clock';
  const isDayAhead = tokens[at + 1] !== undefined && tokens[at + 1]?.type !== 'mark' && !isJoint(tokens, at + 1);
  return keyAt(tokens, at) === 'am' && isAfterTime && !isDayAhead;
}

/** The words of the table, and the dot of an abbreviation: `ca.`, `Okt.` */
const WORDS: readonly Rule[] = [
  (tokens, at) => {
    const phrase = isEnglish(tokens, at) ? undefined : phraseAt(tokens, at);
    if (!phrase) return null;
    const { length } = phrase.words;
    const isDotted = keyAt(tokens, at + length) === '.' && isTight(tokens, at + length);
    const whole = length + (isDotted ? 1 : 0);
    return { length: whole, by: english(phrase.english, placeOf(tokens, at, whole)) };
  },
];
