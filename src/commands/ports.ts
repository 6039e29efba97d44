/** What the commands need from the rest of the house. Adapters satisfy these shapes; `app.ts` joins them. */
import type { Distribution, Timeline } from '../insight/timeline.ts';
import type { Range } from '../time/index.ts';
import type { Reply } from './replies/reply.ts';

export interface StatisticsQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly signal?: AbortSignal;
}

/** The statistics service, as `waf/` offers it. */
export interface Statistics {
  timeline(query: StatisticsQuery): Promise<Timeline>;
  distribution(query: StatisticsQuery): Promise<Distribution>;
}

/** A place to keep records under keys, as `store/` offers it. A dead store throws; it never reads as empty. */
export interface KeyValueStore<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly (readonly [string, T])[]>;
}

/** A name that people use for a domain ID. Shared by the whole workspace. */
export interface HostAlias {
  readonly name: string;
  readonly id: string;
  readonly addedBy: string;
}

export interface ChannelSettings {
  readonly zone?: string;
  /** Alias names or domain IDs asked for when a sentence names none. */
  readonly hosts?: readonly string[];
  readonly privately?: boolean;
}

/** How one run of a digest or a watch went. */
export interface RunSummary {
  readonly due: Temporal.Instant;
  /** When the outcome was known. */
  readonly at: Temporal.Instant;
  readonly late: boolean;
  readonly ok: boolean;
  /** What became of it, in words. */
  readonly says: string;
}

/** A digest or a watch as people see it. */
export interface SubscriptionSummary {
  readonly id: string;
  /** What it does and when, in words. */
  readonly what: string;
  readonly channel: string;
  readonly owner: string;
  readonly zone: string;
  readonly hosts: readonly string[];
  readonly nextRuns: readonly Temporal.Instant[];
  readonly lastRun: RunSummary | null;
  /** Why and by whom it is paused; `null` while it runs. */
  readonly paused: { readonly by: string | null; readonly reason: string } | null;
}

export interface SubscriptionRequest {
  readonly channel: string;
  readonly owner: string;
  /** The whole sentence with everything but the wish itself blanked out, so that spans of faults stay true. */
  readonly text: string;
  readonly zone: string;
  readonly hosts: readonly string[];
}

/** The repository of a channel's digests or watches, as `digests/` offers it. */
export interface Subscriptions {
  create(wish: SubscriptionRequest): Promise<SubscriptionSummary>;
  list(channel: string): Promise<readonly SubscriptionSummary[]>;
  listOwned(owner: string): Promise<readonly SubscriptionSummary[]>;
  pause(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  resume(channel: string, id: string): Promise<SubscriptionSummary>;
  remove(channel: string, id: string): Promise<SubscriptionSummary>;
  history(channel: string, id: string): Promise<readonly RunSummary[]>;
}

export interface Digests extends Subscriptions {
  /** What the next one would say. */
  preview(channel: string, id: string): Promise<Reply>;
  /** Posts one now, for the time since the last. */
  runNow(channel: string, id: string): Promise<void>;
}

export interface Watches extends Subscriptions {
  /** Whether something is going on that it has told of, or would. */
  isOpen(channel: string, id: string): Promise<boolean>;
  acknowledge(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  /** Nothing new is posted until then. */
  snooze(channel: string, id: string, by: string, until: Temporal.Instant): Promise<SubscriptionSummary>;
  wake(channel: string, id: string): Promise<SubscriptionSummary>;
}

/** One thing the `doctor` looked at. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

export interface Doctor {
  examine(channel: string): Promise<readonly Finding[]>;
}

export interface Policy {
  /** `null`: everyone may. */
  readonly allowedChannels: readonly string[] | null;
  readonly admins: readonly string[] | null;
}
