/** Durations counted from now: those that end now (`last 24h`), and moments or days that long ago (`3 days ago`). */
import { spanOfDays, unitSpan } from '../calendar.ts';
import { attempt, isTight, refuse, spanSince, type TokenReader, take, textAt } from '../lexer/reader.ts';
import type { CalendarUnit, Unit } from '../lexer/words.ts';
import type { Env, ParsedDuration, RangeEnd, RuleGroup } from '../model.ts';
import { addDuration, readDuration } from './duration.ts';

export const ROLLING: RuleGroup = {
  title: 'Rolling',
  about: `A duration that ends now. Hours and shorter are elapsed time; days and longer follow the calendar of the zone, so
    \`last 2 days\` starts at the same time of day two days ago. \`3 days ago\` alone is that whole day; with hours
    it is a moment.`,
  examples: `
last 24h                                 => 2025-06-17 16:25:40 .. now
past hour                                => 2025-06-18 15:25:40 .. now
4h                                       => 2025-06-18 12:25:40 .. now
6 weeks                                  => 2025-05-07 16:25:40 .. now
1.5 hours                                => 2025-06-18 14:55:40 .. now
2h30m                                    => 2025-06-18 13:55:40 .. now
1d12h                                    => 2025-06-17 04:25:40 .. now
an hour and a half                       => 2025-06-18 14:55:40 .. now
last couple of weeks                     => 2025-06-04 16:25:40 .. now
over the past two weeks                  => 2025-06-04 16:25:40 .. now
last 90 mins or so                       => 2025-06-18 14:55:40 .. now
last ~2h                                 => 2025-06-18 14:25:40 .. now
-90m                                     => 2025-06-18 14:55:40 .. now
PT6H                                     => 2025-06-18 10:25:40 .. now
36 hours ago to 12 hours ago             => 2025-06-17 04:25:40 .. 2025-06-18 04:25:40
since 1 day 2 hours ago                  => 2025-06-17 14:25:40 .. now
3 days ago                               => 2025-06-15 .. 2025-06-16
a month ago                              => 2025-05-01 .. 2025-06-01
`,
};

/** An end without its span. */
export type EndParts = Pick<RangeEnd, 'date' | 'part' | 'instants' | 'ago' | 'future' | 'dateMath'>;

const ELAPSED: ReadonlySet<Unit> = new Set(['second', 'minute', 'hour']);
export const isCalendar = (unit: Unit): unit is CalendarUnit => !ELAPSED.has(unit);

/** A duration that ends now. */
export function rolling(r: TokenReader, first: number, duration: ParsedDuration): EndParts {
  const span = spanSince(r, first);
  const { fault } = duration;
  const at = ({ now, zone }: Env) => {
    if (fault)
      refuse(r.text, span, fault.message, fault.suggestion === undefined ? {} : { suggestion: fault.suggestion });
    return { from: addDuration(now, duration, zone, -1), to: now };
  };
  return { instants: { kind: 'rolling', at } };
}

/** The current hour or minute. */
export function thisClockUnit(unit: Unit): EndParts {
  const smallest = unit === 'hour' || unit === 'minute' ? unit : 'second';
  const at = ({ now, zone }: Env) => {
    const from = now.toZonedDateTimeISO(zone).round({ smallestUnit: smallest, roundingMode: 'floor' });
    return { from: from.toInstant(), to: from.add({ [`${smallest}s`]: 1 }).toInstant() };
  };
  return { instants: { kind: 'calendar', at } };
}

/** `3 days ago`, `a week ago`, `3.days.ago`, `2h back`; `3 days from now` is in the future. */
export function readAgo(r: TokenReader): EndParts | null {
  return attempt(r, () => {
    const duration = readDuration(r);
    if (!duration) return null;
    if (textAt(r) === '.' && isTight(r)) r.at += 1;
    if (take(r, 'from', 'now') || take(r, 'from', 'today')) return { future: true };
    if (!take(r, 'ago') && !take(r, 'back') && !take(r, 'earlier')) return null;
    if (duration.calendar) take(r, 'today');
    return agoParts(duration);
  });
}

const WHOLE_UNITS: ReadonlySet<Unit> = new Set(['month', 'quarter', 'year']);

/** A whole count of days or longer names a day or a unit; `1 day 2 hours ago` and `2.5 days ago` are moments. */
export function agoParts(duration: ParsedDuration): EndParts {
  const { unit, count, fault, wholeDays } = duration;
  if (
    unit !== undefined &&
    WHOLE_UNITS.has(unit) &&
    isCalendar(unit) &&
    Number.isInteger(count) &&
    count !== undefined
  ) {
    return { ago: duration, date: { fixed: { unit, at: ({ today }: Env) => unitSpan(unit, today, -count) } } };
  }
  if (fault || wholeDays === undefined) return { ago: duration };
  const at = ({ today }: Env) => spanOfDays(today.subtract({ days: wholeDays }));
  return { ago: duration, date: { fixed: { unit: 'day', at } } };
}
