/** Finds the categories that are unusual in a block: busier than ever, or taking over; each with its times and numbers. */
import { countOf, maxCountOf, totalOf } from '../statistics/categories.ts';
import type { Distribution } from '../statistics/timeline.ts';
import { HOUR_MS } from '../time-units.ts';
import {
  BLOCK_MS,
  type Block,
  type BlockCounts,
  between,
  type CountsIn,
  countedUntil,
  dayStart,
  daysBefore,
  FOLLOWED_MS,
  hoursOf,
  piecesOf,
  rangesOf,
} from './block.ts';
import { type EpisodeRecord, recordId, usualFromMs } from './episode.ts';
import { findTakeovers } from './find-takeovers.ts';
import {
  BARS,
  CATEGORY,
  type CountedTime,
  categoriesAboveTheirShare,
  countedTime,
  FEEDBACK,
  isBusy,
  knownDays,
  MIX,
  pauseOf,
  rising,
  type StrengthStep,
  suspectCategories,
  type UnusualCategory,
  type UnusualTime,
  unusualCategories,
  unusualTimes,
  usualPerHour,
} from './verdict/index.ts';

/** What a search for categories needs, besides the block. */
interface CategorySearch {
  /** The rises of the block, which may explain a category. */
  readonly rises: Promise<readonly EpisodeRecord[]>;
  /** Those of the block before that go on in this one. The block before is searched for them only if one is found early here. */
  readonly mixesBefore: () => Promise<readonly EpisodeRecord[]>;
  readonly counts: BlockCounts;
  readonly countsIn: CountsIn;
}

export async function findCategories(
  block: Block,
  { rises, mixesBefore, counts, countsIn }: CategorySearch,
): Promise<EpisodeRecord[]> {
  const { startMs } = block;
  const untilMs = countedUntil(startMs, block.untilMs);
  if (untilMs <= startMs) return [];
  // The service may have numbers up to another moment than was expected.
  const [counted = null, ...hours] =
    counts.untilMs === untilMs
      ? [counts.counted, ...counts.hours]
      : await Promise.all([between(startMs, untilMs), ...hoursOf(counts.window, startMs, untilMs)].map(countsIn));
  if (counted === null || counts.month === null) return [];
  const { month } = counts;
  const known = hours.filter((hour) => hour !== null);
  const suspects = suspectCategories(counted, month);
  const busiest = await findBusiest(block, suspects, counted, countsIn);
  const { takeovers, grown } = await findTakeovers({ block, hours: known, month, countsIn }, busiest);
  const { pauseMs } = MIX;
  const tookOver = takeovers.map(({ stopMs, ...rest }) => ({
    ...{ ...rest, pauseMs, enough: 0 },
    ...endOf(block, stopMs, pauseMs),
  }));
  const own = await Promise.all(joinedSpans([...busiest, ...tookOver]).map((span) => followed(block, span, countsIn)));
  const mayBeOlder =
    own.some(({ onsetMs }) => onsetMs - startMs < FOLLOWED_MS + MIX.longestPauseMs) ||
    (await haveGrown([...suspects, ...grown], { block, month, countsIn }));
  const older = mayBeOlder ? (await mixesBefore()).map(spanOf) : [];
  const goneOn = await Promise.all(older.map((span) => followedOn(block, span, countsIn)));
  const spans = older.length === 0 ? own : joinedSpans([...goneOn, ...own]);
  const mixes = await Promise.all(spans.map(untilUsual).map((span) => categoryRecord(span, countsIn)));
  // A rise that alerts nobody explains nothing, or nobody would hear of the category.
  const risen = (await rises).filter(({ strength }) => strength >= BARS.normal);
  const reported = mixes.filter(({ steps }) => steps.length > 0);
  const explained = await Promise.all(reported.map((mix) => isExplained(mix, risen, { block, month, countsIn })));
  return reported.filter((_, at) => explained[at] !== true);
}

/** A block, and the categories of the four weeks before. */
interface CountedBlock {
  readonly block: Block;
  readonly month: Distribution;
  readonly countsIn: CountsIn;
}

/** Whether one of these had already grown in the block before, so that it may go on for longer than that block follows it. */
async function haveGrown(categories: readonly string[], { block: { startMs }, month, countsIn }: CountedBlock) {
  if (categories.length === 0) return false;
  const before = await countsIn(between(startMs - BLOCK_MS, startMs));
  if (before === null) return true;
  const grown = [...suspectCategories(before, month), ...categoriesAboveTheirShare(before, month)];
  return categories.some((category) => grown.includes(category));
}

/** Whether a category is a part of the rises. Categories that began in an earlier block were decided there. */
async function isExplained(
  mix: EpisodeRecord,
  rises: readonly EpisodeRecord[],
  { block: { startMs, untilMs }, month, countsIn }: CountedBlock,
): Promise<boolean> {
  // Decided when people are alerted to it, at the latest: by then the rise must cover half of its time.
  const alertsMs = Math.min(alertsFrom(mix), untilMs);
  const covering = rises.filter(
    (rise) =>
      alertsFrom(rise, BARS.normal) <= alertsMs &&
      rise.onsetMs <= (mix.onsetMs + alertsMs) / 2 &&
      rise.figures.untilMs > mix.onsetMs,
  );
  if (mix.onsetMs < startMs || covering.length === 0 || !(await mostlyIn(rises, mix, countsIn))) return false;
  const isNear = covering.some((rise) => Math.abs(mix.onsetMs - rise.onsetMs) <= CATEGORY.withRiseMs);
  if (isNear || (await hasGrownWithOthers(mix, month, countsIn))) return true;
  return (await Promise.all(covering.map((rise) => wasInIt(mix, rise, countsIn)))).includes(true);
}

/** Where all categories have grown, one that has kept about its share is nothing of its own. */
async function hasGrownWithOthers(
  { mix = '', onsetMs, figures }: EpisodeRecord,
  month: Distribution,
  countsIn: CountsIn,
) {
  const counted = await countsIn(between(onsetMs, figures.untilMs));
  const usual = (maxCountOf(month, mix) ?? 0) / Math.max(1, totalOf(month));
  return counted !== null && (countOf(counted, mix) ?? 0) <= CATEGORY.times * usual * totalOf(counted);
}

/** Whether a rise already had much of a category when that began to be unusual, such as in the block before. */
async function wasInIt({ mix = '', onsetMs, figures }: EpisodeRecord, rise: EpisodeRecord, countsIn: CountsIn) {
  if (rise.onsetMs >= onsetMs) return false;
  const counted = await countsIn(between(rise.onsetMs, onsetMs));
  const usual = ((figures.expected ?? 0) * (onsetMs - rise.onsetMs)) / (figures.untilMs - onsetMs);
  return counted === null || (countOf(counted, mix) ?? 0) >= Math.max(CATEGORY.minEvents, CATEGORY.times * usual);
}

/** A time in which a category was unusual. */
interface CategorySpan extends Pick<EpisodeRecord, 'onsetMs' | 'endMs' | 'steps'> {
  readonly category: string;
  /** The end of what is counted. */
  readonly untilMs: number;
  /** What is usual of it in an hour. */
  readonly perHour: number;
  /** So many events in half a day are unusual. */
  readonly enough: number;
  readonly pauseMs: number;
}

/** One that another block has found. */
function spanOf({
  mix: category = '',
  onsetMs,
  endMs,
  steps,
  figures: { untilMs, expected, total },
}: EpisodeRecord): CategorySpan {
  const perHour = ((expected ?? 0) * HOUR_MS) / Math.max(1, untilMs - onsetMs);
  const pauseMs = pauseOf(untilMs - onsetMs, total);
  return { category, onsetMs, endMs, untilMs, perHour, enough: 0, pauseMs, steps };
}

/** Those of one category with short pauses are one. It begins with the one known first, so that a reported time stays true. */
function joinedSpans(spans: readonly CategorySpan[]): CategorySpan[] {
  const found: CategorySpan[] = [];
  const knownMs = ({ steps: [first] }: CategorySpan): number => first?.atMs ?? Number.POSITIVE_INFINITY;
  for (const span of spans.toSorted((a, b) => a.onsetMs - b.onsetMs)) {
    const at = found.findIndex((each) => each.category === span.category && each.untilMs + each.pauseMs > span.onsetMs);
    const other = found[at];
    if (other === undefined) {
      found.push(span);
      continue;
    }
    const { onsetMs, perHour } = knownMs(span) < knownMs(other) ? span : other;
    const { endMs, untilMs } = span.untilMs >= other.untilMs ? span : other;
    const steps = rising([...other.steps, ...span.steps]);
    const enough = Math.max(other.enough, span.enough);
    found[at] = { ...other, onsetMs, endMs, untilMs, perHour, enough, steps };
  }
  return found;
}

/** Whether most of a category's events came in rises: a short one doesn't explain what goes on without it. */
async function mostlyIn(
  rises: readonly EpisodeRecord[],
  { mix = '', onsetMs, figures }: EpisodeRecord,
  countsIn: CountsIn,
) {
  const shared = rises.filter((rise) => rise.onsetMs < figures.untilMs && rise.figures.untilMs > onsetMs);
  const counted = await Promise.all(shared.map((rise) => countsIn(between(rise.onsetMs, rise.figures.untilMs))));
  const inRises = counted.reduce((sum, each) => sum + (each === null ? 0 : (countOf(each, mix) ?? 0)), 0);
  // Of a rise whose categories are unknown, nobody can say that it's something else.
  return counted.includes(null) || 2 * inRises >= figures.total;
}

/** When a watch could first alert people to it; never, if that is still to come. */
const alertsFrom = ({ steps }: EpisodeRecord, bar: number = FEEDBACK.least): number =>
  steps.find(({ strength }) => strength >= bar)?.atMs ?? Number.POSITIVE_INFINITY;

/** Those that are much busier than on all days but one. */
async function findBusiest(
  block: Block,
  suspects: readonly string[],
  counted: Distribution,
  countsIn: CountsIn,
): Promise<CategorySpan[]> {
  const { startMs } = block;
  if (suspects.length === 0) return [];
  const dayMs = dayStart(startMs);
  const [today, ...counts] = await Promise.all([
    startMs > dayMs ? countsIn(between(dayMs, startMs)) : null,
    ...daysBefore(startMs).map(countsIn),
  ]);
  const days = knownDays(counts);
  const found = unusualCategories(counted, suspects, days);
  const hours = found.length === 0 ? [] : await piecesOf([counted], HOUR_MS, countsIn);
  const spansOf = async (unusual: UnusualCategory): Promise<CategorySpan[]> => {
    const { category, enough } = unusual;
    const perHour = usualPerHour(category, [...days, today]);
    const timeOf = countedTime(category);
    // By what is usual in a whole hour, also while it lasts: what has been looked at once stays so.
    const wholeHour = (hour: Distribution): CountedTime => ({ ...timeOf(hour), toMs: hour.fromMs + HOUR_MS });
    const isOfInterest = (hour: Distribution): boolean => isBusy(wholeHour(hour), perHour, enough);
    const short = await piecesOf(hours.filter(isOfInterest), MIX.pieceMs, countsIn);
    const busy = short.map(timeOf).filter((piece) => isBusy(piece, perHour, enough));
    return unusualTimes(busy, enough).map((time) => busiestSpan(block, { ...unusual, time, perHour }));
  };
  return (await Promise.all(found.map(spansOf))).flat();
}

interface BusyCategory extends UnusualCategory {
  readonly time: UnusualTime;
  readonly perHour: number;
}

function busiestSpan(block: Block, found: BusyCategory): CategorySpan {
  const { category, perHour, enough } = found;
  const { times, before } = found.time;
  let sum = 0;
  const reached = times.map(({ toMs, count }) => {
    sum += count;
    return { toMs, sum };
  });
  const stepAt = (from: number, strength: number, waitsMs: number): StrengthStep[] => {
    // What came earlier in the block counts, unless it was enough by itself.
    const at = reached.find((each) => each.sum >= (before < from ? from - before : from));
    const atMs = at === undefined ? Number.POSITIVE_INFINITY : at.toMs + waitsMs;
    return atMs > block.untilMs ? [] : [{ atMs, strength, level: 'elevated' }];
  };
  const [onsetMs, stopMs] = [times[0]?.fromMs ?? block.startMs, times.at(-1)?.toMs ?? block.endMs];
  const pauseMs = pauseOf(stopMs - onsetMs, sum);
  return {
    category,
    onsetMs,
    ...endOf(block, stopMs, pauseMs),
    pauseMs,
    perHour,
    enough,
    steps: rising([
      ...stepAt(enough, BARS.check, 0),
      ...stepAt(enough, BARS.sensitive, CATEGORY.waitsMs),
      ...stepAt(found.alertsFrom, found.strength, CATEGORY.waitsMs),
    ]),
  };
}

/** The end of a mix that stood out until an instant, unless it goes on, or may after the end of the block. */
function endOf({ startMs, endMs, untilMs }: Block, stopMs: number, pauseMs: number) {
  const countedMs = countedUntil(startMs, untilMs);
  if (countedMs - stopMs >= pauseMs) return { endMs: stopMs, untilMs: stopMs };
  return { endMs: null, untilMs: countedMs < endMs ? countedMs : stopMs };
}

/** What goes on for a day becomes usual. */
function untilUsual(span: CategorySpan): CategorySpan {
  const usualMs = usualFromMs({ onsetMs: span.onsetMs, mix: span.category });
  return span.untilMs < usualMs ? span : { ...span, endMs: usualMs, untilMs: usualMs };
}

/** One of the block before that still went on where that stopped following it. */
async function followedOn(block: Block, span: CategorySpan, countsIn: CountsIn): Promise<CategorySpan> {
  const { startMs } = block;
  const countedMs = countedUntil(startMs, block.untilMs);
  if (span.untilMs + span.pauseMs <= startMs + FOLLOWED_MS || countedMs <= span.untilMs) return span;
  const stopMs = await lastBusy(span, [span.untilMs, countedMs], countsIn);
  const end = endOf(block, stopMs, span.pauseMs);
  return followed(block, { ...span, ...end }, countsIn);
}

/** One that may go on after the end of the block, up to where it pauses. */
async function followed(block: Block, span: CategorySpan, countsIn: CountsIn): Promise<CategorySpan> {
  const { endMs: edgeMs, untilMs: settledMs } = block;
  if (span.endMs !== null) return span;
  const untilMs = Math.floor(settledMs / MIX.pieceMs) * MIX.pieceMs;
  const stopMs = await lastBusy(span, [edgeMs, untilMs], countsIn);
  const { toMs, settledUntilMs } = block.present.recent;
  const isOver = untilMs - stopMs >= span.pauseMs || Math.min(toMs, settledUntilMs) >= edgeMs + FOLLOWED_MS;
  return { ...span, endMs: isOver ? stopMs : null, untilMs: isOver ? stopMs : untilMs };
}

/** The end of the last busy piece before it pauses. */
async function lastBusy(span: CategorySpan, [fromMs, toMs]: readonly [number, number], countsIn: CountsIn) {
  let stopMs = span.untilMs;
  for (const { from, to } of rangesOf(fromMs, toMs, HOUR_MS)) {
    if (from.epochMilliseconds - stopMs >= span.pauseMs) break;
    const hour = rangesOf(from.epochMilliseconds, to.epochMilliseconds, MIX.pieceMs).map(countsIn);
    for (const piece of (await Promise.all(hour)).filter((each) => each !== null).map(countedTime(span.category))) {
      const isNear = piece.fromMs - stopMs < span.pauseMs;
      if (isNear && isBusy(piece, span.perHour, span.enough)) stopMs = piece.toMs;
    }
  }
  return stopMs;
}

async function categoryRecord(span: CategorySpan, countsIn: CountsIn): Promise<EpisodeRecord> {
  const { category, onsetMs, endMs, untilMs, perHour, steps } = span;
  const counted = await countsIn(between(onsetMs, untilMs));
  const total = counted === null ? 0 : (countOf(counted, category) ?? 0);
  const expected = (perHour * (untilMs - onsetMs)) / HOUR_MS;
  return {
    id: recordId(`mix-${category}`, onsetMs),
    mix: category,
    onsetMs,
    endMs,
    worst: 'elevated',
    leading: [category],
    figures: { untilMs, total, expected, peak: null, categories: [{ category, count: total, expected }] },
    strength: steps.at(-1)?.strength ?? BARS.check,
    steps,
  };
}
