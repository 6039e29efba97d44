/** Slash commands. */
import { channelName, type DispatchDeps, type DispatchResult, notSent, postAck } from './result.ts';

export interface CommandInput {
  readonly text?: string;
  /** By id or name; defaults to the workspace's first one. */
  readonly channel?: string;
  readonly user?: string;
  readonly command?: string;
  /** Which of the person's clients it was typed in; a form that it opens belongs to that one. */
  readonly client?: string;
}

export async function dispatchCommand(
  input: CommandInput,
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const { team, app } = state.directory.workspace;
  const channel = state.directory.channelNamed(input.channel);
  const user = state.directory.personNamed(input.user);
  const command = input.command ?? app.commands[0];
  if (command === undefined || !app.commands.includes(command)) return notSent('not_a_valid_command');
  const target = { channel: channel.id, user: user.id };
  const responseUrl = state.responseUrls.issue(target);
  const triggerId = state.triggerIds.issue(user.id, { client: input.client });
  const typed = state.typedCommands.add({ ...target, text: `${command} ${input.text ?? ''}`.trim() });
  const delivery = await deliverer.deliverOnce('slash_commands', {
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
  if (!delivery.acked) state.typedCommands.fail(typed, delivery.error ?? 'unknown');
  postAck(delivery, target, state);
  return { ...delivery, responseUrl, triggerId };
}
