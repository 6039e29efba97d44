/** Zones by name, city, abbreviation or offset, the offset of a zone at an instant, and which hours are the same by its clock. */
import { DAY_MS, WEEK_MS } from '../../time-units.ts';
import { plainText } from '../lexer/plain-text.ts';

export type Zoned = Temporal.ZonedDateTime;

/** The first moment of a day, which is not 00:00 where clocks go forward at midnight. */
export const isMidnight = (at: Zoned): boolean => at.equals(at.startOfDay());

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);
const MAX_NAME = 40;
const OFFSET = /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/;

const byCity = new Map<string, string | null>();
/** Newer names of zones that the platform may only list under the old ones. */
const NEWER_NAMES =
  'Asia/Kolkata Asia/Kathmandu Asia/Ho_Chi_Minh Asia/Yangon Europe/Kyiv America/Nuuk America/Argentina/Buenos_Aires Atlantic/Faroe Pacific/Kanton';

const ZONES = new Set([...Intl.supportedValuesOf('timeZone'), ...NEWER_NAMES.split(' ')]);
for (const zone of ZONES) {
  const city = zone.replace(/.*\//, '').replaceAll('_', ' ').toLowerCase();
  // A city name shared by two zones is ambiguous.
  if (zone.includes('/')) byCity.set(city, byCity.has(city) ? null : zone);
}

/** What a zone can be called, without abbreviations. */
export const zoneNames = (): string[] => [...ZONES, ...byCity.keys()];

/** A full IANA name in any case, links such as `Asia/Calcutta` included. */
export function zoneByName(name: string): string | null {
  if (name.length > MAX_NAME || !name.includes('/')) return null;
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
  if (text.length > MAX_NAME * 2) return null;
  const name = plainText(text).trim().replace(/ +/g, ' ');
  const offset = OFFSET.exec(name);
  if (offset) return zoneByOffset(offset[1] ?? '+', Number(offset[2]), Number(offset[3] ?? 0));
  return zoneByAbbreviation(name) ?? zoneByCity(name) ?? zoneByName(name.replaceAll(' ', '_'));
}

/** The fixed offset `+HH:MM` of a zone at an instant, as the statistics service wants it. */
export const offsetAt = (zone: string, instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO(zone).offset.slice(0, 6);

/** `14:00 CET` is +01:00 even in July. Shared ones have the meaning most common in English: IST is Indian, CST American. */
export const ZONE_ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  `utc=UTC gmt=UTC z=UTC bst=+01:00 cet=+01:00 cest=+02:00 eet=+02:00 eest=+03:00 ist=+05:30 sgt=+08:00 hkt=+08:00
  awst=+08:00 jst=+09:00 kst=+09:00 acst=+09:30 acdt=+10:30 aest=+10:00 aedt=+11:00 nzst=+12:00 nzdt=+13:00
  nst=-03:30 ndt=-02:30 ast=-04:00 adt=-03:00 est=-05:00 edt=-04:00 cst=-06:00 cdt=-05:00 mst=-07:00 mdt=-06:00
  pst=-08:00 pdt=-07:00 akst=-09:00 akdt=-08:00 hst=-10:00 et=America/New_York ct=America/Chicago
  mt=America/Denver pt=America/Los_Angeles eastern=America/New_York central=America/Chicago
  mountain=America/Denver pacific=America/Los_Angeles`
    .split(/\s+/)
    .map((row) => [row.slice(0, row.indexOf('=')), row.slice(row.indexOf('=') + 1)]),
);

/** Each knows the abbreviations of the zones where it is spoken. */
const LOCALES = ['en-GB', 'en-CA', 'en-AU', 'en-IN', 'en-SG', 'en-HK', 'ja'];

/** The abbreviation that is common in a zone at that instant, if it can be typed. */
export function abbreviationAt(at: Zoned): string | undefined {
  const nameIn = (locale: string) => at.toLocaleString(locale, { timeZoneName: 'short' }).split(' ').at(-1) ?? '';
  const names = LOCALES.values().map(nameIn);
  return names.find((name) => zoneByAbbreviation(name.toLowerCase()) === at.offset);
}

/** Bounds the zone lookups for a long sentence. */
const MAX_INS = 10;

/** The words of `in Europe/Berlin` or `in new york`; `in March` is a time. */
export function findZone<W extends { readonly text: string; readonly lower: string }>(
  words: readonly W[],
): { readonly zone: string; readonly words: readonly W[] } | null {
  const ins = words.entries().filter(([, { lower }]) => lower === 'in');
  for (const [at, word] of ins.take(MAX_INS)) {
    for (const length of [3, 2, 1]) {
      const name = words.slice(at + 1, at + 1 + length);
      const typed = name.map(({ text }) => text).join(' ');
      const zone = name.length === length ? resolveZone(typed.replace(/(?<![:;.?!])[:;.?!]+$/, '')) : null;
      const next = words[at + 1 + length];
      if (zone !== null) return { zone, words: [word, ...name, ...(next?.lower === 'time' ? [next] : [])] };
    }
  }
  return null;
}

/** How far the clock is ahead of UTC, and from which instant on, the earliest first. */
export type ClockOffsets = readonly { readonly fromMs: number; readonly offsetMs: number }[];

/** How much earlier the same time by the clock lies so many days before; of days later it's negative. */
export function clockLag(offsets: ClockOffsets, ms: number, days: number): number {
  const offsetAt = (at: number): number => offsets.findLast(({ fromMs }) => fromMs <= at)?.offsetMs ?? 0;
  const byDays = days * DAY_MS;
  return offsets.length < 2 ? byDays : byDays + offsetAt(ms - byDays) - offsetAt(ms);
}

/** The clock of a zone in a time and in the five weeks before, which it may be compared with. */
export function clockOffsets(fromMs: number, toMs: number, zone: string): ClockOffsets {
  const offsetOf = (at: Temporal.ZonedDateTime): number => at.offsetNanoseconds / 1e6;
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs - 5 * WEEK_MS).toZonedDateTimeISO(zone);
  const offsets = [{ fromMs: 0, offsetMs: offsetOf(first) }];
  let next = first.getTimeZoneTransition('next');
  while (next !== null && next.epochMilliseconds < toMs) {
    offsets.push({ fromMs: next.epochMilliseconds, offsetMs: offsetOf(next) });
    next = next.getTimeZoneTransition('next');
  }
  return offsets;
}
