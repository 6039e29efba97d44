/** Why a watch says nothing right now, in one line: what holds it back, or how usual the last hour was. */
import type { Line } from '../../replies/reply.ts';
import { formatCount } from '../../statistics/format.ts';
import type { ServicePause } from '../../statistics/statistics.ts';
import { clockOf } from '../../time/index.ts';
import type { Hold } from '../recurrence/time-window.ts';
import { courseOf, coursesOf, isOpen, type WatchRecord } from './watch-state.ts';

/** The hour that the last evaluation ended with, as every answer about it describes it. */
export interface LastHour {
  readonly untilMs: number;
  readonly attacks: number;
  /** `null` where there is nothing to compare with. */
  readonly usual: { readonly low: number; readonly high: number } | null;
  /** Why it can't be judged; `null` if it can. */
  readonly unjudged: string | null;
}

export interface Silence {
  readonly record: WatchRecord;
  readonly isThreshold: boolean;
  readonly zone: string;
  readonly now: Temporal.Instant;
  /** Why the service isn't asked right now. */
  readonly pause: ServicePause | null;
  /** Quiet hours or maintenance. */
  readonly hold: Hold | null;
  /** `null` if unknown. */
  readonly hour: LastHour | null;
}

const PAUSES: Readonly<Record<ServicePause['why'], string>> = {
  throttled: 'the statistics service asked for a pause',
  down: 'the statistics service keeps failing',
};
const HOLDS: Readonly<Record<Hold['why'], string>> = {
  quiet: 'quiet hours, which only a surge breaks',
  maintenance: 'maintenance',
};

/** The first reason that applies. What is below the watch's sensitivity has a line of its own. */
export function silenceLines(silence: Silence): Line[] {
  const { record, zone, now, pause, hold } = silence;
  const times = clockOf(zone, now);
  const { snoozed, seen } = record;
  if (snoozed !== null && snoozed.untilMs > now.epochMilliseconds)
    return [[`Silent until ${times(snoozed.untilMs)}: snoozed by `, { user: snoozed.by, quietly: true }, '.']];
  if (hold !== null) return [[`Silent until ${times(hold.untilMs)}: ${HOLDS[hold.why]}.`]];
  if (pause !== null) return [[`No checks until ${secondsOf(times, pause.untilMs, zone)}: ${PAUSES[pause.why]}.`]];
  const open = openSinceMs(record);
  if (open !== null) return [[`Alerted at ${times(open)}. It updates that message until it’s over.`]];
  if (seen === null) return [['It hasn’t checked yet.']];
  if (seen === 'unknown') return [['Nothing to report: it got no data at its last check.']];
  return isBelow(record) ? [] : calmLine(silence);
}

/** A pause lasts less than a few minutes, so that seconds matter. */
function secondsOf(times: (ms: number) => string, ms: number, zone: string): string {
  const second = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).second;
  return `${times(ms)}:${String(second).padStart(2, '0')}`;
}

function openSinceMs(record: WatchRecord): number | null {
  const open = coursesOf(record).flatMap((course) => {
    const state = courseOf(record, course);
    return isOpen(state) && state.episode !== null && state.message !== null ? [state.episode.openedMs] : [];
  });
  return open.length === 0 ? null : Math.min(...open);
}

const isBelow = (record: WatchRecord): boolean =>
  coursesOf(record).some((course) => courseOf(record, course).below != null);

function calmLine({ record, isThreshold, hour, zone, now }: Silence): Line[] {
  if (isThreshold) {
    const near = record.seen === 'between' ? 'just below its limit' : 'below its limit';
    return [[`Nothing to report: ${near} at its last check.`]];
  }
  if (hour === null) return [['Nothing to report: as usual at its last check.']];
  const until = clockOf(zone, now)(hour.untilMs);
  const counted = `${formatCount(hour.attacks)} ${hour.attacks === 1 ? 'attack' : 'attacks'} in the hour until ${until}`;
  if (hour.unjudged !== null) return [[`Can’t judge yet: ${counted}. ${hour.unjudged}`]];
  if (hour.usual === null) return [[`Nothing to report: ${counted}.`]];
  const { low, high } = hour.usual;
  return [[`Nothing to report: ${counted}, usual ${formatCount(low)}–${formatCount(high)}.`]];
}
