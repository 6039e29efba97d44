/** Makes the message for a due time: the digest, or, once patience with a failing service is over, an honest line. */
import type { Clock } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Range } from '../../time/index.ts';
import { type DeliveryLog, windowOf } from '../posting/delivery-log.ts';
import type { DeliveryLogs } from '../posting/delivery-logs.ts';
import { backoffMs, type DeliveryPolicy } from '../posting/delivery-policy.ts';
import { jobIdOf, type Subscription } from '../subscription.ts';
import type { RunContext } from './deliver.ts';

export interface Made<M> {
  readonly message: M;
  readonly window: Range;
  readonly apology: boolean;
}

export interface MakerDeps<M, D> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly deliveryLogs: DeliveryLogs;
  readonly policy: DeliveryPolicy;
  readonly compose: (subscription: Subscription<D>, window: Range, facts: { readonly late: boolean }) => Promise<M>;
  readonly apologise: (subscription: Subscription<D>, window: Range, error: unknown) => M;
}

export function createMaker<M, D>({ clock, log, deliveryLogs, policy, compose, apologise }: MakerDeps<M, D>) {
  async function composed(subscription: Subscription<D>, window: Range, late: boolean): Promise<M> {
    const limit = Promise.withResolvers<never>();
    const cancel = clock.after(policy.composeLimitMs, () =>
      limit.reject(new BotError('upstream_timeout', 'The statistics took too long.')),
    );
    try {
      return await Promise.race([compose(subscription, window, { late }), limit.promise]);
    } finally {
      cancel();
    }
  }

  return async (
    subscription: Subscription<D>,
    deliveryLog: DeliveryLog,
    context: RunContext,
  ): Promise<Made<M> | { readonly retryAfterMs: number }> => {
    const window = windowOf(deliveryLog, context.due.at, context.previousDueAt);
    try {
      return { message: await composed(subscription, window, context.late), window, apology: false };
    } catch (error) {
      const now = clock.now();
      const { troubleSince } = await deliveryLogs.troubled(jobIdOf(subscription), now.toString());
      const sinceMs = Temporal.Instant.from(troubleSince ?? now).epochMilliseconds;
      const leftMs = sinceMs + policy.patienceMs - now.epochMilliseconds;
      log.warn({ job: jobIdOf(subscription), error, leftMs }, 'a digest cannot be made');
      if (leftMs > 0) return { retryAfterMs: Math.min(backoffMs(context.attempt), leftMs) };
      return { message: apologise(subscription, window, error), window, apology: true };
    }
  };
}
