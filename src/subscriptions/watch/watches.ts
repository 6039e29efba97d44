/** The channel's watches as the commands see them: in words, with what they saw last. */
import type { RunSummary, SubscriptionSummary, Watches } from '../../commands/ports.ts';
import { BotError } from '../../errors.ts';
import { reasonInWords } from '../digest/digests.ts';
import { repeatStrategy } from '../recurrence/recurrence.ts';
import type { SubscriptionService } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import type { ObservedLevel } from './observation.ts';
import { parseWatch } from './parse-watch.ts';
import { acknowledge, snooze, wake } from './state-changes.ts';
import { DEFAULT_EVERY_MS, describeRule, lengthInWords } from './watch-rule.ts';
import type { WatchDetails, WatchRunner } from './watch-runner.ts';
import { isOpen, type WatchState } from './watch-state.ts';

export interface WatchesPortDeps {
  readonly subscriptionService: SubscriptionService<unknown, WatchDetails>;
  readonly runner: WatchRunner;
  readonly now: () => Temporal.Instant;
}

const SEEN: Readonly<Record<ObservedLevel, string>> = {
  calm: 'calm',
  between: 'calm, but only just',
  elevated: 'elevated',
  surge: 'surge',
  unknown: 'could not see',
};

export function createWatchesPort({ subscriptionService, runner, now }: WatchesPortDeps): Watches {
  async function summaryOf(subscription: Subscription<WatchDetails>): Promise<SubscriptionSummary> {
    const { id, channel, owner, zone, hosts, state, timing, details } = subscription;
    const watch = await runner.state(subscription);
    const everyMs = 'everyMs' in timing ? timing.everyMs : DEFAULT_EVERY_MS;
    return {
      id,
      what: `${describeRule(details?.rule ?? { kind: 'verdict' })}, every ${lengthInWords(everyMs)}`,
      channel,
      owner,
      zone,
      hosts,
      nextRuns: state.is === 'active' ? [repeatStrategy.next(timing, now()).at] : [],
      lastRun: lastLook(watch),
      paused:
        state.is === 'paused'
          ? { by: state.by === 'wafbot' ? null : state.by, reason: reasonInWords(state.reason ?? '') }
          : null,
    };
  }

  async function find(channel: string, id: string): Promise<Subscription<WatchDetails>> {
    const found = (await subscriptionService.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found.subscription;
    throw new BotError('not_found', 'There is no such watch in this channel.', { hint: 'List them with watches.' });
  }

  /** Changes the state as people wish and shows it. What cannot be shown now is shown by the next run. */
  async function tell(
    channel: string,
    id: string,
    change: (state: WatchState) => WatchState,
  ): Promise<SubscriptionSummary> {
    const subscription = await find(channel, id);
    await runner.change(subscription, change);
    await runner.refresh(subscription);
    return summaryOf(subscription);
  }

  const all = (
    views: readonly { readonly subscription: Subscription<WatchDetails> }[],
  ): Promise<SubscriptionSummary[]> => Promise.all(views.map(({ subscription }) => summaryOf(subscription)));

  return {
    async create({ channel, owner, text, zone, hosts }) {
      const { rule, everyMs } = parseWatch(text);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const wanted = { channel, owner, timing: { everyMs }, zone, hosts, sentence, details: { rule } };
      return summaryOf(await subscriptionService.create(wanted));
    },
    list: async (channel) => all(await subscriptionService.listChannel(channel)),
    listOwned: async (owner) => all(await subscriptionService.listOwner(owner)),
    pause: async (channel, id, by) => summaryOf(await subscriptionService.pause(channel, id, by)),
    resume: async (channel, id) => summaryOf(await subscriptionService.resume(channel, id)),
    remove: async (channel, id) => summaryOf(await subscriptionService.remove(channel, id)),
    async history(channel, id) {
      const last = lastLook(await runner.state(await find(channel, id)));
      return last === null ? [] : [last];
    },
    isOpen: async (channel, id) => isOpen(await runner.state(await find(channel, id))),
    acknowledge: (channel, id, by) =>
      tell(channel, id, (state) => acknowledge(state, by, now().epochMilliseconds)?.state ?? state),
    snooze: (channel, id, by, until) => tell(channel, id, (state) => snooze(state, by, until.epochMilliseconds).state),
    wake: (channel, id) => tell(channel, id, (state) => wake(state).state),
  };
}

function lastLook({ seen, lookedMs, snoozed }: WatchState): RunSummary | null {
  if (seen === null || lookedMs < 0) return null;
  const at = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const says = `${SEEN[seen]}${snoozed === null ? '' : ', snoozed'}`;
  return { due: at, at, late: false, ok: seen !== 'unknown', says };
}
