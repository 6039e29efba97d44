/**
 * Attacks that are logged after the digest of their time was sent. Each digest records what it reported of its last minutes;
 * the next one counts them again and adds the difference, so that every attack is in exactly one digest. When a digest
 * itself comes late is decided in `scheduler/scheduler.ts`.
 */

import { nullIfNotOffered } from '../../errors.ts';
import { counted } from '../../replies/phrases.ts';
import type { Line } from '../../replies/reply.ts';
import type { Statistics, StatisticsQuery } from '../../statistics/statistics.ts';
import { LATE_LOGGING_MS, summarise, type Timeline, type TimelineSummary } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { timeWords } from '../../time/index.ts';
import { DAY_MS } from '../../time-units.ts';
import type { ReportedTail } from './delivery-log.ts';

type DigestTotals = Pick<TimelineSummary, 'requests' | 'attacks'>;

export interface DigestTimeline {
  /** The digest's window alone. */
  readonly timeline: Timeline;
  /** What was logged of the time before the window since the previous digest. */
  readonly late: { readonly requests: number; readonly attacks: number };
  /** What this digest reports of the end of its window; `null` if that can't be compared later. */
  readonly tail: ReportedTail | null;
}

export async function fetchDigestTimeline(
  statistics: Statistics,
  query: StatisticsQuery,
  tail: ReportedTail | null,
): Promise<DigestTimeline> {
  const [timeline, earlier] =
    tail === null ? [await statistics.timeline(query), null] : await withTail(statistics, query, tail);
  const now = earlier === null || !isExact(earlier) ? null : summarise(earlier);
  const late = (what: keyof DigestTotals): number => Math.max(0, (now?.[what] ?? 0) - (tail?.[what] ?? 0));
  return {
    timeline: settledAtEnd(timeline),
    late: { requests: late('requests'), attacks: late('attacks') },
    tail: tailOf(timeline, earlier),
  };
}

/** One call while both come by the minute, otherwise two. */
async function withTail(statistics: Statistics, query: StatisticsQuery, tail: ReportedTail) {
  const { from, to } = query.range;
  const [tailMs, fromMs, toMs] = [msOf(Temporal.Instant.from(tail.from)), msOf(from), msOf(to)];
  if (toMs - tailMs <= DAY_MS) {
    const range = { from: Temporal.Instant.from(tail.from), to };
    const whole = await nullIfNotOffered(statistics.timeline({ ...query, range }));
    if (whole !== null && canBeCutAt(whole, fromMs))
      return [partOf(whole, fromMs, toMs), partOf(whole, tailMs, fromMs)];
  }
  const tailRange = { from: Temporal.Instant.from(tail.from), to: from };
  const [timeline, before] = await Promise.all([
    statistics.timeline(query),
    nullIfNotOffered(statistics.timeline({ ...query, range: tailRange })),
  ]);
  return [timeline, before === null ? null : partOf(before, tailMs, fromMs)] as const;
}

/** Totals belong to the whole window, and an interval across the cut to both parts. */
function canBeCutAt({ points: [first], intervalMs, totals }: Timeline, atMs: number): boolean {
  return totals === undefined && (first === undefined || (atMs - first.endMs) % intervalMs === 0);
}

function partOf(timeline: Timeline, fromMs: number, toMs: number): Timeline {
  const gaps = timeline.gaps?.filter((gap) => gap.fromMs < toMs && gap.toMs > fromMs);
  const points = timeline.points.filter(({ endMs }) => endMs > fromMs && endMs <= toMs);
  return { ...timeline, fromMs, toMs, points, gaps: gaps?.length === 0 ? undefined : gaps };
}

/** Estimates and parts that the service can't report would look like late attacks the next time. */
function isExact({ gaps, limits, totals }: Timeline): boolean {
  return gaps === undefined && totals === undefined && limits?.includes('rates') !== true;
}

function tailOf(timeline: Timeline, earlier: Timeline | null): ReportedTail | null {
  const { toMs, intervalMs, points } = timeline;
  const startMs = earlier?.fromMs ?? timeline.fromMs;
  // Begins where an interval does, so that none is counted in part.
  const offMs = intervalMs > 0 ? (toMs - LATE_LOGGING_MS - (points[0]?.endMs ?? 0)) % intervalMs : 0;
  const wantedMs = toMs - LATE_LOGGING_MS - (offMs < 0 ? offMs + intervalMs : offMs);
  const fromMs = Math.max(startMs, wantedMs);
  const parts = [earlier, timeline].flatMap((part) => (part === null ? [] : [partOf(part, fromMs, Infinity)]));
  if (!parts.every(isExact)) return null;
  const { requests, attacks } = summarise({ ...timeline, points: parts.flatMap((part) => part.points) });
  const at = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
  return { from: at(fromMs), to: at(toMs), requests, attacks };
}

/** The window cuts its last interval, so that is settled as soon as the window is. */
function settledAtEnd(timeline: Timeline): Timeline {
  const { toMs, settledUntilMs, points } = timeline;
  if (toMs > settledUntilMs) return timeline;
  return { ...timeline, settledUntilMs: Math.max(settledUntilMs, points.at(-1)?.endMs ?? settledUntilMs) };
}

export function withLate<T extends DigestTotals>(totals: T, { requests, attacks }: DigestTimeline['late']): T {
  const sum = (count: number | null, more: number): number | null => (count === null ? null : count + more);
  return { ...totals, requests: sum(totals.requests, requests), attacks: sum(totals.attacks, attacks) };
}

/** `Includes 12 attacks from before 08:57 that were logged late. The categories don't.` */
export function lateNote(
  { requests, attacks }: DigestTimeline['late'],
  totals: DigestTotals,
  { range, zone, hasCategories }: { readonly range: Range; readonly zone: string; readonly hasCategories: boolean },
): Line[] {
  if (requests === 0 && attacks === 0) return [];
  const what = attacks > 0 ? counted(attacks, 'attack') : counted(requests, 'request');
  const isIncluded = (attacks > 0 ? totals.attacks : totals.requests) !== null;
  const before = `from before ${timeWords(msOf(range.from), range, zone)}`;
  if (!isIncluded) return [[`${what} ${before} were logged late.`]];
  const categories = attacks > 0 && hasCategories ? ' The categories don’t.' : '';
  return [[`Includes ${what} ${before} that were logged late.${categories}`]];
}

const msOf = (instant: Temporal.Instant): number => instant.epochMilliseconds;
