/**
 * The path of every question to the service: shared while it is pending, in this process and between replicas; answered
 * from the cache where that is good enough; and answered with an earlier answer for the same window, marked as stale, when
 * the service is down. The numbers of another window never stand in for those requested.
 *
 * Timelines of up to a day are cut from those of whole days in UTC: whoever asks about a part of a day shares one answer, a
 * day that is over is requested once, and of the current one only the end is requested again. The result is what the service
 * would have answered for the window itself.
 *
 * Replicas and restarts share a Keyv that may fail, and a lock for each question, so that equal questions at the same time make
 * one call. A replica without the lock waits for the answer of the one that holds it. The cache only saves calls and never holds
 * the only copy of anything: a store that is down, or an entry that can't be read, is logged and counts as a miss.
 */
import { hash } from 'node:crypto';
import type { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { BotError, type BotErrorCode } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServiceObserver } from '../observability/observers.ts';
import type { AttackActions, AttackEvents, ServerResponses } from '../statistics/attack-details.ts';
import type { NamedSources } from '../statistics/attack-sources.ts';
import { type AnswerLimit, type Gap, LATE_LOGGING_MS, SETTLE_MS } from '../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { parseJson } from '../untrusted-input.ts';
import type { Breakdown } from './dialects/dialect.ts';
import type { PointSeries, QueryWindow, WindowEdges } from './wire/exchange.ts';

/** The service's answer for a window, and when it was requested. */
export interface DatedAnswer<T> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
  readonly value: T;
}

/** Whether the numbers were final when they were requested. */
export function isSettled({ toMs, asOfMs }: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>): boolean {
  return toMs <= asOfMs - SETTLE_MS;
}

/** Whether asking again is pointless: the numbers are final, or under a minute old and new ones wouldn't be final. */
function isFresh({ toMs, asOfMs }: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>, nowMs: number): boolean {
  if (isSettled({ toMs, asOfMs })) return true;
  return Math.abs(nowMs - asOfMs) < MINUTE_MS && !isSettled({ toMs, asOfMs: nowMs });
}

/** If the clock is set back during the request, the answer doesn't count as later than it was. */
async function datedBy<T>(now: () => number, answer: () => Promise<T>): Promise<{ asOfMs: number; value: T }> {
  const beforeMs = now();
  const value = await answer();
  return { asOfMs: Math.min(beforeMs, now()), value };
}

/** Drops an answer from the future: the clock was wrong, so it isn't known which numbers were final. */
async function readDated<T>(
  { cache, now }: Pick<AnswerCacheOptions<T>, 'cache' | 'now'>,
  key: string,
  schema: z.ZodType<DatedAnswer<T>>,
): Promise<DatedAnswer<T> | undefined> {
  const answer = await cache.get(key, schema);
  return answer === undefined || answer.asOfMs - now() >= MINUTE_MS ? undefined : answer;
}

/** Earlier versions stored a text, `<from> <to> <as of> <value as JSON>`, with shorter forms of the values. */
const EARLIER_ANSWER = /^(\d+) (\d+) (\d+) (.*)$/s;

function fromEarlierAnswer(stored: unknown): unknown {
  const match = typeof stored === 'string' ? EARLIER_ANSWER.exec(stored) : null;
  if (match === null) return stored;
  const [, fromMs, toMs, asOfMs, value = ''] = match;
  return { fromMs: Number(fromMs), toMs: Number(toMs), asOfMs: Number(asOfMs), value: parseJson(value) };
}

/** Wraps a schema so that it also reads a value that an earlier version stored as a list. */
const orEarlier = <T>(schema: z.ZodType<T>, convert: (list: readonly unknown[]) => unknown): z.ZodType<T> =>
  z.preprocess((stored) => (Array.isArray(stored) ? convert(stored) : stored), schema);

const answerSchema = <T>(value: z.ZodType<T>): z.ZodType<DatedAnswer<T>> =>
  z.preprocess(fromEarlierAnswer, z.object({ fromMs: z.number(), toMs: z.number(), asOfMs: z.number(), value }));

const limitSchema = z.enum(['largest', 'groups', 'steps', 'rates'] satisfies AnswerLimit[]);
const gapSchema = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  reason: z.enum(['retention', 'steps'] satisfies Gap['reason'][]),
});
/** Numbers the bot stored itself: checking each of them costs more than drawing the chart does. */
const columnSchema = z.custom<readonly (number | null)[]>(Array.isArray);

/** If there was no gap, only the first end was stored. */
function fromEarlierSeries([intervalMs, ends, requests, attacks, limits]: readonly unknown[]): unknown {
  const isRegular = typeof ends === 'number' && typeof intervalMs === 'number' && Array.isArray(requests);
  return {
    intervalMs,
    ends: isRegular ? requests.map((_, index) => ends + index * intervalMs) : ends,
    requests,
    attacks,
    limits,
  };
}

export const seriesSchema: z.ZodType<PointSeries> = orEarlier(
  z
    .object({
      intervalMs: z.number(),
      ends: z.custom<readonly number[]>(Array.isArray),
      requests: columnSchema,
      attacks: columnSchema,
      limits: z.array(limitSchema).optional(),
      gaps: z.array(gapSchema).optional(),
      totals: z.object({ requests: z.number().nullable(), attacks: z.number().nullable() }).optional(),
    })
    .refine(({ ends, requests, attacks }) => ends.length === requests.length && ends.length === attacks.length),
  fromEarlierSeries,
);

export const breakdownSchema: z.ZodType<Breakdown> = orEarlier(
  z.object({
    counts: z.array(z.object({ category: z.string(), count: z.number() })),
    limits: z.array(limitSchema),
    unknown: z.array(z.string()).optional(),
    toMs: z.number().optional(),
  }),
  (counts) => ({ counts, limits: [] }),
);

const sourceSchema = z.object({ key: z.string(), count: z.number(), addresses: z.number().optional() });
const sourceListSchema = z.array(sourceSchema).nullable();

export const sourcesSchema: z.ZodType<NamedSources> = orEarlier(
  z.object({
    addresses: sourceListSchema,
    paths: sourceListSchema,
    hosts: sourceListSchema,
    countries: sourceListSchema,
  }),
  ([addresses, paths, hosts, countries]) => ({ addresses, paths, hosts, countries }),
);

export const actionsSchema: z.ZodType<AttackActions> = z.object({
  blocked: z.number(),
  logged: z.number(),
  other: z.number(),
});

export const responsesSchema: z.ZodType<ServerResponses> = z.object({
  codes: z.array(z.object({ code: z.string(), count: z.number(), path: z.string().nullable() })),
});

const wordSchema = z.string().nullable();

export const eventsSchema: z.ZodType<AttackEvents> = z.object({
  total: z.number(),
  events: z.array(
    z.object({
      atMs: z.number(),
      host: wordSchema,
      path: wordSchema,
      category: wordSchema,
      rule: wordSchema,
      action: z.enum(['blocked', 'logged', 'other']).nullable(),
      address: wordSchema,
    }),
  ),
});

const QUARTER_HOUR_MS = 15 * MINUTE_MS;
/** Final numbers of a window that people name again, such as yesterday. */
const NAMED_TTL_MS = 7 * DAY_MS;
/**
 * Windows that move on with every minute, which must not fill the store, and numbers that may still grow. Also the maximum
 * age of an answer that replaces one from a service that is down.
 */
const PASSING_TTL_MS = HOUR_MS;
/** Pieces of a half day, until nothing in it can change any more. */
const PIECE_MS = 5 * MINUTE_MS;
const PIECE_TTL_MS = DAY_MS;

const DOWN: readonly string[] = ['upstream_timeout', 'upstream_unavailable', 'upstream_rate_limited'];

export interface CachedAnswer<T> extends DatedAnswer<T> {
  readonly stale: boolean;
  /** Why the answer is stale; callers that need a fresh one throw it. */
  readonly failure?: BotError;
}

/** Answers windows from earlier ones that they continue; see `createTimelineCache`. */
export interface IncrementalCache<T> {
  /** Windows of one group can use each other's answers; `null` for a window that can't. */
  groupOf(window: QueryWindow): string | null;
  /** The latest answer for the window, fresh or not. */
  find(group: string, window: QueryWindow): Promise<DatedAnswer<T> | undefined>;
  /** `stored`: `find` gives the same answer again. */
  fetch(
    group: string,
    window: QueryWindow,
    signal: AbortSignal,
  ): Promise<{ readonly answer: DatedAnswer<T>; readonly stored: boolean }>;
}

export interface AnswerCacheOptions<T> {
  readonly cache: BestEffortCache;
  readonly replicas: ReplicaSharing;
  readonly now: () => number;
  readonly log: Logger;
  readonly observer?: ServiceObserver | undefined;
  /** The query, with the service and the project; part of every key. */
  readonly scope: string;
  readonly schema: z.ZodType<T>;
  readonly fetch: (window: QueryWindow, signal: AbortSignal) => Promise<T>;
  readonly incremental?: IncrementalCache<T> | undefined;
}

/** Short however many hosts there are. */
function hostsKey(hosts: readonly string[]): string {
  return hosts.length === 0 ? 'all' : hash('sha256', JSON.stringify(hosts));
}

export type AnswerCache<T> = ReturnType<typeof createAnswerCache<T>>;

export function createAnswerCache<T>(options: AnswerCacheOptions<T>) {
  const { cache, replicas, now, log, observer, scope, incremental } = options;
  const schema = answerSchema(options.schema);
  const flights = createSingleFlight<CachedAnswer<T>>();
  const inTurn = createTurns();

  const keyOf = ({ fromMs, toMs, offset, hosts }: QueryWindow) =>
    `answer:${fromMs}-${toMs}:${scope}:${offset}:${hostsKey(hosts)}`;

  /** The best stored answer for this very window, fresh or not. */
  async function lookUp(window: QueryWindow, group: string | null): Promise<DatedAnswer<T> | undefined> {
    const exact = await readDated(options, keyOf(window), schema);
    if (group === null || (exact !== undefined && isFresh(exact, now()))) return exact;
    return (await incremental?.find(group, window)) ?? exact;
  }

  async function lookUpFresh(window: QueryWindow, group: string | null): Promise<DatedAnswer<T> | undefined> {
    const answer = await lookUp(window, group);
    return answer !== undefined && isFresh(answer, now()) ? answer : undefined;
  }

  async function fetchWhole(window: QueryWindow, signal: AbortSignal) {
    const { fromMs, toMs } = window;
    const dated = await datedBy(now, () => options.fetch(window, signal));
    return { answer: { fromMs, toMs, ...dated }, stored: false };
  }

  async function fetchAndStore(window: QueryWindow, group: string | null, signal: AbortSignal) {
    const { answer, stored } =
      group === null || incremental === undefined
        ? await fetchWhole(window, signal)
        : await incremental.fetch(group, window, signal);
    if (!stored) await cache.set(keyOf(window), answer, ttlOf(answer));
    return answer;
  }

  async function answer(window: QueryWindow, group: string | null, signal: AbortSignal): Promise<CachedAnswer<T>> {
    signal.throwIfAborted();
    const known = await lookUp(window, group);
    if (known !== undefined && isFresh(known, now())) {
      observer?.read('cache');
      return { ...known, stale: false };
    }
    const read = () => lookUpFresh(window, group);
    try {
      const found = await replicas.once(keyOf(window), read, () => fetchAndStore(window, group, signal), signal);
      observer?.read('service');
      return { ...found, stale: false };
    } catch (error) {
      if (!(error instanceof BotError && DOWN.includes(error.code)) || signal.aborted) throw error;
      if (known === undefined || now() - known.asOfMs > PASSING_TTL_MS) throw error;
      log.warn({ ...error.detail, code: error.code, ageMs: now() - known.asOfMs }, 'showing a cached answer');
      observer?.read('stale');
      return { ...known, stale: true, failure: error };
    }
  }

  return {
    get(window: QueryWindow, signal?: AbortSignal): Promise<CachedAnswer<T>> {
      const group = incremental?.groupOf(window) ?? null;
      const run = (abort: AbortSignal) => {
        const work = () => answer(window, group, abort);
        return group === null ? work() : inTurn(group, window, work);
      };
      return flights.run(keyOf(window), run, signal);
    },
    abortAll: flights.abortAll,
  };
}

function ttlOf(answer: DatedAnswer<unknown>): number {
  if (!isSettled(answer)) return PASSING_TTL_MS;
  return isOnQuarters(answer) ? NAMED_TTL_MS : isPiece(answer) ? PIECE_TTL_MS : PASSING_TTL_MS;
}

/** Five minutes of the clock, in which unusual categories are timed. */
function isPiece({ fromMs, toMs }: Pick<DatedAnswer<unknown>, 'fromMs' | 'toMs'>): boolean {
  return toMs - fromMs === PIECE_MS && fromMs % PIECE_MS === 0;
}

/** Whether the edges are times that people name: whole hours, in zones that are half or a quarter of an hour off too. */
function isOnQuarters({ fromMs, toMs }: Pick<DatedAnswer<unknown>, 'fromMs' | 'toMs'>): boolean {
  return fromMs % QUARTER_HOUR_MS === 0 && toMs % QUARTER_HOUR_MS === 0;
}

interface Turn {
  readonly window: QueryWindow;
  readonly waits: boolean;
  readonly over: Promise<unknown>;
}

/**
 * Runs a question after one of its group that is under way and whose answer it can continue. It never runs after one that
 * waits itself: many questions for windows a minute apart would be answered one by one.
 */
function createTurns() {
  const turns = new Map<string, Set<Turn>>();
  const beginsIn = ({ fromMs }: QueryWindow, other: QueryWindow) => fromMs >= other.fromMs && fromMs < other.toMs;

  return function inTurn<R>(group: string, window: QueryWindow, work: () => Promise<R>): Promise<R> {
    const others = turns.get(group) ?? new Set();
    turns.set(group, others);
    const earlier = others.values().find((turn) => !turn.waits && beginsIn(window, turn.window));
    const result = earlier === undefined ? work() : earlier.over.then(work);
    const over = Promise.allSettled([result]).then(() => {
      others.delete(turn);
      if (others.size === 0 && turns.get(group) === others) turns.delete(group);
    });
    const turn: Turn = { window, waits: earlier !== undefined, over };
    others.add(turn);
    return result;
  };
}

interface PendingRequest<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/** One pending request for each key. It is aborted when its last caller has aborted. */
function createSingleFlight<T>() {
  const pending = new Map<string, PendingRequest<T>>();

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): PendingRequest<T> {
    const abort = new AbortController();
    const request: PendingRequest<T> = { result: run(abort.signal), abort, waiting: 0 };
    pending.set(key, request);
    const settled = () => {
      if (pending.get(key) === request) pending.delete(key);
    };
    request.result.then(settled, settled);
    return request;
  }

  async function join(request: PendingRequest<T>, key: string, signal: AbortSignal | undefined): Promise<T> {
    request.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await (signal === undefined ? request.result : Promise.race([request.result, left.promise]));
    } finally {
      signal?.removeEventListener('abort', leave);
      request.waiting -= 1;
      if (request.waiting === 0 && pending.get(key) === request) {
        pending.delete(key);
        request.abort.abort();
      }
    }
  }

  return {
    async run(key: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      return join(pending.get(key) ?? start(key, run), key, signal);
    },
    abortAll(reason: Error): void {
      for (const request of pending.values()) request.abort.abort(reason);
      pending.clear();
    },
  };
}

type TimelineCacheOptions = Pick<AnswerCacheOptions<PointSeries>, 'cache' | 'scope' | 'now' | 'fetch'>;

const daySchema = answerSchema(seriesSchema);

/** A shorter window is requested as it is: its answer is small. */
const MIN_CUT_MS = 2 * HOUR_MS;
/** The service gives minutes for up to a day. */
const DAY_INTERVAL_MS = MINUTE_MS;
/** Older days may begin before the service's data does. */
const MAX_DAY_AGE_MS = 28 * DAY_MS;
/** Longer than between two runs of a watch. */
const DAY_TTL_MS = 2 * HOUR_MS;
const MAX_UNFIT = 500;

const dayStart = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Whether nothing can be added to the day, even if logging is late. */
const isOver = (startMs: number, nowMs: number): boolean => startMs + DAY_MS <= nowMs - LATE_LOGGING_MS;

export function createTimelineCache(options: TimelineCacheOptions) {
  const { scope, now } = options;
  /** Hosts for which the service doesn't report single minutes. */
  const unfit = new LRUCache<string, true>({ max: MAX_UNFIT });
  const isFit = ({ hosts }: QueryWindow): boolean => !unfit.has(hostsKey(hosts));
  const fetchDay = createDayFetch(options);

  const incremental: IncrementalCache<PointSeries> = {
    groupOf(window) {
      const { fromMs, toMs, hosts } = window;
      const isCurrent = fromMs % DAY_MS === 0 && toMs <= fromMs + DAY_MS && !isOver(fromMs, now());
      return isCurrent && isFit(window) ? `day:${fromMs}:${scope}:${hostsKey(hosts)}` : null;
    },
    async find(group, window) {
      const day = await readDated(options, group, daySchema);
      return day === undefined || window.toMs > day.toMs ? undefined : cut(day, window);
    },
    fetch: fetchDay,
  };

  return {
    incremental,
    /** The days that a window is cut from; `null` for a window that has to be requested as it is. */
    daysOf(window: QueryWindow): readonly QueryWindow[] | null {
      const { fromMs, toMs } = window;
      const lengthMs = toMs - fromMs;
      const isRecent = now() - dayStart(fromMs) <= MAX_DAY_AGE_MS;
      if (lengthMs < MIN_CUT_MS || lengthMs > DAY_MS || !isRecent || !isFit(window)) return null;
      return [...new Set([dayStart(fromMs), dayStart(toMs - 1)])].map((startMs) => {
        const endMs = startMs + DAY_MS;
        return {
          ...window,
          offset: '+00:00',
          fromMs: startMs,
          toMs: isOver(startMs, now()) ? endMs : Math.min(toMs, endMs),
        };
      });
    },
    /** The answers for a day, cut to the window; `null` if they can't be cut. */
    cutDay(window: QueryWindow, day: readonly CachedAnswer<PointSeries>[]): CachedAnswer<PointSeries>[] | null {
      if (day.every(({ value }) => isByMinute(value))) return day.map((part) => ({ ...part, ...cut(part, window) }));
      if (day.some(({ value }) => value.ends.length > 1)) unfit.set(hostsKey(window.hosts), true);
      return null;
    },
  };
}

/**
 * The current day is requested up to now, whatever part of it is needed, and later only from where the last answer
 * ended.
 */
function createDayFetch(options: TimelineCacheOptions): IncrementalCache<PointSeries>['fetch'] {
  const { cache, now, fetch } = options;
  return async (group, window, signal) => {
    const { fromMs } = window;
    const nowMinute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    const toMs = Math.min(fromMs + DAY_MS, Math.max(window.toMs, nowMinute));
    const earlier = await readDated(options, group, daySchema);
    const resumeMs = earlier === undefined ? null : resumeAt(earlier, toMs);
    const { asOfMs, value: added } = await datedBy(now, () =>
      fetch({ ...window, fromMs: resumeMs ?? fromMs, toMs }, signal),
    );
    const value = earlier === undefined || resumeMs === null ? added : extend(earlier.value, added, resumeMs);
    if (isByMinute(value)) {
      const day = { fromMs, toMs, asOfMs, value };
      await cache.set(group, day, DAY_TTL_MS);
      return { answer: cut(day, window), stored: true };
    }
    const isWhole = resumeMs === null && toMs === window.toMs;
    const exact = isWhole ? added : await fetch(window, signal);
    return { answer: { fromMs, toMs: window.toMs, asOfMs, value: exact }, stored: false };
  };
}

/** Whether every part of it can be cut out: totals, gaps and limits belong to the whole. */
function isByMinute({ intervalMs, ends: [first], totals, gaps = [], limits = [] }: PointSeries): boolean {
  const isWhole = totals !== undefined || gaps.length > 0 || limits.length > 0;
  return !isWhole && intervalMs === DAY_INTERVAL_MS && first !== undefined && first % DAY_INTERVAL_MS === 0;
}

/** The end of the last minute that can't grow anymore, even if logging is late; `null` if there is none. */
function resumeAt(day: DatedAnswer<PointSeries>, toMs: number): number | null {
  const settledMs = Math.min(day.toMs, day.asOfMs - LATE_LOGGING_MS);
  const lastMs = day.value.ends.findLast((endMs) => endMs <= settledMs);
  return lastMs === undefined || lastMs >= toMs ? null : lastMs;
}

/** The series with a later answer in place of its end. */
function extend(series: PointSeries, end: PointSeries, resumeMs: number): PointSeries {
  // The service has changed its intervals.
  if (end.ends.length > 0 && !isByMinute(end)) return end;
  const kept = series.ends.filter((endMs) => endMs <= resumeMs).length;
  const join = <V>(old: readonly V[], more: readonly V[]): V[] => [...old.slice(0, kept), ...more];
  return {
    intervalMs: series.intervalMs,
    ends: join(series.ends, end.ends),
    requests: join(series.requests, end.requests),
    attacks: join(series.attacks, end.attacks),
  };
}

function cut(day: DatedAnswer<PointSeries>, window: WindowEdges): DatedAnswer<PointSeries> {
  const [fromMs, toMs] = [Math.max(day.fromMs, window.fromMs), Math.min(day.toMs, window.toMs)];
  const { ends, requests, attacks } = day.value;
  const [first, last] = [fromMs, toMs].map((ms) => ends.findLastIndex((endMs) => endMs <= ms) + 1);
  const part = <V>(column: readonly V[]): V[] => column.slice(first, last);
  const value = { ...day.value, ends: part(ends), requests: part(requests), attacks: part(attacks) };
  return { fromMs, toMs, asOfMs: day.asOfMs, value };
}

export interface BestEffortCache {
  /** `undefined` for a miss. */
  get<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /** Resolves when the entry is stored, or the store has failed. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** Resolves when all pending writes are done. */
  flush(): Promise<void>;
}

/** Days and weeks of numbers, of at most 150 KB each. */
const MAX_PARSED = 200;

export function createBestEffortCache(keyv: Keyv, log: Logger): BestEffortCache {
  const pending = new Set<Promise<void>>();
  /** The parts of an answer, and digests due together, read the same entries; parsing them takes about 10 ms. */
  const parsed = new LRUCache<string, { readonly stored: unknown; readonly entry: unknown }>({ max: MAX_PARSED });

  function entryOf(key: string, stored: unknown): unknown {
    const known = parsed.get(key);
    if (known !== undefined && known.stored === stored) return known.entry;
    const entry = parseEntry(stored);
    parsed.set(key, { stored, entry });
    return entry;
  }

  // Only the name of the error is logged: its message may carry the address of the store.
  const logFailure = (error: unknown): undefined => {
    const reason = error instanceof Error ? error.name : typeof error;
    log.warn({ reason }, 'cache store failed, continuing without it');
  };

  async function write(key: string, value: unknown, ttlMs: number): Promise<void> {
    try {
      // Stored as one string: Keyv's serializer visits every value, and the thousands of numbers of a day took 7 ms per
      // digest.
      await keyv.set(key, JSON.stringify(value), Math.max(1, Math.round(ttlMs)));
    } catch (error) {
      logFailure(error);
    }
  }

  return {
    async get(key, schema) {
      const stored = await keyv.get<unknown>(key).catch(logFailure);
      if (stored === undefined) return undefined;
      const read = schema.safeParse(entryOf(key, stored));
      if (read.success) return read.data;
      // Usually an entry of another version of the bot.
      log.info({ kind: key.split(':')[0] }, 'ignoring an unreadable cache entry');
      return undefined;
    },
    set(key, value, ttlMs) {
      const done = write(key, value, ttlMs).finally(() => pending.delete(done));
      pending.add(done);
      return done;
    },
    async flush() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Earlier versions stored some entries in other forms, which their schemas read. */
function parseEntry(stored: unknown): unknown {
  return typeof stored === 'string' ? (parseJson(stored) ?? stored) : stored;
}

/** The locks of a store that several replicas use. */
export interface ReplicaLocks {
  acquire(key: string, owner: string, ttlMs: number): Promise<boolean>;
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  release(key: string, owner: string): Promise<boolean>;
}

interface ReplicaSharingOptions {
  readonly cache: BestEffortCache;
  /** `null` when no other process uses the store. */
  readonly locks: ReplicaLocks | null;
  readonly owner: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly log: Logger;
}

/** What is stored of a failure, to throw it again. */
export const failureSchema = z.object({
  code: z.custom<BotErrorCode>((value) => typeof value === 'string'),
  message: z.string(),
  hint: z.string().optional(),
  service: z.enum(['statistics', 'identity']).optional(),
});

const POLL_MS = 100;
/** How long a lock outlives a replica that died. It's renewed while the service is asked. */
const LOCK_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** A failure is shared briefly, so that a thousand waiting digests don't ask a struggling service one by one. */
const FAILURE_TTL_MS = 2_000;

export type ReplicaSharing = ReturnType<typeof createReplicaSharing>;

export function createReplicaSharing({ cache, locks, owner, sleep, log }: ReplicaSharingOptions) {
  const failureKey = (key: string) => `failure:${key}`;
  const lockKey = (key: string) => `ask/${key}`;
  const logFailure = (error: unknown): void =>
    log.warn(
      { reason: error instanceof Error ? error.name : typeof error },
      'lock store failed, continuing without it',
    );

  async function throwSharedFailure(key: string): Promise<void> {
    const failure = await cache.get(failureKey(key), failureSchema);
    if (failure !== undefined) throw new BotError(failure.code, failure.message, failure);
  }

  async function askAndShare<A>(key: string, ask: () => Promise<A>, signal: AbortSignal): Promise<A> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof BotError && !signal.aborted) {
        const { code, message, hint, service } = error;
        await cache.set(failureKey(key), { code, message, hint, service }, FAILURE_TTL_MS);
      }
      throw error;
    }
  }

  return {
    /** `read` finds the answer that another replica has stored; `ask` asks the service and stores the answer. */
    async once<A>(
      key: string,
      read: () => Promise<A | undefined>,
      ask: () => Promise<A>,
      signal: AbortSignal,
    ): Promise<A> {
      if (locks === null) return ask();
      for (;;) {
        signal.throwIfAborted();
        const lock = await acquire(locks, key);
        if (lock === 'unavailable') return ask();
        try {
          // Also after acquiring: another replica may have finished in the meantime.
          const answer = await read();
          if (answer !== undefined) return answer;
          await throwSharedFailure(key);
          if (lock === 'acquired') return await whileLocked(locks, key, () => askAndShare(key, ask, signal));
        } finally {
          if (lock === 'acquired') await locks.release(lockKey(key), owner).catch(logFailure);
        }
        await sleep(POLL_MS, signal);
      }
    },
  };

  async function whileLocked<A>(store: ReplicaLocks, key: string, work: () => Promise<A>): Promise<A> {
    const renew = () => void store.renew(lockKey(key), owner, LOCK_MS).catch(logFailure);
    // The store counts lifetimes in real time.
    const timer = setInterval(renew, RENEW_EVERY_MS);
    return work().finally(() => clearInterval(timer));
  }

  async function acquire(store: ReplicaLocks, key: string): Promise<'acquired' | 'taken' | 'unavailable'> {
    try {
      return (await store.acquire(lockKey(key), owner, LOCK_MS)) ? 'acquired' : 'taken';
    } catch (error) {
      logFailure(error);
      return 'unavailable';
    }
  }
}
