/** Why a subscription is paused, in words, and the direct message that tells its owner. */

import { BotError } from '../errors.ts';
import type { Finding } from '../replies/finding.ts';
import type { Reply } from '../replies/reply.ts';
import type { PauseReason } from './delivery/outbox.ts';
import { PAUSED_BY_BOT, type Subscription, type SubscriptionState } from './subscription.ts';
import type { SubscriptionSummary } from './subscription-summary.ts';

const REASONS: Readonly<Record<PauseReason, string>> = {
  channel_gone: 'the channel is gone',
  channel_archived: 'the channel is archived',
  bot_removed: 'the bot is no longer in the channel',
  not_allowed: 'the bot may not post in the channel',
  token_revoked: 'Slack no longer accepts the bot’s token',
  channel_forbidden: 'the channel is no longer one of those this bot may use',
  project_forbidden: 'its project is not for this channel any more',
  project_gone: 'its project is not set up any more',
};

const isPauseReason = (reason: string): reason is PauseReason => Object.hasOwn(REASONS, reason);

/** Any other reason is a sentence already. */
export function describePauseReason(reason: string): string {
  return isPauseReason(reason) ? REASONS[reason] : reason;
}

/** For lists: by whom (`null`: by the bot) and why; `null` while it runs. */
export function pauseSummary(state: SubscriptionState): SubscriptionSummary['paused'] {
  if (state.is === 'active') return null;
  return { by: state.by === PAUSED_BY_BOT ? null : state.by, reason: describePauseReason(state.reason ?? '') };
}

/** For lists: one that cannot run on this machine looks paused, with times in a zone that is known for certain. */
export function unschedulableSummary({ kind, sentence, state }: Subscription, fault: string) {
  const paused = pauseSummary(state) ?? { by: null, reason: fault };
  return { what: sentence ?? `a ${kind}`, zone: 'UTC', nextRuns: [], paused };
}

export function projectGone({ kind, project }: Pick<Subscription, 'kind' | 'project'>): BotError {
  const name = project === undefined ? '' : ` ${project}`;
  return new BotError('not_found', `This ${kind} is about project${name}, which is not set up any more.`, {
    hint: 'Remove it, and make one for another project.',
  });
}

/** For the doctor. */
export function unschedulableFinding({ kind, id, channel }: Subscription, fault: string): Finding {
  return {
    what: `${kind} ${id}`,
    ok: false,
    says: `The ${kind} ${id} in the channel ${channel} cannot run: ${fault}.`,
    fix: `remove it there and make it anew; with another zone, or after an update of Node’s time zones.`,
  };
}

interface PausedNotice {
  /** The same for every attempt to tell of this pause, so that it is told once. */
  readonly id: string;
  readonly reply: Reply;
}

export function pausedNotice(
  { kind, channel, id, state }: Subscription,
  reason: string,
  command: string,
  project: string | null,
): PausedNotice {
  const since = state.is === 'paused' ? state.at : '';
  const whose = project === null ? '' : ` about project ${project}`;
  return {
    id: `paused/${kind}/${channel}/${id}/${since}`,
    reply: {
      title: `Your ${kind} is paused`,
      headline: [
        `The ${kind} you set up in `,
        { channel },
        `${whose} cannot be delivered: ${describePauseReason(reason)}.`,
      ],
      body: [['When that is put right, bring it back there with ', { code: `${command} ${kind} resume` }, '.']],
    },
  };
}
