/** What is stored of a digest or a watch: who wants what, where and when. Their runs are recorded elsewhere. */
import type { Recurrence } from './recurrence/schedule.ts';

export type SubscriptionKind = 'digest' | 'watch';

/** Who paused a subscription when it was not a person. */
export const PAUSED_BY_BOT = 'wafbot';

export type SubscriptionState =
  | { readonly is: 'active' }
  | {
      readonly is: 'paused';
      /** ISO instant. */
      readonly at: string;
      /** A user's id, or `PAUSED_BY_BOT` when delivery became impossible. */
      readonly by: string;
      /** A PauseReason, or what a person gave as one. */
      readonly reason?: string;
      /** Whether the owner has been told; absent when a person paused it. */
      readonly owner?: 'to-be-told' | 'being-told' | 'told';
    };

export interface Subscription<D = unknown> {
  readonly id: string;
  readonly kind: SubscriptionKind;
  readonly channel: string;
  /** The id of the user who created it and is told when it cannot be delivered. */
  readonly owner: string;
  readonly timing: Recurrence;
  /** The zone its times are shown in. */
  readonly zone: string;
  /** Absent for the project that was there before there were several. */
  readonly project?: string;
  /** Names or ids of hosts; empty means the channel's default. */
  readonly hosts: readonly string[];
  /** The sentence it was created from. */
  readonly sentence?: string;
  /** What only this kind knows: a watch's threshold, for example. */
  readonly details?: D;
  /** ISO instant. */
  readonly createdAt: string;
  readonly state: SubscriptionState;
}

/** What a job carries through the scheduler: where to find the subscription. */
export interface SubscriptionRef {
  readonly kind: SubscriptionKind;
  readonly channel: string;
  readonly id: string;
}

/** The subscription of a run; undefined when it is not to run, because it was removed or is paused. */
export type FindRunnable<D> = (ref: SubscriptionRef) => Promise<Subscription<D> | undefined>;

export const jobIdOf = ({ kind, channel, id }: SubscriptionRef): string => `${kind}/${channel}/${id}`;

export const refOf = ({ kind, channel, id }: Subscription): SubscriptionRef => ({ kind, channel, id });
