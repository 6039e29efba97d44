/** Joins repository, delivery and subscriptionService of one kind of subscription. The rest of the house talks to what comes out of here. */
import type { Clock } from '../../clock.ts';
import type { Scheduler } from '../ports.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';
import { createSubscriptionRepository } from '../repository.ts';
import { createSubscriptionService, type SubscriptionService, type SubscriptionServiceDeps } from '../service.ts';
import type { SubscriptionKind, SubscriptionRef } from '../subscription.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from './deliver.ts';

export interface DigestsDeps<M, D>
  extends Omit<DeliveryDeps<M, D>, 'subscriptionOf' | 'pause'>,
    Pick<SubscriptionServiceDeps<M, D>, 'tell'> {
  readonly kind?: SubscriptionKind;
  readonly clock: Clock;
  readonly scheduler: Scheduler<Recurrence, SubscriptionRef>;
}

export function createDigests<M, D = unknown>(deps: DigestsDeps<M, D>) {
  const { records, scheduler, clock, log, tell, kind = 'digest' } = deps;
  const { now } = clock;
  const repository = createSubscriptionRepository<D>({ records, kind, now });
  const delivery: Delivery<M, D> = createDelivery<M, D>({
    ...deps,
    subscriptionOf: ({ channel, id }) => repository.get(channel, id),
    pause: (subscription, reason) => subscriptionService.pauseUndeliverable(subscription, reason),
  });
  const subscriptionService: SubscriptionService<M, D> = createSubscriptionService<M, D>({
    repository,
    scheduler,
    delivery,
    now,
    log,
    tell,
  });
  return { repository, delivery, subscriptionService };
}

export type Digests<M, D> = ReturnType<typeof createDigests<M, D>>;
