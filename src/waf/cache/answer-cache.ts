/**
 * The way of every question to the service, whoever asks: shared while it is pending, in this process and between
 * replicas; answered from the cache where that is good enough; and answered with an earlier answer for the very same
 * window, marked as stale, when the service is down. The numbers of another window never stand in for those asked for.
 */

import { createHash } from 'node:crypto';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { QueryWindow } from '../wire/query-window.ts';
import type { BestEffortCache } from './best-effort-cache.ts';
import { createSingleFlight, type ReplicaSharing } from './request-sharing.ts';
import { type AnswerCodec, type DatedAnswer, isFresh, isSettled, readAnswer, writeAnswer } from './stored-answer.ts';

const QUARTER_MS = 15 * MINUTE_MS;
/** Final numbers of a window that people name again, such as yesterday. */
const NAMED_TTL_MS = 7 * 24 * HOUR_MS;
/**
 * All others: windows that move on with every minute, which are soon asked for no more and must not fill the store, and
 * numbers that may still grow. It is also how old an answer may be to replace one that the service does not give.
 */
const PASSING_TTL_MS = HOUR_MS;
/** For what the incremental cache has anyway. */
const FRESH_TTL_MS = 2 * MINUTE_MS;

const DOWN: readonly string[] = ['upstream_timeout', 'upstream_unavailable', 'upstream_rate_limited'];

export interface CachedAnswer<T> extends DatedAnswer<T> {
  readonly stale: boolean;
  /** Why a stale answer was given; askers that want none throw it. */
  readonly failure?: BotError;
}

export interface FetchedAnswer<T> extends DatedAnswer<T> {
  /** An earlier answer was extended, and the incremental cache can give the result again. */
  readonly extended: boolean;
  /** Settles when the incremental cache has stored what it needs of it; `null` where that is nothing. */
  readonly stored: Promise<unknown> | null;
}

/** Answers windows from earlier ones that overlap; see `timeline-cache.ts`. */
export interface IncrementalCache<T> {
  /** What windows have in common that can use each other's answers; `null` for a window that cannot. */
  groupOf(window: QueryWindow): string | null;
  find(group: string, window: QueryWindow): Promise<DatedAnswer<T> | undefined>;
  /** `key`: where the answer will be stored if nothing was extended. */
  fetch(group: string, window: QueryWindow, key: string, signal: AbortSignal): Promise<FetchedAnswer<T>>;
}

export interface AnswerCacheOptions<T> {
  readonly cache: BestEffortCache;
  readonly replicas: ReplicaSharing;
  readonly now: () => number;
  readonly log: Logger;
  /** The query, with the service and the project; part of every key. */
  readonly scope: string;
  readonly codec: AnswerCodec<T>;
  /** Asks the service. */
  readonly fetch: (window: QueryWindow, signal: AbortSignal) => Promise<T>;
  readonly incremental?: IncrementalCache<T>;
}

interface PendingQuestion {
  readonly window: QueryWindow;
  /** Of the incremental cache; `null` where it is of no use. */
  readonly group: string | null;
  /** What is being stored because of it. */
  readonly writes: Promise<void>[];
}

interface Turn {
  readonly window: QueryWindow;
  readonly waits: boolean;
  /** When its answer is stored, or it has failed. */
  readonly over: Promise<void>;
}

const beginsIn = ({ fromMs }: QueryWindow, other: QueryWindow): boolean =>
  fromMs >= other.fromMs && fromMs < other.toMs;

/** Short however many hosts there are. */
export function hostsKey(hosts: readonly string[]): string {
  return hosts.length === 0 ? 'all' : createHash('sha256').update(JSON.stringify(hosts)).digest('hex');
}

export function createAnswerCache<T>(options: AnswerCacheOptions<T>) {
  const { cache, replicas, now, log, scope, codec, incremental } = options;
  const flights = createSingleFlight<CachedAnswer<T>>();
  const turns = new Map<string, Set<Turn>>();

  const suffix = ({ hosts, offset }: QueryWindow) => `${scope}:${offset}:${hostsKey(hosts)}`;
  const keyOf = (window: QueryWindow) => `answer:${window.fromMs}-${window.toMs}:${suffix(window)}`;

  /** The best stored answer for this very window, fresh or not. */
  async function lookUp({ window, group }: PendingQuestion): Promise<DatedAnswer<T> | undefined> {
    const exact = readAnswer(await cache.get(keyOf(window)), codec);
    if (group === null || (exact !== undefined && isFresh(exact, now()))) return exact;
    return (await incremental?.find(group, window)) ?? exact;
  }

  async function lookUpFresh(question: PendingQuestion): Promise<DatedAnswer<T> | undefined> {
    const answer = await lookUp(question);
    return answer !== undefined && isFresh(answer, now()) ? answer : undefined;
  }

  async function fetch({ window, group }: PendingQuestion, signal: AbortSignal): Promise<FetchedAnswer<T>> {
    if (group !== null && incremental !== undefined) return incremental.fetch(group, window, keyOf(window), signal);
    const asOfMs = now();
    const value = await options.fetch(window, signal);
    return { fromMs: window.fromMs, toMs: window.toMs, asOfMs, value, extended: false, stored: null };
  }

  async function store({ window }: PendingQuestion, answer: FetchedAnswer<T>): Promise<void> {
    const key = keyOf(window);
    const named = isSettled(answer) && isOnQuarters(window);
    const ttlMs = named ? NAMED_TTL_MS : answer.extended ? FRESH_TTL_MS : PASSING_TTL_MS;
    await Promise.all([answer.stored, cache.setText(key, () => writeAnswer(answer, codec), ttlMs)]);
  }

  async function answer(question: PendingQuestion, signal: AbortSignal): Promise<CachedAnswer<T>> {
    signal.throwIfAborted();
    const { window } = question;
    const known = await lookUp(question);
    if (known !== undefined && isFresh(known, now())) return { ...known, stale: false };
    try {
      const found = await replicas.once<DatedAnswer<T>>(
        keyOf(window),
        () => lookUpFresh(question),
        async () => {
          const fetched = await fetch(question, signal);
          const stored = store(question, fetched);
          question.writes.push(stored);
          return { answer: fetched, stored };
        },
        signal,
      );
      return { fromMs: found.fromMs, toMs: found.toMs, asOfMs: found.asOfMs, value: found.value, stale: false };
    } catch (error) {
      if (!(error instanceof BotError && DOWN.includes(error.code)) || signal.aborted) throw error;
      const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now() - known.asOfMs;
      if (known === undefined || ageMs > PASSING_TTL_MS) throw error;
      log.warn({ ...error.detail, code: error.code, ageMs }, 'showing a cached answer');
      return { ...known, stale: true, failure: error };
    }
  }

  /**
   * After one of its group that is under way and whose answer, once it is stored, this one can go on from. Not after one
   * that waits itself: a crowd that asks for windows a minute apart would be answered one by one.
   */
  function inTurn(group: string, { window, writes }: PendingQuestion, work: () => Promise<CachedAnswer<T>>) {
    const others = turns.get(group) ?? new Set();
    turns.set(group, others);
    const earlier = others.values().find((turn) => !turn.waits && beginsIn(window, turn.window));
    const result = earlier === undefined ? work() : earlier.over.then(work);
    const over = Promise.allSettled([result]).then(async () => {
      await Promise.allSettled(writes);
      others.delete(turn);
      if (others.size === 0 && turns.get(group) === others) turns.delete(group);
    });
    const turn: Turn = { window, waits: earlier !== undefined, over };
    others.add(turn);
    return result;
  }

  return {
    /** Not `alone`: a part of a longer range, which the incremental cache would ask for in parts again. */
    get(window: QueryWindow, alone: boolean, signal?: AbortSignal): Promise<CachedAnswer<T>> {
      const group = alone ? (incremental?.groupOf(window) ?? null) : null;
      const run = (abort: AbortSignal) => {
        const question: PendingQuestion = { window, group, writes: [] };
        const work = () => answer(question, abort);
        return group === null ? work() : inTurn(group, question, work);
      };
      return flights.run(keyOf(window), run, signal);
    },
    abortAll: flights.abortAll,
  };
}

/** Whether the edges are times that people name: whole hours, in zones with a half or a quarter of an hour too. */
function isOnQuarters({ fromMs, toMs }: QueryWindow): boolean {
  return fromMs % QUARTER_MS === 0 && toMs % QUARTER_MS === 0;
}
