/** Finds the times in which a category took over from the others, by counting it only where it may have. */
import { joinDistributions } from '../statistics/categories.ts';
import type { Distribution } from '../statistics/timeline.ts';
import { HOUR_MS } from '../time-units.ts';
import { BLOCK_MS, type Block, between, type CountsIn, countedUntil, hoursOf, piecesOf } from './block.ts';
import {
  BARS,
  type CountedTime,
  categoriesAboveTheirShare,
  countedTime,
  isBusy,
  MIX,
  othersOf,
  RISE,
  ratioGrowth,
  type Site,
  type StrengthStep,
  sumsBetween,
  TAKEOVER,
  tailFor,
  takeoverStrength,
  usualShare,
} from './verdict/index.ts';

export interface FoundTakeover {
  readonly category: string;
  readonly onsetMs: number;
  /** The end of the last five minutes in which it stood out. */
  readonly stopMs: number;
  /** What is usual of it in an hour. */
  readonly perHour: number;
  readonly steps: readonly StrengthStep[];
}

interface TakeoverSearch {
  readonly block: Block;
  /** Hours in a row, the last one so far. */
  readonly hours: readonly Distribution[];
  /** The four weeks before. */
  readonly month: Distribution;
  readonly countsIn: CountsIn;
}

/** When a category was busy, and how long it may pause. */
interface BusyTime {
  readonly onsetMs: number;
  readonly untilMs: number;
  readonly pauseMs: number;
}

/**
 * The takeovers that reach into the hours, and those beside the busy times that do: these may be one. A long one is many overlapping
 * ones. `grown`: the categories that have more than their share of one of the hours.
 */
export async function findTakeovers(search: TakeoverSearch, busyTimes: readonly BusyTime[]) {
  const { block, countsIn } = search;
  const hours = await hoursAround(search, busyTimes);
  const { busy, short, takeoverIn, possible } = await lookAt({ ...search, hours });
  const grown = busy.flatMap((hour) => grownIn(search, hour));
  // Only where it would matter: at other hours nobody needs to know what is usual then.
  const contextOf = await readContext(
    block.present.site,
    busy.filter((hour) => possible.some(({ time }) => time.fromMs < hour.toMs && time.toMs > hour.fromMs)),
    countsIn,
  );
  /** From when on one that is over at an instant could be seen: once a category had more than its share of the hour so far. */
  const seenFrom = (overMs: number): number => {
    const hourMs = Math.floor((overMs - 1) / HOUR_MS) * HOUR_MS;
    const own = short.filter(({ fromMs, toMs }) => fromMs >= hourMs && toMs <= hourMs + HOUR_MS);
    const seen = own.find(({ toMs }, at) => {
      const soFar = toMs < overMs ? null : joinDistributions(own.slice(0, at + 1));
      return soFar !== null && grownIn(search, soFar).length > 0;
    });
    return (seen ?? own.at(-1))?.toMs ?? overMs;
  };
  const takeovers = possible.flatMap(({ category, time }): FoundTakeover[] => {
    const takeover = takeoverIn(category, time, contextOf(time));
    if (takeover === null) return [];
    const { perHour } = takeover;
    const pieces = short.map(countedTime(category)).filter((piece) => isBusy(piece, perHour, 0));
    const edges = edgesOf(time, pieces);
    const isLong = Math.min(edges.stopMs, time.toMs) - edges.onsetMs >= TAKEOVER.longMs;
    const strength = Math.max(takeover.strength, isLong ? BARS.normal : 0);
    const steps = [{ atMs: seenFrom(time.toMs), strength, level: 'elevated' }] as const;
    return [{ category, ...edges, perHour, steps }];
  });
  return { takeovers, grown };
}

/** The hours, with those of the block before and after them for as long as a category has more than its share or goes on. */
async function hoursAround(search: TakeoverSearch, busyTimes: readonly BusyTime[]): Promise<readonly Distribution[]> {
  const { block, hours, countsIn } = search;
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return hours;
  const near = busyTimes.filter(
    ({ onsetMs, untilMs, pauseMs }) => onsetMs - pauseMs < last.toMs && untilMs + pauseMs > first.fromMs,
  );
  const nextMs = (hour: Distribution): number => (grownIn(search, hour).length > 0 ? HOUR_MS : 0);
  const fromMs = Math.min(first.fromMs - nextMs(first), ...near.map(({ onsetMs, pauseMs }) => onsetMs - pauseMs));
  const toMs = Math.max(last.toMs + nextMs(last), ...near.map(({ untilMs, pauseMs }) => untilMs + pauseMs));
  const around = hoursOf({ fromMs, toMs }, block.startMs, countedUntil(block.startMs, block.untilMs));
  const beyond = around.filter(
    ({ from, to }) => to.epochMilliseconds <= first.fromMs || from.epochMilliseconds >= last.toMs,
  );
  const counted = (await Promise.all(beyond.map(countsIn))).filter((hour) => hour !== null);
  if (counted.length === 0) return hours;
  return hoursAround({ ...search, hours: [...hours, ...counted].toSorted((a, b) => a.fromMs - b.fromMs) }, busyTimes);
}

/** Where a category may have taken over, before it's known what was usual then. */
async function lookAt(search: TakeoverSearch) {
  const { block, hours, month, countsIn } = search;
  const busy = hours.filter((hour) => grownIn(search, hour).length > 0);
  const [before, short] = await Promise.all([
    busy.length === 0 ? null : countsIn(between(block.startMs - BLOCK_MS, block.startMs)),
    piecesOf(busy, MIX.pieceMs, countsIn),
  ]);
  // After a release other categories are usual.
  const takeoverIn = takeoversBy(block, before === null ? [month] : [month, before]);
  const times = short.flatMap((_, at) =>
    TAKEOVER.lengthsMs.flatMap((ms) => joinDistributions(inARow(short.slice(0, at + 1), ms / MIX.pieceMs)) ?? []),
  );
  const possible = times.flatMap((time) =>
    time.counts
      .filter(({ category }) => takeoverIn(category, time, NO_CONTEXT) !== null)
      .map(({ category }) => ({ category, time })),
  );
  return { busy, short, takeoverIn, possible };
}

/** The categories that have more than their share of an hour so far. */
function grownIn({ block, month }: Pick<TakeoverSearch, 'block' | 'month'>, hour: Distribution): string[] {
  const { expected, known } = sumsIn(block.present, hour) ?? { expected: 0, known: 0 };
  const usual = known === 0 ? undefined : (expected * HOUR_MS) / (known * block.present.grid.stepMs);
  return categoriesAboveTheirShare(hour, month, usual);
}

/** What came in a time, and what was expected; `null` if the numbers are of longer intervals. */
function sumsIn({ grid, sums }: Block['present'], { fromMs, toMs }: Distribution) {
  const [from, to] = [(fromMs - grid.fromMs) / grid.stepMs, (toMs - grid.fromMs) / grid.stepMs];
  return Number.isInteger(from) && Number.isInteger(to) ? sumsBetween(sums, from, to) : null;
}

/** What a time is compared with. */
interface Context {
  /** The same hours on earlier days: by night or at weekends other categories may be usual than on the whole. */
  readonly sameHours: readonly (readonly Distribution[])[];
  /** The two hours before the hour in which it began: on a quiet day all categories are fewer than usual, so none has fallen. */
  readonly before: Distribution | null;
}

const NO_CONTEXT: Context = { sameHours: [], before: null };

async function readContext(site: Site, hours: readonly Distribution[], countsIn: CountsIn) {
  const { days, weeks } = TAKEOVER.sameHours;
  const lagsMsAt = (ms: number): readonly number[] => {
    const lags = site.lagsAt(ms);
    return [...lags.days.slice(0, days), ...lags.weeks.slice(0, weeks)].map((lag) => lag * site.stepMs);
  };
  const read = await Promise.all(
    hours.map(async ({ fromMs }) => {
      const [before = null, ...counts] = await Promise.all([
        countsIn(between(fromMs - TAKEOVER.beforeMs, fromMs)),
        ...lagsMsAt(fromMs).map((ms) => countsIn(between(fromMs - ms, fromMs - ms + HOUR_MS))),
      ]);
      return { fromMs, toMs: fromMs + HOUR_MS, sameHours: counts.filter((each) => each !== null), before };
    }),
  );
  return (time: Pick<Distribution, 'fromMs' | 'toMs'>): Context => {
    const its = read.filter(({ fromMs, toMs }) => fromMs < time.toMs && toMs > time.fromMs);
    return { sameHours: its.map(({ sameHours }) => sameHours), before: its[0]?.before ?? null };
  };
}

/** Whether a category took over in a time, and how rare that is; `null` if not, or if it can't be held against what is usual. */
function takeoversBy({ present, startMs }: Block, usually: readonly Distribution[]) {
  return (
    category: string,
    time: Distribution,
    { sameHours, before }: Context,
  ): { readonly strength: number; readonly perHour: number } | null => {
    const counted = sumsIn(present, time);
    const share = usualShare(category, usually, sameHours);
    // If the total has risen, nothing was displaced.
    if (counted === null || share === null || counted.observed >= RISE.ratio * counted.expected) return null;
    const usual = usualBy(share, counted.expected);
    const earlier = before === null ? null : sumsIn(present, before);
    /** How many others would have come in as much time before it; as many as usual if it began in an earlier block. */
    const othersBefore = (): number => {
      if (before === null || earlier === null || earlier.known < counted.known) return usual.others;
      const ratio = ratioGrowth(category, before, usualBy(share, earlier.expected));
      const isOlder = before.fromMs < startMs && ratio >= TAKEOVER.times;
      return isOlder ? usual.others : (othersOf(category, before) * counted.known) / earlier.known;
    };
    const { spread } = tailFor(present.site, time.toMs - time.fromMs);
    const others = Math.min(usual.others, othersBefore());
    const strength = takeoverStrength(category, time, { ...usual, others, spread });
    const perHour = (usual.expected * HOUR_MS) / (time.toMs - time.fromMs);
    return strength > 0 ? { strength, perHour } : null;
  };
}

/** What is usual of a category and of all others. */
const usualBy = (share: number, total: number) => ({ expected: share * total, others: (1 - share) * total });

/** The last so many, if there is no gap between them. */
function inARow(times: readonly Distribution[], count: number): readonly Distribution[] {
  const last = times.slice(-count);
  return last.length === count && last.every((time, at) => at === 0 || last[at - 1]?.toMs === time.fromMs) ? last : [];
}

/** The pieces in a row that stand out around the end of a time. The first one doesn't depend on what comes later. */
function edgesOf(time: Pick<Distribution, 'fromMs' | 'toMs'>, busy: readonly CountedTime[]) {
  const last = busy.findLast(({ fromMs, toMs }) => fromMs >= time.fromMs && toMs <= time.toMs);
  let { fromMs: onsetMs, toMs: stopMs } = last ?? time;
  for (const { fromMs, toMs } of busy.toReversed()) if (toMs === onsetMs) onsetMs = fromMs;
  for (const { fromMs, toMs } of busy) if (fromMs === stopMs) stopMs = toMs;
  return { onsetMs, stopMs };
}
