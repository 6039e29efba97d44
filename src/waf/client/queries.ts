/**
 * The queries for the timeline, the distribution, the sources and the details: each is split into as many calls as it
 * needs, joined, and marked where it reaches further back than the service keeps data. That limit is learned from its
 * timelines: older data is unknown, not zero, whether the service omits it or sends zeros.
 */
import { z } from 'zod';
import { BotError, codeOf } from '../../errors.ts';
import type { DetailAnswer } from '../../statistics/attack-details.ts';
import type { AttackSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import { canonicalCategory } from '../../statistics/categories.ts';
import type { StatisticsQuery } from '../../statistics/statistics.ts';
import { type AnswerLimit, type Distribution, type Gap, SETTLE_MS, type Timeline } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import {
  type AnswerCache,
  type AnswerCacheOptions,
  actionsSchema,
  breakdownSchema,
  type CachedAnswer,
  createAnswerCache,
  createTimelineCache,
  eventsSchema,
  isSettled,
  responsesSchema,
  seriesSchema,
  sourcesSchema,
} from '../cache.ts';
import type { DetailName, Dialect } from '../dialects/dialect.ts';
import {
  joinActions,
  joinCounts,
  joinEvents,
  joinHosts,
  joinInTime,
  joinResponses,
  type PointSeries,
  type QueryWindow,
  splitHosts,
  splitTime,
  type WindowEdges,
  windowOf,
} from '../wire/exchange.ts';

type QueryKind = 'timeline' | 'distribution' | 'sources' | DetailName;

interface QueriesOptions extends Pick<AnswerCacheOptions<never>, 'cache' | 'replicas' | 'now' | 'log' | 'observer'> {
  readonly dialect: Dialect;
  readonly showAddresses: ShowAddresses;
  /** The service, the project and the dialect, as part of every key of the cache. */
  readonly scope: string;
  readonly maxRangeDays: number;
  readonly concurrency: number;
}

function createCaches(options: QueriesOptions) {
  const { dialect, cache, now, scope, showAddresses } = options;
  const cacheOf = <T>(
    kind: string,
    schema: AnswerCacheOptions<T>['schema'],
    fetch: AnswerCacheOptions<T>['fetch'],
    incremental?: AnswerCacheOptions<T>['incremental'],
  ) => createAnswerCache<T>({ ...options, scope: `${kind}:${scope}`, schema, fetch, incremental });
  const days = createTimelineCache({ cache, scope: `timeline:${scope}`, now, fetch: dialect.timeline });
  const caches = {
    timelines: cacheOf('timeline', seriesSchema, dialect.timeline, days.incremental),
    distributions: cacheOf('distribution', breakdownSchema, dialect.distribution),
    // What may be shown is part of the key: an earlier answer may show more.
    namedSources: cacheOf(`sources:${showAddresses}`, sourcesSchema, dialect.sources),
    actions: cacheOf('actions', actionsSchema, dialect.actions),
    responses: cacheOf('responses', responsesSchema, dialect.responses),
    events: cacheOf(`events:${showAddresses}`, eventsSchema, dialect.events),
  };
  return { caches, days };
}

/** One row for each part of the time, with the answers for all parts of the hosts. */
type Collect = <T>(
  window: QueryWindow,
  get: (part: QueryWindow, signal?: AbortSignal) => Promise<CachedAnswer<T>>,
  query: Pick<StatisticsQuery, 'signal' | 'freshOnly'>,
  times?: readonly QueryWindow[],
) => Promise<CachedAnswer<T>[][]>;

/** For the hosts in one URL; the gateway accepts 32 KB in total. */
const MAX_HOSTS_BYTES = 30 * 1024;

function createCollect({ maxRangeDays, concurrency }: QueriesOptions): Collect {
  return async (window, get, { signal, freshOnly = false }, times = splitTime(window, maxRangeDays * DAY_MS)) => {
    const rows = times.map((part) => splitHosts(part, MAX_HOSTS_BYTES));
    const answers = await mapBounded(rows.flat(), concurrency, (part) => get(part, signal));
    // Decided here, because callers that accept an earlier answer may share the question.
    const failure = freshOnly ? answers.find(({ stale }) => stale)?.failure : undefined;
    if (failure !== undefined) throw failure;
    let next = 0;
    return rows.map((row) => {
      next += row.length;
      return answers.slice(next - row.length, next);
    });
  };
}

type Observed = <T>(kind: QueryKind, answer: Promise<T>) => Promise<T>;

const createObserved =
  ({ observer }: QueriesOptions): Observed =>
  async (kind, answer) => {
    try {
      const found = await answer;
      observer?.query(kind, 'answered');
      return found;
    } catch (error) {
      observer?.query(kind, codeOf(error));
      throw error;
    }
  };

/** Each detail is joined from its parts. */
function createDetails(caches: ReturnType<typeof createCaches>['caches'], collect: Collect, observed: Observed) {
  const detail =
    <T>(kind: DetailName, cache: AnswerCache<T>, join: (parts: readonly T[]) => T) =>
    (query: StatisticsQuery): Promise<DetailAnswer<T>> => {
      const ask = async () => {
        const rows = await collect(windowInUtc(query), cache.get, query);
        return { ...dated(rows), ...join(rows.flat().map(({ value }) => value)) };
      };
      return observed(kind, ask());
    };
  return {
    actions: detail('actions', caches.actions, joinActions),
    responses: detail('responses', caches.responses, joinResponses),
    events: detail('events', caches.events, joinEvents),
  };
}

export type Queries = ReturnType<typeof createQueries>;
/** The queries, without `abortAll`. */
export type AskedQueries = Omit<Queries, 'abortAll'>;

export function createQueries(options: QueriesOptions) {
  const observed = createObserved(options);
  const { caches, days } = createCaches(options);
  const { timelines, distributions, namedSources } = caches;
  const collect = createCollect(options);

  const retention = createRetention({
    ...options,
    timeline: async (window) => joinRows(await collect(window, timelines.get, {})),
  });

  async function timelineRows(window: QueryWindow, query: StatisticsQuery): Promise<CachedAnswer<PointSeries>[][]> {
    const parts = days.daysOf(window);
    const rows = parts === null ? [] : await collect(window, timelines.get, query, parts);
    const cut = rows.map((row) => days.cutDay(window, row));
    return parts !== null && cut.every((row) => row !== null) ? cut : collect(window, timelines.get, query);
  }

  async function timeline(query: StatisticsQuery): Promise<Timeline> {
    const window = windowOf(query);
    const rows = await timelineRows(window, query);
    const series = joinRows(rows);
    const { intervalMs, ends, requests, attacks, totals } = series;
    const gaps = [...(await retention.ofTimeline(window, series)), ...(series.gaps ?? [])];
    const points = ends.map((endMs, index) => ({
      endMs,
      requests: requests[index] ?? null,
      attacks: attacks[index] ?? null,
    }));
    // Zeros in a gap don't count as numbers.
    const known = points.filter(({ endMs }) => !gaps.some((gap) => endMs > gap.fromMs && endMs <= gap.toMs));
    return { ...overall(rows), intervalMs, points: known, totals, gaps: gaps.length === 0 ? undefined : gaps };
  }

  async function distribution(query: StatisticsQuery): Promise<Distribution> {
    const window = windowInUtc(query);
    const rows = await collect(window, distributions.get, query);
    // Checked afterwards, because a timeline requested at the same time may have shown where data begins.
    const gaps = await retention.ofWindow(window);
    const whole = { ...overall(rows), gaps: gaps.length === 0 ? undefined : gaps };
    const parts = rows.flat().map((answer) => answer.value);
    const unknown = [...new Set(parts.flatMap((part) => part.unknown ?? []).map(canonicalCategory))];
    const counts = joinCounts(
      parts.flatMap((part) => part.counts),
      whole.limits === undefined,
      unknown,
    );
    const toMs = Math.max(whole.toMs, ...parts.flatMap((part) => part.toMs ?? []));
    return { ...whole, toMs, counts, unknownCategories: unknown.length === 0 ? undefined : unknown };
  }

  async function sources(query: StatisticsQuery): Promise<AttackSources> {
    const window = windowInUtc(query);
    // The largest sources of each part need not be the largest of the whole window.
    if (splitTime(window, options.maxRangeDays * DAY_MS).length > 1) throw tooLongForSources(options.maxRangeDays);
    const [answer] = (await collect(window, namedSources.get, query)).flat();
    if (answer === undefined) throw new Error('a window without parts');
    const { fromMs, toMs, asOfMs, stale, value } = answer;
    return {
      ...value,
      fromMs,
      toMs,
      asOfMs,
      stale,
      shown: options.showAddresses,
      hasEvents: options.dialect.offers('events'),
    };
  }

  return {
    timeline: (query: StatisticsQuery) => observed('timeline', timeline(query)),
    distribution: (query: StatisticsQuery) => observed('distribution', distribution(query)),
    sources: (query: StatisticsQuery) => observed('sources', sources(query)),
    ...createDetails(caches, collect, observed),
    abortAll(reason: Error): void {
      for (const cache of Object.values(caches)) cache.abortAll(reason);
    },
  };
}

/** For queries to which the zone makes no difference, so that all zones share one answer. */
const windowInUtc = (query: StatisticsQuery): QueryWindow => ({ ...windowOf(query), offset: '+00:00' });

/** A single part keeps its limits and intervals as they are. */
function joinRows(rows: readonly (readonly CachedAnswer<PointSeries>[])[]): PointSeries {
  const [only, ...others] = rows.flat();
  if (only !== undefined && others.length === 0) return only.value;
  const parts = rows.flat().map((answer) => answer.value);
  return {
    ...joinInTime(rows.map((row) => joinHosts(row.map((answer) => answer.value)))),
    totals: sumTotals(parts),
    gaps: parts.flatMap((part) => part.gaps ?? []),
  };
}

/** The sum of all parts; undefined unless each has totals. */
function sumTotals(parts: readonly PointSeries[]): PointSeries['totals'] {
  const totals = parts.flatMap((part) => part.totals ?? []);
  if (totals.length < parts.length) return undefined;
  const sum = (numbers: readonly (number | null)[]): number | null =>
    numbers.reduce((all, number) => (all === null || number === null ? null : all + number), 0);
  return { requests: sum(totals.map(({ requests }) => requests)), attacks: sum(totals.map(({ attacks }) => attacks)) };
}

const tooLongForSources = (maxDays: number) =>
  new BotError('limit', `I can show who attacks for at most ${maxDays} days at once.`, {
    hint: 'Ask for a shorter time range.',
  });

/** The window of the whole, the age of its oldest part, and whether any part is stale. A settled part doesn't age. */
function dated(rows: readonly (readonly CachedAnswer<unknown>[])[]) {
  const all = rows.flat();
  const growing = all.filter((answer) => answer.stale || !isSettled(answer));
  return {
    fromMs: Math.min(...all.map((answer) => answer.fromMs)),
    toMs: Math.max(...all.map((answer) => answer.toMs)),
    asOfMs:
      growing.length === 0
        ? Math.max(...all.map((answer) => answer.asOfMs))
        : Math.min(...growing.map((answer) => answer.asOfMs)),
    stale: all.some((answer) => answer.stale),
  };
}

function overall(rows: readonly (readonly CachedAnswer<{ readonly limits?: readonly AnswerLimit[] }>[])[]) {
  const whole = dated(rows);
  const limits = [...new Set(rows.flat().flatMap((answer) => answer.value.limits ?? []))];
  return { ...whole, settledUntilMs: whole.asOfMs - SETTLE_MS, limits: limits.length === 0 ? undefined : limits };
}

/** Runs the work with at most `limit` at a time; after a failure nothing more is started. */
async function mapBounded<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (failed) return;
      results[index] = await work(item);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
    return results;
  } catch (error) {
    failed = true;
    throw error;
  }
}

/** These services keep at least 30 days, so more recent windows need no check. */
const MIN_RETENTION_MS = 28 * DAY_MS;
/** A site may be quiet for a night; without a single request for this long there is no data. */
const MIN_EMPTY_MS = DAY_MS;
/** A verdict uses the five weeks before; only a window that reaches further back is worth a call. */
const MIN_ASKED_MS = 35 * DAY_MS;
const TTL_MS = DAY_MS;

const learnedSchema = z.object({
  /** Age of the oldest numbers that were seen. */
  seenMs: z.number(),
  /** Age beyond which there are no numbers; `null` until that was seen. */
  emptyMs: z.number().nullable(),
});
type Learned = Readonly<z.infer<typeof learnedSchema>>;

interface RetentionOptions extends Pick<QueriesOptions, 'cache' | 'scope' | 'now'> {
  /** The timeline of all hosts, to find out where its numbers begin. */
  readonly timeline: (window: QueryWindow) => Promise<PointSeries>;
}

function createRetention({ cache, scope, now, timeline }: RetentionOptions) {
  const key = `retention:${scope}`;
  /** When no number was found at all, even recent ones. */
  let silentMs = Number.NEGATIVE_INFINITY;

  const reachesBack = ({ fromMs }: WindowEdges): boolean => now() - fromMs > MIN_RETENTION_MS;

  async function learned(): Promise<Learned> {
    return (await cache.get(key, learnedSchema)) ?? { seenMs: 0, emptyMs: null };
  }

  async function learn(window: QueryWindow, series: PointSeries): Promise<Learned> {
    const known = await learned();
    const next = withTimeline(known, window, series, now());
    if (next.seenMs !== known.seenMs || next.emptyMs !== known.emptyMs) await cache.set(key, next, TTL_MS);
    return next;
  }

  /**
   * The same, and if there are no numbers in the window, of the time between it and the oldest numbers that were seen, which
   * has the edge. If none were seen yet, of all newer time: without numbers there it may just be a silent project.
   */
  async function learnFrom(window: QueryWindow, series: PointSeries): Promise<Learned> {
    const known = await learn(window, series);
    if (firstNumber(series) >= 0) return known;
    const emptyUntilMs = known.emptyMs === null ? window.toMs : now() - known.emptyMs;
    const hour = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
    const newer = { ...window, fromMs: hour(emptyUntilMs), toMs: hour(now() - known.seenMs) };
    const isSilent = known.seenMs === 0;
    const canTell = newer.toMs - newer.fromMs >= MIN_EMPTY_MS && !(isSilent && now() - silentMs < TTL_MS);
    if (isSharp(known) || !canTell) return known;
    if (isSilent) silentMs = now();
    if ((await learn(newer, await timeline(newer))).seenMs > 0) silentMs = Number.NEGATIVE_INFINITY;
    return learn(window, series);
  }

  function gapIn({ fromMs, toMs }: WindowEdges, known: Learned): readonly Gap[] {
    if (known.emptyMs === null) return [];
    const keptSinceMs = isSharp(known) ? now() - known.seenMs : undefined;
    const beginMs = keptSinceMs ?? now() - known.emptyMs;
    return fromMs >= beginMs ? [] : [{ fromMs, toMs: Math.min(toMs, beginMs), reason: 'retention', keptSinceMs }];
  }

  /** By the timeline of all hosts, requested once a day if nothing is known yet. */
  async function ofWindow(window: QueryWindow): Promise<readonly Gap[]> {
    if (!reachesBack(window)) return [];
    const known = await learned();
    const isKnown = isSharp(known) || now() - window.fromMs <= known.seenMs;
    if (isKnown || now() - window.fromMs <= MIN_ASKED_MS) return gapIn(window, known);
    const all = { ...window, hosts: [] };
    return gapIn(window, await learnFrom(all, await timeline(all)));
  }

  return {
    /** The gap in a timeline, learning from it on the way. */
    async ofTimeline(window: QueryWindow, series: PointSeries): Promise<readonly Gap[]> {
      if (!reachesBack(window)) return [];
      if (window.hosts.length === 0) return gapIn(window, await learnFrom(window, series));
      await learn(window, series);
      // Hosts may be newer than the service's data, so only the timeline of all hosts can show where it begins.
      const firstEndMs = series.ends[firstNumber(series)];
      const emptyMs = (firstEndMs === undefined ? window.toMs : firstEndMs - series.intervalMs) - window.fromMs;
      return emptyMs < MIN_EMPTY_MS ? [] : ofWindow(window);
    },
    /** The gap in a window of which only totals are known. */
    ofWindow,
  };
}

/** Whether the start of the data is known, rather than just that some older window has none. */
const isSharp = ({ seenMs, emptyMs }: Learned): boolean => emptyMs !== null && emptyMs - seenMs <= MIN_EMPTY_MS;

/** The index of the first interval with any number but zero; -1 if there is none. */
const firstNumber = ({ ends, requests, attacks }: PointSeries): number =>
  ends.findIndex((_, at) => (requests[at] ?? 0) + (attacks[at] ?? 0) > 0);

/** What a timeline adds to what is known. Only one of all hosts shows that there is no data. */
function withTimeline(known: Learned, window: QueryWindow, series: PointSeries, nowMs: number): Learned {
  const { ends, intervalMs } = series;
  const first = firstNumber(series);
  const isOfAll = window.hosts.length === 0;
  if (first < 0 && !isOfAll) return known;
  if (first < 0) {
    // An empty timeline shows nothing, unless newer numbers were seen.
    const ageMs = nowMs - window.toMs;
    const isBeyond = known.seenMs > 0 && ageMs >= known.seenMs - DAY_MS && window.toMs - window.fromMs >= MIN_EMPTY_MS;
    return isBeyond ? { ...known, emptyMs: Math.min(known.emptyMs ?? ageMs, ageMs) } : known;
  }
  const beginMs = Math.max(window.fromMs, (ends[first] ?? 0) - intervalMs);
  const seenMs = Math.max(known.seenMs, nowMs - beginMs);
  const isEmptyBefore = beginMs - window.fromMs >= MIN_EMPTY_MS;
  if (isOfAll && isEmptyBefore && nowMs - beginMs >= known.seenMs) return { seenMs, emptyMs: nowMs - beginMs };
  return { seenMs, emptyMs: known.emptyMs !== null && known.emptyMs < seenMs ? null : known.emptyMs };
}
