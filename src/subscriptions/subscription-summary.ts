/** Digests and watches as people see them: what each one does, when it runs next, and how its last run went. */
import type { Line } from '../replies/reply.ts';

/** How one run of a digest or a watch went. */
export interface RunSummary {
  readonly due: Temporal.Instant;
  /** When it finished. */
  readonly at: Temporal.Instant;
  readonly late: boolean;
  readonly ok: boolean;
  /** The outcome in words. */
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
  /** `null` where there is only one. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly nextRuns: readonly Temporal.Instant[];
  readonly lastRun: RunSummary | null;
  /** Why and by whom it is paused; `null` while it runs. */
  readonly paused: { readonly by: string | null; readonly reason: string } | null;
  /** Whether people can choose how easily it calls. */
  readonly isTunable?: boolean;
  /** What else there is to know of it. */
  readonly more?: readonly Line[];
}

/** What came of the wish for a new one. */
export interface CreatedSubscription extends SubscriptionSummary {
  /** There was one for the same already, and nothing was made; `changed` where it was set as asked. */
  readonly existed?: 'as it is' | 'changed';
}

interface SubscriptionRequest {
  readonly channel: string;
  readonly owner: string;
  /** The whole sentence with all but the verb's own words blanked out, so that spans of faults stay true. */
  readonly text: string;
  readonly zone: string;
  /** As it is stored. */
  readonly project: string | null;
  readonly hosts: readonly string[];
}

/** A channel's digests or watches, as `subscriptions/` offers them. */
export interface Subscriptions {
  create(request: SubscriptionRequest): Promise<CreatedSubscription>;
  list(channel: string): Promise<readonly SubscriptionSummary[]>;
  listOwned(owner: string): Promise<readonly SubscriptionSummary[]>;
  pause(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  resume(channel: string, id: string): Promise<SubscriptionSummary>;
  remove(channel: string, id: string): Promise<SubscriptionSummary>;
  history(channel: string, id: string): Promise<readonly RunSummary[]>;
}
