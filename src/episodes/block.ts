/**
 * Half a day of a site, in which episodes are found: the numbers of the block, of the one before it and of the hours after
 * it, and what was usual in the weeks before. Blocks have fixed edges, so that it doesn't matter who asks about which part.
 */
import { LRUCache } from 'lru-cache';
import { inTurns } from '../clock.ts';
import { BotError, nullIfUnavailable, orFailure } from '../errors.ts';
import { totalOf } from '../statistics/categories.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import { type Distribution, rebucket, SETTLE_MS, type Timeline } from '../statistics/timeline.ts';
import { type ClockOffsets, clockOffsets, type Range } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../time-units.ts';
import {
  CATEGORY,
  DROPS,
  finishedPoints,
  learnSite,
  MIX,
  type Present,
  RISE,
  readPresent,
  type Site,
  sumsBetween,
} from './verdict/index.ts';

export const BLOCK_MS = 12 * HOUR_MS;
/** How far after its end an episode of the block is followed. */
export const FOLLOWED_MS = 4 * HOUR_MS;

export interface Block {
  readonly startMs: number;
  readonly endMs: number;
  /** Of the block before, the block, and what followed, as far as it is settled. The known long rises and drops hold its level. */
  readonly present: Present;
  /** The end of the settled numbers. */
  readonly untilMs: number;
  /** Whether the service gave all numbers that were asked for. */
  readonly whole: boolean;
  /** Whether they were all that it can ever tell: only then its episodes are final. */
  readonly complete: boolean;
}

/** Whose numbers, and as of when. */
export interface BlockQuery extends Pick<StatisticsQuery, 'hosts' | 'freshOnly' | 'asker'> {
  readonly nowMs: number;
  /** The requested time range. Categories cost one call an hour, so takeovers are searched for only in these hours. */
  readonly window: { readonly fromMs: number; readonly toMs: number };
  /** The zone whose calendar says which hours are the same. */
  readonly zone: string;
}

/** What a block's numbers depend on: not on the requested range or zone. */
export type NumbersQuery = Omit<BlockQuery, 'zone' | 'window'>;

export const blockStart = (ms: number): number => Math.floor(ms / BLOCK_MS) * BLOCK_MS;

/** `null` if there is too little to judge by. Rejects if the service doesn't give the numbers of the block itself. */
export async function readBlock(statistics: Statistics, startMs: number, query: BlockQuery): Promise<Block | null> {
  const { nowMs, zone } = query;
  const endMs = startMs + BLOCK_MS;
  const blockAt = (ms: number): Promise<Timeline> => blockNumbers(statistics, ms, query);
  const [own, before, after, history] = await Promise.all([
    blockAt(startMs),
    nullIfUnavailable(blockAt(startMs - BLOCK_MS)),
    nowMs - endMs < MINUTE_MS ? null : nullIfUnavailable(blockAt(endMs)),
    weeksOfNumbers(statistics, startMs, query),
  ]);
  const recent = joined([before, own, after], endMs + FOLLOWED_MS);
  const offsets = clockOffsets(startMs, endMs + FOLLOWED_MS, zone);
  const known = history.filter((piece) => piece !== null);
  const site = await learnedSite(known, offsets);
  const present = presentOf(recent, site, startMs);
  if (present === null) return null;
  const isOver = Math.min(recent.toMs, recent.settledUntilMs) >= endMs + FOLLOWED_MS;
  const whole = !recent.stale && before !== null && known.length === history.length;
  return { startMs, endMs, present, untilMs: present.untilMs, whole, complete: isOver && whole };
}

/** What is usual on a site takes a while to learn, and watches ask about the same past every few minutes: the latest are kept. */
const learned = new LRUCache<string, Promise<Site>>({ max: 64 });

/** Those who ask at the same time share the work. */
export function learnedSite(history: readonly Timeline[], offsets: ClockOffsets): Promise<Site> {
  const key = JSON.stringify([offsets, history.map(fingerprint)]);
  const site = learned.get(key) ?? inTurns(learnSite(history, offsets));
  learned.set(key, site);
  return site;
}

/** Numbers that no two different timelines share. */
function fingerprint({ fromMs, toMs, intervalMs, settledUntilMs, points }: Timeline): readonly number[] {
  let attacks = 0;
  let requests = 0;
  let order = 0;
  points.forEach((point, at) => {
    attacks += point.attacks ?? -1;
    requests += point.requests ?? -1;
    order += (at + 1) * ((point.attacks ?? -1) + 3 * (point.requests ?? -1)) + (point.endMs % 9_973);
  });
  return [fromMs, Math.min(toMs, settledUntilMs), intervalMs, points.length, attacks, requests, order];
}

/** The numbers of a block so far. Of a window that moves but keeps its length, only the end is requested from the service. */
export async function blockNumbers(
  { timeline }: Pick<Statistics, 'timeline'>,
  startMs: number,
  { nowMs, hosts, freshOnly, asker }: NumbersQuery,
): Promise<Timeline> {
  const isOver = startMs + BLOCK_MS <= nowMs;
  const range = isOver ? between(startMs, startMs + BLOCK_MS) : between(nowMs - BLOCK_MS, nowMs);
  const numbers = await timeline({ hosts, freshOnly, asker, zone: 'UTC', range });
  return isOver ? numbers : since(numbers, startMs);
}

/** The numbers from an instant on; the totals were those of the longer window. */
export const since = (timeline: Timeline, fromMs: number): Timeline => ({
  ...timeline,
  fromMs,
  points: timeline.points.filter(({ endMs }) => endMs - timeline.intervalMs >= fromMs),
  gaps: timeline.gaps?.filter(({ toMs }) => toMs > fromMs),
  totals: undefined,
});

/** So much must be known to compare with. */
const MIN_PAST_MS = HOUR_MS;

function presentOf(recent: Timeline, site: Site, startMs: number): Present | null {
  // Where the service has no numbers at the end, nothing is known: neither that something goes on nor that it is over.
  const last = finishedPoints(recent).findLast(({ attacks }) => attacks !== null);
  const stepMs = Math.max(MINUTE_MS, recent.intervalMs);
  if (last === undefined || last.endMs <= startMs) return null;
  const fromMs = startMs - Math.floor((startMs - recent.fromMs) / stepMs) * stepMs;
  const length = Math.floor((last.endMs - fromMs) / stepMs);
  const windowStart = Math.round((startMs - fromMs) / stepMs);
  if (length <= windowStart) return null;
  const present = readPresent({ recent, grid: { fromMs, stepMs, length }, windowStart, site, held: [] });
  return present.knownBeforeMs + site.knownMs < MIN_PAST_MS ? null : present;
}

/** Consecutive timelines as one, up to an instant, in the longest of their intervals. */
export function joined(parts: readonly (Timeline | null)[], untilMs: number): Timeline {
  const known = parts.filter((part) => part !== null);
  const intervalMs = Math.max(...known.map((part) => part.intervalMs));
  const alike = known.map((part) => (part.intervalMs === intervalMs ? part : rebucket(part, intervalMs)));
  const [first] = alike;
  const last = alike.at(-1);
  if (first === undefined || last === undefined) throw new Error('a block has no numbers');
  const toMs = Math.min(last.toMs, untilMs);
  return {
    ...last,
    fromMs: first.fromMs,
    toMs,
    intervalMs,
    points: alike.flatMap(({ points }) => points).filter(({ endMs }) => endMs <= toMs),
    gaps: alike.flatMap(({ gaps = [] }) => gaps),
    settledUntilMs: Math.min(
      ...alike.filter((part) => part.settledUntilMs < part.toMs).map((part) => part.settledUntilMs),
      last.settledUntilMs,
    ),
    stale: alike.some(({ stale }) => stale),
    totals: undefined,
  };
}

const WEEKS = 4;

/**
 * The four weeks before that of an instant, and the whole days of its own week up to it; `null` for what the service doesn't
 * give. Whole weeks are requested, as far as they have passed, so that everyone who asks about a day of one shares them.
 */
export function weeksOfNumbers(
  { timeline }: Pick<Statistics, 'timeline'>,
  beforeMs: number,
  { nowMs, hosts, freshOnly, asker }: NumbersQuery,
): Promise<(Timeline | null)[]> {
  const endMs = dayStart(beforeMs);
  const passedMs = Math.max(endMs, dayStart(nowMs));
  const weekMs = Math.floor(endMs / WEEK_MS) * WEEK_MS;
  const weeks = Array.from({ length: WEEKS + (endMs > weekMs ? 1 : 0) }, (_, at) => weekMs + (at - WEEKS) * WEEK_MS);
  const numbersOf = async (fromMs: number): Promise<Timeline | null> => {
    const range = between(fromMs, Math.min(fromMs + WEEK_MS, passedMs));
    // In UTC, so that channels in all time zones share the cached answers.
    const numbers = await nullIfUnavailable(timeline({ hosts, freshOnly, asker, zone: 'UTC', range }));
    return numbers === null || fromMs < weekMs ? numbers : until(numbers, endMs);
  };
  return Promise.all(weeks.map(numbersOf));
}

export const dayStart = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** The numbers up to an instant. */
export const until = (timeline: Timeline, toMs: number): Timeline => ({
  ...timeline,
  toMs,
  points: timeline.points.filter(({ endMs }) => endMs <= toMs),
  gaps: timeline.gaps?.filter(({ fromMs }) => fromMs < toMs),
  totals: undefined,
});

export function daysEarlier(instant: Temporal.Instant, days: number, zone: string): Temporal.Instant {
  return instant.toZonedDateTimeISO(zone).subtract({ days }).toInstant();
}

export const between = (fromMs: number, toMs: number): Range => ({
  from: Temporal.Instant.fromEpochMilliseconds(fromMs),
  to: Temporal.Instant.fromEpochMilliseconds(toMs),
});

/** The four weeks before a day, as one range; their edges are those of UTC, so that they can be shared. */
export const monthBefore = (ms: number): Range => between(dayStart(ms) - CATEGORY.days * DAY_MS, dayStart(ms));

/** Its days, the latest first. */
export const daysBefore = (ms: number): Range[] =>
  rangesOf(dayStart(ms) - CATEGORY.days * DAY_MS, dayStart(ms), DAY_MS).toReversed();

/** Of a site younger than two weeks, its first working week would look like a long rise, so no level is held. */
export const isYoung = ({ present }: Block): boolean => present.site.knownMs < 2 * WEEK_MS;

/** Attacks or visitors that are gone stay a drop for longer than a rise stays a rise. A young site is compared with a week ago only. */
const DAYS_OF_DROP = [7, 27];

/** Whether something long may have made itself usual before the block: by the level of some days ago, far more came, or nearly nothing. */
export function mayHaveBecomeUsual(block: Block): boolean {
  const { present, startMs } = block;
  const { grid, windowStart } = present;
  if (isYoung(block)) return false;
  const length = Math.min(windowStart, Math.round(RISE.longMs / grid.stepMs));
  const hoursBefore = { ...grid, fromMs: startMs - length * grid.stepMs, length };
  const daysOfRise = Array.from({ length: RISE.heldDays }, (_, back) => back + 1);
  return [...daysOfRise, ...DAYS_OF_DROP].some((days) => {
    const held = [{ fromMs: startMs - days * DAY_MS + HOUR_MS, toMs: Number.POSITIVE_INFINITY, isUsual: false }];
    const { sums, least } = readPresent({ ...present, grid: hoursBefore, windowStart: 0, held });
    const { expected: enough, left } = DROPS.check.attacks;
    const areGone = [least.attacks, least.visitors].some((each) => {
      const { observed, expected } = sumsBetween(each.sums, 0, length);
      return expected >= enough && observed <= left * expected;
    });
    const { observed, expected } = sumsBetween(sums, 0, length);
    const isMore = observed >= RISE.ratio * expected && observed - expected >= RISE.excess;
    return areGone || (isMore && daysOfRise.includes(days));
  });
}

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
  /** Of the block so far. */
  readonly counted: Distribution | null;
  readonly untilMs: number;
  /** Of the hours asked about, those of the window. */
  readonly window: BlockQuery['window'];
  readonly hours: readonly (Distribution | null)[];
  readonly month: Distribution | null;
}

/** Requested beside the block's numbers, so that nobody waits for one after the other. */
export async function countBlock(
  startMs: number,
  { nowMs, window }: BlockQuery,
  countsIn: CountsIn,
): Promise<BlockCounts> {
  const untilMs = countedUntil(startMs, nowMs - SETTLE_MS);
  const [month, counted, hours] = await Promise.all([
    countsIn(monthBefore(startMs)),
    untilMs > startMs ? countsIn(between(startMs, untilMs)) : null,
    Promise.all(hoursOf(window, startMs, untilMs).map(countsIn)),
  ]);
  return { counted, untilMs, window, hours, month };
}

/** The end of what is counted moves in steps, so that many questions share an answer. */
export const countedUntil = (startMs: number, settledMs: number): number =>
  Math.min(startMs + BLOCK_MS, Math.floor(settledMs / MIX.pieceMs) * MIX.pieceMs);

/** The whole hours of a block that share time with a window. */
export const wholeHours = ({ fromMs, toMs }: BlockQuery['window'], startMs: number): BlockQuery['window'] => ({
  fromMs: Math.max(startMs, Math.floor(fromMs / HOUR_MS) * HOUR_MS),
  toMs: Math.min(startMs + BLOCK_MS, Math.ceil(toMs / HOUR_MS) * HOUR_MS),
});

/** Each of them, as far as the block is counted. */
export function hoursOf(window: BlockQuery['window'], startMs: number, untilMs: number): Range[] {
  const { fromMs, toMs } = wholeHours(window, startMs);
  return rangesOf(fromMs, Math.min(toMs, untilMs), HOUR_MS);
}

/** The ranges of a length from an instant on; the last one may be shorter. */
export const rangesOf = (fromMs: number, toMs: number, ms: number): Range[] =>
  Array.from({ length: Math.max(0, Math.ceil((toMs - fromMs) / ms)) }, (_, at) =>
    between(fromMs + at * ms, Math.min(fromMs + (at + 1) * ms, toMs)),
  );

/** Pieces of some times, in order, without those that are unknown. */
export async function piecesOf(
  times: readonly Distribution[],
  ms: number,
  countsIn: CountsIn,
): Promise<Distribution[]> {
  const ranges = times.flatMap(({ fromMs, toMs }) => rangesOf(fromMs, toMs, ms));
  return (await Promise.all(ranges.map(countsIn))).filter((piece) => piece !== null);
}

/** What is usual: the categories of the block before and of four weeks. One that is missing in them is called new. */
export async function referenceCounts(
  { startMs }: Pick<Block, 'startMs'>,
  countsIn: CountsIn,
): Promise<readonly Distribution[]> {
  const ranges = [between(startMs - BLOCK_MS, startMs), monthBefore(startMs)];
  const counts = await Promise.all(ranges.map(countsIn));
  return counts.filter((each) => each !== null).filter((each) => totalOf(each) > 0);
}
