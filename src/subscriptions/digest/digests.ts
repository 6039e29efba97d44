/** The channel's digests as the commands see them: in words, with next runs and last outcomes. */
import { type Clock, sleep } from '../../clock.ts';
import type { Digests as DigestsPort, RunSummary, SubscriptionSummary } from '../../commands/ports.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import { BotError } from '../../errors.ts';
import { type Range, resolveZone } from '../../time/index.ts';
import type { PauseReason } from '../ports.ts';
import type { RunEntry } from '../posting/delivery-log.ts';
import { describeSchedule } from '../recurrence/describe.ts';
import { nextRuns, previousRun } from '../recurrence/due-times.ts';
import { parseSchedule } from '../recurrence/parse.ts';
import type { Schedule } from '../recurrence/schedule.ts';
import type { SubscriptionService, SubscriptionStatus } from '../service.ts';
import type { Subscription } from '../subscription.ts';

const SHOWN_RUNS = 3;
const RUN_NOW_ATTEMPTS = 4;

const OUTCOMES: Readonly<Record<RunEntry['outcome'], string>> = {
  sent: 'sent',
  found: 'sent',
  apologised: 'could not be made, and said so',
  failed: 'could not be delivered',
  superseded: 'covered by a later one',
};

const REASONS: Readonly<Record<PauseReason, string>> = {
  channel_gone: 'the channel is gone',
  channel_archived: 'the channel is archived',
  bot_removed: 'the bot is no longer in the channel',
  not_allowed: 'the bot may not post in the channel',
  token_revoked: 'Slack no longer accepts the bot’s token',
};

export function reasonInWords(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as PauseReason] : reason;
}

export interface DigestsPortDependencies {
  readonly subscriptionService: SubscriptionService<Reply, unknown>;
  readonly clock: Clock;
  readonly report: (subscription: Subscription, window: Range) => Promise<Reply>;
  /** The time that a digest at `at` would cover. */
  readonly windowAt: (
    subscription: Subscription,
    at: Temporal.Instant,
    previousDueAt: Temporal.Instant,
  ) => Promise<Range>;
}

export function createDigestsPort({
  subscriptionService,
  clock,
  report,
  windowAt,
}: DigestsPortDependencies): DigestsPort {
  const { now } = clock;
  function summaryOf({
    subscription,
    lastRun,
  }: Pick<SubscriptionStatus<unknown>, 'subscription' | 'lastRun'>): SubscriptionSummary {
    const { id, channel, owner, zone, hosts, state } = subscription;
    const schedule = scheduleOf(subscription);
    const active = state.is === 'active';
    return {
      id,
      what: describeSchedule(schedule),
      channel,
      owner,
      zone,
      hosts,
      nextRuns: active ? nextRuns(schedule, now(), SHOWN_RUNS) : [],
      lastRun: lastRun === undefined ? null : runSummary(lastRun),
      paused:
        state.is === 'paused'
          ? { by: state.by === 'wafbot' ? null : state.by, reason: reasonInWords(state.reason ?? '') }
          : null,
    };
  }

  async function find(channel: string, id: string): Promise<SubscriptionStatus<unknown>> {
    const found = (await subscriptionService.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found;
    throw new BotError('not_found', 'There is no such digest in this channel.', { hint: 'List them with digest.' });
  }

  return {
    async create({ channel, owner, text, zone, hosts }) {
      const schedule = parseSchedule(text, zone, resolveZone);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const subscription = await subscriptionService.create({
        channel,
        owner,
        timing: { schedule },
        zone: schedule.zone,
        hosts,
        sentence,
      });
      return summaryOf({ subscription, lastRun: undefined });
    },
    list: async (channel) => (await subscriptionService.listChannel(channel)).map(summaryOf),
    listOwned: async (owner) => (await subscriptionService.listOwner(owner)).map(summaryOf),
    async pause(channel, id, by) {
      await subscriptionService.pause(channel, id, by);
      return summaryOf(await find(channel, id));
    },
    async resume(channel, id) {
      await subscriptionService.resume(channel, id);
      return summaryOf(await find(channel, id));
    },
    async remove(channel, id) {
      return summaryOf({ subscription: await subscriptionService.remove(channel, id), lastRun: undefined });
    },
    async history(channel, id) {
      const { subscription } = await find(channel, id);
      return (await subscriptionService.history(subscription)).map(runSummary);
    },
    async preview(channel, id) {
      const { subscription } = await find(channel, id);
      const at = now();
      const reply = await report(
        subscription,
        await windowAt(subscription, at, previousRun(scheduleOf(subscription), at)),
      );
      return { ...reply, title: `Preview: ${reply.title}` };
    },
    async runNow(channel, id) {
      const { subscription } = await find(channel, id);
      // The same moment for every attempt: it names the run, so that none of them posts a second one.
      const at = now();
      for (let attempt = 1; attempt <= RUN_NOW_ATTEMPTS; attempt++) {
        const outcome = await subscriptionService.runNow(subscription, at, attempt);
        if (outcome === 'done') return;
        await sleep(clock, outcome.retryAfterMs);
      }
      throw new BotError('upstream_unavailable', 'The digest could not be posted just now.', {
        hint: 'Try again in a few minutes; the planned digest comes all the same.',
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
  const says = reason === undefined || ok ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}: ${reasonInWords(reason)}`;
  return { due: Temporal.Instant.from(due), at: Temporal.Instant.from(at), late, ok, says };
}
