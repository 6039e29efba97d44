/** Counts the categories of a block and of times around it, as far as the service gives them. */
import { BotError, orFailure } from '../errors.ts';
import { totalOf } from '../statistics/categories.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { type Distribution, SETTLE_MS } from '../statistics/timeline.ts';
import type { Range } from '../time/index.ts';
import { BLOCK_MS, type Block, type BlockQuery, between, weeksBefore } from './block.ts';
import { MIX } from './verdict/index.ts';

/** The events of each category; `null` if the service doesn't give them. */
export type CountsIn = (range: Range) => Promise<Distribution | null>;

/** `hasFailed`: whether something was missing that the service may give later. */
export function countCategories(statistics: Statistics, { hosts, freshOnly, asker }: BlockQuery) {
  let failed = false;
  const countsIn: CountsIn = async (range) => {
    const counts = await orFailure(statistics.distribution({ hosts, freshOnly, asker, zone: 'UTC', range }));
    if (!(counts instanceof BotError)) return counts;
    failed ||= counts.code !== 'limit' && (counts.reason === undefined || counts.reason.is === 'outage');
    return null;
  };
  return { countsIn, hasFailed: () => failed };
}

/** The categories that every search of a block needs; `null` for what the service doesn't give. */
export interface BlockCounts {
  /** Its parts, as far as its numbers are settled. */
  readonly parts: readonly (Distribution | null)[];
  readonly untilMs: number;
  readonly before: Distribution | null;
  readonly weeks: Distribution | null;
}

/** Requested beside the block's numbers, so that nobody waits for one after the other. */
export async function countBlock(startMs: number, nowMs: number, countsIn: CountsIn): Promise<BlockCounts> {
  const untilMs = countedUntil(startMs, nowMs - SETTLE_MS);
  const [weeks, before, parts] = await Promise.all([
    countsIn(weeksBefore(startMs)),
    countsIn(between(startMs - BLOCK_MS, startMs)),
    Promise.all(rangesOf(startMs, untilMs, MIX.partMs).map(countsIn)),
  ]);
  return { parts, untilMs, before, weeks };
}

/** The end of what is counted moves in steps, so that many questions share an answer. */
export const countedUntil = (startMs: number, settledMs: number): number =>
  Math.min(startMs + BLOCK_MS, Math.floor(settledMs / MIX.pieceMs) * MIX.pieceMs);

/** The ranges of a length from an instant on; the last one may be shorter. */
export const rangesOf = (fromMs: number, toMs: number, ms: number): Range[] =>
  Array.from({ length: Math.max(0, Math.ceil((toMs - fromMs) / ms)) }, (_, at) =>
    between(fromMs + at * ms, Math.min(fromMs + (at + 1) * ms, toMs)),
  );

/**
 * What is usual: the categories of the block before, of this week so far and of the four weeks before it. Without a gap up
 * to the block, because what none of them has is called new.
 */
export async function referenceCounts({ startMs }: Block, countsIn: CountsIn): Promise<readonly Distribution[]> {
  const weeks = weeksBefore(startMs);
  const weekMs = weeks.to.epochMilliseconds;
  const counts = await Promise.all([
    countsIn(between(startMs - BLOCK_MS, startMs)),
    startMs > weekMs ? countsIn(between(weekMs, startMs)) : null,
    countsIn(weeks),
  ]);
  return counts.filter((each) => each !== null).filter((each) => totalOf(each) > 0);
}
