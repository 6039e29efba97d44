/** What the watch commands do, and a channel's watches in words: the rule and how it stood last. */
import type { RunSummary, SubscriptionSummary, Watches } from '../../commands/ports.ts';
import { BotError } from '../../errors.ts';
import { pauseSummary, unschedulableSummary } from '../paused-notice.ts';
import { repeatStrategy, whyUnschedulable } from '../recurrence/due-times.ts';
import type { SubscriptionService } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import { acknowledge, snooze, wake } from './episode-lifecycle.ts';
import type { ObservedLevel } from './observation.ts';
import { parseWatch } from './parse-watch.ts';
import { DEFAULT_EVERY_MS, describeLength, describeRule } from './watch-rule.ts';
import type { WatchDetails, WatchRunner } from './watch-runner.ts';
import { isOpen, type WatchState } from './watch-state.ts';

interface WatchCommandsDeps {
  readonly service: SubscriptionService<WatchDetails>;
  readonly runner: WatchRunner;
  readonly now: () => Temporal.Instant;
}

const LEVELS: Readonly<Record<ObservedLevel, string>> = {
  calm: 'calm',
  between: 'calm, but only just',
  elevated: 'elevated',
  surge: 'surge',
  unknown: 'could not see',
};

export function createWatchCommands({ service, runner, now }: WatchCommandsDeps): Watches {
  async function summaryOf(subscription: Subscription<WatchDetails>): Promise<SubscriptionSummary> {
    const { id, channel, owner, zone, hosts, state, timing, details } = subscription;
    const common = { id, channel, owner, hosts, lastRun: lastEvaluation(await runner.state(subscription)) };
    const fault = whyUnschedulable(timing);
    if (fault !== null) return { ...common, ...unschedulableSummary(subscription, fault) };
    const everyMs = 'everyMs' in timing ? timing.everyMs : DEFAULT_EVERY_MS;
    return {
      ...common,
      what: `${describeRule(details?.rule ?? { kind: 'verdict' })}, every ${describeLength(everyMs)}`,
      zone,
      nextRuns: state.is === 'active' ? [repeatStrategy.next(timing, now()).at] : [],
      paused: pauseSummary(state),
    };
  }

  async function find(channel: string, id: string): Promise<Subscription<WatchDetails>> {
    const found = (await service.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found.subscription;
    throw new BotError('not_found', 'There is no such watch in this channel.', { hint: 'List them with watches.' });
  }

  async function change(
    channel: string,
    id: string,
    next: (state: WatchState) => WatchState,
  ): Promise<SubscriptionSummary> {
    const subscription = await find(channel, id);
    await runner.change(subscription, next);
    return summaryOf(subscription);
  }

  const summaries = (
    statuses: readonly { readonly subscription: Subscription<WatchDetails> }[],
  ): Promise<SubscriptionSummary[]> => Promise.all(statuses.map(({ subscription }) => summaryOf(subscription)));

  return {
    async create({ channel, owner, text, zone, hosts }) {
      const { rule, everyMs } = parseWatch(text);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const wanted = { channel, owner, timing: { everyMs }, zone, hosts, sentence, details: { rule } };
      return summaryOf(await service.create(wanted));
    },
    list: async (channel) => summaries(await service.listChannel(channel)),
    listOwned: async (owner) => summaries(await service.listOwner(owner)),
    pause: async (channel, id, by) => summaryOf(await service.pause(channel, id, by)),
    resume: async (channel, id) => summaryOf(await service.resume(channel, id)),
    remove: async (channel, id) => summaryOf(await service.remove(channel, id)),
    async history(channel, id) {
      const last = lastEvaluation(await runner.state(await find(channel, id)));
      return last === null ? [] : [last];
    },
    isOpen: async (channel, id) => isOpen(await runner.state(await find(channel, id))),
    acknowledge: (channel, id, by) => change(channel, id, (state) => acknowledge(state, by, now().epochMilliseconds)),
    snooze: (channel, id, by, until) => change(channel, id, (state) => snooze(state, by, until.epochMilliseconds)),
    wake: (channel, id) => change(channel, id, wake),
  };
}

function lastEvaluation({ seen, lookedMs, snoozed }: WatchState): RunSummary | null {
  if (seen === null || lookedMs < 0) return null;
  const at = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const says = `${LEVELS[seen]}${snoozed === null ? '' : ', snoozed'}`;
  return { due: at, at, late: false, ok: seen !== 'unknown', says };
}
