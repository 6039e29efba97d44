/** What a response_url and an acknowledgement may do: say something, replace or delete the message they belong to. */
import { type JsonObject, stringAt } from '../json.ts';
import { readContent } from './methods/content.ts';
import { isRefused, type Reply, refuse } from './methods/reply.ts';
import type { ResponseTicket } from './tickets.ts';
import type { World } from './world.ts';

export function respond(body: JsonObject, ticket: ResponseTicket, via: 'response_url' | 'ack', world: World): Reply {
  const original = ticket.messageTs === undefined ? undefined : world.messages.find(ticket.channel, ticket.messageTs);
  if (isTrue(body.delete_original)) {
    if (original !== undefined) world.messages.remove(original);
    return { ok: true };
  }
  // A picture was refused here even where the bot could have posted it; the cautious reading is never.
  const content = readContent(body, world, { filesAllowed: false });
  if (isRefused(content)) return content;
  if (isTrue(body.replace_original) && original !== undefined) {
    world.messages.edit(original, content);
    return { ok: true };
  }
  const channel = world.directory.channel(ticket.channel);
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  const { app } = world.directory.workspace;
  const message = world.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs: stringAt(body, 'thread_ts') ?? ticket.threadTs,
    visibleTo: body.response_type === 'in_channel' ? undefined : ticket.user,
    via,
  });
  if (message.visibleTo === undefined) world.messageInDirectMessage(message, 'message');
  return { ok: true };
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
