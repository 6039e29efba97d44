/** One way to query the statistics service. All dialects fill the same model and share cache, retries and credentials. */
import { BotError } from '../../errors.ts';
import type { AttackActions, AttackEvents, ServerResponses } from '../../statistics/attack-details.ts';
import type { NamedSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import type { AnswerLimit, CategoryCount } from '../../statistics/timeline.ts';
import type { SendRequest } from '../client/http.ts';
import type { PointSeries, QueryWindow } from '../wire/exchange.ts';

export type DialectName = 'events' | 'overviews';

/** Optional data of a dialect, with the sentence for a service that lacks it. */
export const DETAILS = {
  actions: "This service doesn't report what was blocked.",
  responses: "This service doesn't report how your servers responded.",
  events: "This service doesn't list single events.",
} as const;
export type DetailName = keyof typeof DETAILS;

/** The queries that a dialect gets its data from, the preferred one first; none if it doesn't have the data. */
export type DialectQueries = Readonly<Record<'timeline' | 'distribution' | 'sources' | DetailName, readonly string[]>>;

export interface Breakdown {
  readonly counts: readonly CategoryCount[];
  readonly limits: readonly AnswerLimit[];
  /** How far the counts reach, if that isn't the end of the window: `recent` always ends now. */
  readonly toMs?: number | undefined;
  /** Categories whose count the service doesn't know; none of them is in `counts`. */
  readonly unknown?: readonly string[] | undefined;
}

export interface Dialect {
  /** This and the next one throw a `BotError` for an answer that makes no sense. */
  timeline(window: QueryWindow, signal: AbortSignal): Promise<PointSeries>;
  distribution(window: QueryWindow, signal: AbortSignal): Promise<Breakdown>;
  /** Who attacks, and what; addresses are masked as configured. */
  sources(window: QueryWindow, signal: AbortSignal): Promise<NamedSources>;
  /** The details throw `notOffered` where the service has no such query. */
  actions(window: QueryWindow, signal: AbortSignal): Promise<AttackActions>;
  responses(window: QueryWindow, signal: AbortSignal): Promise<ServerResponses>;
  events(window: QueryWindow, signal: AbortSignal): Promise<AttackEvents>;
  /** False once the service is known not to have it. */
  offers(detail: DetailName): boolean;
  notes(): Promise<QueryNotes>;
}

/** For the doctor: what is special about a query on this service, in sentences. */
export type QueryNotes = Readonly<Record<'timeline' | 'categories' | 'hosts', readonly string[]>>;

export interface DialectOptions {
  readonly request: SendRequest;
  readonly projectId: string;
  readonly showAddresses: ShowAddresses;
}

export const noSources = () =>
  new BotError('limit', "This service doesn't show who attacks.", {
    hint: 'It has attacks by category and over time.',
    next: [{ label: 'By category', sentence: 'attacks last 1h' }],
  });

export const notOffered = (detail: DetailName) => new BotError('limit', DETAILS[detail]);
