/** chat.*: posting, showing to one person, editing, deleting. */

import { type JsonObject, stringAt } from '../../json.ts';
import { UPDATE_TEXT_CHARS } from '../checks/message.ts';
import type { Message } from '../messages.ts';
import { wireMessage } from '../wire-shapes.ts';
import type { Channel } from '../workspace.ts';
import type { World } from '../world.ts';
import { fileIdOf, readContent, slackFiles } from './content.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse } from './reply.ts';

/** The channel to write to, or Slack's reason why the bot may not. People stand for their direct message. */
function writableChannel(args: JsonObject, world: World): Channel | Refused {
  const ref = stringAt(args, 'channel');
  if (ref === undefined || ref === '') return refuse('channel_not_found');
  const { directory } = world;
  const byName = directory
    .channels()
    .find((other) => other.kind !== 'im' && `#${other.name}` === ref.replace(/^#?/, '#'));
  const channel = directory.person(ref) ? directory.directMessage(ref) : (directory.channel(ref) ?? byName);
  if (channel === undefined) return refuse('channel_not_found');
  if (!channel.botIsMember && channel.kind === 'private') return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  if (!channel.botIsMember && !directory.scopes().includes('chat:write.public')) return refuse('not_in_channel');
  return channel;
}

function threadOf(args: JsonObject, channel: Channel, world: World): string | undefined {
  const threadTs = stringAt(args, 'thread_ts');
  if (threadTs === undefined || threadTs === '') return undefined;
  // A reply to a reply lands in the same thread.
  return world.messages.find(channel.id, threadTs)?.threadTs ?? threadTs;
}

const postMessage = (args: JsonObject, world: World): Reply => {
  const channel = writableChannel(args, world);
  if (isRefused(channel)) return channel;
  const content = readContent(args, world, { filesAllowed: true });
  if (isRefused(content)) return content;
  const threadTs = threadOf(args, channel, world);
  if (threadTs !== undefined && world.messages.find(channel.id, threadTs) === undefined)
    return refuse('cannot_reply_to_message');
  const { app } = world.directory.workspace;
  for (const { file } of slackFiles(content.blocks, [])) world.files.share(fileIdOf(file) ?? '', channel.id);
  const message = world.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs,
    via: 'api',
  });
  world.messageInDirectMessage(message, 'message');
  return { ok: true, channel: channel.id, ts: message.ts, message: wireMessage(message, world) };
};

const postEphemeral = (args: JsonObject, world: World): Reply => {
  const channel = writableChannel(args, world);
  if (isRefused(channel)) return channel;
  const user = stringAt(args, 'user');
  if (user === undefined || world.directory.person(user) === undefined) return refuse('user_not_found');
  if (!channel.members.includes(user)) return refuse('user_not_in_channel');
  const content = readContent(args, world, { filesAllowed: false });
  if (isRefused(content)) return content;
  const { app } = world.directory.workspace;
  const message = world.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs: threadOf(args, channel, world),
    visibleTo: user,
    via: 'api',
  });
  return { ok: true, message_ts: message.ts };
};

/** A message of the bot's own that may be changed. Ephemeral ones cannot be found again. */
function ownMessage(args: JsonObject, world: World, cant: string): Message | Refused {
  const channel = world.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  const message = world.messages.find(channel.id, stringAt(args, 'ts') ?? '');
  if (message === undefined || message.visibleTo !== undefined) return refuse('message_not_found');
  if (message.botId !== world.directory.workspace.app.botId) return refuse(cant);
  return message;
}

const update = (args: JsonObject, world: World): Reply => {
  const message = ownMessage(args, world, 'cant_update_message');
  if (isRefused(message)) return message;
  // Blocks that are not sent again go away when only a text is sent.
  const content = readContent(args, world, { filesAllowed: true, maxTextChars: UPDATE_TEXT_CHARS });
  if (isRefused(content)) return content;
  for (const { file } of slackFiles(content.blocks, [])) world.files.share(fileIdOf(file) ?? '', message.channel);
  const next = world.messages.edit(message, content);
  world.messageInDirectMessage(next, 'edit');
  return { ok: true, channel: next.channel, ts: next.ts, text: next.text, message: wireMessage(next, world) };
};

const remove = (args: JsonObject, world: World): Reply => {
  const message = ownMessage(args, world, 'cant_delete_message');
  if (isRefused(message)) return message;
  world.messages.remove(message);
  world.messageInDirectMessage(message, 'delete');
  return { ok: true, channel: message.channel, ts: message.ts };
};

const getPermalink = (args: JsonObject, world: World): Reply => {
  const channel = world.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  const ts = stringAt(args, 'message_ts') ?? '';
  if (world.messages.find(channel.id, ts) === undefined) return refuse('message_not_found');
  return {
    ok: true,
    channel: channel.id,
    permalink: `${world.baseUrl()}/archives/${channel.id}/p${ts.replace('.', '')}`,
  };
};

export const CHAT_METHODS: Readonly<Record<string, MethodEntry>> = {
  'chat.postMessage': { run: postMessage, scopes: ['chat:write'] },
  'chat.postEphemeral': { run: postEphemeral, scopes: ['chat:write'] },
  'chat.update': { run: update, scopes: ['chat:write'] },
  'chat.delete': { run: remove, scopes: ['chat:write'] },
  'chat.getPermalink': { run: getPermalink, scopes: [] },
};
