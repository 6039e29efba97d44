/** What `jobs.ts` puts together with the rest of the bot. */
export { createDigests } from './digest/create-digests.ts';
export { pausedNotice, unschedulableFinding } from './paused-notice.ts';
export { createLocalLeases } from './posting/lease.ts';
export type { Outbox } from './posting/outbox.ts';
export { createPostRateLimiter } from './posting/post-rate-limiter.ts';
export { repeatStrategy } from './recurrence/due-times.ts';
export type { Recurrence } from './recurrence/schedule.ts';
export type { WhyForbidden } from './service.ts';
export type { Subscription, SubscriptionRef } from './subscription.ts';
export { createWatches } from './watch/create-watches.ts';
