/** What `subscriptions/jobs.ts` puts together with the rest of the bot. */

export { createLocalLeases } from './delivery/lease.ts';
export type { Outbox } from './delivery/outbox.ts';
export { createPostRateLimiter } from './delivery/post-rate-limiter.ts';
export { createDigests } from './digest/create-digests.ts';
export { pausedNotice, unschedulableFinding } from './paused-notice.ts';
export { repeatStrategy } from './recurrence/due-times.ts';
export type { Recurrence } from './recurrence/schedule.ts';
export type { WhyForbidden } from './service.ts';
export type { Subscription, SubscriptionRef } from './subscription.ts';
export { createWatches } from './watch/create-watches.ts';
