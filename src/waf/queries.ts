/** The two questions, each asked in as many calls as it needs and answered as one. */
import type { CategoryCount, Distribution, Timeline } from '../insight/timeline.ts';
import { countsText, seriesText } from './answer-text.ts';
import { type Answer, type AnswersOptions, createAnswers, SETTLE_MS } from './answers.ts';
import type { Ask, Query } from './ask.ts';
import { joinCounts, readDistribution } from './distribution-body.ts';
import { type HttpReply, untrusted } from './failure.ts';
import { joinHosts, joinInTime, type Series } from './series.ts';
import { mapBounded, splitHosts, splitTime } from './split.ts';
import { readTimeline } from './timeline-body.ts';
import { type WafQuery, type Window, windowOf } from './window.ts';

const DAY_MS = 86_400_000;

export interface QueriesOptions extends Pick<AnswersOptions<never>, 'kept' | 'now' | 'log' | 'scope'> {
  readonly ask: Ask;
  readonly projectId: string;
  readonly maxRangeDays: number;
  readonly maxUrlBytes: number;
  readonly concurrency: number;
}

export const TIMELINE_PATH = 'waf/event/timeline';
export const DISTRIBUTION_PATH = 'waf/event/attack/type';

function parse(reply: HttpReply): unknown {
  try {
    return JSON.parse(reply.body);
  } catch {
    throw untrusted('statistics', 'a body that is not JSON', reply.headers.get('x-request-id'));
  }
}

export function createQueries(options: QueriesOptions) {
  const { ask, projectId, now, concurrency } = options;
  const path = (name: string) => `/v1/${encodeURIComponent(projectId)}/${name}`;
  const hostPairs = (window: Window): Query => window.hosts.map((host) => ['hosts', host] as const);
  const times = ({ fromMs, toMs }: Window): Query => [
    ['from', String(fromMs)],
    ['to', String(toMs)],
  ];

  const timelines = createAnswers<Series>({
    ...options,
    kind: 'timeline',
    text: seriesText,
    async fetch(window, signal) {
      const query: Query = [...times(window), ['timezone', window.offset], ...hostPairs(window)];
      return readTimeline(parse(await ask(path(TIMELINE_PATH), query, signal)), window);
    },
  });
  const distributions = createAnswers<readonly CategoryCount[]>({
    ...options,
    kind: 'distribution',
    text: countsText,
    async fetch(window, signal) {
      return readDistribution(
        parse(await ask(path(DISTRIBUTION_PATH), [...times(window), ...hostPairs(window)], signal)),
      );
    },
  });

  /** One row per stretch of time, each with the answers for all its parts of the hosts. */
  async function collect<T>(
    window: Window,
    get: (part: Window, exactly: boolean, signal?: AbortSignal) => Promise<Answer<T>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer<T>[][]> {
    const stretches = splitTime(window, options.maxRangeDays * DAY_MS);
    const rows = stretches.map((stretch) => splitHosts(stretch, options.maxUrlBytes));
    const parts = rows.flat();
    const answers = await mapBounded(parts, concurrency, (part) => get(part, parts.length > 1, signal));
    let next = 0;
    return rows.map((row) => {
      next += row.length;
      return answers.slice(next - row.length, next);
    });
  }

  /** What holds for the whole: its window, its oldest part, and whether any part is stale. */
  function about<T>(rows: readonly (readonly Answer<T>[])[]) {
    const all = rows.flat();
    const asOfMs = Math.min(...all.map((answer) => answer.asOfMs));
    return {
      fromMs: Math.min(...all.map((answer) => answer.fromMs)),
      toMs: Math.max(...all.map((answer) => answer.toMs)),
      settledUntilMs: asOfMs - SETTLE_MS,
      asOfMs,
      stale: all.some((answer) => answer.stale),
    };
  }

  return {
    async timeline(query: WafQuery): Promise<Timeline> {
      const rows = await collect(windowOf(query, now()), timelines.get, query.signal);
      const [only] = rows[0] ?? [];
      const single = rows.length === 1 && rows[0]?.length === 1 ? only?.value : undefined;
      const series = single ?? joinInTime(rows.map((row) => joinHosts(row.map((answer) => answer.value))));
      const points = series.ends.map((endMs, index) => ({
        endMs,
        requests: series.requests[index] ?? null,
        attacks: series.attacks[index] ?? null,
      }));
      return { ...about(rows), intervalMs: series.intervalMs, points };
    },
    async distribution(query: WafQuery): Promise<Distribution> {
      // The zone plays no part here: questions that differ in it alone are one.
      const window = { ...windowOf(query, now()), offset: '+00:00' };
      const rows = await collect(window, distributions.get, query.signal);
      return { ...about(rows), counts: joinCounts(rows.flat().map((answer) => answer.value)) };
    },
    abortAll(reason: Error): void {
      timelines.abortAll(reason);
      distributions.abortAll(reason);
    },
  };
}
