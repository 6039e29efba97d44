/** Finds the episodes of a block: rises, drops and unusual categories, each with its times, numbers and categories. */
import { inTurns } from '../clock.ts';
import { countOf, joinDistributions, leadingFirst, listsAllCategories } from '../statistics/categories.ts';
import type { Distribution } from '../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import {
  type Block,
  type BlockCounts,
  between,
  type CountsIn,
  type countCategories,
  countedUntil,
  daysBefore,
  FOLLOWED_MS,
  isYoung,
  knownShare,
  rangesOf,
  referenceCounts,
} from './block.ts';
import {
  dropFigures,
  type EpisodeCategory,
  type EpisodePeak,
  type EpisodeRecord,
  episodeFigures,
  heldTimes,
  natureOf,
  recordId,
  withExpected,
} from './episode.ts';
import {
  BARS,
  busiestSteps,
  CATEGORY,
  type CountedTime,
  DROPS,
  type Drop,
  expectedBetween,
  FEEDBACK,
  type FoundRise,
  findDrops,
  findRises,
  finishedPoints,
  grownCategories,
  type HeldTimes,
  isBusy,
  leastOf,
  MIX,
  RISE,
  readPresent,
  rising,
  type Site,
  type StrengthStep,
  sumsBetween,
  suspectCategories,
  TAKEOVER,
  tailFor,
  takeoverStrength,
  type UnusualCategory,
  type UnusualTime,
  unusualCategories,
  unusualTimes,
  usualPerHour,
  usualShare,
} from './verdict/index.ts';

/** Without the counts of the block, it's searched only for the rises and drops that go on in the next one. */
export async function findEpisodes(
  read: Block,
  { countsIn, hasFailed }: ReturnType<typeof countCategories>,
  before: BlockBefore,
): Promise<EpisodeRecord[]> {
  const { recent, startMs, endMs, untilMs } = read;
  const { episodes: carried, mixes: mixesBefore, counts } = before;
  // A block must know the rises of the one before, whose end it still sees; the categories only of those that go on in it.
  const countsOf = (rise: FoundRise): CountsIn =>
    counts !== null || rise.ongoing || rise.untilMs + RISE.pauseMs > endMs ? countsIn : async () => null;
  const risesBefore = carried.filter((episode) => natureOf(episode) === 'rise' && episode.onsetMs < startMs);
  // Those that are over stay as the block before found them.
  const over = risesBefore.filter((each) => each.endMs !== null);
  const spans = over.map(({ onsetMs, figures }) => ({ onsetMs, untilMs: figures.untilMs }));
  const { block, rises: found } = await inTurns(risesOf(read, risesBefore, spans));
  const searched = Promise.all([...over, ...found.map((rise) => riseRecord(block, rise, risesBefore, countsOf(rise)))]);
  const [rises, mixes] = await Promise.all([
    searched,
    counts === null ? [] : findMixes(block, searched, { mixes: mixesBefore, counts }, countsIn),
  ]);
  const drops = findDrops(recent, block.present, block.site, startMs).filter(({ sinceMs }) => sinceMs < endMs);
  // Without some of its counts, a category would get other times than it has.
  const whole = hasFailed() ? [] : mixes;
  const all = [...rises, ...drops.map((drop) => dropRecord(block, drop, carried)), ...whole];
  const own = all.filter((episode) => (episode.endMs ?? untilMs) > startMs);
  const ids = new Set(all.map(({ id }) => id));
  // Of unusual categories the block before knows the end.
  const open = carried.filter(({ id, mix }) => mix === undefined && !ids.has(id));
  return [...own, ...goneOn(open, own, block)].toSorted((a, b) => a.onsetMs - b.onsetMs);
}

/**
 * The rises that begin in a block or go on in it, and the block with the level that a long one began at: an attack of a whole
 * day must not become usual.
 */
function* risesOf(
  block: Block,
  before: readonly EpisodeRecord[],
  over: Parameters<typeof findRises>[3],
): Generator<void, { readonly block: Block; readonly rises: readonly FoundRise[] }> {
  const { recent, site, present } = block;
  const heldIn = (held: HeldTimes): Block => {
    const { grid, windowStart } = present;
    if (held.length === 0 || isYoung(block)) return block;
    return { ...block, held, present: readPresent(recent, grid, windowStart, site, held) };
  };
  const find = function* (held: Block): Generator<void, FoundRise[]> {
    return (yield* findRises(recent, held.present, site, over)).filter(({ onsetMs }) => onsetMs < block.endMs);
  };
  const times = heldTimes(before);
  const held = heldIn(times);
  const rises = yield* find(held);
  const strengthOf = ({ steps }: FoundRise): number => steps.at(-1)?.strength ?? 0;
  const [long] = heldTimes(rises.map((rise) => ({ ...rise, endMs: rise.untilMs, strength: strengthOf(rise) })));
  if (long === undefined || times.some(({ toMs }) => toMs > long.fromMs)) return { block: held, rises };
  const again = heldIn([...times, { ...long, toMs: Number.POSITIVE_INFINITY }]);
  const isEarlier = ({ untilMs }: FoundRise): boolean => untilMs <= long.fromMs;
  const later = (yield* find(again)).filter((rise) => !isEarlier(rise));
  return { block: again, rises: [...rises.filter(isEarlier), ...later] };
}

/** An episode is held against what was usual before it began: a long one must not become its own baseline. */
const heldSince = ({ held }: Block, fromMs: number): HeldTimes => [
  ...held.filter((time) => time.fromMs < fromMs),
  { fromMs, toMs: Number.POSITIVE_INFINITY },
];

/** Those of the block before that reach into this one without standing out in it. */
function goneOn(carried: readonly EpisodeRecord[], own: readonly EpisodeRecord[], { startMs, untilMs }: Block) {
  const isFound = (episode: EpisodeRecord): boolean =>
    own.some((each) => isSameNature(each, episode) && isNear(episode, each.onsetMs, each.figures.untilMs));
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

async function riseRecord(
  block: Block,
  rise: FoundRise,
  carried: readonly EpisodeRecord[],
  countsIn: CountsIn,
): Promise<EpisodeRecord> {
  const near = carried.findLast((each) => isNear(each, rise.onsetMs, rise.untilMs));
  const before = near?.endMs === null ? near : undefined;
  // The block in which it began knows it best, as far as that looked.
  if (before !== undefined && before.figures.untilMs >= block.untilMs) return before;
  const onsetMs = before?.onsetMs ?? Math.max(rise.onsetMs, near?.endMs ?? 0);
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
  const expectedSince = expectedBetween(block.recent, block.present, block.site, {
    fromMs: rest.onsetMs,
    toMs: rest.endMs,
    held: heldSince(block, onsetMs),
  });
  const total = alone.total + (before?.figures.total ?? 0);
  const expected =
    expectedSince === null || before?.figures.expected === null
      ? null
      : expectedSince + (before?.figures.expected ?? 0);
  const categories = counted === null ? [] : withExpected(counted, reference, expected);
  return {
    id: recordId('rise', onsetMs),
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
  const before = carried.findLast(
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
    id: recordId(what, onsetMs),
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
function asOfItsBeginning(block: Block, drop: Drop): Drop {
  const { recent, present, site, startMs } = block;
  if (drop.untilMs - drop.sinceMs <= HOUR_MS) return drop;
  const frozen = readPresent(recent, present.grid, present.windowStart, site, heldSince(block, drop.sinceMs));
  const again = findDrops(recent, frozen, site, startMs).find(
    ({ what, sinceMs, untilMs }) => what === drop.what && sinceMs < drop.untilMs && untilMs > drop.sinceMs,
  );
  return again === undefined ? drop : { ...again, sinceMs: drop.sinceMs };
}

/** What a search must know of the block before. */
interface BlockBefore {
  /** Some may go on in this one. */
  readonly episodes: readonly EpisodeRecord[];
  /** Its unusual categories that do. It's searched for them only if one is found early in this block. */
  readonly mixes: () => Promise<readonly EpisodeRecord[]>;
  readonly counts: BlockCounts | null;
}

interface WithCounts extends Pick<BlockBefore, 'mixes'> {
  readonly counts: BlockCounts;
}

async function findMixes(
  block: Block,
  rises: Promise<readonly EpisodeRecord[]>,
  { mixes: mixesBefore, counts: { parts, before, weeks, ...counts } }: WithCounts,
  countsIn: CountsIn,
): Promise<EpisodeRecord[]> {
  const { startMs } = block;
  const untilMs = countedUntil(startMs, block.untilMs);
  if (untilMs <= startMs) return [];
  // The service may have numbers up to another moment than was expected.
  const isCurrent = counts.untilMs === untilMs;
  const all = isCurrent ? parts : await Promise.all(rangesOf(startMs, untilMs, MIX.partMs).map(countsIn));
  const known = all.filter((part) => part !== null);
  const isWhole = known.length === all.length && known.every(listsAllCategories);
  const counted = isWhole ? joinDistributions(known) : await countsIn(between(startMs, untilMs));
  if (counted === null || weeks === null) return [];
  // After a release other categories are usual.
  const usually = before === null ? [weeks] : [weeks, before];
  const found = await Promise.all([
    findBusiest(block, { counted, parts: known, weeks }, countsIn),
    findTakeovers(block, known, usually, countsIn),
  ]);
  const own = await Promise.all(joinedSpans(found.flat()).map((span) => followed(block, span, countsIn)));
  // An unusual category of the block before is followed this far into this one.
  const mayBeOlder = own.some(({ onsetMs }) => onsetMs - startMs < FOLLOWED_MS + MIX.pauseMs);
  const spans = mayBeOlder ? joinedSpans([...(await mixesBefore()).map(spanOf), ...own]) : own;
  const mixes = await Promise.all(spans.map((span) => mixRecord(block, span, countsIn)));
  // Of a rise that began in the block before, a category seems to begin with this one.
  const goesOn = (mix: EpisodeRecord, rise: EpisodeRecord): boolean =>
    rise.onsetMs < startMs && mix.onsetMs === startMs;
  // Decided when people are alerted to it, at the latest: by then the rise must cover half of its time.
  const isPartOf = (mix: EpisodeRecord, rise: EpisodeRecord): boolean => {
    const alertsMs = Math.min(alertsFrom(mix), block.untilMs);
    return (
      alertsFrom(rise, BARS.normal) <= alertsMs &&
      rise.onsetMs <= (mix.onsetMs + alertsMs) / 2 &&
      rise.figures.untilMs > mix.onsetMs &&
      (Math.abs(mix.onsetMs - rise.onsetMs) <= CATEGORY.withRiseMs || goesOn(mix, rise))
    );
  };
  // A rise that alerts nobody explains nothing, or nobody would hear of the category.
  const risen = (await rises).filter(({ strength }) => strength >= BARS.normal);
  const isExplained = (mix: EpisodeRecord): boolean =>
    mix.onsetMs >= startMs && risen.some((rise) => isPartOf(mix, rise)) && mostlyIn(risen, mix);
  return mixes.filter((mix) => mix.steps.length > 0 && !isExplained(mix));
}

/** A time in which a category was unusual. */
interface MixSpan extends Pick<EpisodeRecord, 'onsetMs' | 'endMs' | 'steps'> {
  readonly category: string;
  /** The end of what is counted. */
  readonly untilMs: number;
  /** What is usual of it in an hour. */
  readonly perHour: number;
  /** So many events in half a day are unusual. */
  readonly enough: number;
}

/** One that another block has found. */
function spanOf({ mix: category = '', onsetMs, endMs, steps, figures: { untilMs, expected } }: EpisodeRecord): MixSpan {
  const perHour = ((expected ?? 0) * HOUR_MS) / Math.max(1, untilMs - onsetMs);
  return { category, onsetMs, endMs, untilMs, perHour, enough: 0, steps };
}

/** Those of one category with short pauses are one. It begins with the one known first, so that a reported time stays true. */
function joinedSpans(spans: readonly MixSpan[]): MixSpan[] {
  const found: MixSpan[] = [];
  const knownMs = ({ steps: [first] }: MixSpan): number => first?.atMs ?? Number.POSITIVE_INFINITY;
  for (const span of spans.toSorted((a, b) => a.onsetMs - b.onsetMs)) {
    const at = found.findIndex((each) => each.category === span.category && each.untilMs + MIX.pauseMs > span.onsetMs);
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
function mostlyIn(rises: readonly EpisodeRecord[], { mix, onsetMs, figures }: EpisodeRecord): boolean {
  const shared = rises.filter((rise) => rise.onsetMs < figures.untilMs && rise.figures.untilMs > onsetMs);
  const counts = shared.map((rise) => rise.figures.categories.find(({ category }) => category === mix)?.count);
  // Of a rise whose categories are unknown, nobody can say that it's something else.
  return (
    counts.includes(undefined) || 2 * counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) >= figures.total
  );
}

/** When a watch could first alert people to it; never, if that is still to come. */
const alertsFrom = ({ steps }: EpisodeRecord, bar: number = FEEDBACK.least): number =>
  steps.find(({ strength }) => strength >= bar)?.atMs ?? Number.POSITIVE_INFINITY;

/** Pieces of some times, in order, without those that are unknown. */
async function piecesOf(times: readonly Distribution[], ms: number, countsIn: CountsIn): Promise<Distribution[]> {
  const ranges = times.flatMap(({ fromMs, toMs }) => rangesOf(fromMs, toMs, ms));
  return (await Promise.all(ranges.map(countsIn))).filter((piece) => piece !== null);
}

/** The categories of a block as a whole, of its parts, and of the weeks before. */
interface MixCounts {
  readonly counted: Distribution;
  readonly parts: readonly Distribution[];
  readonly weeks: Distribution;
}

/** Those that are much busier than on all days but one. */
async function findBusiest(block: Block, { counted, parts, weeks }: MixCounts, countsIn: CountsIn): Promise<MixSpan[]> {
  const { startMs } = block;
  const suspects = suspectCategories(counted, weeks);
  if (suspects.length === 0) return [];
  const dayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const [today, ...days] = await Promise.all([
    startMs > dayMs ? countsIn(between(dayMs, startMs)) : null,
    ...daysBefore(startMs, CATEGORY.days).map(countsIn),
  ]);
  const spansOf = async (unusual: UnusualCategory): Promise<MixSpan[]> => {
    const { category, from: enough } = unusual;
    const perHour = usualPerHour(category, [...days, today]);
    const timeOf = countedTime(category);
    const hours = await piecesOf(parts, HOUR_MS, countsIn);
    // By what is usual in a whole hour, also while it lasts: what has been looked at once stays so.
    const wholeHour = (hour: Distribution): CountedTime => ({ ...timeOf(hour), toMs: hour.fromMs + HOUR_MS });
    const isOfInterest = (hour: Distribution): boolean => isBusy(wholeHour(hour), perHour, enough);
    const short = await piecesOf(hours.filter(isOfInterest), MIX.pieceMs, countsIn);
    const times = [...hours.filter((hour) => !isOfInterest(hour)).map(wholeHour), ...short.map(timeOf)];
    const inOrder = times.toSorted((a, b) => a.fromMs - b.fromMs);
    const found = unusualTimes(inOrder, perHour, enough);
    const steps = busiestSteps(days, unusual);
    return found.map((time) => busiestSpan(block, { category, time, perHour, enough, steps }));
  };
  return (await Promise.all(unusualCategories(counted, suspects, days).map(spansOf))).flat();
}

/** How many events of a category a time has. */
const countedTime =
  (category: string) =>
  (time: Distribution): CountedTime => ({ fromMs: time.fromMs, toMs: time.toMs, count: countOf(time, category) ?? 0 });

interface FoundMix {
  readonly category: string;
  readonly time: UnusualTime;
  readonly perHour: number;
  /** So many events in half a day are unusual. */
  readonly enough: number;
  readonly steps: readonly (readonly [enough: number, strength: number])[];
}

function busiestSpan(block: Block, { category, time, perHour, enough, steps }: FoundMix): MixSpan {
  const { times } = time;
  let sum = 0;
  const reached = times.map(({ toMs, count }) => {
    sum += count;
    return { toMs, sum };
  });
  const stepAt = (from: number, strength: number, waitsMs: number): StrengthStep[] => {
    const at = reached.find((each) => each.sum >= leastOf(time, from));
    const atMs = at === undefined ? Number.POSITIVE_INFINITY : at.toMs + waitsMs;
    return atMs > block.untilMs ? [] : [{ atMs, strength, level: 'elevated' }];
  };
  const end = endOf(block, times.at(-1)?.toMs ?? block.endMs);
  return {
    category,
    onsetMs: times[0]?.fromMs ?? block.startMs,
    ...end,
    perHour,
    enough,
    steps: rising([
      ...stepAt(enough, BARS.check, 0),
      ...steps.flatMap(([from, strength]) => stepAt(from, strength, CATEGORY.waitsMs)),
    ]),
  };
}

/** The end of a mix that stood out until an instant, unless it goes on, or may after the end of the block. */
function endOf({ startMs, endMs, untilMs }: Block, stopMs: number): Pick<MixSpan, 'endMs' | 'untilMs'> {
  const countedMs = countedUntil(startMs, untilMs);
  if (countedMs - stopMs >= MIX.pauseMs) return { endMs: stopMs, untilMs: stopMs };
  return { endMs: null, untilMs: countedMs < endMs ? countedMs : stopMs };
}

/** One that may go on after the end of the block, up to where it pauses. */
async function followed(block: Block, span: MixSpan, countsIn: CountsIn): Promise<MixSpan> {
  const { startMs, endMs: edgeMs, untilMs: settledMs } = block;
  if (span.endMs !== null || countedUntil(startMs, settledMs) < edgeMs) return span;
  const untilMs = Math.floor(settledMs / MIX.pieceMs) * MIX.pieceMs;
  let stopMs = span.untilMs;
  for (const { from, to } of rangesOf(edgeMs, untilMs, HOUR_MS)) {
    if (from.epochMilliseconds - stopMs >= MIX.pauseMs) break;
    const hour = rangesOf(from.epochMilliseconds, to.epochMilliseconds, MIX.pieceMs).map(countsIn);
    for (const piece of (await Promise.all(hour)).filter((each) => each !== null).map(countedTime(span.category))) {
      const isNear = piece.fromMs - stopMs < MIX.pauseMs;
      if (isNear && isBusy(piece, span.perHour, span.enough)) stopMs = piece.toMs;
    }
  }
  const { toMs, settledUntilMs } = block.recent;
  const isOver = untilMs - stopMs >= MIX.pauseMs || Math.min(toMs, settledUntilMs) >= edgeMs + FOLLOWED_MS;
  return { ...span, endMs: isOver ? stopMs : null, untilMs: isOver ? stopMs : untilMs };
}

/** The times in which a category took over from the others. */
async function findTakeovers(
  block: Block,
  parts: readonly Distribution[],
  usually: readonly Distribution[],
  countsIn: CountsIn,
): Promise<MixSpan[]> {
  const grown = parts.filter((part) => grownCategories(part, usually).length > 0);
  const hours = await piecesOf(grown, HOUR_MS, countsIn);
  const busy = hours.filter((hour) => grownCategories(hour, usually).length > 0);
  const short = await piecesOf(busy, MIX.pieceMs, countsIn);
  const seenFrom = whenSeen({ grown, hours, short }, usually);
  const strengthIn = strengthOfTakeovers(block, usually);
  const times = short.flatMap((_, at) =>
    TAKEOVER.lengthsMs.flatMap((ms) => joinDistributions(inARow(short.slice(0, at + 1), ms / MIX.pieceMs)) ?? []),
  );
  const possible = times.flatMap((time) =>
    time.counts
      .filter(({ category }) => strengthIn(category, time, []) > 0)
      .map(({ category }) => ({ category, time })),
  );
  // Only where it would matter: at other hours nobody needs to know what is usual then.
  const sameHours = await readSameHours(
    block.site,
    busy.filter((hour) => possible.some(({ time }) => time.fromMs < hour.toMs && time.toMs > hour.fromMs)),
    countsIn,
  );
  const found = possible.flatMap(({ category, time }) => {
    const strength = strengthIn(category, time, sameHours(time));
    const atMs = strength === 0 ? undefined : seenFrom(category, time.toMs);
    return atMs === undefined ? [] : [{ category, time, step: { atMs, strength } }];
  });
  if (found.length === 0) return [];
  const reference = await referenceCounts(block, countsIn);
  return found.map(({ category, time, step }) => {
    const perHour = usualPerHour(category, reference);
    const pieces = short.map(countedTime(category)).filter((piece) => isBusy(piece, perHour, 0));
    const { onsetMs, stopMs } = edgesOf(time, pieces);
    const steps = [{ ...step, level: 'elevated' as const }];
    return { category, onsetMs, ...endOf(block, stopMs), perHour, enough: 0, steps };
  });
}

/** The distributions of the same hour on earlier days, for each of the hours that a time lies in. */
type SameHours = (time: Pick<Distribution, 'fromMs' | 'toMs'>) => readonly (readonly Distribution[])[];

/** By night or at weekends other categories may be usual than on the whole. */
async function readSameHours(
  site: Site | null,
  hours: readonly Distribution[],
  countsIn: CountsIn,
): Promise<SameHours> {
  const { days, weeks } = TAKEOVER.sameHours;
  const lags = site === null ? [] : [...site.lags.days.slice(0, days), ...site.lags.weeks.slice(0, weeks)];
  const lagsMs = lags.map((lag) => lag * (site?.stepMs ?? 0));
  const read = await Promise.all(
    hours.map(async ({ fromMs }) => {
      const earlier = lagsMs.map((ms) => between(fromMs - ms, fromMs - ms + HOUR_MS));
      const counts = await Promise.all(earlier.map(countsIn));
      return { fromMs, toMs: fromMs + HOUR_MS, counts: counts.filter((each) => each !== null) };
    }),
  );
  return (time) =>
    read.filter(({ fromMs, toMs }) => fromMs < time.toMs && toMs > time.fromMs).map(({ counts }) => counts);
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
      const isRead = hour !== null && grownCategories(hour, usually).length > 0;
      const counted = toMs === part.toMs ? part : soFar;
      const grown = counted === null ? [] : grownCategories(counted, usually, TAKEOVER.reportFrom);
      return { partMs: part.fromMs, hourMs, toMs, isRead, grown };
    }),
  );
  return (category, overMs) =>
    moments.find(
      ({ partMs, hourMs, toMs, isRead, grown }) =>
        toMs >= overMs && partMs < overMs && (isRead || hourMs > hourOf(overMs)) && grown.includes(category),
    )?.toMs;
}

/** How rare a takeover is in a time; 0 if there is none, or if it can't be held against what is usual. */
function strengthOfTakeovers({ present: { grid, sums }, site }: Block, usually: readonly Distribution[]) {
  const stepAt = (ms: number): number => (ms - grid.fromMs) / grid.stepMs;
  return (category: string, time: Distribution, sameHours: ReturnType<SameHours>): number => {
    const [from, to] = [stepAt(time.fromMs), stepAt(time.toMs)];
    const back = TAKEOVER.earlierMs / grid.stepMs;
    // Numbers in longer intervals say nothing of it.
    if (!Number.isInteger(from) || !Number.isInteger(to)) return 0;
    const { observed, expected } = sumsBetween(sums, from, to);
    // What comes on top of what is usual takes over from nothing.
    if (observed >= RISE.ratio * expected) return 0;
    const earlier = sumsBetween(sums, Math.max(0, from - back), Math.max(0, to - back));
    const least = earlier.known < to - from ? expected : Math.min(expected, earlier.expected);
    const spread = tailFor(site, time.toMs - time.fromMs).spread;
    const share = usualShare(category, usually, sameHours);
    return takeoverStrength(category, time, share, { expected, least, spread });
  };
}

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

async function mixRecord(block: Block, span: MixSpan, countsIn: CountsIn): Promise<EpisodeRecord> {
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
    known: knownShare(block, { onsetMs, endMs: untilMs }),
  };
}
