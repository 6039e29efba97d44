/** The face of the room: what app.ts joins to the rest. */

export { createDigests, type Digests, type DigestsDeps } from './digest/create-digests.ts';
export type { Delivered, Delivery, RunContext } from './digest/deliver.ts';
export type { FindResult, Leases, Outbox, PauseReason, Records, SendResult } from './ports.ts';
export type { Outcome, RunEntry } from './posting/delivery-log.ts';
export { type DeliveryPolicy, defaultPolicy } from './posting/delivery-policy.ts';
export { createLocalLeases, underLease } from './posting/lease.ts';
export { createPostRateLimiter, type PostRateLimiter } from './posting/post-rate-limiter.ts';
export { describeSchedule, describeTiming } from './recurrence/describe.ts';
export { nextRun, nextRuns, previousRun } from './recurrence/due-times.ts';
export { parseSchedule } from './recurrence/parse.ts';
export { type Recurrence, repeatStrategy } from './recurrence/recurrence.ts';
export type { Schedule } from './recurrence/schedule.ts';
export { type NewSubscription, SUBSCRIPTIONS_PER_CHANNEL, type SubscriptionRepository } from './repository.ts';
export type { SubscriptionService, SubscriptionStatus } from './service.ts';
export type { Subscription, SubscriptionKind, SubscriptionRef, SubscriptionState } from './subscription.ts';
