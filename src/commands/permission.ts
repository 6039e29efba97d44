/** Who may ask, and who may change what others see. */
import { BotError } from '../errors.ts';
import type { Policy } from './ports.ts';
import type { Question } from './question.ts';

export function assertMayAsk({ allowedChannels, admins }: Policy, { channel, user }: Question): void {
  if (allowedChannels === null || allowedChannels.includes(channel)) return;
  // Admins may ask anywhere: someone has to be able to find out why nobody else can.
  if (admins?.includes(user)) return;
  throw new BotError('forbidden', 'I may not answer in this channel.', { hint: whoCanHelp(admins, 'can allow it') });
}

export function assertMayChange({ admins }: Policy, { user }: Question): void {
  if (admins === null || admins.includes(user)) return;
  throw new BotError('forbidden', 'Only an admin of this bot may change that.', {
    hint: whoCanHelp(admins, 'can do it'),
  });
}

function whoCanHelp(admins: readonly string[] | null, what: string): string {
  if (admins === null) return `Whoever runs this bot ${what}.`;
  return `${admins
    .slice(0, 3)
    .map((id) => `<@${id}>`)
    .join(', ')} ${what}.`;
}
