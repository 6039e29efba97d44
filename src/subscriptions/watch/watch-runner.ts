/**
 * Runs a watch: looks, steps, keeps the state, then shows the channel what it is owed. The state is kept before
 * anything is shown and says what is still to be shown, so a crash at any point is made good by the next run.
 */
import type { Clock } from '../../clock.ts';
import { resolveHosts } from '../../commands/grammar/hosts.ts';
import type { HostAlias, KeyValueStore, Statistics } from '../../commands/ports.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Delivered, RunContext } from '../digest/deliver.ts';
import type { Leases, Outbox, Records } from '../ports.ts';
import { backoffMs, defaultPolicy } from '../posting/delivery-policy.ts';
import { underLease } from '../posting/lease.ts';
import { jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { episodeReply, type WatchFacts } from './episode-reply.ts';
import { blindLook, type Look, look } from './evaluate.ts';
import { createShow, type EditResult } from './show.ts';
import { owed, step } from './step.ts';
import type { WatchRule } from './watch-rule.ts';
import { RESTING, type WatchState } from './watch-state.ts';

export interface WatchDetails {
  readonly rule: WatchRule;
}

export interface WatchRunnerDeps {
  readonly records: Records;
  readonly leases: Leases;
  readonly outbox: Outbox<Reply> & {
    edit(channel: string, ts: string, message: Reply): Promise<EditResult>;
  };
  readonly clock: Clock;
  readonly log: Logger;
  readonly owner: string;
  readonly statistics: Statistics;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries'>;
  readonly subscriptionOf: (pointer: SubscriptionRef) => Promise<Subscription<WatchDetails> | undefined>;
  /** The reason is a `PauseReason` or a sentence. */
  readonly pause: (subscription: Subscription<WatchDetails>, reason: string) => Promise<void>;
}

const SPACE = 'watch-states';
const BUSY_RETRY_MS = 2_000;

export function createWatchRunner(deps: WatchRunnerDeps) {
  const { records, leases, clock, log, statistics } = deps;
  const keep = (job: string, change: (state: WatchState) => WatchState): Promise<WatchState> =>
    records.update<WatchState>(SPACE, job, (current) => change(current ?? RESTING)).then((state) => state ?? RESTING);
  const show = createShow({ outbox: deps.outbox, now: clock.now, log, keep });

  async function factsOf({ id, details, hosts: names, zone }: Subscription<WatchDetails>): Promise<WatchFacts> {
    const aliases = names.length === 0 ? [] : (await deps.hosts.entries()).map(([, alias]) => alias);
    return {
      id,
      rule: details?.rule ?? { kind: 'verdict' },
      hosts: resolveHosts(names, aliases, 'watch'),
      zone,
    };
  }

  async function lookNow(job: string, facts: WatchFacts): Promise<Look> {
    const { rule, hosts, zone } = facts;
    const now = clock.now();
    try {
      return await look(statistics, { rule, hosts: hosts.map(({ id }) => id), zone, now });
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      log.warn({ job, error }, 'a watch cannot see');
      return blindLook(now);
    }
  }

  /** `counts` is false when people, not time, are the reason: then nothing is judged anew. */
  async function work(subscription: Subscription<WatchDetails>, attempt: number, counts: boolean): Promise<Delivered> {
    const job = jobIdOf(subscription);
    const facts = await factsOf(subscription).catch((error: unknown) => noHost(error));
    if (typeof facts === 'string') {
      await deps.pause(subscription, facts);
      return 'done';
    }
    const seen = await lookNow(job, facts);
    const nowMs = clock.now().epochMilliseconds;
    const state = await keep(job, (current) => (counts ? step(current, seen.observation, nowMs).state : current));
    const { episode } = state;
    if (episode === null || owed(state).is === 'nothing') return 'done';
    const outcome = await show(job, subscription.channel, state, (current) =>
      episodeReply(current, current.episode ?? episode, facts, seen),
    );
    if (outcome === 'done') return 'done';
    if ('permanent' in outcome) {
      await deps.pause(subscription, outcome.permanent);
      return 'done';
    }
    return { retryAfterMs: outcome.retryAfterMs ?? backoffMs(attempt) };
  }

  async function run(pointer: SubscriptionRef, attempt: number, counts: boolean): Promise<Delivered> {
    const subscription = await deps.subscriptionOf(pointer);
    if (subscription?.state.is !== 'active') return 'done';
    const options = { leases, clock, owner: `${deps.owner}/${crypto.randomUUID()}`, ttlMs: defaultPolicy.leaseMs };
    const result = await underLease(options, `run/${jobIdOf(subscription)}`, () => work(subscription, attempt, counts));
    return result ?? { retryAfterMs: BUSY_RETRY_MS };
  }

  return {
    /** What the scheduler calls. */
    run: (pointer: SubscriptionRef, { attempt }: Pick<RunContext, 'attempt'>) => run(pointer, attempt, true),
    /** Shows at once what people have changed; if it cannot, the next run does. */
    refresh: (pointer: SubscriptionRef) => run(pointer, 1, false),
    state: async (pointer: SubscriptionRef): Promise<WatchState> =>
      (await records.space<WatchState>(SPACE).get(jobIdOf(pointer))) ?? RESTING,
    change: (pointer: SubscriptionRef, change: (state: WatchState) => WatchState) => keep(jobIdOf(pointer), change),
    async forget(pointer: SubscriptionRef): Promise<void> {
      await records.update<WatchState>(SPACE, jobIdOf(pointer), () => undefined);
    },
  };
}

/** A host that is gone is for the owner to put right. */
function noHost(error: unknown): string {
  if (error instanceof BotError && error.code === 'not_found') return error.message;
  throw error;
}

export type WatchRunner = ReturnType<typeof createWatchRunner>;
