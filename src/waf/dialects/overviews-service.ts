/** What the queries of the overviews dialect share: sending, the totals, and what is known about the service. */
import type { BestEffortCache } from '../cache.ts';
import { type HttpReply, isNoSuchQuery, isRequestRefused } from '../client/failure.ts';
import type { SendRequest } from '../client/http.ts';
import { hostParameters, parseBody, type QueryParameters, type QueryWindow, timeParameters } from '../wire/exchange.ts';
import type { DialectOptions } from './dialect.ts';
import { readTotals, type WindowTotals } from './overviews-wire.ts';
import { createTraits, type Traits } from './traits.ts';

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
