/** What is stored of a digest or a watch: who wants what, where and when. How its runs went is in the deliveryLog. */
import type { Recurrence } from './recurrence/recurrence.ts';

export type SubscriptionKind = 'digest' | 'watch';

export type SubscriptionState =
  | { readonly is: 'active' }
  | {
      readonly is: 'paused';
      /** ISO instant. */
      readonly at: string;
      /** A user's id, or `wafbot` when delivery became impossible. */
      readonly by: string;
      /** A PauseReason, or what a person gave as one. */
      readonly reason?: string;
      /** Whether the owner has heard of it; absent when a person paused it. */
      readonly owner?: 'to-be-told' | 'being-told' | 'told';
    };

export interface Subscription<D = unknown> {
  readonly id: string;
  readonly kind: SubscriptionKind;
  readonly channel: string;
  /** The id of the user who made it and is told when it fails. */
  readonly owner: string;
  readonly timing: Recurrence;
  /** The zone its times are shown in. */
  readonly zone: string;
  /** Names or ids of hosts; empty means the channel's default. */
  readonly hosts: readonly string[];
  /** The sentence it was made from, or that it answers. */
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

export const jobIdOf = ({ kind, channel, id }: SubscriptionRef): string => `${kind}/${channel}/${id}`;

export const refOf = ({ kind, channel, id }: Subscription): SubscriptionRef => ({ kind, channel, id });
