/** The queries for the timeline, the distribution, the sources and the details: each is split into as many calls as it needs. */
import { BotError } from '../../errors.ts';
import type { AttackActions, AttackEvents, DetailAnswer, ServerResponses } from '../../statistics/attack-details.ts';
import type { AttackSources, NamedSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import { canonicalCategory } from '../../statistics/categories.ts';
import { SETTLE_MS } from '../../statistics/settled.ts';
import type { AnswerLimit, Distribution, Timeline } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import {
  type AnswerCache,
  type AnswerCacheOptions,
  actionsSchema,
  breakdownSchema,
  type CachedAnswer,
  createAnswerCache,
  eventsSchema,
  responsesSchema,
  seriesSchema,
  sourcesSchema,
} from '../cache/answer-cache.ts';
import { createTimelineCache } from '../cache/timeline-cache.ts';
import type { Breakdown, DetailName, Dialect } from '../dialects/dialect.ts';
import { joinCounts } from '../wire/answer-body.ts';
import { joinActions, joinEvents, joinResponses } from '../wire/join-details.ts';
import { type QueryWindow, splitHosts, splitTime, type WafQuery, windowOf } from '../wire/query-window.ts';
import { joinHosts, joinInTime, type PointSeries } from '../wire/series.ts';
import { createRetention } from './retention.ts';

type QueryKind = 'timeline' | 'distribution' | 'sources' | DetailName;
/** Called once for every query, with `answered` or the code of the error. */
export type ObserveQuery = (kind: QueryKind, outcome: string) => void;

interface QueriesOptions extends Pick<AnswerCacheOptions<never>, 'cache' | 'replicas' | 'now' | 'log'> {
  readonly dialect: Dialect;
  readonly showAddresses: ShowAddresses;
  /** The service, the project and the dialect, as part of every key of the cache. */
  readonly scope: string;
  readonly maxRangeDays: number;
  readonly maxUrlBytes: number;
  readonly concurrency: number;
  readonly observe: ObserveQuery | undefined;
}

function createCaches(options: QueriesOptions) {
  const { dialect, cache, now, scope, showAddresses } = options;
  const timelineScope = `timeline:${scope}`;
  return {
    timelines: createAnswerCache<PointSeries>({
      ...options,
      scope: timelineScope,
      schema: seriesSchema,
      fetch: dialect.timeline,
      incremental: createTimelineCache({ cache, scope: timelineScope, now, fetch: dialect.timeline }),
    }),
    distributions: createAnswerCache<Breakdown>({
      ...options,
      scope: `distribution:${scope}`,
      schema: breakdownSchema,
      fetch: dialect.distribution,
    }),
    namedSources: createAnswerCache<NamedSources>({
      ...options,
      // What may be shown is part of the key: an earlier answer may show more.
      scope: `sources:${showAddresses}:${scope}`,
      schema: sourcesSchema,
      fetch: dialect.sources,
    }),
    actions: createAnswerCache<AttackActions>({
      ...options,
      scope: `actions:${scope}`,
      schema: actionsSchema,
      fetch: dialect.actions,
    }),
    responses: createAnswerCache<ServerResponses>({
      ...options,
      scope: `responses:${scope}`,
      schema: responsesSchema,
      fetch: dialect.responses,
    }),
    events: createAnswerCache<AttackEvents>({
      ...options,
      scope: `events:${showAddresses}:${scope}`,
      schema: eventsSchema,
      fetch: dialect.events,
    }),
  };
}

/** One row for each part of the time, with the answers for all parts of the hosts. */
type Collect = <T>(
  window: QueryWindow,
  get: (part: QueryWindow, alone: boolean, signal?: AbortSignal) => Promise<CachedAnswer<T>>,
  query: Pick<WafQuery, 'signal' | 'freshOnly'>,
) => Promise<CachedAnswer<T>[][]>;

function createCollect({ maxRangeDays, maxUrlBytes, concurrency }: QueriesOptions): Collect {
  return async (window, get, { signal, freshOnly = false }) => {
    const rows = splitTime(window, maxRangeDays * DAY_MS).map((part) => splitHosts(part, maxUrlBytes));
    const parts = rows.flat();
    const answers = await mapBounded(parts, concurrency, (part) => get(part, parts.length === 1, signal));
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
  ({ observe }: QueriesOptions): Observed =>
  async (kind, answer) => {
    try {
      const found = await answer;
      observe?.(kind, 'answered');
      return found;
    } catch (error) {
      observe?.(kind, error instanceof BotError ? error.code : 'internal');
      throw error;
    }
  };

/** Each detail is joined from its parts. */
function createDetails(caches: ReturnType<typeof createCaches>, collect: Collect, observed: Observed) {
  const detail =
    <T>(kind: DetailName, cache: AnswerCache<T>, join: (parts: readonly T[]) => T) =>
    (query: WafQuery): Promise<DetailAnswer<T>> => {
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

export function createQueries(options: QueriesOptions) {
  const observed = createObserved(options);
  const caches = createCaches(options);
  const { timelines, distributions, namedSources } = caches;
  const collect = createCollect(options);

  const retention = createRetention({
    ...options,
    timeline: async (window) => joinRows(await collect(window, timelines.get, {})),
  });

  async function timeline(query: WafQuery): Promise<Timeline> {
    const window = windowOf(query);
    const rows = await collect(window, timelines.get, query);
    const series = joinRows(rows);
    const { intervalMs, ends, requests, attacks, totals } = series;
    const gaps = [...(await retention.ofTimeline(window, series)), ...(series.gaps ?? [])];
    const points = ends.map((endMs, index) => ({
      endMs,
      requests: requests[index] ?? null,
      attacks: attacks[index] ?? null,
    }));
    // Zeros in a gap are no numbers.
    const known = points.filter(({ endMs }) => !gaps.some((gap) => endMs > gap.fromMs && endMs <= gap.toMs));
    return { ...overall(rows), intervalMs, points: known, totals, gaps: gaps.length === 0 ? undefined : gaps };
  }

  async function distribution(query: WafQuery): Promise<Distribution> {
    const window = windowInUtc(query);
    const rows = await collect(window, distributions.get, query);
    // Afterwards, because a timeline that was requested at the same time may have shown where data begins.
    const gaps = await retention.ofWindow(window);
    const whole = { ...overall(rows), gaps: gaps.length === 0 ? undefined : gaps };
    const parts = rows.flat().map((answer) => answer.value);
    const unknown = [...new Set(parts.flatMap((part) => part.unknown ?? []).map(canonicalCategory))];
    const counts = joinCounts(
      parts.flatMap((part) => part.counts),
      whole.limits === undefined,
      unknown,
    );
    return { ...whole, counts, unknownCategories: unknown.length === 0 ? undefined : unknown };
  }

  async function sources(query: WafQuery): Promise<AttackSources> {
    const window = windowInUtc(query);
    // The largest of two parts need not be the largest of the whole.
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
    timeline: (query: WafQuery) => observed('timeline', timeline(query)),
    distribution: (query: WafQuery) => observed('distribution', distribution(query)),
    sources: (query: WafQuery) => observed('sources', sources(query)),
    ...createDetails(caches, collect, observed),
    abortAll(reason: Error): void {
      for (const cache of Object.values(caches)) cache.abortAll(reason);
    },
  };
}

/** For queries to which the zone makes no difference, so that all zones share one answer. */
const windowInUtc = (query: WafQuery): QueryWindow => ({ ...windowOf(query), offset: '+00:00' });

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

/** Of all parts, if each of them has any. */
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

/** The window of the whole, the age of its oldest part, and whether any part is stale. */
function dated(rows: readonly (readonly CachedAnswer<unknown>[])[]) {
  const all = rows.flat();
  return {
    fromMs: Math.min(...all.map((answer) => answer.fromMs)),
    toMs: Math.max(...all.map((answer) => answer.toMs)),
    asOfMs: Math.min(...all.map((answer) => answer.asOfMs)),
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
