/** Parses when something should end: `until friday`, `until 20 Nov 18:00`, `for 2 weeks`. */
import { casual } from 'chrono-node/en';
import { clock, dayInWords, zoned } from './describe/dates.ts';
import { isMidnight } from './zones/zones.ts';

const UNITS = new Map(Object.entries({ h: 'hours', d: 'days', w: 'weeks', m: 'months' }));
const LENGTH = /^(?:for )?(?:(\d{1,3}|an?|one) ?)(h|hours?|d|days?|w|weeks?|months?)$/;
const MAX_TEXT = 60;

/** `null` if it isn't understood. A day without a time ends with that day. */
export function parseUntil(text: string, now: Temporal.Instant, zone: string): Temporal.Instant | null {
  const words = text.trim().toLowerCase();
  const here = now.toZonedDateTimeISO(zone);
  const [, amount, unit = ''] = LENGTH.exec(words) ?? [];
  const units = UNITS.get(unit.charAt(0));
  if (amount !== undefined && units !== undefined) return here.add({ [units]: Number(amount) || 1 }).toInstant();
  if (words.length > MAX_TEXT) return null;
  const reference = { instant: new Date(now.epochMilliseconds), timezone: here.offsetNanoseconds / 60e9 };
  const [found, ...more] = casual.parse(words, reference, { forwardDate: true });
  // Chrono skips what it doesn't understand.
  if (found === undefined || more.length > 0 || found.text.length !== words.length || found.end) return null;
  const { start } = found;
  const day = Temporal.PlainDate.from({
    year: start.get('year') ?? here.year,
    month: start.get('month') ?? here.month,
    day: start.get('day') ?? here.day,
  });
  if (!start.isCertain('hour')) return day.add({ days: 1 }).toZonedDateTime(zone).toInstant();
  const plainTime = { hour: start.get('hour') ?? 0, minute: start.get('minute') ?? 0 };
  return day.toZonedDateTime({ timeZone: zone, plainTime }).toInstant();
}

/** `the end of Fri 20 Nov`, `Fri 20 Nov 18:00` */
export function untilWords(ms: number, zone: string): string {
  const at = zoned(ms, zone);
  return isMidnight(at) ? `the end of ${dayInWords(at.subtract({ days: 1 }))}` : `${dayInWords(at)} ${clock(at)}`;
}
