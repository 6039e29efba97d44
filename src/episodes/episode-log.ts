/**
 * The episodes of a project: found once per block of half a day from settled numbers and stored, so that every answer,
 * watch and digest about the same time reads the same records; and the order in which answers name them.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { BotError, nullIfUnavailable } from '../errors.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { SETTLE_MS, type Timeline } from '../statistics/timeline.ts';
import type { Range } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import {
  BLOCK_MS,
  type Block,
  type BlockQuery,
  blockNumbers,
  blockStart,
  countBlock,
  countCategories,
  FOLLOWED_MS,
  joined,
  mayHaveBecomeUsual,
  type NumbersQuery,
  readBlock,
  since,
  until,
  weeksOfNumbers,
  wholeHours,
} from './block.ts';
import { type EpisodeRecord, type EpisodeSpan, heldTimes, overlaps } from './episode.ts';
import { findEpisodes } from './find-episodes.ts';
import { BARS, type HeldTimes, RISE } from './verdict/index.ts';

/** Records found by another version of the rule are found again. */
const RULE_VERSION = 24;
/** Longer windows aren't searched: each block takes a dozen calls. */
export const MAX_SEARCHED_MS = 8 * DAY_MS;

/** The settled episodes of a block as stored. */
export interface StoredBlock {
  readonly rule: number;
  /** Whether its numbers could be judged at all. */
  readonly judged: boolean;
  readonly episodes: readonly EpisodeRecord[];
  /** When what began before the block, even if it was over by then, held the level. */
  readonly held: HeldTimes;
}

/** Of what is stored, as far as a damaged block would harm an answer. */
export const storedBlockSchema = z.object({
  rule: z.number(),
  judged: z.boolean(),
  episodes: z.array(
    z.object({
      id: z.string(),
      onsetMs: z.number(),
      endMs: z.number().nullable(),
      strength: z.number(),
      steps: z.array(z.object({})),
      figures: z.object({}),
    }),
  ),
  held: z.array(z.object({ fromMs: z.number(), toMs: z.number(), isUsual: z.boolean() })),
});

const STORED_FOR_MS = 100 * DAY_MS;

/** Where blocks are stored. A block that can't be read or stored is found again. */
export interface StoredBlocks {
  get(key: string): Promise<StoredBlock | undefined>;
  set(key: string, block: StoredBlock, ttlMs: number): Promise<unknown>;
}

export interface EpisodeLogDeps {
  readonly statistics: Statistics;
  /** `null` keeps nothing, for recorded numbers. */
  readonly blocks: StoredBlocks | null;
  readonly nowMs: () => number;
  /** The zone whose calendar says which hours are the same; the same for everyone. */
  readonly zone: string;
}

export interface EpisodeQuery extends Pick<BlockQuery, 'hosts' | 'freshOnly' | 'asker'> {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface EpisodeList {
  /** Those that share time with the window, oldest first, with their true times. */
  readonly episodes: readonly EpisodeRecord[];
  /** Whether all of the window could be judged. */
  readonly judged: boolean;
  /** When the level stays as it was: in long rises and drops, also in those shortly before. */
  readonly held: HeldTimes;
  /** The end of the settled numbers, or of the window. */
  readonly untilMs: number;
  /** The service is down, and earlier numbers were used. */
  readonly stale: boolean;
  /** Whether categories couldn't be counted, so that some may be unusual without a record. */
  readonly lacksCategories: boolean;
}

/** What was found in one block. */
interface FoundBlock extends Pick<StoredBlock, 'judged' | 'episodes' | 'held'> {
  readonly untilMs: number;
  readonly stale: boolean;
  /** Whether categories are missing that the service may give later. */
  readonly lacks?: boolean;
  /** It was searched only for what goes on in the next one, not for unusual categories. */
  readonly partly?: boolean;
  /** The hours that were searched for takeovers; all of them if absent. */
  readonly hours?: BlockQuery['window'];
  /** Whether numbers of the blocks before were missing, so that something may have begun earlier. */
  readonly cut?: boolean;
  /** Whether nothing of it can change any more. */
  readonly final?: boolean;
}

export type EpisodeLog = ReturnType<typeof createEpisodeLog>;

const MAX_CACHED = 400;
/** Each has up to 720 points. */
const MAX_NUMBERS = 40;
const SETTLED_WITHIN_MS = SETTLE_MS + 2 * MINUTE_MS;

/** How many blocks in a row are searched for the start of a category. */
const MAX_DEPTH = 3;
/** And of a rise or a drop. */
const MIN_DEPTH = -MAX_SEARCHED_MS / BLOCK_MS;

type FindBlock = (startMs: number, query: BlockQuery, depth?: number) => Promise<FoundBlock>;

/** What a search goes by. */
interface Search {
  readonly statistics: Statistics;
  readonly startMs: number;
  readonly query: BlockQuery;
  readonly depth: number;
  readonly found: FindBlock;
}

/** Everything in a block. */
async function searchBlock({ statistics, startMs, query, depth, found }: Search): Promise<FoundBlock> {
  const counting = countCategories(statistics, query);
  const [block, before, counts] = await Promise.all([
    readBlock(statistics, startMs, query),
    nullIfUnavailable(found(startMs - BLOCK_MS, query, 0)),
    countBlock(startMs, query, counting.countsIn),
  ]);
  const carried = before?.episodes ?? [];
  if (block === null) return unjudged(startMs, query, carried);
  let isBeforeKnown = before?.lacks !== true;
  let cut = !block.whole || before?.cut === true;
  const mixes = async (): Promise<readonly EpisodeRecord[]> => {
    const isPartly = before?.partly === true;
    cut ||= isPartly && depth === 1;
    if (isPartly && depth === 1) return [];
    const whole = isPartly
      ? await nullIfUnavailable(found(startMs - BLOCK_MS, upToIts(query, startMs), depth - 1))
      : before;
    isBeforeKnown &&= whole !== null && whole.lacks !== true && !whole.stale;
    return whole?.episodes.filter(({ mix, endMs }) => mix !== undefined && (endMs ?? query.nowMs) > startMs) ?? [];
  };
  const hours = wholeHours(query.window, startMs);
  const episodes = await findEpisodes(block, { ...counting, counts }, { episodes: carried, mixes });
  const held = heldTimes(carried.filter(({ onsetMs }) => onsetMs < startMs));
  const lacks = counting.hasFailed() || !isBeforeKnown;
  const whole = foundIn(block, { episodes, held, lacks, cut, partly: false });
  return hours.toMs - hours.fromMs < BLOCK_MS ? { ...whole, hours, final: false } : whole;
}

/** For the block before another: as far as the window reaches into it, but at least its last hour, which may go on. */
const upToIts = (query: BlockQuery, endMs: number): BlockQuery => ({
  ...query,
  window: { fromMs: Math.min(query.window.fromMs, endMs - HOUR_MS), toMs: Math.max(query.window.toMs, endMs) },
});

/** A block that is over is searched whole, and stored. */
const asWhole = (query: BlockQuery, startMs: number): BlockQuery => {
  const endMs = startMs + BLOCK_MS;
  const isOver = query.nowMs - SETTLE_MS >= endMs + FOLLOWED_MS;
  return isOver ? { ...query, window: { fromMs: startMs, toMs: endMs } } : query;
};

/** Only what goes on in the next block. What began before this one, only the one before knows. */
async function searchOnward({ statistics, startMs, query, depth, found }: Search): Promise<FoundBlock> {
  const counting = countCategories(statistics, query);
  const block = await readBlock(statistics, startMs, query);
  if (block === null) return unjudged(startMs, query, []);
  const findAfter = (carried: readonly EpisodeRecord[]): Promise<EpisodeRecord[]> =>
    findEpisodes(block, { ...counting, counts: null }, { episodes: carried, mixes: async () => [] });
  let episodes = await findAfter([]);
  let cut = !block.whole;
  if (episodes.some((each) => reachesInto(each, startMs + BLOCK_MS)) || mayHaveBecomeUsual(block)) {
    const older = depth > MIN_DEPTH ? await nullIfUnavailable(found(startMs - BLOCK_MS, query, depth - 1)) : null;
    cut ||= older === null || older.stale || older.cut === true;
    if (older !== null) episodes = await findAfter(older.episodes);
  }
  return foundIn(block, { episodes, held: [], lacks: counting.hasFailed(), cut, partly: true });
}

/** Nothing of a block that has just begun is settled yet. */
const unjudged = (startMs: number, { nowMs }: BlockQuery, before: readonly EpisodeRecord[]): FoundBlock => ({
  judged: nowMs - startMs <= SETTLED_WITHIN_MS,
  episodes: before.filter((each) => reachesInto(each, startMs)),
  held: heldTimes(before),
  untilMs: startMs,
  stale: false,
});

const foundIn = (
  { startMs, untilMs, present, complete }: Block,
  found: Required<Pick<FoundBlock, 'episodes' | 'held' | 'lacks' | 'cut' | 'partly'>>,
): FoundBlock => ({
  ...found,
  judged: true,
  untilMs: Math.min(untilMs, startMs + BLOCK_MS),
  stale: present.recent.stale,
  final: complete && !found.lacks && !found.cut,
});

/** Finds what is in a block, once for everyone who asks in a minute. `depth`: from 0 down only what goes on in the next one. */
function createSearch({ statistics, blocks }: Pick<EpisodeLogDeps, 'statistics' | 'blocks'>): FindBlock {
  /** The unsettled block is searched again every minute, once for everyone who asks in it. */
  const current = new LRUCache<string, Promise<FoundBlock>>({ max: MAX_CACHED });
  /** Blocks that are over, searched only for what goes on in the next one. They aren't stored: they lack the rest. */
  const over = new LRUCache<string, FoundBlock>({ max: MAX_CACHED });
  const orLastFound = orLast<FoundBlock>(MAX_CACHED);

  async function search(startMs: number, query: BlockQuery, depth: number): Promise<FoundBlock> {
    const key = keyOf(query.hosts, startMs);
    const stored = await blocks?.get(key).catch(ifStoreFails);
    if (stored !== undefined && stored.rule === RULE_VERSION) {
      return { ...stored, untilMs: startMs + BLOCK_MS, stale: false };
    }
    const known = depth <= 0 ? over.get(key) : undefined;
    if (known !== undefined) return known;
    const searched = await (depth > 0 ? searchBlock : searchOnward)({ statistics, startMs, query, depth, found });
    if (searched.final === true && depth <= 0) over.set(key, searched);
    else if (searched.final === true) {
      const settled = { rule: RULE_VERSION, judged: true, episodes: searched.episodes, held: searched.held };
      await blocks?.set(key, settled, STORED_FOR_MS).catch(ifStoreFails);
    }
    return searched;
  }

  async function found(startMs: number, query: BlockQuery, depth = MAX_DEPTH): Promise<FoundBlock> {
    const minute = Math.floor(query.nowMs / MINUTE_MS);
    const kind = Math.max(0, depth);
    const { fromMs, toMs } = wholeHours(query.window, startMs);
    const hours = kind === 0 ? '' : `${fromMs}-${toMs}`;
    const key = `${keyOf(query.hosts, startMs)} ${minute} ${kind} ${query.freshOnly === true} ${hours}`;
    const shared = current.get(key);
    if (shared !== undefined) return shared;
    const searched = search(startMs, query, depth);
    current.set(key, searched);
    searched.catch(() => current.delete(key));
    const known = await orLastFound(searched, `${keyOf(query.hosts, startMs)} ${kind}`, query);
    // What was found last may have been asked about other hours.
    const covers = known.hours === undefined || (known.hours.fromMs <= fromMs && known.hours.toMs >= toMs);
    return kind === 0 || covers ? known : { ...known, lacks: true };
  }

  return found;
}

export function createEpisodeLog({ statistics, blocks, nowMs, zone }: EpisodeLogDeps) {
  const found = createSearch({ statistics, blocks });
  const orLastNumbers = orLast<Timeline>(MAX_NUMBERS);
  const numbersOf = (startMs: number, query: NumbersQuery): Promise<Timeline> =>
    orLastNumbers(blockNumbers(statistics, startMs, query), keyOf(query.hosts, startMs), query);

  return {
    /** `isExact`: by the minute, and not rates. */
    numbers: (query: EpisodeQuery) => numbersIn(numbersOf, query, nowMs()),
    /** The weeks that the searches learn from; `null` for what the service doesn't give. */
    weeksBefore: (ms: number, hosts: readonly string[]) => weeksOfNumbers(statistics, ms, { nowMs: nowMs(), hosts }),
    /** `null` if the window is too long to be searched. Rejects if the service doesn't answer. */
    async within({ fromMs, toMs, ...whose }: EpisodeQuery): Promise<EpisodeList | null> {
      if (toMs - fromMs > MAX_SEARCHED_MS) return null;
      const query = { ...whose, nowMs: nowMs(), zone, window: { fromMs, toMs } };
      const starts = startsOf(fromMs, Math.min(toMs, query.nowMs));
      let startMs = starts.at(-1) ?? query.nowMs;
      // Of a block that has just begun, the one before knows better which categories go on.
      const hasJustBegun = starts.length === 1 && query.nowMs - startMs < HOUR_MS;
      const [earlier, ...own] = await Promise.all([
        hasJustBegun ? nullIfUnavailable(found(startMs - BLOCK_MS, upToIts(query, startMs))) : NOTHING,
        ...starts.map((each) => found(each, asWhole(query, each))),
      ]);
      const later = [...own];
      // What goes on after the window is followed to its end.
      while ((later.at(-1) ?? earlier)?.episodes.some((each) => reachesInto(each, startMs + BLOCK_MS))) {
        startMs += BLOCK_MS;
        if (startMs >= query.nowMs) break;
        const window = { fromMs, toMs: Math.max(toMs, startMs + HOUR_MS) };
        later.push(await found(startMs, asWhole({ ...query, window }, startMs)));
      }
      return listOf({ earlier, own, later }, fromMs, toMs);
    },
  };
}

const NOTHING: FoundBlock = { judged: true, episodes: [], held: [], untilMs: 0, stale: false };

/** Whether it goes on in a block, or may: then that block knows more of it. */
const reachesInto = ({ endMs }: EpisodeRecord, startMs: number): boolean =>
  endMs === null || endMs + RISE.pauseMs > startMs;

interface SearchedBlocks {
  /** `null` if it can't be had. */
  readonly earlier: FoundBlock | null;
  /** The window's. */
  readonly own: readonly FoundBlock[];
  /** These, and those into which its episodes go on. */
  readonly later: readonly FoundBlock[];
}

function listOf({ earlier, own, later }: SearchedBlocks, fromMs: number, toMs: number): EpisodeList {
  const blocks = [...(earlier === null ? [] : [earlier]), ...later];
  const searched = blocks.flatMap(({ episodes }, at) => episodes.map((episode) => closedBy(blocks[at + 1], episode)));
  // The last block that an episode reaches knows its end.
  const byId = new Map(searched.map((episode) => [episode.id, episode] as const));
  const all = [...byId.values()].toSorted((a, b) => a.onsetMs - b.onsetMs);
  return {
    episodes: all.filter((episode) => overlaps(episode, fromMs, toMs)),
    held: [...own.flatMap((block) => block.held), ...heldTimes(all)].toSorted((a, b) => a.fromMs - b.fromMs),
    judged: own.length > 0 && own.every(({ judged }) => judged),
    untilMs: Math.min(toMs, own.at(-1)?.untilMs ?? fromMs),
    stale: later.some(({ stale }) => stale),
    lacksCategories: later.at(-1)?.lacks === true || earlier === null || earlier.lacks === true || earlier.stale,
  };
}

/** Nothing stays ongoing that the next block knows nothing of. */
function closedBy(next: FoundBlock | undefined, episode: EpisodeRecord): EpisodeRecord {
  const { id, endMs, mix, figures } = episode;
  if (endMs !== null || mix !== undefined || next === undefined || next.untilMs - figures.untilMs < RISE.pauseMs) {
    return episode;
  }
  return next.episodes.some((each) => each.id === id) ? episode : { ...episode, endMs: figures.untilMs };
}

/** What was known last, while the service doesn't answer: the current block ends at another minute each time. */
function orLast<T extends { readonly stale: boolean }>(max: number) {
  const last = new LRUCache<string, T>({ max });
  return async (asked: Promise<T>, key: string, { freshOnly }: Pick<BlockQuery, 'freshOnly'>): Promise<T> => {
    try {
      const answer = await asked;
      if (!answer.stale) last.set(key, answer);
      return answer;
    } catch (error) {
      const known = freshOnly === true || !(error instanceof BotError) ? undefined : last.get(key);
      if (known === undefined) throw error;
      return { ...known, stale: true };
    }
  };
}

function startsOf(fromMs: number, toMs: number): number[] {
  const starts: number[] = [];
  for (let startMs = blockStart(fromMs); startMs < toMs; startMs += BLOCK_MS) starts.push(startMs);
  return starts;
}

/** The numbers of a window, from those of the blocks, which the search needs anyway. */
async function numbersIn(
  numbersOf: (startMs: number, query: NumbersQuery) => Promise<Timeline>,
  { fromMs, toMs, ...whose }: EpisodeQuery,
  nowMs: number,
): Promise<{ readonly numbers: Timeline; readonly isExact: boolean } | null> {
  const starts = startsOf(fromMs, Math.min(toMs, nowMs));
  const parts = await Promise.all(starts.map((startMs) => numbersOf(startMs, { ...whose, nowMs })));
  if (parts.length === 0) return null;
  const isExact = parts.every(({ intervalMs, limits = [] }) => intervalMs === MINUTE_MS && limits.length === 0);
  return { numbers: until(since(joined(parts, toMs), fromMs), toMs), isExact };
}

/** An answer doesn't depend on the store: what it can't give is found again. */
function ifStoreFails(error: unknown): undefined {
  if (!(error instanceof BotError)) throw error;
}

const keyOf = (hosts: readonly string[], startMs: number): string => `${hosts.toSorted().join()}:${startMs}`;

interface AskedEpisodes {
  readonly range: Range;
  readonly hosts: readonly { readonly id: string }[];
  readonly deps: { readonly episodes: Pick<EpisodeLog, 'within'> };
}

/** Those of a question's window; `null` if they're unknown: the window is too long, or the service doesn't answer now. */
export async function episodesIn({ range, hosts, deps }: AskedEpisodes): Promise<readonly EpisodeRecord[] | null> {
  const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
  const list = await nullIfUnavailable(deps.episodes.within({ fromMs, toMs, hosts: hosts.map(({ id }) => id) }));
  return list === null || list.stale ? null : list.episodes;
}

/** A smaller share of the attacks before is a fall that needs an explanation. */
const FALLEN = 0.8;

/** What was going on in the time that an answer compares with, if attacks fell since; without what goes on in both. */
export async function episodesBefore(
  asked: AskedEpisodes,
  totals: { readonly now: number | null; readonly before: number | null } | null,
  found: readonly EpisodeRecord[],
): Promise<readonly EpisodeRecord[]> {
  const { now = null, before = null } = totals ?? {};
  if (now === null || before === null || now >= FALLEN * before) return [];
  const episodes = (await episodesIn(asked)) ?? [];
  return episodes.filter(({ id }) => found.every((episode) => episode.id !== id));
}

type Ranked = EpisodeSpan & Pick<EpisodeRecord, 'strength' | 'mix' | 'ignored'>;

/** Ongoing first, then the strongest; ignored ones last. */
export function rankEpisodes<E extends Ranked>(episodes: readonly E[]): E[] {
  return episodes.toSorted(
    (a, b) =>
      Number(a.ignored === true) - Number(b.ignored === true) ||
      Number(b.endMs === null) - Number(a.endMs === null) ||
      b.strength - a.strength ||
      b.onsetMs - a.onsetMs,
  );
}

/**
 * Named, but no answer leads with it: what people ignore, and a rise or drop that is over and wasn't enough for a watch at normal, as
 * days have one now and then.
 */
export const isMinor = ({ endMs, strength, mix, ignored }: Ranked): boolean =>
  ignored === true || (endMs !== null && mix === undefined && strength < BARS.normal);

/** The one that an answer leads with. */
export const leadOf = <E extends Ranked>(episodes: readonly E[]): E | undefined =>
  rankEpisodes(episodes).find((episode) => !isMinor(episode));
