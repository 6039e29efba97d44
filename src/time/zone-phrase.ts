/** Zones inside a phrase: `CET`, `in Europe/Berlin`, `UTC+2`, `+05:30`, `Tokyo time`. */
import { attempt, isTight, peek, type Reader, take, textAt } from './reader.ts';
import { zoneByAbbreviation, zoneByCity, zoneByOffset } from './zones.ts';

/** `hyphen`: after a time with a `T` before it, `-06:00` is an offset and not the end of a range. */
export function readZone(r: Reader, afterClock: boolean, hyphen: boolean): string | null {
  if (!mayBeZone(r)) return null;
  return attempt(r, () => {
    const open = take(r, '(');
    const zone = readBare(r, afterClock, hyphen);
    if (zone === null) return null;
    if (open) return take(r, ')') ? zone : null;
    if (textAt(r) === 'time' && textAt(r, 1) !== 'range') r.at += 1;
    return zone;
  });
}

function mayBeZone(r: Reader): boolean {
  const token = peek(r);
  if (!token || token.type === 'zone') return token !== undefined;
  if (token.type === 'mark') return token.text === '(' || token.text === '+' || token.text === '-';
  if (token.type !== 'word') return false;
  if (token.text === 'in' || zoneByAbbreviation(token.text) !== null) return true;
  return textAt(r, 1) === 'time' || textAt(r, 2) === 'time' || textAt(r, 3) === 'time';
}

function readBare(r: Reader, afterClock: boolean, hyphen: boolean): string | null {
  const sign = textAt(r);
  if (afterClock && (sign === '+' || (sign === '-' && hyphen))) return readOffset(r);
  const isIn = take(r, 'in');
  if (isIn) take(r, 'the');
  const token = peek(r);
  if (token?.type === 'zone') {
    r.at += 1;
    return token.zone;
  }
  return readAbbreviation(r, afterClock) ?? readCity(r, isIn);
}

function readAbbreviation(r: Reader, afterClock: boolean): string | null {
  const word = textAt(r);
  const zone = zoneByAbbreviation(word);
  if (zone === null || (word === 'z' && !(afterClock && isTight(r)))) return null;
  r.at += 1;
  const signed = (textAt(r) === '+' || textAt(r) === '-') && isTight(r) && isTight(r, 1);
  return (word === 'utc' || word === 'gmt') && signed ? (attempt(r, readOffset) ?? zone) : zone;
}

/** `+2`, `+02:00`, `+0200`. */
function readOffset(r: Reader): string | null {
  const sign = textAt(r);
  const token = peek(r, 1);
  r.at += 2;
  if (token?.type === 'clock' && token.second === 0) return zoneByOffset(sign, token.hour, token.minute);
  if (token?.type !== 'number' || !/^\d{1,4}$/.test(token.text)) return null;
  if (token.text.length <= 2) return zoneByOffset(sign, token.value, 0);
  return token.text.length === 4 ? zoneByOffset(sign, Math.floor(token.value / 100), token.value % 100) : null;
}

const MOST_WORDS = 3;

/** A city alone is a zone after `in` or before `time`; the longest name wins (`new york`, `port of spain`). */
function readCity(r: Reader, isIn: boolean): string | null {
  for (let words = MOST_WORDS; words >= 1; words--) {
    if (!isIn && textAt(r, words) !== 'time') continue;
    const names = Array.from({ length: words }, (_, index) => textAt(r, index));
    const zone = names.includes('') ? null : zoneByCity(names.join(' '));
    if (zone === null) continue;
    r.at += words;
    return zone;
  }
  return null;
}
