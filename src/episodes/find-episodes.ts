/** Finds the episodes of a block: rises, drops and unusual categories, each with its times, numbers and categories. */
import { inTurns } from '../clock.ts';
import { nullIfUnavailable } from '../errors.ts';
import { countOf, leadingFirst, totalOf } from '../statistics/categories.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { type Distribution, SETTLE_MS } from '../statistics/timeline.ts';
import type { Range } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { BLOCK_MS, type Block, type BlockQuery, between, daysBefore, weeksBefore } from './block.ts';
import {
  dropFigures,
  type EpisodeCategory,
  type EpisodePeak,
  type EpisodeRecord,
  episodeFigures,
  natureOf,
  withExpected,
} from './episode.ts';
import {
  BARS,
  busiestSteps,
  CATEGORY,
  type CountedHour,
  DROPS,
  type Drop,
  expectedBetween,
  type FoundRise,
  findDrops,
  findRises,
  finishedPoints,
  grownCategories,
  minInQuarter,
  RISE,
  readPresent,
  rising,
  type StrengthStep,
  suspectCategories,
  TAKEOVER,
  takeoverStrength,
  type UnusualCategory,
  type UnusualTime,
  unusualCategories,
  unusualTimes,
  usualPerHour,
  within,
} from './verdict/index.ts';

/** The end of what is counted moves in these steps, so that many questions share an answer. */
const COUNTED_STEP_MS = 5 * MINUTE_MS;

/**
 * `before`: the episodes of the block before, of which some may go on in this one. With `null`, only those are searched for
 * that may go on in the next block, which no unusual category does.
 */
export async function findEpisodes(
  statistics: Statistics,
  block: Block,
  query: BlockQuery,
  before: { readonly episodes: readonly EpisodeRecord[]; readonly counts: BlockCounts } | null,
): Promise<EpisodeRecord[]> {
  const { recent, present, site, startMs, endMs, untilMs } = block;
  const carried = before?.episodes ?? [];
  const countsIn = countingIn(statistics, query);
  const found = (await inTurns(findRises(recent, present, site))).filter(({ onsetMs }) => onsetMs < endMs);
  const openRises = carried.filter((episode) => natureOf(episode) === 'rise');
  const searched = Promise.all(found.map((rise) => riseRecord(block, rise, openRises, countsIn)));
  const [rises, mixes] = await Promise.all([
    searched,
    before === null ? [] : findMixes(block, searched, before.counts, countsIn),
  ]);
  const drops = findDrops(recent, present, startMs).filter(({ sinceMs }) => sinceMs < endMs);
  const own = [...rises, ...drops.map((drop) => dropRecord(block, drop, carried)), ...mixes];
  return [...own.filter((episode) => (episode.endMs ?? untilMs) > startMs), ...goneOn(carried, own, block)].toSorted(
    (a, b) => a.onsetMs - b.onsetMs,
  );
}

/** Those of the block before that reach into this one without standing out in it. */
function goneOn(carried: readonly EpisodeRecord[], own: readonly EpisodeRecord[], { startMs, untilMs }: Block) {
  const isFound = (episode: EpisodeRecord): boolean =>
    own.some(
      (each) =>
        each.id === episode.id || (isSameNature(each, episode) && isNear(episode, each.onsetMs, each.figures.untilMs)),
    );
  return carried
    .filter((episode) => (episode.endMs ?? episode.figures.untilMs) > startMs && !isFound(episode))
    .map((episode) => {
      // It was ongoing when the block before ended, and later numbers show no trace of it.
      const isLost = episode.endMs === null && untilMs - episode.figures.untilMs >= RISE.pauseMs;
      return isLost ? { ...episode, endMs: episode.figures.untilMs } : episode;
    });
}

const isSameNature = (a: EpisodeRecord, b: EpisodeRecord): boolean => natureOf(a) === natureOf(b) && a.mix === b.mix;

/** Whether a span overlaps an episode, or is too near to be another. */
const isNear = ({ onsetMs, figures }: EpisodeRecord, fromMs: number, toMs: number): boolean =>
  onsetMs < toMs + RISE.pauseMs && fromMs < figures.untilMs + RISE.pauseMs;

type CountsIn = (range: Range) => Promise<Distribution | null>;

const countingIn =
  (statistics: Statistics, { hosts, freshOnly, asker }: BlockQuery): CountsIn =>
  (range) =>
    nullIfUnavailable(statistics.distribution({ hosts, freshOnly, asker, zone: 'UTC', range }));

/** The categories that every search of a block needs; `null` for what the service doesn't give. */
export interface BlockCounts {
  /** As far as its numbers are settled. */
  readonly own: Distribution | null;
  readonly before: Distribution | null;
  readonly weeks: Distribution | null;
}

/** Requested beside the block's numbers, so that nobody waits for one after the other. */
export async function countBlock(statistics: Statistics, startMs: number, query: BlockQuery): Promise<BlockCounts> {
  const countsIn = countingIn(statistics, query);
  const untilMs = countedUntil(startMs, query.nowMs - SETTLE_MS);
  const [own, before, weeks] = await Promise.all([
    untilMs <= startMs ? null : countsIn(between(startMs, untilMs)),
    countsIn(between(startMs - BLOCK_MS, startMs)),
    countsIn(weeksBefore(startMs)),
  ]);
  return { own, before, weeks };
}

const countedUntil = (startMs: number, settledMs: number): number =>
  Math.min(startMs + BLOCK_MS, Math.floor(settledMs / COUNTED_STEP_MS) * COUNTED_STEP_MS);

const idOf = (nature: string, onsetMs: number): string => `${nature}-${Math.round(onsetMs / MINUTE_MS)}`;

async function riseRecord(
  block: Block,
  rise: FoundRise,
  carried: readonly EpisodeRecord[],
  countsIn: CountsIn,
): Promise<EpisodeRecord> {
  const before = carried.find((record) => record.onsetMs < block.startMs && isNear(record, rise.onsetMs, rise.untilMs));
  // The block in which it began knows it best, as far as that looked.
  if (before !== undefined && (before.endMs !== null || before.figures.untilMs >= block.untilMs)) return before;
  const onsetMs = before?.onsetMs ?? rise.onsetMs;
  const endMs = rise.ongoing ? null : rise.untilMs;
  const steps = rising([...(before?.steps ?? []), ...rise.steps]);
  const last = steps.at(-1);
  const span = { onsetMs, endMs: endMs ?? block.untilMs };
  const [counted, reference] = await Promise.all([
    countsIn(between(onsetMs, span.endMs)),
    referenceCounts(block, countsIn),
  ]);
  const rest = { onsetMs: before?.figures.untilMs ?? onsetMs, endMs: span.endMs };
  const alone = episodeFigures(rest, block.recent);
  const due = expectedBetween(block.recent, block.present, block.site, {
    fromMs: rest.onsetMs,
    toMs: rest.endMs,
    // By what was usual before it began: a long episode must not become its own baseline.
    asOfMs: Math.max(onsetMs, block.recent.fromMs),
  });
  const total = alone.total + (before?.figures.total ?? 0);
  const expected = due === null || before?.figures.expected === null ? null : due + (before?.figures.expected ?? 0);
  const categories = counted === null ? [] : withExpected(counted, reference, expected);
  return {
    id: idOf('rise', onsetMs),
    onsetMs,
    endMs,
    worst: last?.level ?? 'elevated',
    leading: leadingOf(categories),
    figures: { ...alone, total, expected, categories, peak: higher(alone.peak, before?.figures.peak ?? null) },
    strength: last?.strength ?? BARS.check,
    steps,
    known: knownShare(block, span),
    paces: pacesOf(block, span, before ?? null),
  };
}

const higher = (a: EpisodePeak | null, b: EpisodePeak | null): EpisodePeak | null =>
  (a?.count ?? 0) >= (b?.count ?? 0) ? a : b;

/** Its highest pace so far, whenever that had grown by a tenth. */
function pacesOf(
  { recent }: Block,
  { onsetMs, endMs }: { readonly onsetMs: number; readonly endMs: number },
  before: EpisodeRecord | null,
): NonNullable<EpisodeRecord['paces']> {
  const { intervalMs } = recent;
  const width = Math.max(1, Math.round(RISE.paceMs / intervalMs));
  const paces = [...(before?.paces ?? [])];
  const own = finishedPoints(recent).filter(
    (point) => point.attacks !== null && point.endMs <= endMs && point.endMs - intervalMs >= onsetMs,
  );
  for (let to = width; to <= own.length; to++) {
    const count = own.slice(to - width, to).reduce((sum, { attacks }) => sum + (attacks ?? 0), 0);
    const perMinute = (count * MINUTE_MS) / (width * intervalMs);
    const atMs = own[to - 1]?.endMs ?? endMs;
    if (perMinute > RISE.paceGrowth * (paces.at(-1)?.perMinute ?? 0)) paces.push({ atMs, perMinute });
  }
  return paces;
}

function knownShare(
  { recent }: Block,
  { onsetMs, endMs }: { readonly onsetMs: number; readonly endMs: number },
): number {
  const fromMs = Math.max(onsetMs, recent.fromMs);
  const known = finishedPoints(recent).filter((point) => {
    return point.attacks !== null && point.endMs <= endMs && point.endMs - recent.intervalMs >= fromMs;
  });
  return endMs <= fromMs ? 0 : Math.min(1, (known.length * recent.intervalMs) / (endMs - fromMs));
}

/**
 * What is usual: the categories of the block before, of this week so far and of the four weeks before it. Without a gap up
 * to the block, because what none of them has is called new.
 */
async function referenceCounts({ startMs }: Block, countsIn: CountsIn): Promise<readonly Distribution[]> {
  const weeks = weeksBefore(startMs);
  const weekMs = weeks.to.epochMilliseconds;
  const counts = await Promise.all([
    countsIn(between(startMs - BLOCK_MS, startMs)),
    startMs > weekMs ? countsIn(between(weekMs, startMs)) : null,
    countsIn(weeks),
  ]);
  return counts.filter((each) => each !== null).filter((each) => totalOf(each) > 0);
}

function leadingOf(categories: readonly EpisodeCategory[]): string[] {
  const known = categories.flatMap(({ category, count, expected }) =>
    expected === null ? [] : [{ category, observed: count, expected }],
  );
  const [first] = leadingFirst(known);
  return first === undefined ? [] : [first.category];
}

function dropRecord(
  block: Block,
  found: ReturnType<typeof findDrops>[number],
  carried: readonly EpisodeRecord[],
): EpisodeRecord {
  const { what, saidFromMs, alertsFromMs } = found;
  const before = carried.find(
    (record) => record.drop === what && record.onsetMs < block.startMs && isNear(record, found.sinceMs, found.untilMs),
  );
  if (before !== undefined && (before.endMs !== null || before.figures.untilMs >= block.untilMs)) return before;
  const drop = asOfItsBeginning(block, found);
  const steps = rising([
    ...(before?.steps ?? []),
    { atMs: saidFromMs, strength: BARS.check, level: 'elevated' },
    ...(alertsFromMs === null ? [] : [{ atMs: alertsFromMs, strength: DROPS.strength, level: 'elevated' } as const]),
  ]);
  const onsetMs = before?.onsetMs ?? drop.sinceMs;
  return {
    id: idOf(what, onsetMs),
    drop: what,
    onsetMs,
    endMs: drop.endedMs,
    worst: 'elevated',
    leading: [],
    figures: dropFigures(drop),
    strength: steps.at(-1)?.strength ?? BARS.check,
    steps,
    known: knownShare(block, { onsetMs: drop.sinceMs, endMs: drop.untilMs }),
  };
}

/** After some hours a drop becomes part of what is usual, so it's held against what was usual when it began. */
function asOfItsBeginning({ recent, present, site, startMs }: Block, drop: Drop): Drop {
  if (drop.untilMs - drop.sinceMs <= HOUR_MS) return drop;
  const frozen = readPresent(recent, present.grid, present.windowStart, site, drop.sinceMs);
  const again = findDrops(recent, frozen, startMs).find(
    ({ what, sinceMs, untilMs }) => what === drop.what && sinceMs < drop.untilMs && untilMs > drop.sinceMs,
  );
  return again === undefined ? drop : { ...again, sinceMs: drop.sinceMs };
}

async function findMixes(
  block: Block,
  rises: Promise<readonly EpisodeRecord[]>,
  { own, before, weeks }: BlockCounts,
  countsIn: CountsIn,
): Promise<EpisodeRecord[]> {
  const { startMs } = block;
  const untilMs = countedUntil(startMs, block.untilMs);
  if (untilMs <= startMs) return [];
  // The service may have numbers up to another moment than was expected.
  const counted = own?.toMs === untilMs ? own : await countsIn(between(startMs, untilMs));
  if (counted === null || weeks === null) return [];
  // After a release other categories are usual.
  const usually = before === null ? [weeks] : [weeks, before];
  const [busiest, takeovers] = await Promise.all([
    findBusiest(block, counted, weeks, untilMs, countsIn),
    grownCategories(counted, usually).length === 0 ? [] : findTakeovers(block, usually, countsIn),
  ]);
  const mixes = await Promise.all(
    joinedSpans([...busiest, ...takeovers]).map((span) => mixRecord(block, span, countsIn)),
  );
  // Of a rise that began in the block before, only what goes on is counted here.
  const goesOn = (mix: EpisodeRecord, rise: EpisodeRecord): boolean =>
    rise.onsetMs < startMs &&
    mix.onsetMs - startMs < CATEGORY.withRiseMs &&
    rise.figures.categories.some(({ category, count, expected }) => category === mix.mix && count > (expected ?? 0));
  const isPartOf = (mix: EpisodeRecord, rise: EpisodeRecord): boolean =>
    knownFrom(rise) <= knownFrom(mix) &&
    rise.figures.untilMs > mix.onsetMs &&
    (Math.abs(mix.onsetMs - rise.onsetMs) <= CATEGORY.withRiseMs || goesOn(mix, rise));
  const risen = await rises;
  const isExplained = (mix: EpisodeRecord): boolean =>
    risen.some((rise) => isPartOf(mix, rise)) && mostlyIn(risen, mix);
  return mixes.filter((mix) => knownFrom(mix) <= block.untilMs && !isExplained(mix));
}

/** Those that are much busier than on any day. */
async function findBusiest(
  block: Block,
  counted: Distribution,
  weeks: Distribution,
  untilMs: number,
  countsIn: CountsIn,
): Promise<MixSpan[]> {
  const { startMs } = block;
  const suspects = suspectCategories(counted, weeks);
  if (suspects.length === 0) return [];
  const dayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const [today, ...days] = await Promise.all([
    startMs > dayMs ? countsIn(between(dayMs, startMs)) : null,
    ...daysBefore(startMs, CATEGORY.days).map(countsIn),
  ]);
  const mixes = await Promise.all(
    unusualCategories(counted, suspects, days).map((unusual) =>
      busiestSpans(block, unusual, { days, today, untilMs }, countsIn),
    ),
  );
  return mixes.flat();
}

/** The half hours of the clock in which a category took over from the others, in a row as one. */
async function findTakeovers(block: Block, usually: readonly Distribution[], countsIn: CountsIn): Promise<MixSpan[]> {
  const { startMs, site, present } = block;
  const untilMs = Math.floor(Math.min(block.endMs, block.untilMs) / TAKEOVER.withinMs) * TAKEOVER.withinMs;
  const stepAt = (ms: number): number => Math.max(0, Math.round((ms - present.grid.fromMs) / present.grid.stepMs));
  const totalsIn = (fromMs: number, toMs: number) => within(present.strays, stepAt(fromMs), stepAt(toMs));
  /** Only those whose total is no rise: all else comes on top of what is usual. */
  const partsOf = async (fromMs: number, toMs: number, ms: number): Promise<Distribution[]> => {
    const ranges = Array.from({ length: Math.ceil((toMs - fromMs) / ms) }, (_, at) => fromMs + at * ms)
      .map((from) => [from, Math.min(from + ms, toMs)] as const)
      .filter(([from, to]) => totalsIn(from, to).came < RISE.ratio * totalsIn(from, to).due);
    const parts = await Promise.all(ranges.map(([from, to]) => countsIn(between(from, to))));
    return parts.filter((part) => part !== null);
  };
  const all = await partsOf(startMs, untilMs, TAKEOVER.partMs);
  const pieces = all.filter((each) => grownCategories(each, usually).length > 0).slice(0, TAKEOVER.maxParts);
  const halves = (await Promise.all(pieces.map(({ fromMs, toMs }) => partsOf(fromMs, toMs, TAKEOVER.withinMs)))).flat();
  const spread = site?.tails.find(({ lengthMs }) => lengthMs === TAKEOVER.withinMs)?.spread;
  if (spread === undefined) return [];
  const dueIn = (fromMs: number): number => totalsIn(fromMs, fromMs + TAKEOVER.withinMs).due;
  const spansIn = async (half: Distribution): Promise<MixSpan[]> => {
    const { fromMs: onsetMs, toMs } = half;
    const usual = { due: dueIn(onsetMs), dueBefore: dueIn(onsetMs - HOUR_MS), spread };
    const endMs = untilMs < block.endMs && toMs === untilMs ? null : toMs;
    const taken = half.counts
      .map(({ category }) => ({ category, strength: takeoverStrength(category, half, usually, usual) }))
      .filter(({ strength }) => strength >= BARS.check);
    // As it could be seen then.
    const then = taken.length === 0 ? null : await countsIn(between(startMs, toMs));
    const grown = then === null ? [] : grownCategories(then, usually, TAKEOVER.hourShareThen);
    return taken
      .filter(({ category }) => grown.includes(category))
      .map(({ category, strength }) => {
        const steps = [{ atMs: toMs, strength, level: 'elevated' as const }];
        return { category, onsetMs, endMs, untilMs: toMs, perHour: 0, steps };
      });
  };
  const spans = (await Promise.all(halves.map(spansIn))).flat();
  if (spans.length === 0) return [];
  const reference = await referenceCounts(block, countsIn);
  return Promise.all(joinedSpans(spans).map((span) => withEdges(block, span, reference, countsIn)));
}

/** To a quarter of an hour: from the first that stands out, also in the half hour before, to the last. */
async function withEdges(
  { startMs }: Block,
  span: MixSpan,
  reference: readonly Distribution[],
  countsIn: CountsIn,
): Promise<MixSpan> {
  const { category, onsetMs, endMs, untilMs } = span;
  const perHour = usualPerHour(category, reference);
  const countIn = countingOf(category, countsIn);
  const above = minInQuarter(perHour, 0);
  const [first, last] = await Promise.all([
    edgesOf(Math.max(startMs, onsetMs - TAKEOVER.withinMs), onsetMs + TAKEOVER.withinMs, above, countIn),
    edgesOf(untilMs - TAKEOVER.withinMs, untilMs, above, countIn),
  ]);
  const stopMs = endMs === null ? untilMs : (last?.toMs ?? untilMs);
  return { ...span, onsetMs: first?.fromMs ?? onsetMs, endMs: endMs && stopMs, untilMs: stopMs, perHour };
}

/** A time in which a category was unusual. */
interface MixSpan extends Pick<EpisodeRecord, 'onsetMs' | 'endMs' | 'steps'> {
  readonly category: string;
  /** The end of what is counted. */
  readonly untilMs: number;
  /** What is usual of it in an hour. */
  readonly perHour: number;
}

/** Those of one category that overlap or touch each other are one. */
function joinedSpans(spans: readonly MixSpan[]): MixSpan[] {
  const found: MixSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.onsetMs - b.onsetMs)) {
    const at = found.findIndex((each) => each.category === span.category && each.untilMs + RISE.pauseMs > span.onsetMs);
    const other = found[at];
    if (other === undefined) {
      found.push(span);
      continue;
    }
    const last = span.untilMs > other.untilMs ? span : other;
    const steps = rising([...other.steps, ...span.steps]);
    const perHour = Math.max(span.perHour, other.perHour);
    found[at] = { ...other, endMs: last.endMs, untilMs: last.untilMs, perHour, steps };
  }
  return found;
}

/** Whether most of a category's events came in rises: a short one doesn't explain what goes on without it. */
function mostlyIn(rises: readonly EpisodeRecord[], { mix, onsetMs, figures }: EpisodeRecord): boolean {
  const shared = rises.filter((rise) => rise.onsetMs < figures.untilMs && rise.figures.untilMs > onsetMs);
  const counts = shared.map((rise) => rise.figures.categories.find(({ category }) => category === mix)?.count);
  // Of a rise whose categories are unknown, nobody can say that it's something else.
  return (
    counts.includes(undefined) || 2 * counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) >= figures.total
  );
}

/** When its numbers were first enough. */
const knownFrom = ({ steps: [first], onsetMs }: EpisodeRecord): number => first?.atMs ?? onsetMs;

interface MixHistory {
  readonly days: readonly (Distribution | null)[];
  /** What has passed of the block's day; `null` if the block begins with it, or if it's unknown. */
  readonly today: Distribution | null;
  /** The end of what is counted. */
  readonly untilMs: number;
}

type CountIn = (fromMs: number, toMs: number) => Promise<number | null>;

/** Counts one category. */
const countingOf =
  (category: string, countsIn: CountsIn): CountIn =>
  async (fromMs, toMs) => {
    const counts = toMs <= fromMs ? null : await countsIn(between(fromMs, toMs));
    return counts === null ? null : countOf(counts, category);
  };

/** When a category was unusual, to a quarter of an hour, and when it had become enough; once or several times. */
async function busiestSpans(
  block: Block,
  unusual: UnusualCategory,
  history: MixHistory,
  countsIn: CountsIn,
): Promise<MixSpan[]> {
  const { untilMs, days, today } = history;
  const { category, from: enough } = unusual;
  const countIn = countingOf(category, countsIn);
  const starts: number[] = [];
  for (let ms = block.startMs; ms < untilMs; ms += HOUR_MS) starts.push(ms);
  const counts = await Promise.all(starts.map((ms) => countIn(ms, Math.min(ms + HOUR_MS, untilMs))));
  if (counts.includes(null)) return [];
  const perHour = usualPerHour(category, [...days, today]);
  const hours = starts.map((startMs, at) => ({ startMs, count: counts[at] ?? 0 }));
  return Promise.all(
    unusualTimes(hours, perHour, enough).map((time) =>
      busiestSpan(block, category, { time, untilMs, perHour, enough, steps: busiestSteps(days, enough) }, countIn),
    ),
  );
}

interface FoundMix {
  readonly time: UnusualTime;
  readonly untilMs: number;
  readonly perHour: number;
  /** So many events in half a day are unusual. */
  readonly enough: number;
  readonly steps: readonly (readonly [enough: number, strength: number])[];
}

async function busiestSpan(
  block: Block,
  category: string,
  { time, untilMs, perHour, enough, steps: bars }: FoundMix,
  countIn: CountIn,
): Promise<MixSpan> {
  const above = minInQuarter(perHour, enough);
  const edgesIn = (hour: CountedHour | undefined): Promise<Edges | null> =>
    hour === undefined
      ? Promise.resolve(null)
      : edgesOf(hour.startMs, Math.min(hour.startMs + HOUR_MS, untilMs), above, countIn);
  const { hours } = time;
  const came = hours.reduce((sum, { count }) => sum + count, 0);
  const stepAt = async ([from, strength]: readonly [number, number]): Promise<StrengthStep[]> => {
    const least = time.least + from - enough;
    if (came < least) return [];
    const atMs = (await enoughFrom({ hours, least }, untilMs, countIn)) + CATEGORY.waitsMs;
    return [{ atMs, strength, level: 'elevated' }];
  };
  const [first, last, ...steps] = await Promise.all([edgesIn(hours[0]), edgesIn(hours.at(-1)), ...bars.map(stepAt)]);
  const onsetMs = first?.fromMs ?? hours[0]?.startMs ?? block.startMs;
  const stopMs =
    (last ?? (await edgesIn(hours.at(-2))))?.toMs ??
    Math.min((hours.at(-1)?.startMs ?? block.startMs) + HOUR_MS, untilMs);
  const isOngoing = untilMs < block.endMs && untilMs - stopMs < 2 * QUARTER_MS;
  const endMs = isOngoing ? null : stopMs;
  return { category, onsetMs, endMs, untilMs: endMs ?? untilMs, perHour, steps: rising(steps.flat()) };
}

async function mixRecord(block: Block, span: MixSpan, countsIn: CountsIn): Promise<EpisodeRecord> {
  const { category, onsetMs, endMs, untilMs, perHour, steps } = span;
  const counted = await countsIn(between(onsetMs, untilMs));
  const total = counted === null ? 0 : (countOf(counted, category) ?? 0);
  const expected = (perHour * (untilMs - onsetMs)) / HOUR_MS;
  return {
    id: idOf(`mix-${category}`, onsetMs),
    mix: category,
    onsetMs,
    endMs,
    worst: 'elevated',
    leading: [category],
    figures: { untilMs, total, expected, peak: null, categories: [{ category, count: total, expected }] },
    strength: steps.at(-1)?.strength ?? BARS.check,
    steps,
    known: knownShare(block, { onsetMs, endMs: untilMs }),
  };
}

const QUARTER_MS = 15 * MINUTE_MS;

interface Edges {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The start of the first quarter of an hour that stands out, and the end of the last; `null` if none does. */
async function edgesOf(fromMs: number, toMs: number, above: number, countIn: CountIn): Promise<Edges | null> {
  const quarters: number[] = [];
  for (let ms = fromMs; ms < toMs; ms += QUARTER_MS) quarters.push(ms);
  const counts = await Promise.all(quarters.map((ms) => countIn(ms, Math.min(ms + QUARTER_MS, toMs))));
  const isPart = (count: number | null): boolean => count !== null && count > above;
  const [first, last] = [quarters[counts.findIndex(isPart)], quarters[counts.findLastIndex(isPart)]];
  return first === undefined || last === undefined ? null : { fromMs: first, toMs: Math.min(last + QUARTER_MS, toMs) };
}

/** The end of the five minutes in which it had become enough. */
async function enoughFrom({ hours, least }: UnusualTime, untilMs: number, countIn: CountIn): Promise<number> {
  let before = 0;
  const hour = hours.find(({ count }) => {
    before += count;
    return before >= least;
  });
  const hourMs = hour?.startMs ?? untilMs;
  const needed = least - (before - (hour?.count ?? 0));
  let [low, high] = [0, Math.ceil((Math.min(hourMs + HOUR_MS, untilMs) - hourMs) / (5 * MINUTE_MS))];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const count = await countIn(hourMs, hourMs + middle * 5 * MINUTE_MS);
    if (count !== null && count >= needed) high = middle;
    else low = middle;
  }
  return Math.min(untilMs, hourMs + high * 5 * MINUTE_MS);
}
