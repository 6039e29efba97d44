/** The windows an assessment fetches. Their edges stay the same for hours or days, so that the answers can be cached. */

import type { Range } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../time-units.ts';
import { type Lags, RULE, type Verdict } from './verdict/index.ts';

const WEEKS = 4;
/** The newest piece of the baseline ends at a multiple of this, so it's fetched again only that often. */
const PIECE_MS = 6 * HOUR_MS;
/** How much of an ongoing wave counts as its latest part. */
const LATEST_MS = 30 * MINUTE_MS;

/** In whole minutes; empty quarters of a short window are left out. */
export function quartersOf(fromMs: number, toMs: number): Range[] {
  const edges = [0, 1, 2, 3, 4].map((at) => Math.round((fromMs + ((toMs - fromMs) * at) / 4) / MINUTE_MS) * MINUTE_MS);
  return edges
    .slice(1)
    .map((edge, at) => between(edges[at] ?? fromMs, edge))
    .filter(({ from, to }) => msBetween(from, to) > 0);
}

/** The latest part of a wave; `null` if that's the whole window. */
export function latestRange({ onsetMs, endedMs, fromMs, toMs }: Verdict): Range | null {
  if (onsetMs === null) return null;
  const endMs = Math.min(endedMs ?? toMs, toMs);
  const startMs = Math.max(onsetMs, fromMs, endMs - LATEST_MS);
  return startMs - fromMs < 10 * MINUTE_MS || endMs <= startMs ? null : between(startMs, endMs);
}

export const between = (fromMs: number, toMs: number): Range => ({
  from: Temporal.Instant.fromEpochMilliseconds(fromMs),
  to: Temporal.Instant.fromEpochMilliseconds(toMs),
});

export const wholeHours = (fromMs: number, toMs: number): Range =>
  between(Math.floor(fromMs / HOUR_MS) * HOUR_MS, Math.ceil(toMs / HOUR_MS) * HOUR_MS);

/** The four weeks before and the current week so far. Weeks have fixed edges, so an answer is good for days. */
export function piecesBefore(fromMs: number): Range[] {
  const endMs = Math.floor(fromMs / PIECE_MS) * PIECE_MS;
  const weekMs = Math.floor(endMs / WEEK_MS) * WEEK_MS;
  const weeks = Array.from({ length: WEEKS }, (_, back) =>
    between(weekMs - (back + 1) * WEEK_MS, weekMs - back * WEEK_MS),
  );
  return [...weeks.reverse(), ...(endMs > weekMs ? [between(weekMs, endMs)] : [])];
}

/** Follows the zone's calendar, so the hours stay the same across a daylight saving change. */
export function lagsOf({ to }: Range, zone: string): Lags {
  const lag = (days: number): number => msBetween(daysEarlier(to, days, zone), to);
  return { days: [1, 2, 3].map(lag), weeks: [1, 2, 3, 4].map((weeks) => lag(7 * weeks)) };
}

export function shifted({ from, to }: Range, days: number, zone: string): Range {
  return { from: daysEarlier(from, days, zone), to: daysEarlier(to, days, zone) };
}

/** Enough whole days to cover the window, so that the days before can't overlap it. */
export function wholeDays({ from, to }: Range): number {
  return Math.max(1, Math.ceil(msBetween(from, to) / DAY_MS));
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant): number =>
  to.epochMilliseconds - from.epochMilliseconds;

function daysEarlier(instant: Temporal.Instant, days: number, zone: string): Temporal.Instant {
  return instant.toZonedDateTimeISO(zone).subtract({ days }).toInstant();
}

/** Up to a day comes by the minute: whether that holds for this window, but not together with the hours before it. */
export function isFinerAlone({ from, to }: Range): boolean {
  const lengthMs = msBetween(from, to);
  return lengthMs <= DAY_MS && lengthMs + RULE.trailingMs > DAY_MS;
}

/** Six hours before the hour in which the window begins, or as long as the window if that's longer. */
export function hoursBefore({ from, to }: Range): Range {
  const endMs = Math.floor(from.epochMilliseconds / HOUR_MS) * HOUR_MS;
  return between(endMs - Math.max(RULE.trailingMs, msBetween(from, to)), endMs);
}
