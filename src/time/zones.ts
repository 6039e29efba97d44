/** Zones by name, city, abbreviation or offset, and the offset of a zone at an instant. */
import { clean } from './clean.ts';
import { ZONE_ABBREVIATIONS } from './zone-abbreviations.ts';

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);
const LONGEST_NAME = 40;
/** Anything else before a slash is not asked for: being told no is slow. */
const IANA_NAME =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us)(?:\/[a-z_]+(?:[+-]\d{1,2}|-[a-z_]+)*)+$/;
const OFFSET = /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/;

const byName = new Map<string, string>();
const byCity = new Map<string, string | null>();
/** Newer names of zones that the platform may list under their old ones only. */
const NEWER_NAMES =
  'Asia/Kolkata Asia/Kathmandu Asia/Ho_Chi_Minh Asia/Yangon Europe/Kyiv America/Nuuk America/Argentina/Buenos_Aires Atlantic/Faroe Pacific/Kanton'.split(
    ' ',
  );

for (const zone of new Set([...Intl.supportedValuesOf('timeZone'), ...NEWER_NAMES])) {
  byName.set(zone.toLowerCase(), zone);
  const city = zone
    .slice(zone.lastIndexOf('/') + 1)
    .replaceAll('_', ' ')
    .toLowerCase();
  // A city that two zones share names neither.
  if (zone.includes('/')) byCity.set(city, byCity.has(city) ? null : zone);
}

/** A full IANA name in any case, links such as `Asia/Calcutta` included. */
export function zoneByName(name: string): string | null {
  const lower = name.toLowerCase();
  const listed = byName.get(lower);
  if (listed !== undefined) return listed;
  if (lower.length > LONGEST_NAME || !IANA_NAME.test(lower)) return null;
  try {
    return EPOCH.toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null;
  }
}

/** The zone named after a city, if only one is: `berlin`, `new york`. */
export const zoneByCity = (city: string): string | null => byCity.get(city.replaceAll('_', ' ')) ?? null;

export const zoneByAbbreviation = (word: string): string | null => ZONE_ABBREVIATIONS.get(word) ?? null;

export function zoneByOffset(sign: string, hours: number, minutes: number): string | null {
  if (hours > 14 || minutes > 59 || (hours === 14 && minutes > 0)) return null;
  return `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** An IANA name or fixed offset for what a person wrote, or null. */
export function resolveZone(text: string): string | null {
  if (text.length > LONGEST_NAME * 2) return null;
  const name = clean(text).trim().replace(/ +/g, ' ');
  const offset = OFFSET.exec(name);
  if (offset) return zoneByOffset(offset[1] ?? '+', Number(offset[2]), Number(offset[3] ?? 0));
  return zoneByAbbreviation(name) ?? zoneByCity(name) ?? zoneByName(name.replaceAll(' ', '_'));
}

export const isZone = (name: string): boolean => resolveZone(name) !== null;

/** The fixed offset `+HH:MM` of a zone at an instant, as the statistics service wants it. */
export function offsetAt(zone: string, instant: Temporal.Instant): string {
  return instant.toZonedDateTimeISO(zone).offset.slice(0, 6);
}
