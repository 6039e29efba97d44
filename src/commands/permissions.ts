/** Who may ask, and who may change what others see. What a sentence does is said by the command table. */
import { BotError } from '../errors.ts';
import type { CommandEffect } from './grammar/command-table.ts';

export interface Policy {
  /** `null`: everywhere. */
  readonly allowedChannels: readonly string[] | null;
  /** `null`: everyone may do everything. */
  readonly admins: readonly string[] | null;
}

interface Asker {
  readonly user: string;
  readonly channel: string;
}

export function isAllowedChannel({ allowedChannels }: Pick<Policy, 'allowedChannels'>, channel: string): boolean {
  return allowedChannels === null || allowedChannels.includes(channel);
}

export function mayAsk(policy: Policy, { channel, user }: Asker): boolean {
  // Admins may ask anywhere: someone has to be able to find out why nobody else can.
  return isAllowedChannel(policy, channel) || policy.admins?.includes(user) === true;
}

export function assertMayAsk(policy: Policy, asker: Asker): void {
  if (mayAsk(policy, asker)) return;
  throw new BotError('forbidden', 'I may not answer in this channel.', {
    hint: 'An admin of this bot can allow it.',
    people: policy.admins ?? [],
  });
}

export function assertAllowed(effect: CommandEffect, { admins }: Policy, { user }: Asker): void {
  if (effect !== 'change' || admins === null || admins.includes(user)) return;
  throw new BotError('forbidden', 'Only an admin of this bot may change that.', { people: admins });
}
