/** The dialect of the interface specification: `event/timeline` and `event/attack/type`. */
import { z } from 'zod';
import { badAnswer, isNoSuchQuery } from '../client/failure.ts';
import {
  assertFewNames,
  countSchema,
  hostParameters,
  joinCounts,
  type PointSeries,
  parseBody,
  type QueryParameters,
  readAs,
  readColumn,
  seriesWithin,
  timeParameters,
} from '../wire/exchange.ts';
import { readAddresses } from '../wire/source-items.ts';
import {
  type Breakdown,
  type DetailName,
  type Dialect,
  type DialectOptions,
  type DialectQueries,
  noSources,
  notOffered,
} from './dialect.ts';

const TIMELINE_PATH = 'waf/event/timeline';
export const ATTACK_TYPE_PATH = 'waf/event/attack/type';
export const ATTACK_SOURCE_PATH = 'waf/event/attack/source';

export const EVENTS_QUERIES: DialectQueries = {
  timeline: [TIMELINE_PATH],
  distribution: [ATTACK_TYPE_PATH],
  sources: [ATTACK_SOURCE_PATH],
  actions: [],
  responses: [],
  events: [],
};

export function createEventsDialect({ request, projectId, showAddresses }: DialectOptions): Dialect {
  const ask = async (name: string, query: QueryParameters, signal: AbortSignal, asker?: string) =>
    request(`/v1/${encodeURIComponent(projectId)}/${name}`, query, { signal, asker });
  const without = (detail: DetailName) => async (): Promise<never> => {
    throw notOffered(detail);
  };

  return {
    async timeline(window, signal) {
      const query: QueryParameters = [
        ...timeParameters(window),
        ['timezone', window.offset],
        ...hostParameters(window),
      ];
      return readTimeline(parseBody(await ask(TIMELINE_PATH, query, signal, window.asker)), window);
    },
    async distribution(window, signal) {
      const query = [...timeParameters(window), ...hostParameters(window)];
      const reply = await ask(ATTACK_TYPE_PATH, query, signal, window.asker);
      return { ...readDistribution(parseBody(reply)), limits: [] };
    },
    async sources(window, signal) {
      const query = [...timeParameters(window), ...hostParameters(window)];
      try {
        return readAddresses(parseBody(await ask(ATTACK_SOURCE_PATH, query, signal, window.asker)), showAddresses);
      } catch (error) {
        throw isNoSuchQuery(error) ? noSources() : error;
      }
    },
    actions: without('actions'),
    responses: without('responses'),
    events: without('events'),
    offers: (detail) => EVENTS_QUERIES[detail].length > 0,
    notes: async () => ({ timeline: [], categories: [], hosts: [] }),
  };
}

const list = z.custom<readonly unknown[]>(Array.isArray, 'not a list').nullish();
const timelineSchema = z.object({ requests: list, attacks: list });

/** Throws a `BotError` when the body makes no sense. */
export function readTimeline(body: unknown, window: { fromMs: number; toMs: number }): PointSeries {
  const { requests, attacks } = readAs(timelineSchema, body, 'timeline');
  if (requests == null && attacks == null) throw badAnswer('statistics', 'timeline: neither requests nor attacks');
  // A point is labeled with its end: one at the start of the window belongs to the time before.
  const column = (points: readonly unknown[] | null | undefined, where: string) =>
    readColumn(points ?? [], where, window.fromMs + 1);
  const series = seriesWithin(column(requests, 'requests'), column(attacks, 'attacks'), window);
  const given = (requests?.length ?? 0) + (attacks?.length ?? 0);
  if (given > 0 && series.ends.length === 0)
    throw badAnswer('statistics', 'timeline: all points lie outside the window');
  return series;
}

const distributionSchema = z.record(z.string(), countSchema.nullable());

/** Throws a `BotError` when the body makes no sense. */
export function readDistribution(body: unknown): Pick<Breakdown, 'counts' | 'unknown'> {
  assertFewNames(typeof body === 'object' && body !== null ? Object.keys(body) : []);
  const given = Object.entries(readAs(distributionSchema, body, 'distribution'));
  const counts = given.flatMap(([category, count]) => (count === null ? [] : [{ category, count }]));
  const unknown = given.flatMap(([category, count]) => (count === null ? [category] : []));
  return unknown.length === 0
    ? { counts: joinCounts(counts, true) }
    : { counts: joinCounts(counts, true, unknown), unknown };
}
