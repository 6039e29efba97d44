/**
 * Questions about several hosts in the overviews dialect. Some editions document a single host for a query, and what those
 * do with more is not known. So the totals of two hosts are held against those of both together once; where they differ,
 * and as long as that cannot be told, each host is asked for by itself.
 */
import { BotError } from '../../errors.ts';
import type { AnswerLimit } from '../../statistics/timeline.ts';
import type { QueryWindow } from '../wire/query-window.ts';
import { joinHosts, type PointSeries } from '../wire/series.ts';
import type { Breakdown, Dialect } from './dialect.ts';
import { isRefusedWindow, type OverviewsService } from './overviews-service.ts';
import { settledWindows } from './overviews-windows.ts';

/** More than these are asked for together while it is not known whether that works: the service has its limits too. */
const MOST_APART = 20;
/** How far totals of two calls may differ. */
const CLOSE = 0.005;

export function withSeveralHosts(
  { traits, totals, now, closing }: OverviewsService,
  { timeline, distribution }: Pick<Dialect, 'timeline' | 'distribution'>,
): Pick<Dialect, 'timeline' | 'distribution'> {
  let learning: Promise<void> | undefined;

  async function compare(a: string, b: string): Promise<void> {
    for (const window of settledWindows(now())) {
      const requests = async (...hosts: string[]) => (await totals({ ...window, hosts }, closing)).requests ?? 0;
      try {
        const [one, other, both] = await Promise.all([requests(a), requests(b), requests(a, b)]);
        // With a silent one among them, the first or the last alone would look like both.
        if (one === 0 || other === 0) continue;
        const isBoth = Math.abs(both - one - other) <= Math.max(1, CLOSE * (one + other));
        return traits.learn({ hosts: isBoth ? 'together' : 'apart' });
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        if (!isRefusedWindow(error)) return;
      }
    }
  }

  async function isAskedApart(hosts: readonly string[]): Promise<boolean> {
    const [a, b] = hosts;
    if (a === undefined || b === undefined) return false;
    if ((await traits.load()).hosts === null) {
      learning ??= compare(a, b).finally(() => {
        learning = undefined;
      });
      await learning;
    }
    const { hosts: how } = traits.current;
    return how === 'apart' || (how === null && hosts.length <= MOST_APART);
  }

  const each = <T>(window: QueryWindow, ask: (part: QueryWindow) => Promise<T>): Promise<T[]> =>
    Promise.all(window.hosts.map((host) => ask({ ...window, hosts: [host] })));

  return {
    async timeline(window, signal): Promise<PointSeries> {
      if (!(await isAskedApart(window.hosts))) return timeline(window, signal);
      const parts = await each(window, (part) => timeline(part, signal));
      return { ...joinHosts(parts), limits: limitsOf(parts) };
    },
    async distribution(window, signal): Promise<Breakdown> {
      if (!(await isAskedApart(window.hosts))) return distribution(window, signal);
      const parts = await each(window, (part) => distribution(part, signal));
      return { counts: parts.flatMap(({ counts }) => counts), limits: limitsOf(parts) };
    },
  };
}

const limitsOf = (parts: readonly { readonly limits?: readonly AnswerLimit[] }[]): readonly AnswerLimit[] => [
  ...new Set(parts.flatMap(({ limits = [] }) => limits)),
];
