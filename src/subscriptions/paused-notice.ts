/** Why a subscription is paused, in words, and the direct message to its owner. */
import { BotError } from '../errors.ts';
import type { Finding } from '../replies/finding.ts';
import type { Reply } from '../replies/reply.ts';
import type { PauseReason } from './delivery/outbox.ts';
import { PAUSED_BY_BOT, type Subscription, type SubscriptionState } from './subscription.ts';
import type { SubscriptionSummary } from './subscription-summary.ts';

const REASONS: Readonly<Record<PauseReason, string>> = {
  channel_gone: 'the channel no longer exists',
  channel_archived: 'the channel is archived',
  bot_removed: 'the bot is no longer in the channel',
  not_allowed: 'the bot isn’t allowed to post in the channel',
  token_revoked: 'Slack no longer accepts the bot’s token',
  channel_forbidden: 'the bot’s settings no longer allow this channel',
  project_forbidden: 'its project is no longer available in this channel',
  project_gone: 'its project is no longer set up',
};

const isPauseReason = (reason: string): reason is PauseReason => Object.hasOwn(REASONS, reason);

/** Any other reason already is a sentence. */
export function describePauseReason(reason: string): string {
  return isPauseReason(reason) ? REASONS[reason] : reason;
}

/** For lists: by whom (`null` for the bot) and why; `null` while it's active. */
export function pauseSummary(state: SubscriptionState): SubscriptionSummary['paused'] {
  if (state.is === 'active') return null;
  return { by: state.by === PAUSED_BY_BOT ? null : state.by, reason: describePauseReason(state.reason ?? '') };
}

/** For lists: a subscription that can't run on this machine looks paused, with times in UTC. */
export function unschedulableSummary({ kind, sentence, state }: Subscription, fault: string) {
  const paused = pauseSummary(state) ?? { by: null, reason: fault };
  return { what: sentence ?? `a ${kind}`, zone: 'UTC', nextRuns: [], paused };
}

export function projectGone({ kind, project }: Pick<Subscription, 'kind' | 'project'>): BotError {
  const name = project === undefined ? '' : ` ${project}`;
  return new BotError('not_found', `This ${kind} is about project${name}, which is no longer set up.`, {
    hint: 'Remove it and create one for another project.',
  });
}

/** For the doctor. */
export function unschedulableFinding({ kind, id, channel }: Subscription, fault: string): Finding {
  return {
    what: `${kind} ${id}`,
    ok: false,
    says: `The ${kind} ${id} in the channel ${channel} can’t run: ${fault}.`,
    fix: 'remove it there and create it again, with another time zone or after updating Node.',
  };
}

/** For the doctor. */
export function damagedFinding({ space, key }: { readonly space: string; readonly key: string }): Finding {
  return {
    what: 'Stored record',
    ok: false,
    says: `The record ${space} ${key} is damaged. It’s left as it is, and nothing in it runs.`,
    fix: 'restore it from a backup, or remove it from the store, then restart the bot.',
  };
}

/** To everyone who had a digest or watch in a store that was emptied. */
export function lostNotice(command: string): Reply {
  return {
    title: 'Your digests and watches are gone',
    headline: [
      'The bot’s storage was emptied or replaced while it was running. Nothing is delivered until it’s restored.',
    ],
    body: [
      [
        'Whoever runs the bot can restore a backup. Otherwise create them again, with ',
        { code: `${command} digest` },
        ' and ',
        { code: `${command} watch` },
        '.',
      ],
    ],
  };
}

/** The `id` is the same for every attempt to send this notice, so that it's sent once. */
export function pausedNotice(
  { kind, channel, id, state }: Subscription,
  reason: string,
  command: string,
  project: string | null,
): { readonly id: string; readonly reply: Reply } {
  const since = state.is === 'paused' ? state.at : '';
  const whose = project === null ? '' : ` about project ${project}`;
  return {
    id: `paused/${kind}/${channel}/${id}/${since}`,
    reply: {
      title: `Your ${kind} is paused`,
      headline: [
        `The ${kind} you set up in `,
        { channel },
        `${whose} can’t be delivered: ${describePauseReason(reason)}.`,
      ],
      body: [['Once that’s fixed, resume it in the channel with ', { code: `${command} ${kind} resume` }, '.']],
    },
  };
}
