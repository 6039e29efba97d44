/**
 * Instants in words and as ticks of an axis, in the reader's zone. English names and the 24-hour clock are fixed: the
 * locale of the machine must not matter.
 */
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export const DAY_MS = 86_400_000;

/** The last ones of the last zones: every point of an axis needs its own, and many answers are about the same window. */
const lastZoned = new Map<string, Map<number, Temporal.ZonedDateTime>>();
const MAX_ZONES = 100;
const MAX_ZONED = 500;

export function zoned(ms: number, zone: string): Temporal.ZonedDateTime {
  const inZone = lastZoned.get(zone) ?? new Map<number, Temporal.ZonedDateTime>();
  const known = inZone.get(ms);
  if (known !== undefined) return known;
  if (inZone.size >= MAX_ZONED) inZone.clear();
  if (inZone.size === 0) {
    if (lastZoned.size >= MAX_ZONES) lastZoned.clear();
    lastZoned.set(zone, inZone);
  }
  // A zone is looked up by its name; another time in it knows it already.
  const like = inZone.values().next().value ?? zone;
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(like);
  inZone.set(ms, at);
  return at;
}

/** `14:05` */
export function clock(at: Temporal.ZonedDateTime): string {
  return `${String(at.hour).padStart(2, '0')}:${String(at.minute).padStart(2, '0')}`;
}

/** `Nov` */
function monthName(at: Temporal.ZonedDateTime): string {
  return MONTHS[at.month - 1] ?? '';
}

/** `15 Nov` */
export function dayAndMonth(at: Temporal.ZonedDateTime): string {
  return `${at.day} ${monthName(at)}`;
}

/** `Sat 15 Nov` */
export function dayInWords(at: Temporal.ZonedDateTime): string {
  return `${DAYS[at.dayOfWeek - 1] ?? ''} ${dayAndMonth(at)}`;
}

/** `UTC+2`, `UTC−3:30`: how far the zone is from UTC at that instant. */
export function offsetName(at: Temporal.ZonedDateTime): string {
  const minutes = Math.round(at.offsetNanoseconds / 60e9);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes > 0 ? '+' : '−'}${Math.floor(size / 60)}${rest}`;
}

function isMidnight(at: Temporal.ZonedDateTime): boolean {
  return at.epochNanoseconds === at.startOfDay().epochNanoseconds;
}

/**
 * `Fri 14 Nov 14:00 – Sat 15 Nov 14:00`; whole days without the clock, one day named once, years where they differ from
 * each other or from that of `asOfMs`.
 */
export function windowInWords(fromMs: number, toMs: number, zone: string, asOfMs = fromMs): string {
  const from = zoned(fromMs, zone);
  const to = zoned(toMs, zone);
  // The end of a year's last day belongs to it.
  const lastYear = zoned(toMs - 1, zone).year;
  const isThisYear = from.year === lastYear && from.year === zoned(asOfMs, zone).year;
  const day = (at: Temporal.ZonedDateTime) => (isThisYear ? dayInWords(at) : `${dayAndMonth(at)} ${at.year}`);
  if (isMidnight(from) && isMidnight(to)) {
    const last = to.subtract({ days: 1 });
    return from.toPlainDate().equals(last.toPlainDate()) ? day(from) : `${day(from)} – ${day(last)}`;
  }
  const sameDay = from.toPlainDate().equals(to.toPlainDate());
  return sameDay ? `${day(from)} ${clock(from)}–${clock(to)}` : `${day(from)} ${clock(from)} – ${day(to)} ${clock(to)}`;
}

interface LabelledSubject {
  /** Named where there are several. */
  readonly project?: string | undefined;
  readonly hosts: readonly string[];
  readonly window: string | null;
  readonly zone: string;
}

/** `project eu · all hosts · Tue 10 Mar 14:30–15:30 · Europe/Stockholm (UTC+1)`: whose numbers, from when to when, by which clock. */
export function subjectLine(
  { project, hosts, window, zone }: LabelledSubject,
  { fromMs, toMs, asOfMs }: { fromMs: number; toMs: number; asOfMs?: number },
): string {
  return [
    ...(project === undefined ? [] : [`project ${project}`]),
    hostsInWords(hosts),
    window ?? windowInWords(fromMs, toMs, zone, asOfMs),
    zoneInWords(fromMs, toMs, zone),
  ].join(' · ');
}

const MOST_HOSTS = 3;

function hostsInWords(hosts: readonly string[]): string {
  if (hosts.length === 0) return 'all hosts';
  const more = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more` : '';
  return `${hosts.slice(0, MOST_HOSTS).join(', ')}${more}`;
}

/** `Europe/Berlin (UTC+1)` */
function zoneInWords(fromMs: number, toMs: number, zone: string): string {
  return zone === 'UTC' ? 'UTC' : `${zone} (${offsetsInWords(fromMs, toMs, zone)})`;
}

/** `UTC+1`, or both distances where clocks change in between. */
export function offsetsInWords(fromMs: number, toMs: number, zone: string): string {
  const [first, last] = [offsetName(zoned(fromMs, zone)), offsetName(zoned(toMs, zone))];
  return first === last ? first : `${first}, then ${last}`;
}

/** One interval: `14:05–14:10`, with the day where the window spans several, `Sat 15 Nov` for whole days. */
export function intervalInWords(startMs: number, endMs: number, zone: string, withDay: boolean): string {
  const start = zoned(startMs, zone);
  if (endMs - startMs >= DAY_MS * 0.9) return windowInWords(startMs, endMs, zone);
  const clocks = `${clock(start)}–${clock(zoned(endMs, zone))}`;
  return withDay ? `${dayInWords(start)}, ${clocks}` : clocks;
}

export interface TimeTick {
  readonly atMs: number;
  /** The clock or day, and below it the date where it changes (else empty). */
  readonly lines: readonly [string, string];
  /** A new date (or year) begins here. */
  readonly strong: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface TickStep {
  readonly unit: 'minutes' | 'days' | 'months';
  readonly every: number;
  readonly aboutMs: number;
}

const STEPS: readonly TickStep[] = [
  ...[1, 2, 5, 10, 15, 30].map((every) => step('minutes', every, every * MINUTE_MS)),
  ...[1, 2, 3, 4, 6, 12].map((every) => step('minutes', every * 60, every * HOUR_MS)),
  ...[1, 2, 7, 14].map((every) => step('days', every, every * DAY_MS)),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((every) => step('months', every, every * 30.4 * DAY_MS)),
];

function step(unit: TickStep['unit'], every: number, aboutMs: number): TickStep {
  return { unit, every, aboutMs };
}

/** Round times of the zone in `[fromMs, toMs]`, at most `most` of them, with every change of date. */
export function timeTicks(fromMs: number, toMs: number, zone: string, most: number): readonly TimeTick[] {
  const chosen = STEPS.find((candidate) => (toMs - fromMs) / candidate.aboutMs <= most) ?? STEPS[STEPS.length - 1];
  if (chosen === undefined) return [];
  const instants = walk(fromMs, toMs, zone, chosen);
  const isOneDay = zoned(fromMs, zone)
    .toPlainDate()
    .equals(zoned(toMs - 1, zone).toPlainDate());
  return chosen.unit === 'minutes' ? clockTicks(instants, isOneDay) : dateTicks(instants, chosen);
}

function walk(fromMs: number, toMs: number, zone: string, by: TickStep): Temporal.ZonedDateTime[] {
  if (by.unit === 'minutes' && by.every > 60) return wallClockHours(fromMs, toMs, zone, by.every / 60);
  const found: Temporal.ZonedDateTime[] = [];
  // Days and months are steps of the calendar; minutes are steps of time, which an hour that comes twice needs.
  for (let at = start(zoned(fromMs, zone), by); at.epochMilliseconds <= toMs; at = at.add({ [by.unit]: by.every })) {
    if (at.epochMilliseconds >= fromMs) found.push(at);
  }
  return found;
}

function start(from: Temporal.ZonedDateTime, by: TickStep): Temporal.ZonedDateTime {
  if (by.unit === 'minutes') return from.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const midnight = from.startOfDay();
  if (by.unit === 'days') return by.every % 7 === 0 ? midnight.subtract({ days: midnight.dayOfWeek - 1 }) : midnight;
  const years = Math.max(1, by.every / 12);
  return midnight.with({ day: 1, month: 1, year: midnight.year - (midnight.year % years) }).startOfDay();
}

/** 00:00, 06:00, 12:00 by the clock on the wall, also on days with 23 or 25 hours. */
function wallClockHours(fromMs: number, toMs: number, zone: string, hours: number): Temporal.ZonedDateTime[] {
  const found: Temporal.ZonedDateTime[] = [];
  const first = zoned(fromMs, zone).toPlainDate();
  const days = first.until(zoned(toMs, zone).toPlainDate()).days;
  for (let day = 0; day <= days; day += 1) {
    for (let hour = 0; hour < 24; hour += hours) {
      const wall = first.add({ days: day }).toPlainDateTime({ hour });
      const at = wall.toZonedDateTime(zone);
      const exists = at.toPlainDateTime().equals(wall);
      if (exists && at.epochMilliseconds >= fromMs && at.epochMilliseconds <= toMs) found.push(at);
    }
  }
  return found;
}

/** Of one day alone the date stands elsewhere. */
function clockTicks(instants: readonly Temporal.ZonedDateTime[], isOneDay: boolean): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newDate = !isOneDay && before !== undefined && !before.toPlainDate().equals(at.toPlainDate());
    // The first label says its date too, unless the next one does: the two would run into each other.
    const next = instants[index + 1];
    const opens =
      !isOneDay && before === undefined && (next === undefined || next.toPlainDate().equals(at.toPlainDate()));
    const shifted = before !== undefined && before.offsetNanoseconds !== at.offsetNanoseconds;
    const below = newDate || opens ? dayInWords(at) : shifted ? offsetName(at) : '';
    return { atMs: at.epochMilliseconds, lines: [clock(at), below], strong: newDate || (opens && isMidnight(at)) };
  });
}

function dateTicks(instants: readonly Temporal.ZonedDateTime[], by: TickStep): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newYear = before !== undefined && before.year !== at.year;
    const top = by.unit === 'months' ? (by.every >= 12 ? String(at.year) : monthName(at)) : dayAndMonth(at);
    const opens = index === 0 && by.unit === 'months';
    const year = (newYear || opens) && top !== String(at.year) ? String(at.year) : '';
    const below = by.unit === 'days' && by.every < 7 && !newYear ? weekday(at) : year;
    return { atMs: at.epochMilliseconds, lines: [top, below], strong: newYear };
  });
}

function weekday(at: Temporal.ZonedDateTime): string {
  return dayInWords(at).slice(0, 3);
}
