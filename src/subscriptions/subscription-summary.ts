/** Digests and watches as people see them: what each one does, when it runs next, and how its last run went. */
import type { Line } from '../replies/reply.ts';

/** The result of one run of a digest or a watch. */
export interface RunSummary {
  readonly due: Temporal.Instant;
  /** When it finished. */
  readonly at: Temporal.Instant;
  readonly late: boolean;
  readonly ok: boolean;
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
  /** `null` when there is only one project. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly nextRuns: readonly Temporal.Instant[];
  readonly lastRun: RunSummary | null;
  /** Why and by whom it is paused; `null` while it runs. */
  readonly paused: { readonly by: string | null; readonly reason: string } | null;
  /** Whether people can choose its sensitivity. */
  readonly isTunable?: boolean;
  /** Further lines for lists. */
  readonly more?: readonly Line[];
}

/** The result of a request for a new one. */
export interface CreatedSubscription extends SubscriptionSummary {
  /** Set when the channel already had one for the same thing: it was left alone, or changed as requested. */
  readonly existed?: 'unchanged' | 'changed';
}

/** A change of an existing one: what isn't named stays as it is. */
export interface SubscriptionEdit extends Pick<SubscriptionRequest, 'text' | 'channel'> {
  readonly id: string;
  /** The ID of the user who edits it. */
  readonly by: string;
  readonly zone: string | null;
  readonly hosts: readonly string[] | null;
}

export interface EditedSubscription extends SubscriptionSummary {
  /** It's about something else now, so what it knew of its subject is gone. */
  readonly startsAfresh?: boolean;
}

/** What it's set to, by the name of the field in its form. */
export type EditableValues = Readonly<Record<string, string>>;

export interface SubscriptionRequest extends Pick<SubscriptionSummary, 'channel' | 'owner' | 'zone' | 'hosts'> {
  /** The whole sentence with everything but the verb's own words blanked out, so that error spans stay valid. */
  readonly text: string;
  /** The project's stored name. */
  readonly project: string | null;
}
