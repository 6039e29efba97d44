/**
 * What the queries of the overviews dialect share: sending, the totals, and what was learned about the service, stored so that
 * it is learned once.
 */
import { z } from 'zod';
import { DAY_MS } from '../../time-units.ts';
import type { BestEffortCache } from '../cache.ts';
import { type HttpReply, isNoSuchQuery, isRequestRefused } from '../client/failure.ts';
import type { SendRequest } from '../client/http.ts';
import { hostParameters, parseBody, type QueryParameters, type QueryWindow, timeParameters } from '../wire/exchange.ts';
import type { DialectOptions, QueryNotes } from './dialect.ts';
import { readTotals, type WindowTotals } from './overviews-wire.ts';

export const STATISTICS_PATH = 'waf/overviews/statistics';

/** Some offerings require the first; the second sets the language of country names. */
const HEADERS = { 'content-type': 'application/json;charset=utf8', 'x-language': 'en-us' } as const;

export interface OverviewsOptions extends DialectOptions {
  /** `undefined`: the service's default. */
  readonly enterpriseProject: string | undefined;
  readonly cache: BestEffortCache;
  readonly scope: string;
  readonly now: () => number;
  readonly closing: AbortSignal;
}

export type OverviewWindow = Pick<QueryWindow, 'fromMs' | 'toMs' | 'hosts' | 'asker'>;

interface AskOptions {
  readonly more?: QueryParameters;
  readonly insteadOfTimes?: QueryParameters;
  readonly isExtra?: boolean;
}

export interface OverviewsService extends Pick<OverviewsOptions, 'now' | 'closing'> {
  readonly traits: Traits;
  send(name: string, query: QueryParameters, call: Parameters<SendRequest>[2]): Promise<HttpReply>;
  ask(name: string, window: OverviewWindow, signal: AbortSignal, how?: AskOptions): Promise<unknown>;
  totals(window: OverviewWindow, signal: AbortSignal): Promise<WindowTotals>;
  /** `null` if the service doesn't have the query; then it isn't called again. */
  unlessMissing<T>(name: string, work: () => Promise<T>): Promise<T | null>;
}

export const isRefusedWindow = (error: unknown): boolean => isRequestRefused(error) && error.code === 'limit';

export function createOverviewsService(options: OverviewsOptions): OverviewsService {
  const { request, projectId, enterpriseProject, now, closing } = options;
  const traits = createTraits(options.cache, options.scope, now);
  const common: QueryParameters = enterpriseProject === undefined ? [] : [['enterprise_project_id', enterpriseProject]];

  const send: OverviewsService['send'] = (name, query, call) =>
    request(`/v1/${encodeURIComponent(projectId)}/${name}`, [...query, ...common], { ...call, headers: HEADERS });

  const ask: OverviewsService['ask'] = async (name, window, signal, how = {}) => {
    const { more = [], insteadOfTimes, isExtra = false } = how;
    const query = [...(insteadOfTimes ?? timeParameters(window)), ...hostParameters(window), ...more];
    return parseBody(await send(name, query, { signal, asker: window.asker, isExtra }));
  };

  async function unlessMissing<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    if (traits.current.missing.includes(name)) return null;
    try {
      return await work();
    } catch (error) {
      if (!isNoSuchQuery(error)) throw error;
      traits.learn({ missing: [...new Set([...traits.current.missing, name])] });
      return null;
    }
  }

  return {
    now,
    closing,
    traits,
    send,
    ask,
    unlessMissing,
    totals: async (window, signal) => readTotals(await ask(STATISTICS_PATH, window, signal)),
  };
}

/** Records of earlier versions may lack the traits that have a default here. */
const traitsSchema = z.object({
  /** Whether a point is labeled with its start or its end; `null`: not known yet. */
  label: z.enum(['start', 'end']).nullable(),
  /** What a point counts. `neither`: the points don't add up to the totals. `null`: not known yet. */
  unit: z.enum(['counts', 'rates', 'neither']).nullable().default(null),
  /** Queries that this service doesn't have. */
  missing: z.array(z.string()),
  /** `fixed`: today, yesterday, and the last 3, 7 and 30 days only. */
  windows: z.enum(['any', 'fixed']),
  /** `recent`: the query for categories takes only the name of a fixed window. */
  categories: z.enum(['any', 'recent']).default('any'),
  /** Whether a question about several hosts is answered for all of them; `null`: not known yet. */
  hosts: z.enum(['together', 'apart']).nullable().default(null),
});

export type ServiceTraits = Readonly<z.infer<typeof traitsSchema>>;

const UNKNOWN: ServiceTraits = {
  label: null,
  unit: null,
  missing: [],
  windows: 'any',
  categories: 'any',
  hosts: null,
};
/** Services change, so everything is learned again after this long. */
const TTL_MS = 7 * DAY_MS;

type Traits = ReturnType<typeof createTraits>;

function createTraits(cache: BestEffortCache, scope: string, now: () => number) {
  const key = `traits:${scope}`;
  let current = UNKNOWN;
  let loading: Promise<void> | undefined;
  let loadedMs = 0;

  async function load(): Promise<void> {
    loadedMs = now();
    current = (await cache.get(key, traitsSchema)) ?? UNKNOWN;
  }

  return {
    async load(): Promise<ServiceTraits> {
      if (loading === undefined || now() - loadedMs >= TTL_MS) loading = load();
      await loading;
      return current;
    },
    get current(): ServiceTraits {
      return current;
    },
    learn(found: Partial<ServiceTraits>): void {
      const isNews = Object.entries(found).some(([name, value]) => current[name as keyof ServiceTraits] !== value);
      if (!isNews) return;
      current = { ...current, ...found };
      void cache.set(key, current, TTL_MS);
    },
  };
}

/** What was learned, and what is still open, for the doctor. */
export function traitNotes({ label, unit, missing, windows, categories, hosts }: ServiceTraits): QueryNotes {
  const isMissing = (name: string): boolean => missing.some((path) => path.endsWith(name));
  const isQps = isMissing('request/timeline');
  const labels =
    label === null
      ? "It isn't known yet whether points are labeled with their start or their end"
      : `Points are labeled with their ${label}`;
  const units = {
    counts: 'and the timeline agrees with the totals',
    rates: 'and are rates per second, from which counts are estimated, so a few attacks can look like none',
    neither: "but the timeline doesn't add up to the totals",
    unknown: 'and there was no traffic yet to compare the timeline with the totals',
  };
  const isFixed = windows === 'fixed';
  return {
    timeline: [
      `The timeline is from the ${isQps ? 'qps' : 'request'} query. ${labels}, ${units[unit ?? 'unknown']}.`,
      ...(isFixed
        ? ['It only answers for today, yesterday and the last 3, 7 and 30 days. Other times are cut out of those.']
        : []),
    ],
    categories: isFixed
      ? ['Only today, yesterday and the last 3, 7 and 30 days have categories: a watch for one category sees nothing.']
      : categories === 'recent'
        ? ['It gives all categories for today, yesterday and the last 3, 7 and 30 days only.']
        : [],
    hosts: hosts === 'apart' ? ['It takes one host per query, so several hosts are queried one by one.'] : [],
  };
}
