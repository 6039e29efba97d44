/** Applies the body of a response_url request or an acknowledgement: post, replace or delete a message. */
import { type JsonObject, stringAt } from './json.ts';
import { readContent } from './methods/content.ts';
import { isRefused, type Reply, refuse } from './methods/reply.ts';
import type { ResponseTarget } from './response-urls.ts';
import type { SlackState } from './state.ts';

export function respond(
  body: JsonObject,
  target: ResponseTarget,
  via: 'response_url' | 'ack',
  state: SlackState,
): Reply {
  const original = target.messageTs === undefined ? undefined : state.messages.find(target.channel, target.messageTs);
  if (isTrue(body.delete_original)) {
    if (original !== undefined) state.messages.remove(original);
    return { ok: true };
  }
  // Slack was seen to refuse images here even where the bot could have posted them, so they're always refused.
  const content = readContent(body, state, { filesAllowed: false });
  if (isRefused(content)) return content;
  if (isTrue(body.replace_original) && original !== undefined) {
    state.messages.edit(original, content);
    return { ok: true };
  }
  const channel = state.directory.channel(target.channel);
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  const { app } = state.directory.workspace;
  const message = state.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs: stringAt(body, 'thread_ts') ?? target.threadTs,
    visibleTo: body.response_type === 'in_channel' ? undefined : target.user,
    via,
  });
  if (message.visibleTo === undefined) state.echoMessage(message, 'message');
  return { ok: true };
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
