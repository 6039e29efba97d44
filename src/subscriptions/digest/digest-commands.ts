/** What the digest commands do, and a channel's digests in words: schedule, next runs, last outcome. */
import { type Clock, sleep } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import { labelOf, type Projects } from '../../projects/project.ts';
import type { Reply } from '../../replies/reply.ts';
import { describePauseReason, pauseSummary, unschedulableSummary } from '../paused-notice.ts';
import { nextRuns, repeatStrategy, whyUnschedulable } from '../recurrence/due-times.ts';
import { parseSchedule } from '../recurrence/parse-schedule.ts';
import { describeSchedule, type Schedule } from '../recurrence/schedule.ts';
import type { SubscriptionService, SubscriptionStatus } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import type { RunSummary, SubscriptionSummary, Subscriptions } from '../subscription-summary.ts';
import type { RunEntry } from './delivery-log.ts';
import type { DigestRunner, DigestRunnerDeps } from './digest-runner.ts';

export interface Digests extends Subscriptions {
  /** What the next one would say. */
  preview(channel: string, id: string): Promise<Reply>;
  /** Posts one now, for the time since the last. */
  runNow(channel: string, id: string): Promise<void>;
}

const SHOWN_RUNS = 3;
const RUN_NOW_ATTEMPTS = 4;

const OUTCOMES: Readonly<Record<RunEntry['outcome'], string>> = {
  sent: 'sent',
  found: 'sent',
  apologised: 'could not be made, and said so',
  failed: 'could not be delivered',
  superseded: 'covered by a later one',
};

interface DigestCommandsDeps {
  readonly service: SubscriptionService<unknown>;
  readonly runner: Pick<DigestRunner, 'windowAt'>;
  readonly clock: Clock;
  readonly compose: DigestRunnerDeps<Reply>['compose'];
  readonly projects: Projects;
}

export function createDigestCommands({ service, runner, clock, compose, projects }: DigestCommandsDeps): Digests {
  const { now } = clock;
  function summaryOf({
    subscription,
    lastRun,
  }: Pick<SubscriptionStatus<unknown>, 'subscription' | 'lastRun'>): SubscriptionSummary {
    const { id, channel, owner, zone, hosts, state } = subscription;
    const project = labelOf(projects, subscription.project);
    const common = { id, channel, owner, project, hosts, lastRun: lastRun === undefined ? null : runSummary(lastRun) };
    const fault = whyUnschedulable(subscription.timing);
    if (fault !== null) return { ...common, ...unschedulableSummary(subscription, fault) };
    const schedule = scheduleOf(subscription);
    const active = state.is === 'active';
    return {
      ...common,
      what: describeSchedule(schedule),
      zone,
      nextRuns: active ? nextRuns(schedule, now(), SHOWN_RUNS) : [],
      paused: pauseSummary(state),
    };
  }

  async function find(channel: string, id: string): Promise<SubscriptionStatus<unknown>> {
    const found = (await service.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found;
    throw new BotError('not_found', 'There is no such digest in this channel.', {
      hint: 'It may have been removed.',
      next: [{ label: 'List them', sentence: 'digests' }],
    });
  }

  return {
    async create({ channel, owner, text, zone, project, hosts }) {
      const schedule = parseSchedule(text, zone);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const subscription = await service.create({
        channel,
        owner,
        timing: { schedule },
        zone: schedule.zone,
        ...(project === null ? {} : { project }),
        hosts,
        sentence,
      });
      return summaryOf({ subscription, lastRun: undefined });
    },
    list: async (channel) => (await service.listChannel(channel)).map(summaryOf),
    listOwned: async (owner) => (await service.listOwner(owner)).map(summaryOf),
    async pause(channel, id, by) {
      await service.pause(channel, id, by);
      return summaryOf(await find(channel, id));
    },
    async resume(channel, id) {
      await service.resume(channel, id);
      return summaryOf(await find(channel, id));
    },
    async remove(channel, id) {
      return summaryOf({ subscription: await service.remove(channel, id), lastRun: undefined });
    },
    async history(channel, id) {
      const { subscription } = await find(channel, id);
      return (await service.history(subscription)).map(runSummary);
    },
    async preview(channel, id) {
      const { subscription } = await find(channel, id);
      service.assertMayPost(subscription);
      const at = now();
      const window = await runner.windowAt(subscription, at, repeatStrategy.previous(subscription.timing, at).at);
      const reply = await compose(subscription, window, { late: false });
      return { ...reply, title: `Preview: ${reply.title}` };
    },
    async runNow(channel, id) {
      const { subscription } = await find(channel, id);
      // The same moment for every attempt: it identifies the run, so that none of them posts a second time.
      const at = now();
      for (let attempt = 1; attempt <= RUN_NOW_ATTEMPTS; attempt++) {
        const outcome = await service.runNow(subscription, at, attempt);
        if (outcome === 'done') return;
        await sleep(clock, outcome.retryAfterMs);
      }
      throw new BotError('not_posted', 'The digest could not be posted just now.', {
        hint: 'Try again in a few minutes; the planned digest comes all the same.',
        next: [{ label: 'Try again', sentence: `digest run ${id}` }],
      });
    },
  };
}

function scheduleOf({ timing }: Subscription): Schedule {
  if ('schedule' in timing) return timing.schedule;
  throw new Error('a digest without a schedule');
}

function runSummary({ due, at, late, outcome, reason }: RunEntry): RunSummary {
  const ok = outcome === 'sent' || outcome === 'found' || outcome === 'superseded';
  const says = reason === undefined || ok ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}: ${describePauseReason(reason)}`;
  return { due: Temporal.Instant.from(due), at: Temporal.Instant.from(at), late, ok, says };
}
