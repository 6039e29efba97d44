/**
 * What a verdict is based on, asked in few calls: the window with the hours before it in one, the same hours a day and a
 * week earlier, and the categories now and before. All but the first may fail without costing the verdict.
 */
import { nullIfUnavailable } from '../errors.ts';
import type { Distribution, Timeline } from '../insight/timeline.ts';
import { type EarlierDay, judge, RULE, type Verdict } from '../insight/verdict/index.ts';
import { type Range, wholeMinutes } from '../time/index.ts';
import type { Statistics } from './ports.ts';

export interface AssessmentQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** What the categories are compared with. */
  readonly categoriesAgainst?: 'hours before' | 'day before';
  /** The score from which something is called; that of a check unless given. */
  readonly bar?: number;
}

export interface Assessment {
  readonly verdict: Verdict;
  /** The window alone, at the interval of the service. */
  readonly timeline: Timeline;
  readonly categories: Distribution | null;
  readonly categoriesBefore: Distribution | null;
  /** The same hours of the day before; for a window of several days, of as many days before. */
  readonly dayBefore: Range;
}

export async function assess(statistics: Statistics, query: AssessmentQuery): Promise<Assessment> {
  const { hosts, zone } = query;
  const range = wholeMinutes(query.range);
  const whole = { from: range.from.subtract({ milliseconds: RULE.trailingMs }), to: range.to };
  const days = wholeDays(range);
  const shifted = (window: Range, by: number): Range => ({
    from: daysEarlier(window.from, by, zone),
    to: daysEarlier(window.to, by, zone),
  });
  const dayBefore = shifted(range, days);
  const earlier = async (by: number): Promise<EarlierDay | null> => {
    const there = shifted(whole, by);
    const timeline = await nullIfUnavailable(statistics.timeline({ range: there, hosts, zone }));
    return timeline === null ? null : { timeline, shiftMs: msBetween(there.to, whole.to) };
  };
  const against = query.categoriesAgainst === 'day before' ? dayBefore : hoursBefore(range);
  const [recent, day, week, categories, categoriesBefore] = await Promise.all([
    statistics.timeline({ range: whole, hosts, zone }),
    earlier(days),
    earlier(7 * Math.ceil(days / 7)),
    nullIfUnavailable(statistics.distribution({ range, hosts, zone })),
    nullIfUnavailable(statistics.distribution({ range: against, hosts, zone })),
  ]);
  const fromMs = range.from.epochMilliseconds;
  const toMs = Math.min(range.to.epochMilliseconds, recent.toMs);
  const window = { fromMs, toMs, recent, dayBefore: day, weekBefore: week, categories, categoriesBefore };
  const verdict = judge(query.bar === undefined ? window : { ...window, bar: query.bar });
  return { verdict, timeline: since(recent, fromMs), categories, categoriesBefore, dayBefore };
}

/** Whole days that cover the window, so that the days before cannot overlap with it. */
function wholeDays({ from, to }: Range): number {
  return Math.max(1, Math.ceil(msBetween(from, to) / 86_400_000));
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant): number =>
  to.epochMilliseconds - from.epochMilliseconds;

/** By the calendar of the zone: the same hours also across a change of the clocks. */
function daysEarlier(instant: Temporal.Instant, days: number, zone: string): Temporal.Instant {
  return instant.toZonedDateTimeISO(zone).subtract({ days }).toInstant();
}

/** Six hours, or as long as the window where that is longer. */
function hoursBefore({ from, to }: Range): Range {
  return { from: from.subtract({ milliseconds: Math.max(RULE.trailingMs, msBetween(from, to)) }), to: from };
}

function since(timeline: Timeline, fromMs: number): Timeline {
  const points = timeline.points.filter(({ endMs }) => endMs - timeline.intervalMs >= fromMs);
  return { ...timeline, fromMs, points };
}
