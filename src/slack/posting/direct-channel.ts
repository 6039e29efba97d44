/** The direct message channel with a person. */
import type { SlackClients } from '../transport/clients.ts';

export async function directChannel({ read }: SlackClients, user: string): Promise<string> {
  const { channel } = await read.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error('Slack opened a direct message without a channel');
  return channel.id;
}
