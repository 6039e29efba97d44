/** The statistics service as other folders see it: timeline, categories, attack sources and details. */
import type { Range } from '../time/index.ts';
import type { AttackActions, AttackEvents, DetailAnswer, ServerResponses } from './attack-details.ts';
import type { AttackSources } from './attack-sources.ts';
import type { Distribution, Timeline } from './timeline.ts';

export interface StatisticsQuery {
  readonly range: Range;
  /** Domain IDs; empty means the whole project. */
  readonly hosts: readonly string[];
  /** IANA name; the service is given its offset at the start of the range. */
  readonly zone: string;
  /** Fails instead of returning a stale answer, for callers that can wait until the service is back. */
  readonly freshOnly?: boolean;
  readonly signal?: AbortSignal;
  /** Who is asking, so that heavy askers queue behind their own requests. */
  readonly asker?: string;
}

/** A host as the service lists it. */
export interface ListedHost {
  /** What `hosts=` takes. */
  readonly id: string;
  /** Its host name, such as `shop.example.org`. */
  readonly name: string;
  /** Its name in the firewall's console. */
  readonly tag: string | null;
  /** The name is that of a dedicated engine in front of the host. */
  readonly isEngine?: boolean | undefined;
}

export interface ListedHosts {
  /** The last list; empty if there never was one. An old list is renewed in the background. */
  known(): Promise<readonly ListedHost[]>;
  /** For an unknown name: renews a list that is due, and waits a moment for the first one. */
  renewed(): Promise<readonly ListedHost[]>;
}

export interface Statistics {
  timeline(query: StatisticsQuery): Promise<Timeline>;
  distribution(query: StatisticsQuery): Promise<Distribution>;
  /** Missing for data without sources, such as recorded numbers. */
  sources?(query: StatisticsQuery): Promise<AttackSources>;
  /** These reject with a `limit` if the service has no such query. Missing for recorded numbers too. */
  actions?(query: StatisticsQuery): Promise<DetailAnswer<AttackActions>>;
  responses?(query: StatisticsQuery): Promise<DetailAnswer<ServerResponses>>;
  events?(query: StatisticsQuery): Promise<DetailAnswer<AttackEvents>>;
}

/** Why requests are paused: the service asked for it, or kept failing. */
export interface ServicePause {
  readonly why: 'throttled' | 'down';
  readonly untilMs: number;
}
