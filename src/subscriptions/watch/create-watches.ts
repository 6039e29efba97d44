/** Assembles the parts of watches: repository, runner, service and commands. */
import type { Reply } from '../../replies/reply.ts';
import type { Records } from '../../store/store.ts';
import { createRunUnderLease, type LeaseOptions } from '../delivery/lease.ts';
import type { MessageEditor, MessageSender } from '../delivery/outbox.ts';
import { createPostExactlyOnce, type PostExactlyOnceDeps } from '../delivery/post-exactly-once.ts';
import { createSubscriptionRepository } from '../repository.ts';
import { createSubscriptionService, type SubscriptionService, type SubscriptionServiceDeps } from '../service.ts';
import { createPreview } from './preview.ts';
import { createEpisodePublisher } from './publish-episode.ts';
import { createWatchCommands, watchesTheSame } from './watch-commands.ts';
import { assertFewEvaluations } from './watch-rule.ts';
import { createWatchRunner, type WatchDetails, type WatchRunnerDeps } from './watch-runner.ts';
import { createWatchStates } from './watch-state.ts';

interface WatchesDeps
  extends LeaseOptions,
    PostExactlyOnceDeps<Reply>,
    Pick<WatchRunnerDeps, 'projects' | 'commands' | 'observer' | 'pages'>,
    Pick<SubscriptionServiceDeps<WatchDetails>, 'scheduler' | 'notifyOwner' | 'whyForbidden'> {
  readonly records: Records;
  readonly outbox: MessageSender<Reply> & MessageEditor<Reply>;
}

export function createWatches(deps: WatchesDeps) {
  const { records, scheduler, clock, log, observer, outbox, notifyOwner } = deps;
  const { now } = clock;
  const states = createWatchStates(records);
  const repository = createSubscriptionRepository<WatchDetails>({
    records,
    kind: 'watch',
    now,
    isSame: watchesTheSame,
    assertRoomFor: (existing, created) => assertFewEvaluations([...existing, created]),
  });
  const runner = createWatchRunner({
    ...deps,
    states,
    runUnderLease: createRunUnderLease(deps),
    publish: createEpisodePublisher({ outbox, postExactlyOnce: createPostExactlyOnce(deps), log, states, observer }),
    findRunnable: (ref) => service.findRunnable(ref),
    pause: (subscription, reason) => service.pauseUndeliverable(subscription, reason),
  });
  const service: SubscriptionService<WatchDetails> = createSubscriptionService<WatchDetails>({
    repository,
    scheduler,
    // A watch has a state instead of a log of runs, and nothing to catch up on.
    runs: {
      ...runner,
      history: async () => [],
      startFrom: async () => {},
      completedUntil: async () => undefined,
      edited: async () => {},
    },
    now,
    log,
    notifyOwner,
    whyForbidden: deps.whyForbidden,
  });
  const watches = createWatchCommands({
    service,
    runner,
    preview: createPreview({ now }),
    projects: deps.projects,
    commands: deps.commands,
    now,
  });
  return { watches, service, runner };
}
