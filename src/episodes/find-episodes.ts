/** Finds the episodes of a block: rises, drops and unusual categories, each with its times, numbers and categories. */
import { inTurns } from '../clock.ts';
import { leadingFirst } from '../statistics/categories.ts';
import { MINUTE_MS } from '../time-units.ts';
import {
  type Block,
  type BlockCounts,
  between,
  blockStart,
  type CountsIn,
  type countCategories,
  isYoung,
  referenceCounts,
  wholeHours,
} from './block.ts';
import {
  changesOf,
  type EpisodeFigures,
  type EpisodePeak,
  type EpisodeRecord,
  episodeFigures,
  heldTime,
  heldTimes,
  isAlike,
  natureOf,
  recordId,
  usualFromMs,
  withExpected,
} from './episode.ts';
import { findCategories } from './find-categories.ts';
import {
  BARS,
  type DropKind,
  type FoundDrop,
  type FoundRise,
  findDrops,
  findRises,
  finishedPoints,
  type HeldTimes,
  RISE,
  readPresent,
  rising,
  sumsBetween,
} from './verdict/index.ts';

type EpisodeSearch = ReturnType<typeof countCategories> & { readonly counts: BlockCounts | null };

/** With `counts: null`, finds only the rises and drops that go on in the next block. */
export async function findEpisodes(
  read: Block,
  { countsIn, hasFailed, counts }: EpisodeSearch,
  before: BlockBefore,
): Promise<EpisodeRecord[]> {
  const { startMs, endMs, untilMs } = read;
  const { episodes: carried, mixes: mixesBefore } = before;
  // A block must know the rises of the one before, whose end it still sees; the categories only of those that go on in it or come
  // from another, and of those asked about.
  const asked = counts === null ? null : wholeHours(counts.window, startMs);
  const isAskedFor = ({ onsetMs, untilMs: overMs }: FoundRise): boolean =>
    asked !== null &&
    (onsetMs < startMs + RISE.pauseMs || (onsetMs < asked.toMs && overMs + RISE.pauseMs > asked.fromMs));
  const goesOn = (rise: FoundRise): boolean => rise.ongoing || rise.untilMs + RISE.pauseMs > endMs;
  const countsOf = (rise: FoundRise): CountsIn => (goesOn(rise) || isAskedFor(rise) ? countsIn : async () => null);
  const risesBefore = carried.filter((episode) => natureOf(episode) === 'rise' && episode.onsetMs < startMs);
  // Those that are over stay as the block before found them.
  const over = risesBefore.filter((each) => each.endMs !== null);
  const spans = over.map(({ onsetMs, figures }) => ({ onsetMs, untilMs: figures.untilMs }));
  const earlier = carried.filter(({ onsetMs }) => onsetMs < startMs);
  const { block, rises: found } = await inTurns(risesOf(read, heldTimes(earlier), spans));
  const searched = Promise.all([...over, ...found.map((rise) => riseRecord(block, rise, risesBefore, countsOf(rise)))]);
  const [rises, mixes] = await Promise.all([
    searched,
    counts === null ? [] : findCategories(block, { rises: searched, mixesBefore, counts, countsIn }),
  ]);
  const drops = findDrops(block.present, startMs).filter(({ onsetMs }) => onsetMs < endMs);
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
  times: HeldTimes,
  over: Parameters<typeof findRises>[1],
): Generator<void, { readonly block: Block; readonly rises: readonly FoundRise[] }> {
  const heldIn = (held: HeldTimes): Block =>
    held.length === 0 || isYoung(block) ? block : { ...block, present: readPresent({ ...block.present, held }) };
  const find = function* (held: Block): Generator<void, FoundRise[]> {
    return (yield* findRises(held.present, over)).filter(({ onsetMs }) => onsetMs < block.endMs);
  };
  const held = heldIn(times);
  const rises = yield* find(held);
  const strengthOf = ({ steps }: FoundRise): number => steps.at(-1)?.strength ?? 0;
  const [long] = heldTimes(rises.map((rise) => ({ ...rise, endMs: rise.untilMs, strength: strengthOf(rise) })));
  if (long === undefined || times.some(({ toMs }) => toMs > long.fromMs)) return { block: held, rises };
  const again = heldIn([...times, heldTime({ onsetMs: long.fromMs, endMs: null })]);
  const isEarlier = ({ untilMs }: FoundRise): boolean => untilMs <= long.fromMs;
  const later = (yield* find(again)).filter((rise) => !isEarlier(rise));
  return { block: again, rises: [...rises.filter(isEarlier), ...later] };
}

/** What came between two instants, and what was usual before an episode began: a long one must not become its own baseline. */
function sumsIn({ present }: Block, onsetMs: number, [fromMs, toMs]: [number, number], drop?: DropKind) {
  const held = [...present.held.filter((time) => time.fromMs < onsetMs), heldTime({ onsetMs, endMs: null, drop })];
  const { grid, sums, least } = readPresent({ ...present, held });
  const stepAt = (ms: number): number => Math.round((ms - grid.fromMs) / grid.stepMs);
  const sumsOf = { rise: sums, mix: sums, attacks: least.attacks.sums, requests: least.visitors.sums };
  return sumsBetween(sumsOf[natureOf({ drop })], stepAt(fromMs), stepAt(toMs));
}

/** Those of the block before that reach into this one without standing out in it. */
function goneOn(carried: readonly EpisodeRecord[], own: readonly EpisodeRecord[], { startMs, untilMs }: Block) {
  const isFound = (episode: EpisodeRecord): boolean =>
    own.some((each) => isAlike(each, episode) && isNear(episode, each.onsetMs, each.figures.untilMs));
  return carried
    .filter((episode) => (episode.endMs ?? episode.figures.untilMs) > startMs && !isFound(episode))
    .map((episode) => {
      // It was ongoing when the block before ended, and later numbers show no trace of it.
      const isLost = episode.endMs === null && untilMs - episode.figures.untilMs >= RISE.pauseMs;
      return isLost ? { ...episode, endMs: episode.figures.untilMs } : episode;
    });
}

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
  // It was still going on when the block before last saw it.
  const endMs = rise.ongoing ? null : Math.max(rise.untilMs, before?.figures.untilMs ?? 0);
  const steps = rising([...(before?.steps ?? []), ...rise.steps]);
  const last = steps.at(-1);
  const span = { onsetMs, endMs: endMs ?? block.untilMs };
  const [counted, reference] = await Promise.all([
    countsIn(between(onsetMs, span.endMs)),
    referenceCounts({ startMs: blockStart(onsetMs) }, countsIn),
  ]);
  const rest = { onsetMs: before?.figures.untilMs ?? onsetMs, endMs: span.endMs };
  const alone = episodeFigures(rest, block.present.recent);
  const since = sumsIn(block, onsetMs, [rest.onsetMs, rest.endMs]);
  const { total: totalBefore = 0, expected: expectedBefore = 0 } = before?.figures ?? {};
  const total = alone.total + totalBefore;
  const isUnknown = expectedBefore === null || (before === undefined && since.known === 0);
  const expected = isUnknown ? null : since.expected + expectedBefore;
  const categories = counted === null ? [] : withExpected(counted, reference, expected);
  return {
    id: recordId('rise', onsetMs),
    onsetMs,
    endMs,
    worst: last?.level ?? 'elevated',
    leading: leadingFirst(changesOf(categories))
      .slice(0, 1)
      .map(({ name }) => name),
    figures: { ...alone, total, expected, categories, peak: higher(alone.peak, before?.figures.peak ?? null) },
    strength: last?.strength ?? BARS.check,
    steps,
    paces: pacesOf(block, span, before ?? null),
  };
}

const higher = (a: EpisodePeak | null, b: EpisodePeak | null): EpisodePeak | null =>
  (a?.count ?? 0) >= (b?.count ?? 0) ? a : b;

/** Its highest pace so far, whenever that had grown by a tenth. */
function pacesOf(
  { present: { recent } }: Block,
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

function dropRecord(block: Block, found: FoundDrop, carried: readonly EpisodeRecord[]): EpisodeRecord {
  const { what, untilMs, ongoing } = found;
  const before = carried.findLast(
    (record) => record.drop === what && record.onsetMs < block.startMs && isNear(record, found.onsetMs, untilMs),
  );
  if (before !== undefined && (before.endMs !== null || before.figures.untilMs >= block.untilMs)) return before;
  const steps = rising([...(before?.steps ?? []), ...found.steps]);
  const onsetMs = before?.onsetMs ?? found.onsetMs;
  const usualMs = usualFromMs({ onsetMs, drop: what });
  return {
    id: recordId(what, onsetMs),
    drop: what,
    onsetMs,
    endMs: untilMs >= usualMs ? usualMs : ongoing ? null : untilMs,
    worst: 'elevated',
    leading: [],
    figures: dropFigures(block, { ...found, untilMs: Math.min(untilMs, usualMs) }, before),
    strength: steps.at(-1)?.strength ?? BARS.check,
    steps,
  };
}

/** Those of the block before, and what has come since; by the level at its beginning, as a long one would become usual. */
function dropFigures(
  block: Block,
  { what, onsetMs, untilMs, visitorsUnknown }: FoundDrop,
  before: EpisodeRecord | undefined,
): EpisodeFigures {
  const fromMs = before?.figures.untilMs ?? onsetMs;
  const { observed, expected } = sumsIn(block, before?.onsetMs ?? onsetMs, [fromMs, untilMs], what);
  const { total = 0, expected: expectedBefore = 0 } = before?.figures ?? {};
  return {
    untilMs,
    total: total + Math.round(observed),
    expected: expectedBefore === null ? null : expectedBefore + expected,
    peak: null,
    categories: [],
    ...(visitorsUnknown && { visitorsUnknown }),
  };
}

/** What a search must know of the block before. */
interface BlockBefore {
  /** Some may go on in this one. */
  readonly episodes: readonly EpisodeRecord[];
  /** Its unusual categories that do. It's searched for them only if one is found early here. */
  readonly mixes: () => Promise<readonly EpisodeRecord[]>;
}
