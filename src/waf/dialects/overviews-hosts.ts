/**
 * Queries for several hosts in the overviews dialect. Some editions document a single host per query, and it isn't known
 * what they do with more. So the totals of two hosts are compared once with those of both together; if they differ, and
 * until that is known, each host gets its own query.
 */
import { BotError } from '../../errors.ts';
import type { AnswerLimit } from '../../statistics/timeline.ts';
import {
  joinActions,
  joinEvents,
  joinHosts,
  joinResponses,
  type PointSeries,
  type QueryWindow,
} from '../wire/exchange.ts';
import type { Breakdown, DetailName, Dialect } from './dialect.ts';
import { isRefusedWindow, type OverviewsService } from './overviews-service.ts';
import { settledWindows } from './overviews-windows.ts';

/** Until it's known, more hosts than this still go into one query, to spare the service. */
const MAX_SEPARATE = 20;
/** How far totals of two calls may differ. */
const CLOSE = 0.005;

type HostQueries = Pick<Dialect, 'timeline' | 'distribution' | DetailName>;

export function withSeveralHosts(service: OverviewsService, queries: HostQueries): HostQueries {
  const isSeparate = createHostComparison(service);
  const byHost =
    <T>(ask: (window: QueryWindow, signal: AbortSignal) => Promise<T>, join: (parts: readonly T[]) => T) =>
    async (window: QueryWindow, signal: AbortSignal): Promise<T> => {
      if (!(await isSeparate(window.hosts))) return ask(window, signal);
      return join(await Promise.all(window.hosts.map((host) => ask({ ...window, hosts: [host] }, signal))));
    };
  return {
    timeline: byHost<PointSeries>(queries.timeline, (parts) => ({ ...joinHosts(parts), limits: limitsOf(parts) })),
    distribution: byHost<Breakdown>(queries.distribution, (parts) => ({
      counts: parts.flatMap(({ counts }) => counts),
      limits: limitsOf(parts),
      unknown: [...new Set(parts.flatMap(({ unknown = [] }) => unknown))],
    })),
    actions: byHost(queries.actions, joinActions),
    responses: byHost(queries.responses, joinResponses),
    events: byHost(queries.events, joinEvents),
  };
}

/** Whether each of these hosts gets its own query. */
function createHostComparison({ traits, totals, now, closing }: OverviewsService) {
  let learning: Promise<void> | undefined;

  async function compare(a: string, b: string): Promise<void> {
    for (const window of settledWindows(now())) {
      const requests = async (...hosts: string[]) => (await totals({ ...window, hosts }, closing)).requests ?? 0;
      try {
        const [one, other, both] = await Promise.all([requests(a), requests(b), requests(a, b)]);
        // If one of them is silent, a single host looks like both.
        if (one === 0 || other === 0) continue;
        const isBoth = Math.abs(both - one - other) <= Math.max(1, CLOSE * (one + other));
        return traits.learn({ hosts: isBoth ? 'together' : 'apart' });
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        if (!isRefusedWindow(error)) return;
      }
    }
  }

  return async function isSeparate(hosts: readonly string[]): Promise<boolean> {
    const [a, b] = hosts;
    if (a === undefined || b === undefined) return false;
    if ((await traits.load()).hosts === null) {
      learning ??= compare(a, b).finally(() => {
        learning = undefined;
      });
      await learning;
    }
    const { hosts: how } = traits.current;
    return how === 'apart' || (how === null && hosts.length <= MAX_SEPARATE);
  };
}

const limitsOf = (parts: readonly { readonly limits?: readonly AnswerLimit[] }[]): readonly AnswerLimit[] => [
  ...new Set(parts.flatMap(({ limits = [] }) => limits)),
];
