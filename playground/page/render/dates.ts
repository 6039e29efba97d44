/** Slack's date tokens, shown in the viewer's time zone. */
import { type Html, html } from './html.ts';

const LOCALE = 'en-GB';

type Options = Intl.DateTimeFormatOptions;
const DAY = 86_400_000;

const PATTERNS: Readonly<Record<string, Options>> = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  // Not one of Slack's.
  weekday: { weekday: 'short' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};

/** One per pattern and zone: making a formatter takes two hundred times as long as using it, and a page shows hundreds of dates. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(name: string, options: Options, zone: string): Intl.DateTimeFormat {
  const key = `${name} ${zone}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone, hourCycle: 'h23' });
  formatters.set(key, made);
  return made;
}

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

export function formatDate(seconds: number, pattern: string, zone: string, nowMs: number): string {
  const ms = Math.round(seconds * 1000);
  return pattern.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    if (name === 'ago') return ago(ms, nowMs);
    const pretty = name.endsWith('_pretty') ? nearDay(ms, nowMs, zone) : undefined;
    const plain = name.replace(/_pretty$/, '').replace(/^day_divider$/, 'date_long');
    const options = PATTERNS[plain];
    return pretty ?? (options === undefined ? whole : formatterFor(plain, options, zone).format(ms));
  });
}

function dayOf(ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();
}

function nearDay(ms: number, nowMs: number, zone: string): string | undefined {
  const day = dayOf(ms, zone);
  if (day === dayOf(nowMs, zone)) return 'today';
  if (day === dayOf(nowMs - DAY, zone)) return 'yesterday';
  return day === dayOf(nowMs + DAY, zone) ? 'tomorrow' : undefined;
}

function ago(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000);
  const size = Math.abs(seconds);
  if (size < 60) return RELATIVE.format(seconds, 'second');
  if (size < 3600) return RELATIVE.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return RELATIVE.format(Math.round(seconds / 3600), 'hour');
  return RELATIVE.format(Math.round(seconds / 86_400), 'day');
}

/** A `ts`, or seconds since the epoch, as ISO 8601. */
export const isoTime = (ts: string): string => new Date(Math.round(Number(ts) * 1000)).toISOString();

export function renderTime(ts: string, { zone, nowMs }: { readonly zone: string; readonly nowMs: number }): Html {
  const title = formatDate(Number(ts), '{date_long}, {time_secs}', zone, nowMs);
  return html`<time datetime="${isoTime(ts)}" title="${title}">${clockTime(ts, zone, nowMs)}</time>`;
}

/** The day as a heading between messages. */
export function dayName(ts: string, zone: string, nowMs: number): string {
  const near = formatDate(Number(ts), '{date_long_pretty}', zone, nowMs);
  return `${near.slice(0, 1).toUpperCase()}${near.slice(1)}`;
}

/** A time to come: `14:40`, or `tomorrow 08:00`. */
export function comingTime(ms: number, zone: string, nowMs: number): string {
  const isToday = dayOf(ms, zone) === dayOf(nowMs, zone);
  return formatDate(ms / 1000, isToday ? '{time}' : '{date_short_pretty} {time}', zone, nowMs);
}

/** Two times, with the day of the week if they are on different days: `08:35` and `09:14`, `Tue 23:55` and `Wed 08:00`. */
export function timePair(oneMs: number, otherMs: number, zone: string): readonly [string, string] {
  const pattern = dayOf(oneMs, zone) === dayOf(otherMs, zone) ? '{time}' : '{weekday} {time}';
  return [formatDate(oneMs / 1000, pattern, zone, otherMs), formatDate(otherMs / 1000, pattern, zone, otherMs)];
}

/** The time next to a message. A `ts` has microseconds; instants only take whole milliseconds. */
export function clockTime(ts: string, zone: string, nowMs: number): string {
  const near = dayOf(Math.round(Number(ts) * 1000), zone) === dayOf(nowMs, zone);
  return formatDate(Number(ts), near ? '{time}' : '{date_short} {time}', zone, nowMs);
}
