/** Zones inside a phrase: `CET`, `in Europe/Berlin`, `UTC+2`, `+05:30`, `Tokyo time`. */
import { attempt, isTight, peek, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import type { RuleGroup } from '../model.ts';
import { ZONE_ABBREVIATIONS, zoneByAbbreviation, zoneByCity, zoneByOffset } from './zones.ts';

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
const LOCAL_WORDS: ReadonlySet<string> = new Set(['my', 'our', 'local']);
const TIME_WORDS: ReadonlySet<string> = new Set(['time', 'timezone', 'tz']);

/** `hyphen`: after a time with a `T` before it, `-06:00` is an offset and not the end of a range. */
export function readZone(r: TokenReader, afterClock: boolean, hyphen: boolean): string | null {
  return attempt(r, () => {
    const zone = readBare(r, afterClock, hyphen);
    if (zone !== null && zone !== LOCAL_ZONE && textAt(r) === 'time' && textAt(r, 1) !== 'range') r.at += 1;
    return zone;
  });
}

function readBare(r: TokenReader, afterClock: boolean, hyphen: boolean): string | null {
  const sign = textAt(r);
  if (afterClock && (sign === '+' || (sign === '-' && hyphen))) return readOffset(r);
  const isIn = take(r, 'in');
  if (isIn) take(r, 'the');
  const token = peek(r);
  if (token?.type === 'zone') {
    r.at += 1;
    return token.zone;
  }
  return attempt(r, readLocal) ?? readAbbreviation(r, afterClock) ?? readCity(r, isIn || afterClock);
}

function readLocal(r: TokenReader): string | null {
  const word = takeOne(r, LOCAL_WORDS);
  return word && (takeOne(r, TIME_WORDS) || word === 'local') ? LOCAL_ZONE : null;
}

function readAbbreviation(r: TokenReader, afterClock: boolean): string | null {
  const word = textAt(r);
  const zone = zoneByAbbreviation(word);
  if (zone === null || (word === 'z' && !(afterClock && isTight(r)))) return null;
  // `10aEST` could be 10 am in New York or 10:00 in Sydney.
  if (isTight(r) && word.startsWith('a') && ZONE_ABBREVIATIONS.has(word.slice(1))) return null;
  r.at += 1;
  const signed = (textAt(r) === '+' || textAt(r) === '-') && isTight(r) && isTight(r, 1);
  return (word === 'utc' || word === 'gmt') && signed ? (attempt(r, readOffset) ?? zone) : zone;
}

/** `+2`, `+02:00`, `+0200`. */
function readOffset(r: TokenReader): string | null {
  const sign = textAt(r);
  const token = peek(r, 1);
  r.at += 2;
  if (token?.type === 'clock' && token.second === 0) return zoneByOffset(sign, token.hour, token.minute);
  if (token?.type !== 'number' || !/^\d{1,4}$/.test(token.text)) return null;
  if (token.text.length <= 2) return zoneByOffset(sign, token.value, 0);
  return token.text.length === 4 ? zoneByOffset(sign, Math.floor(token.value / 100), token.value % 100) : null;
}

const MAX_WORDS = 3;

/** A city is a zone after `in` or a time of day, or before `time`; the longest name wins (`new york`, `port of spain`). */
function readCity(r: TokenReader, isPlace: boolean): string | null {
  for (let words = MAX_WORDS; words >= 1; words--) {
    if (!isPlace && textAt(r, words) !== 'time') continue;
    const names = Array.from({ length: words }, (_, index) => textAt(r, index));
    const zone = names.includes('') ? null : zoneByCity(names.join(' '));
    if (zone === null) continue;
    r.at += words;
    return zone;
  }
  return null;
}
