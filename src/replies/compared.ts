/** Two windows as far as they can be compared, and what an answer says about the rest. */
import { BotError } from '../errors.ts';
import type { Comparison } from '../statistics/comparison.ts';
import { comparableDistributions, comparableTimelines, type Incomparable } from '../statistics/comparison.ts';
import { duration } from '../statistics/format.ts';
import { type CategoryRow, rankCategories, summarise, type TimelineSummary, totalOf } from '../statistics/summary.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { dayAndMonth, windowInWords, zoned } from '../time/index.ts';
import { DAY_MS } from '../time-units.ts';
import type { Line } from './reply.ts';

/** Why there is nothing to compare with. `failed`: the service didn't answer. `not offered`: it has no such numbers. */
export type Obstacle = Incomparable | 'failed' | 'not offered' | 'no data';

export interface ComparedTimelines {
  /** Of the part that is compared; the whole window if it isn't cut. */
  readonly now: TimelineSummary;
  /** `null` if there is an obstacle. */
  readonly before: TimelineSummary | null;
  /** The compared parts of both windows. */
  readonly comparison: Comparison;
  readonly obstacle: Obstacle | null;
  /** Names the part if the windows had to be cut. */
  readonly note: readonly Line[];
}

export const attacksIn = ({ now, before }: ComparedTimelines) => ({
  now: now.attacks,
  before: before?.attacks ?? null,
});

export function compareTimelines(
  now: Timeline,
  before: Timeline | BotError | null,
  comparison: Comparison,
  zone: string,
): ComparedTimelines {
  const without = (obstacle: Obstacle): ComparedTimelines => ({
    now: summarise(now),
    before: null,
    comparison,
    obstacle,
    note: [],
  });
  if (before === null) return without('failed');
  if (before instanceof BotError) return without(obstacleOf(before));
  const compared = comparableTimelines(now, before, comparison);
  if (typeof compared === 'string') return without(compared);
  const earlier = summarise(compared.before);
  if (earlier.intervals === 0 && earlier.attacks === null) return without('no data');
  const { counted, against } = compared;
  return {
    now: summarise(compared.now),
    before: earlier,
    comparison: { ...comparison, counted, against },
    obstacle: null,
    note: compared.isCut ? [partLine({ ...comparison, counted }, [now, before], zone)] : [],
  };
}

export const obstacleOf = ({ code }: BotError): Obstacle => (code === 'limit' ? 'not offered' : 'failed');

/** `Compared over Wed 11 Mar 00:00–18:00: the service reports the rest only in steps of 1 h.` */
function partLine({ counted: { from, to } }: Comparison, timelines: readonly Timeline[], zone: string): Line {
  const window = windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone);
  const isOld = timelines.some(({ gaps = [] }) => gaps.some(({ reason }) => reason === 'retention'));
  const step = duration(Math.max(...timelines.map(({ intervalMs }) => intervalMs)), { form: 'short' });
  // The note on what the service keeps says the rest.
  const why = isOld ? '' : `: the service reports the rest only in steps of ${step}`;
  return ['Compared over ', { bold: window }, `${why}.`];
}

/** `No comparison: …`, for the place of a comparison. `against`: the other window in words. */
export function obstacleWords(obstacle: Obstacle, against: string): string {
  const says: Readonly<Record<Obstacle, string>> = {
    retention: `Not compared: the service no longer has all of ${against}.`,
    steps: `Not compared: the service reports ${against} only in steps that are too long for this window.`,
    categories: `Not compared: the service uses other categories for ${against}.`,
    failed: `No comparison: the service didn't answer for ${against}.`,
    'not offered': `Not compared: the service has no numbers for ${against}.`,
    'no data': `No comparison: there's no data for ${against}.`,
  };
  return says[obstacle];
}

export interface ComparedCategories {
  /** Of the whole window; what can't be compared has no count before. */
  readonly rows: readonly CategoryRow[];
  /** The earlier categories; `null` if there is an obstacle. */
  readonly before: Distribution | null;
  /** The events of what is known in both windows. */
  readonly totals: { readonly now: number; readonly before: number } | null;
  readonly obstacle: Obstacle | null;
}

export function compareCategories(now: Distribution, before: Distribution | BotError | null): ComparedCategories {
  const without = (obstacle: Obstacle): ComparedCategories => ({
    rows: rankCategories(now, null),
    before: null,
    totals: null,
    obstacle,
  });
  if (before === null) return without('failed');
  if (before instanceof BotError) return without(obstacleOf(before));
  const compared = comparableDistributions(now, before);
  if (typeof compared === 'string') return without(compared);
  return {
    rows: rankCategories(now, before),
    before,
    totals: { now: totalOf(compared.now), before: totalOf(compared.before) },
    obstacle: null,
  };
}

type Kept = Pick<Timeline | Distribution, 'gaps'> | BotError | null;

/**
 * One line on data that the service no longer has: `The service keeps 30 days; nothing before 9 Feb can be compared.`
 * The first answer is about the requested window, the others about what it is compared with.
 */
export function retentionNote([here, ...others]: readonly Kept[], now: Temporal.Instant, zone: string): Line[] {
  const gapsOf = (answer: Kept | undefined) =>
    answer == null || answer instanceof BotError
      ? []
      : (answer.gaps ?? []).filter(({ reason }) => reason === 'retention');
  const isCounted = gapsOf(here).length > 0;
  const gaps = [here, ...others].flatMap(gapsOf);
  const [first] = gaps;
  if (first === undefined) return [];
  const sinceMs = Math.max(...gaps.map((gap) => gap.keptSinceMs ?? gap.toMs));
  const day = dayAndMonth(zoned(sinceMs, zone));
  const nothing = `nothing before ${day} can be ${isCounted ? 'counted' : 'compared'}`;
  if (gaps.every(({ keptSinceMs }) => keptSinceMs === undefined))
    return [[`The service has no data there: ${nothing}.`]];
  return [[`The service keeps ${duration(daysSince(sinceMs, now))}; ${nothing}.`]];
}

const daysSince = (sinceMs: number, now: Temporal.Instant): number =>
  Math.max(1, Math.round((now.epochMilliseconds - sinceMs) / DAY_MS)) * DAY_MS;

/** For one thing that the service didn't answer, where the rest of the answer stands: `No categories: …` */
export const missingLine = (what: string, failure: BotError): Line => [`No ${what}: ${failure.message}`];
