/**
 * One way to ask the statistics service. Every dialect fills the same neutral model; the cache, the turns, the retries and
 * the credentials around it are shared.
 */
import { BotError } from '../../errors.ts';
import type { NamedSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import type { AnswerLimit, CategoryCount } from '../../statistics/timeline.ts';
import type { HttpReply } from '../client/failure.ts';
import type { SendRequest } from '../client/request.ts';
import type { QueryWindow } from '../wire/query-window.ts';
import type { PointSeries } from '../wire/series.ts';

export type DialectName = 'events' | 'overviews';

export interface Breakdown {
  readonly counts: readonly CategoryCount[];
  readonly limits: readonly AnswerLimit[];
}

export interface Dialect {
  readonly name: DialectName;
  /** This one and the next throw a `BotError` for an answer that cannot be trusted. */
  timeline(window: QueryWindow, signal: AbortSignal): Promise<PointSeries>;
  distribution(window: QueryWindow, signal: AbortSignal): Promise<Breakdown>;
  /** Who attacks, and what; addresses as far as they may be shown. */
  sources(window: QueryWindow, signal: AbortSignal): Promise<NamedSources>;
  /** The cheapest question that shows whether the credentials are good. */
  ping(nowMs: number, signal: AbortSignal): Promise<HttpReply>;
  /** What was found out about this service, in sentences; none where nothing had to be. */
  findings(): Promise<readonly string[]>;
}

export interface DialectOptions {
  readonly request: SendRequest;
  readonly projectId: string;
  readonly showAddresses: ShowAddresses;
}

/** No query of the service names who attacks. */
export const notTold = () =>
  new BotError('limit', 'This service does not tell who attacks.', {
    hint: 'It has attacks by category and over time.',
    next: [{ label: 'By category', sentence: 'attacks last 1h' }],
  });
