/**
 * The way of every question to the service, whoever asks: shared while it is pending, in this process and between
 * replicas; answered from the cache where that is good enough; and answered with an earlier answer, marked as stale,
 * when the service is down.
 */
import { createHash } from 'node:crypto';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { QueryWindow } from '../wire/query-window.ts';
import type { BestEffortCache } from './best-effort-cache.ts';
import { createSingleFlight, type ReplicaSharing } from './request-sharing.ts';
import {
  type AnswerCodec,
  type DatedAnswer,
  isFresh,
  isSettled,
  readAnswer,
  SETTLE_MS,
  writeAnswer,
} from './stored-answer.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SETTLED_TTL_MS = 7 * 24 * HOUR_MS;
/** How old an answer may be to replace one that the service does not give. */
const STALE_TTL_MS = 6 * HOUR_MS;
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
  /** Settles when the incremental cache has stored it. */
  readonly stored: Promise<void>;
}

/** Answers windows from earlier ones that overlap; see `timeline-cache.ts`. */
export interface IncrementalCache<T> {
  /** What windows have in common that can use each other's answers; `null` for a window that cannot. */
  groupOf(window: QueryWindow): string | null;
  find(window: QueryWindow): Promise<DatedAnswer<T> | undefined>;
  fetch(window: QueryWindow, signal: AbortSignal): Promise<FetchedAnswer<T>>;
  /** The last answer for a window of this length that ended at the time it was asked for. */
  latest(window: QueryWindow): Promise<DatedAnswer<T> | undefined>;
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
  /** A part of a longer range, for which only this very window will do. */
  readonly exactly: boolean;
  /** Of the incremental cache; `null` where it is of no use. */
  readonly group: string | null;
  /** What is being stored because of it. */
  readonly writes: Promise<void>[];
}

/** Short however many hosts there are. */
export function hostsKey(hosts: readonly string[]): string {
  return hosts.length === 0 ? 'all' : createHash('sha256').update(JSON.stringify(hosts)).digest('hex');
}

export function createAnswerCache<T>(options: AnswerCacheOptions<T>) {
  const { cache, replicas, now, log, scope, codec, incremental } = options;
  const flights = createSingleFlight<CachedAnswer<T>>();
  const turns = new Map<string, Promise<void>>();

  const suffix = ({ hosts, offset }: QueryWindow) => `${scope}:${offset}:${hostsKey(hosts)}`;
  const keyOf = (window: QueryWindow) => `answer:${window.fromMs}-${window.toMs}:${suffix(window)}`;
  /** Where the last answer of a moving window is found: the last 24 hours by length, today by its start. */
  const latestKeys = (window: QueryWindow) => [
    `last:${window.toMs - window.fromMs}:${suffix(window)}`,
    `since:${window.fromMs}:${suffix(window)}`,
  ];

  /** The best stored answer for this very window, fresh or not. */
  async function lookUp({ window, group }: PendingQuestion): Promise<DatedAnswer<T> | undefined> {
    const exact = readAnswer(await cache.get(keyOf(window)), codec);
    if (group === null || (exact !== undefined && isFresh(exact, now()))) return exact;
    return (await incremental?.find(window)) ?? exact;
  }

  async function lookUpFresh(question: PendingQuestion): Promise<DatedAnswer<T> | undefined> {
    const answer = await lookUp(question);
    return answer !== undefined && isFresh(answer, now()) ? answer : undefined;
  }

  async function fetch({ window, group }: PendingQuestion, signal: AbortSignal): Promise<FetchedAnswer<T>> {
    if (group !== null && incremental !== undefined) return incremental.fetch(window, signal);
    const asOfMs = now();
    const value = await options.fetch(window, signal);
    return { fromMs: window.fromMs, toMs: window.toMs, asOfMs, value, extended: false, stored: Promise.resolve() };
  }

  async function store({ window }: PendingQuestion, answer: FetchedAnswer<T>): Promise<void> {
    const key = keyOf(window);
    const text = writeAnswer(answer, codec);
    const moving = !isSettled(answer) && !answer.extended;
    const ttlMs = isSettled(answer) ? SETTLED_TTL_MS : answer.extended ? FRESH_TTL_MS : STALE_TTL_MS;
    const latest = moving ? latestKeys(window).map((latestKey) => cache.set(latestKey, key, STALE_TTL_MS)) : [];
    await Promise.all([answer.stored, cache.set(key, text, ttlMs), ...latest]);
  }

  async function findEarlier({ window, group }: PendingQuestion): Promise<DatedAnswer<T> | undefined> {
    if (window.toMs <= now() - SETTLE_MS) return undefined;
    const candidates = [async () => (group === null ? undefined : incremental?.latest(window))];
    for (const latestKey of latestKeys(window)) {
      candidates.push(async () => {
        const key = await cache.get(latestKey);
        return typeof key === 'string' ? readAnswer(await cache.get(key), codec) : undefined;
      });
    }
    for (const candidate of candidates) {
      const answer = await candidate();
      if (answer !== undefined && now() - answer.asOfMs <= STALE_TTL_MS) return answer;
    }
    return undefined;
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
      const earlier = known ?? (question.exactly ? undefined : await findEarlier(question));
      if (earlier === undefined) throw error;
      log.warn({ ...error.detail, code: error.code, ageMs: now() - earlier.asOfMs }, 'showing a cached answer');
      return { ...earlier, stale: true, failure: error };
    }
  }

  /** One after another within a group: the next one can use what this one was answered, once that is stored. */
  function inTurn(group: string, writes: readonly Promise<void>[], work: () => Promise<CachedAnswer<T>>) {
    const result = (turns.get(group) ?? Promise.resolve()).then(work);
    const turn = Promise.allSettled([result]).then(async () => {
      await Promise.allSettled(writes);
      if (turns.get(group) === turn) turns.delete(group);
    });
    turns.set(group, turn);
    return result;
  }

  return {
    /** With `exactly`, only an answer for this very window will do, never an earlier one of the same length. */
    get(window: QueryWindow, exactly: boolean, signal?: AbortSignal): Promise<CachedAnswer<T>> {
      const group = exactly ? null : (incremental?.groupOf(window) ?? null);
      const run = (abort: AbortSignal) => {
        const question: PendingQuestion = { window, exactly, group, writes: [] };
        const work = () => answer(question, abort);
        return group === null ? work() : inTurn(group, question.writes, work);
      };
      return flights.run(`${keyOf(window)}${exactly ? ' exactly' : ''}`, run, signal);
    },
    abortAll: flights.abortAll,
  };
}
