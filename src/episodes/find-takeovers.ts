/** Finds the times of a block in which a category took over from the others, by counting it only where it may have. */
import { joinDistributions } from '../statistics/categories.ts';
import type { Distribution } from '../statistics/timeline.ts';
import { HOUR_MS } from '../time-units.ts';
import { type Block, between, type CountsIn, piecesOf } from './block.ts';
import {
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

/** A long takeover is returned as many overlapping ones. */
export async function findTakeovers(
  block: Block,
  parts: readonly Distribution[],
  usually: readonly Distribution[],
  countsIn: CountsIn,
): Promise<FoundTakeover[]> {
  const grown = parts.filter((part) => categoriesAboveTheirShare(part, usually).length > 0);
  const hours = await piecesOf(grown, HOUR_MS, countsIn);
  const busy = hours.filter((hour) => categoriesAboveTheirShare(hour, usually).length > 0);
  const short = await piecesOf(busy, MIX.pieceMs, countsIn);
  const seenFrom = whenSeen({ grown, hours, short }, usually);
  const takeoverIn = takeoversBy(block, usually);
  const times = short.flatMap((_, at) =>
    TAKEOVER.lengthsMs.flatMap((ms) => joinDistributions(inARow(short.slice(0, at + 1), ms / MIX.pieceMs)) ?? []),
  );
  const possible = times.flatMap((time) =>
    time.counts
      .filter(({ category }) => takeoverIn(category, time, NO_CONTEXT) !== null)
      .map(({ category }) => ({ category, time })),
  );
  // Only where it would matter: at other hours nobody needs to know what is usual then.
  const contextOf = await readContext(
    block.present.site,
    busy.filter((hour) => possible.some(({ time }) => time.fromMs < hour.toMs && time.toMs > hour.fromMs)),
    countsIn,
  );
  const takeovers: Takeover[] = [];
  for (const { category, time } of possible) {
    const takeover = takeoverIn(category, time, contextOf(time));
    if (takeover !== null) takeovers.push({ category, time, ...takeover });
  }
  return takeovers.flatMap(({ category, time, strength, perHour }): FoundTakeover[] => {
    const atMs = seenFrom(category, time.toMs);
    if (atMs === undefined) return [];
    const pieces = short.map(countedTime(category)).filter((piece) => isBusy(piece, perHour, 0));
    return [{ category, ...edgesOf(time, pieces), perHour, steps: [{ atMs, strength, level: 'elevated' }] }];
  });
}

/** A time in which a category took over. */
interface Takeover extends Pick<FoundTakeover, 'category' | 'perHour'> {
  readonly time: Distribution;
  readonly strength: number;
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

const within = (times: readonly Distribution[], { fromMs, toMs }: Pick<Distribution, 'fromMs' | 'toMs'>) =>
  times.filter((time) => time.fromMs >= fromMs && time.toMs <= toMs);

/**
 * From when on a takeover that is over at an instant could be seen: its category had grown in the part so far, and one had in the
 * hour so far. Later the part may have grown no more, or only then.
 */
function whenSeen(
  counts: Readonly<Record<'grown' | 'hours' | 'short', readonly Distribution[]>>,
  usually: readonly Distribution[],
): (category: string, toMs: number) => number | undefined {
  const hourOf = (ms: number): number => Math.floor((ms - 1) / HOUR_MS) * HOUR_MS;
  const moments = counts.grown.flatMap((part) =>
    [...within(counts.short, part), part].map(({ toMs }) => {
      const hourMs = hourOf(toMs);
      const ofHour = within(counts.short, { fromMs: Math.max(hourMs, part.fromMs), toMs });
      const hour = joinDistributions(ofHour);
      const soFar = joinDistributions([...within(counts.hours, { fromMs: part.fromMs, toMs: hourMs }), ...ofHour]);
      const isRead = hour !== null && categoriesAboveTheirShare(hour, usually).length > 0;
      const counted = toMs === part.toMs ? part : soFar;
      const grown = counted === null ? [] : categoriesAboveTheirShare(counted, usually);
      return { partMs: part.fromMs, hourMs, toMs, isRead, grown };
    }),
  );
  return (category, overMs) =>
    moments.find(
      ({ partMs, hourMs, toMs, isRead, grown }) =>
        toMs >= overMs && partMs < overMs && (isRead || hourMs > hourOf(overMs)) && grown.includes(category),
    )?.toMs;
}

/** Whether a category took over in a time, and how rare that is; `null` if not, or if it can't be held against what is usual. */
function takeoversBy({ present: { grid, sums, site }, startMs }: Block, usually: readonly Distribution[]) {
  const sumsIn = ({ fromMs, toMs }: Distribution) => {
    const [from, to] = [(fromMs - grid.fromMs) / grid.stepMs, (toMs - grid.fromMs) / grid.stepMs];
    // Numbers in longer intervals say nothing of it.
    return Number.isInteger(from) && Number.isInteger(to) ? sumsBetween(sums, from, to) : null;
  };
  return (
    category: string,
    time: Distribution,
    { sameHours, before }: Context,
  ): Pick<Takeover, 'strength' | 'perHour'> | null => {
    const counted = sumsIn(time);
    const share = usualShare(category, usually, sameHours);
    // If the total has risen, nothing was displaced.
    if (counted === null || share === null || counted.observed >= RISE.ratio * counted.expected) return null;
    const usual = usualBy(share, counted.expected);
    const earlier = before === null ? null : sumsIn(before);
    /** How many others would have come in as much time before it; as many as usual if it began in an earlier block. */
    const othersBefore = (): number => {
      if (before === null || earlier === null || earlier.known < counted.known) return usual.others;
      const ratio = ratioGrowth(category, before, usualBy(share, earlier.expected));
      const isOlder = before.fromMs < startMs && ratio >= TAKEOVER.times;
      return isOlder ? usual.others : (othersOf(category, before) * counted.known) / earlier.known;
    };
    const { spread } = tailFor(site, time.toMs - time.fromMs);
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
