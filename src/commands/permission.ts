/** Who may ask, and who may change what others see. */
import { BotError } from '../errors.ts';
import type { Policy } from './ports.ts';
import type { Question } from './question.ts';

export function assertMayAsk({ allowedChannels, admins }: Policy, { channel, user }: Question): void {
  if (allowedChannels === null || allowedChannels.includes(channel)) return;
  // Admins may ask anywhere: someone has to be able to find out why nobody else can.
  if (admins?.includes(user)) return;
  throw new BotError('forbidden', 'I may not answer in this channel.', {
    hint: 'An admin of this bot can allow it.',
    people: admins ?? [],
  });
}

export function assertMayChange({ admins }: Policy, { user }: Question): void {
  if (admins === null || admins.includes(user)) return;
  throw new BotError('forbidden', 'Only an admin of this bot may change that.', { people: admins });
}
