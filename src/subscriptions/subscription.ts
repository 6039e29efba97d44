/** The stored record of a digest or a watch: who wants what, where and when. Runs are recorded elsewhere. */
import type { Recurrence } from './recurrence/schedule.ts';

export type SubscriptionKind = 'digest' | 'watch';

/** Who paused a subscription if it wasn't a person. */
export const PAUSED_BY_BOT = 'wafbot';

export type SubscriptionState =
  | { readonly is: 'active' }
  | {
      readonly is: 'paused';
      /** ISO instant. */
      readonly at: string;
      /** A user's id, or `PAUSED_BY_BOT` when delivery became impossible. */
      readonly by: string;
      /** A PauseReason, or a sentence. */
      readonly reason?: string;
      /** Whether the owner has been notified; absent if a person paused it. */
      readonly owner?: 'to-be-told' | 'being-told' | 'told';
    };

export interface Subscription<D = unknown> {
  readonly id: string;
  readonly kind: SubscriptionKind;
  readonly channel: string;
  /** The ID of the user who created it and is notified if it can't be delivered. */
  readonly owner: string;
  readonly timing: Recurrence;
  /** The time zone for display. */
  readonly zone: string;
  /** Absent for the project that existed before there could be several. */
  readonly project?: string;
  /** Names or IDs of hosts; empty means the channel's default. */
  readonly hosts: readonly string[];
  /** The sentence it was created from. */
  readonly sentence?: string;
  /** Data of this kind only, for example a watch's threshold. */
  readonly details?: D;
  /** ISO instant. */
  readonly createdAt: string;
  readonly state: SubscriptionState;
}

/** What a job carries through the scheduler: how to find the subscription. */
export type SubscriptionRef = Pick<Subscription, 'kind' | 'channel' | 'id'>;

/** The subscription of a run; undefined if it must not run because it was removed or paused. */
export type FindRunnable<D> = (ref: SubscriptionRef) => Promise<Subscription<D> | undefined>;

export const jobIdOf = ({ kind, channel, id }: SubscriptionRef): string => `${kind}/${channel}/${id}`;

export const refOf = ({ kind, channel, id }: Subscription): SubscriptionRef => ({ kind, channel, id });
