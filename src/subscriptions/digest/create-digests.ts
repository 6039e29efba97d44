/** Assembles the parts of digests: repository, runner, service and commands. */
import type { CommandTable } from '../../grammar/command-table.ts';
import { labelOf, type Projects } from '../../projects/project.ts';
import { inProject } from '../../replies/follow-ups.ts';
import type { Reply } from '../../replies/reply.ts';
import type { KeyValueStore } from '../../store/create-store.ts';
import type { Records } from '../../store/store.ts';
import type { Range } from '../../time/index.ts';
import { createRunUnderLease, type LeaseOptions } from '../delivery/lease.ts';
import { createPostExactlyOnce, type PostExactlyOnceDeps } from '../delivery/post-exactly-once.ts';
import { projectGone } from '../paused-notice.ts';
import { createSubscriptionRepository } from '../repository.ts';
import { createSubscriptionService, type SubscriptionService, type SubscriptionServiceDeps } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import type { LastHandover } from '../watch/handover.ts';
import type { Watches } from '../watch/watch-commands.ts';
import { createDeliveryLogs } from './delivery-log.ts';
import { createDigestCommands } from './digest-commands.ts';
import { createHandoverDigest } from './digest-content.ts';
import { apology, createDigestReply, type DigestReply, type DigestReplyDeps } from './digest-reply.ts';
import { createDigestRunner, type DigestRunnerDeps, isHandover } from './digest-runner.ts';

interface DigestDeliveryDeps<M>
  extends LeaseOptions,
    PostExactlyOnceDeps<M>,
    Pick<DigestRunnerDeps<M>, 'compose' | 'apologise' | 'coversTo' | 'observer'>,
    Pick<SubscriptionServiceDeps<unknown>, 'scheduler' | 'notifyOwner' | 'whyForbidden'> {
  readonly records: Records;
}

/** Digests with any content: the caller decides what's composed. */
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
    whyForbidden: deps.whyForbidden,
  });
  return { repository, runner, service };
}

interface DigestsDeps
  extends Omit<DigestDeliveryDeps<Reply>, 'compose' | 'apologise'>,
    Omit<DigestReplyDeps, 'statistics' | 'hosts' | 'listedHosts' | 'episodes' | 'ignored' | 'reported'> {
  readonly projects: Projects;
  readonly commands: CommandTable;
  /** What the watches of a channel have reported. */
  readonly episodes: Watches['episodes'];
  readonly handover: Watches['handover'];
  /** The last handover of each channel. */
  readonly handovers?: Pick<KeyValueStore<LastHandover>, 'set'> | undefined;
  readonly clock: DigestDeliveryDeps<Reply>['clock'];
}

export function createDigests(deps: DigestsDeps) {
  const { clock, projects, commands } = deps;
  const handover = createHandoverDigest(deps);
  const composers = new Map(
    projects.map(({ storedAs, label, ...project }) => {
      const reported: DigestReplyDeps['reported'] = (channel, range) => deps.episodes(channel, range, storedAs);
      const compose = createDigestReply({ ...deps, ...project, reported });
      return [
        storedAs,
        async (...digest: Parameters<DigestReply>) => {
          const content = await compose(...digest);
          return { ...content, message: inProject(content.message, label, commands) };
        },
      ];
    }),
  );
  /** A run's project was checked by the service; a preview's may be gone. */
  const compose: DigestRunnerDeps<Reply>['compose'] = async (subscription, range, facts) => {
    const composer = composers.get(subscription.project ?? null);
    if (composer === undefined) throw projectGone(subscription);
    if (isHandover(subscription)) return { message: await handover.compose(subscription, range, facts), tail: null };
    return composer(subscription, range, facts);
  };
  const composeToPost: typeof compose = async (subscription, range, facts) => {
    const content = await compose(subscription, range, facts);
    if (isHandover(subscription)) await handover.noteDone(subscription, range);
    return content;
  };
  const apologise = (subscription: Subscription, range: Range, error: unknown): Reply =>
    inProject(apology(subscription, range, error), labelOf(projects, subscription.project), commands);
  const { runner, service } = createDigestDelivery<Reply>({ ...deps, compose: composeToPost, apologise });
  const digests = createDigestCommands({ service, runner, clock, compose, projects });
  return { digests, service, runner };
}
