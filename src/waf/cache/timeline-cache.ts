/**
 * The statistics as a watch asks for them: what has been answered once is kept and only its end is asked for again, and
 * what lies in the past is read ahead. So ten watches on the same hosts ask once, and yesterday is read a few times a
 * day instead of every five minutes.
 */
import { createHash } from 'node:crypto';
import type { KeyValueStore, Statistics, StatisticsQuery } from '../../commands/ports.ts';
import type { Timeline } from '../../insight/timeline.ts';
import { covers, extended, isWorthKeeping, resumeAt, type Stretch, stretchOf, windowOf } from './timeline-segment.ts';

export interface CachedTimelines {
  /** The most recently used first. */
  readonly stretches: readonly Stretch[];
}

export interface TimelineCacheDeps {
  readonly statistics: Statistics;
  /** Under a key for the hosts; losing it costs a few questions and nothing else. */
  readonly shelf: Pick<KeyValueStore<CachedTimelines>, 'get' | 'set'>;
  readonly now: () => Temporal.Instant;
}

/** Today, the day before, the week before, and one for a threshold over many hours. */
const MOST_STRETCHES = 4;
const READ_AHEAD_MS = 6 * 3_600_000;
/** Looks of the same minute are the same look. */
const FRESH_MS = 60_000;

export function createTimelineCache({ statistics, shelf, now }: TimelineCacheDeps): Statistics {
  /** One at a time for the same hosts: the second finds what the first was told. */
  const turns = new Map<string, Promise<unknown>>();

  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    turns.set(key, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(key) === mine) turns.delete(key);
    }
  }

  async function answer(key: string, query: StatisticsQuery): Promise<Timeline> {
    const nowMs = now().epochMilliseconds;
    const fromMs = query.range.from.epochMilliseconds;
    const toMs = query.range.to.epochMilliseconds;
    const { stretches } = (await shelf.get(key)) ?? { stretches: [] };
    const known = stretches.find((stretch) => covers(stretch, fromMs, toMs, nowMs - FRESH_MS));
    if (known !== undefined) return windowOf(known, fromMs, toMs, false);
    const untilMs = toMs + READ_AHEAD_MS < nowMs ? toMs + READ_AHEAD_MS : toMs;
    const ask = (startMs: number): Promise<Timeline> =>
      statistics.timeline({ ...query, range: rangeOf(startMs, untilMs) });
    const keep = (stretch: Stretch, instead?: Stretch): Promise<void> => {
      const others = stretches.filter((each) => each !== instead && !isWithin(each, stretch));
      return shelf.set(key, { stretches: [stretch, ...others].slice(0, MOST_STRETCHES) });
    };
    for (const stretch of stretches) {
      const resumedMs = resumeAt(stretch, fromMs);
      if (resumedMs === null || resumedMs >= toMs) continue;
      const tail = await ask(resumedMs);
      const longer = extended(stretch, resumedMs, tail);
      if (longer === null) break;
      if (!tail.stale) await keep(longer, stretch);
      return windowOf(longer, fromMs, toMs, tail.stale);
    }
    const whole = await ask(fromMs);
    if (!isWorthKeeping(whole)) return untilMs === toMs ? whole : windowOf(stretchOf(whole), fromMs, toMs, whole.stale);
    const fresh = stretchOf(whole);
    await keep(fresh);
    return windowOf(fresh, fromMs, toMs, false);
  }

  return {
    timeline(query) {
      const key = keyOf(query.hosts);
      return inTurn(key, () => answer(key, toMinutes(query)));
    },
    distribution: (query) => statistics.distribution(query),
  };
}

/** One key for the same hosts in any order, short however many they are. */
function keyOf(hosts: readonly string[]): string {
  if (hosts.length === 0) return 'all';
  return createHash('sha256')
    .update([...hosts].sort().join(','))
    .digest('hex')
    .slice(0, 32);
}

/** Whole minutes, so that everyone who looks within one asks for the same. */
function toMinutes(query: StatisticsQuery): StatisticsQuery {
  const floor = (instant: Temporal.Instant) => instant.round({ smallestUnit: 'minute', roundingMode: 'floor' });
  return { ...query, range: { from: floor(query.range.from), to: floor(query.range.to) } };
}

function rangeOf(fromMs: number, toMs: number): StatisticsQuery['range'] {
  return { from: Temporal.Instant.fromEpochMilliseconds(fromMs), to: Temporal.Instant.fromEpochMilliseconds(toMs) };
}

const isWithin = (inner: Stretch, outer: Stretch): boolean => inner.fromMs >= outer.fromMs && inner.toMs <= outer.toMs;
