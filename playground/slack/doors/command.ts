/** Typing a slash command. */
import { channelName, type DoorDeps, notSent, type Outcome, sayAck } from './outcome.ts';

export interface CommandInput {
  readonly text?: string;
  /** By id or name; the workspace's first where left out. */
  readonly channel?: string;
  readonly user?: string;
  readonly command?: string;
}

export async function typeCommand(input: CommandInput, { world, postman }: DoorDeps): Promise<Outcome> {
  const { team, app } = world.directory.workspace;
  const channel = world.directory.channelNamed(input.channel);
  const user = world.directory.personNamed(input.user);
  const command = input.command ?? app.commands[0] ?? '/waf';
  if (!app.commands.includes(command)) return notSent('not_a_valid_command');
  const ticket = { channel: channel.id, user: user.id };
  const responseUrl = world.tickets.responseUrl(ticket);
  const triggerId = world.tickets.trigger(user.id);
  const delivery = await postman.once('slash_commands', {
    token: 'verification-token',
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command,
    text: input.text ?? '',
    api_app_id: app.id,
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: triggerId,
  });
  sayAck(delivery, ticket, world);
  return { ...delivery, responseUrl, triggerId };
}
