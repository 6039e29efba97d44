/**
 * The path of every question to the service: shared while it is pending, in this process and between replicas; answered
 * from the cache where that is good enough; and answered with an earlier answer for the same window, marked as stale, when
 * the service is down. The numbers of another window never stand in for those requested.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AttackActions, AttackEvents, ServerResponses } from '../../statistics/attack-details.ts';
import type { NamedSources } from '../../statistics/attack-sources.ts';
import { SETTLE_MS } from '../../statistics/settled.ts';
import type { AnswerLimit, Gap } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import type { Breakdown } from '../dialects/dialect.ts';
import type { PointSeries, QueryWindow } from '../wire/exchange.ts';
import type { BestEffortCache, ReplicaSharing } from './replica-cache.ts';

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

/** Whether asking again would bring nothing new: the numbers are final, or less than a minute old. */
function isFresh(answer: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>, nowMs: number): boolean {
  return isSettled(answer) || Math.abs(nowMs - answer.asOfMs) < MINUTE_MS;
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

export const answerSchema = <T>(value: z.ZodType<T>): z.ZodType<DatedAnswer<T>> =>
  z.preprocess(fromEarlierAnswer, z.object({ fromMs: z.number(), toMs: z.number(), asOfMs: z.number(), value }));

const limitSchema = z.enum(['largest', 'groups', 'steps', 'rates'] satisfies AnswerLimit[]);
const gapSchema = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  reason: z.enum(['retention', 'steps'] satisfies Gap['reason'][]),
});
/** Numbers the bot stored itself: checking each of them costs more than drawing the chart does. */
const columnSchema = z.custom<readonly (number | null)[]>(Array.isArray);

/** The first end stood for all of them if there was no gap. */
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

const DOWN: readonly string[] = ['upstream_timeout', 'upstream_unavailable', 'upstream_rate_limited'];

export interface CachedAnswer<T> extends DatedAnswer<T> {
  readonly stale: boolean;
  /** Why the answer is stale; callers that need a fresh one throw it. */
  readonly failure?: BotError;
}

/** Answers windows from earlier ones that they continue; see `timeline-cache.ts`. */
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
  /** The query, with the service and the project; part of every key. */
  readonly scope: string;
  readonly schema: z.ZodType<T>;
  readonly fetch: (window: QueryWindow, signal: AbortSignal) => Promise<T>;
  readonly incremental?: IncrementalCache<T>;
}

/** Short however many hosts there are. */
export function hostsKey(hosts: readonly string[]): string {
  return hosts.length === 0 ? 'all' : createHash('sha256').update(JSON.stringify(hosts)).digest('hex');
}

export type AnswerCache<T> = ReturnType<typeof createAnswerCache<T>>;

export function createAnswerCache<T>(options: AnswerCacheOptions<T>) {
  const { cache, replicas, now, log, scope, incremental } = options;
  const schema = answerSchema(options.schema);
  const flights = createSingleFlight<CachedAnswer<T>>();
  const inTurn = createTurns();

  const keyOf = ({ fromMs, toMs, offset, hosts }: QueryWindow) =>
    `answer:${fromMs}-${toMs}:${scope}:${offset}:${hostsKey(hosts)}`;

  /** The best stored answer for this very window, fresh or not. */
  async function lookUp(window: QueryWindow, group: string | null): Promise<DatedAnswer<T> | undefined> {
    const exact = await cache.get(keyOf(window), schema);
    if (group === null || (exact !== undefined && isFresh(exact, now()))) return exact;
    return (await incremental?.find(group, window)) ?? exact;
  }

  async function lookUpFresh(window: QueryWindow, group: string | null): Promise<DatedAnswer<T> | undefined> {
    const answer = await lookUp(window, group);
    return answer !== undefined && isFresh(answer, now()) ? answer : undefined;
  }

  async function fetchWhole(window: QueryWindow, signal: AbortSignal) {
    const { fromMs, toMs } = window;
    const asOfMs = now();
    return { answer: { fromMs, toMs, asOfMs, value: await options.fetch(window, signal) }, stored: false };
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
    if (known !== undefined && isFresh(known, now())) return { ...known, stale: false };
    const read = () => lookUpFresh(window, group);
    try {
      const found = await replicas.once(keyOf(window), read, () => fetchAndStore(window, group, signal), signal);
      return { ...found, stale: false };
    } catch (error) {
      if (!(error instanceof BotError && DOWN.includes(error.code)) || signal.aborted) throw error;
      if (known === undefined || now() - known.asOfMs > PASSING_TTL_MS) throw error;
      log.warn({ ...error.detail, code: error.code, ageMs: now() - known.asOfMs }, 'showing a cached answer');
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
  return isSettled(answer) && isOnQuarters(answer) ? NAMED_TTL_MS : PASSING_TTL_MS;
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
