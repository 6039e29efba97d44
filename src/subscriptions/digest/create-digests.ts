/** Puts the parts of digests together: repository, runner, service, and the commands on top of them. */
import type { Digests } from '../../commands/ports.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import { createRunUnderLease, type LeaseOptions } from '../posting/lease.ts';
import { createPostExactlyOnce, type PostExactlyOnceDeps } from '../posting/post-exactly-once.ts';
import { createSubscriptionRepository, type Records } from '../repository.ts';
import { createSubscriptionService, type SubscriptionService, type SubscriptionServiceDeps } from '../service.ts';
import { createDeliveryLogs } from './delivery-record.ts';
import { createDigestCommands } from './digest-commands.ts';
import { apology, createDigestReply, type DigestReplyDeps } from './digest-reply.ts';
import { createDigestRunner, type DigestRunnerDeps } from './digest-runner.ts';

interface DigestDeliveryDeps<M>
  extends LeaseOptions,
    PostExactlyOnceDeps<M>,
    Pick<DigestRunnerDeps<M>, 'compose' | 'apologise'>,
    Pick<SubscriptionServiceDeps<unknown>, 'scheduler' | 'notifyOwner' | 'mayPostIn'> {
  readonly records: Records;
}

/** Digests with whatever content: what is composed is the caller's concern. */
export function createDigestDelivery<M>(deps: DigestDeliveryDeps<M>) {
  const { records, scheduler, clock, log, notifyOwner } = deps;
  const { now } = clock;
  const repository = createSubscriptionRepository({ records, kind: 'digest', now });
  const runner = createDigestRunner<M>({
    ...deps,
    logs: createDeliveryLogs(records),
    runUnderLease: createRunUnderLease(deps),
    postExactlyOnce: createPostExactlyOnce(deps),
    findRunnable: (ref) => service.findRunnable(ref),
    pause: (subscription, reason) => service.pauseUndeliverable(subscription, reason),
  });
  const service: SubscriptionService<unknown> = createSubscriptionService<unknown>({
    repository,
    scheduler,
    runs: runner,
    now,
    log,
    notifyOwner,
    mayPostIn: deps.mayPostIn,
  });
  return { repository, runner, service };
}

type DigestsDeps = Omit<DigestDeliveryDeps<Reply>, 'compose' | 'apologise'> & DigestReplyDeps;

export function createDigests(deps: DigestsDeps) {
  const { clock } = deps;
  const compose = createDigestReply(deps);
  const { runner, service } = createDigestDelivery<Reply>({ ...deps, compose, apologise: apology });
  const digests: Digests = createDigestCommands({ service, runner, clock, compose });
  return { digests, service, runner };
}
