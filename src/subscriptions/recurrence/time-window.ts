/**
 * Times in which a watch holds its alerts back: quiet hours and maintenance, every week or once. They begin and end at the
 * due times of schedules, so clock changes count as they do for digests.
 */
import { resolveZone, spanInWords } from '../../time/index.ts';
import { latestDue, nextDue } from './due-times.ts';
import { describeWeekdays, EVERY_DAY, normalSchedule, type Schedule, type Weekday, wallClock } from './schedule.ts';

/** Quiet hours let a surge through, maintenance lets nothing through. */
export type HoldReason = 'quiet' | 'maintenance';

/** On these days of the week; one that ends before it begins goes on until the next day. */
interface WeeklyTimes {
  readonly weekdays: readonly Weekday[];
  /** Minutes since midnight on the wall clock. */
  readonly fromMinute: number;
  readonly toMinute: number;
}

export type WindowTimes = WeeklyTimes | TimeSpan;

interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface TimeWindow {
  readonly id: string;
  readonly why: HoldReason;
  readonly when: WindowTimes;
  readonly zone: string;
  /** The ID of the user who set it up. */
  readonly by: string;
  /** An occurrence that began before this time was ended early at it. */
  readonly endedMs?: number;
}

/** One occurrence of a window. */
export interface Hold extends TimeSpan {
  readonly why: HoldReason;
}

const at = Temporal.Instant.fromEpochMilliseconds;

const startsOf = ({ weekdays, fromMinute }: WeeklyTimes, zone: string): Schedule =>
  normalSchedule({ kind: 'weekly', weekdays, minutes: [fromMinute], zone });

const endsOf = ({ toMinute }: WeeklyTimes, zone: string): Schedule =>
  normalSchedule({ kind: 'weekly', weekdays: EVERY_DAY, minutes: [toMinute], zone });

/** The occurrences that end after `fromMs` and begin before `toMs`, oldest first. */
export const occurrencesIn = (window: TimeWindow, fromMs: number, toMs: number): Hold[] => [
  ...occurrences(window, fromMs, toMs),
];

/** One at a time, because due times on the wall clock of a zone take a while. */
function* occurrences({ when, why, zone, endedMs = 0 }: TimeWindow, fromMs: number, toMs: number): Generator<Hold> {
  const holdOf = (span: TimeSpan): Hold[] => {
    const untilMs = span.fromMs < endedMs ? Math.min(span.untilMs, endedMs) : span.untilMs;
    const isWithin = untilMs > Math.max(fromMs, span.fromMs) && span.fromMs < toMs;
    return isWithin ? [{ why, fromMs: span.fromMs, untilMs }] : [];
  };
  if ('fromMs' in when) return yield* holdOf(when);
  // A zone that this machine doesn't know must not keep a watch from running.
  if (resolveZone(zone) === null) return;
  const [starts, ends] = [startsOf(when, zone), endsOf(when, zone)];
  let start = latestDue(starts, at(fromMs)).at;
  while (start.epochMilliseconds < toMs) {
    // If a clock change skips both of its times, it's empty.
    const end = nextDue(ends, start.subtract({ nanoseconds: 1 })).at;
    yield* holdOf({ fromMs: start.epochMilliseconds, untilMs: end.epochMilliseconds });
    start = nextDue(starts, start).at;
  }
}

const HORIZON_MS = 5 * 7 * 24 * 3_600_000;

/** The next ones, the current one included. A single one may be far off. */
export const nextOccurrences = (window: TimeWindow, nowMs: number, count: number): Hold[] =>
  occurrences(window, nowMs, 'fromMs' in window.when ? Number.POSITIVE_INFINITY : nowMs + HORIZON_MS)
    .take(count)
    .toArray();

/** Whether it will never come again. */
export const isPast = (window: TimeWindow, nowMs: number): boolean => nextOccurrences(window, nowMs, 1).length === 0;

/** What holds alerts back at a moment: of several windows the strictest, until the last of them ends. */
export function holdAt(holds: readonly Hold[], ms: number): Hold | null {
  const within = holds.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs);
  const [first] = within;
  if (first === undefined) return null;
  return {
    why: within.some(({ why }) => why === 'maintenance') ? 'maintenance' : 'quiet',
    fromMs: Math.min(...within.map(({ fromMs }) => fromMs)),
    untilMs: within.reduce((untilMs) => endOfChain(holds, untilMs), Math.max(...within.map(({ untilMs }) => untilMs))),
  };
}

/** Windows that overlap or touch end together. */
function endOfChain(holds: readonly Hold[], untilMs: number): number {
  const next = holds.filter((hold) => hold.fromMs <= untilMs && hold.untilMs > untilMs);
  return next.length === 0 ? untilMs : endOfChain(holds, Math.max(...next.map((hold) => hold.untilMs)));
}

const NAMES: Readonly<Record<HoldReason, string>> = { quiet: 'Quiet hours', maintenance: 'Maintenance' };

/** `weekdays 22:00-06:00`, as people type it. */
export const weeklyWords = ({ weekdays, fromMinute, toMinute }: WeeklyTimes): string =>
  `${describeWeekdays(weekdays)} ${wallClock(fromMinute)}-${wallClock(toMinute)}`;

/** `Quiet hours weekdays 22:00 – 06:00 (Europe/Berlin), below surge` */
export function describeWindow({ why, when, zone }: TimeWindow, now: Temporal.Instant): string {
  const below = why === 'quiet' ? ', below surge' : '';
  if ('fromMs' in when) return `${NAMES[why]} once, ${spanInWords(when.fromMs, when.untilMs, zone, now)}${below}`;
  return `${NAMES[why]} ${weeklyWords(when).replace('-', ' – ')} (${zone})${below}`;
}
