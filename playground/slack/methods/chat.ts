/** chat.*: posting, ephemeral messages, editing, deleting, permalinks. */

import { type JsonObject, stringAt } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { UPDATE_TEXT_CHARS } from '../validation/message.ts';
import { wireMessage } from '../wire-format.ts';
import type { Channel } from '../workspace.ts';
import { fileIdOf, readContent, slackFiles } from './content.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse } from './reply.ts';

/** The channel to post to, or the error if the bot may not. A user id stands for that person's direct message. */
export function writableChannel(args: JsonObject, state: SlackState): Channel | Refused {
  const ref = stringAt(args, 'channel');
  if (ref === undefined || ref === '') return refuse('channel_not_found');
  const { directory } = state;
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

function threadOf(args: JsonObject, channel: Channel, state: SlackState): string | undefined {
  const threadTs = stringAt(args, 'thread_ts');
  if (threadTs === undefined || threadTs === '') return undefined;
  // A reply to a reply goes to the same thread.
  return state.messages.find(channel.id, threadTs)?.threadTs ?? threadTs;
}

export const postMessage = (args: JsonObject, state: SlackState): Reply => {
  const channel = writableChannel(args, state);
  if (isRefused(channel)) return channel;
  const content = readContent(args, state, { filesAllowed: true });
  if (isRefused(content)) return content;
  const threadTs = threadOf(args, channel, state);
  if (threadTs !== undefined && state.messages.find(channel.id, threadTs) === undefined)
    return refuse('cannot_reply_to_message');
  const { app } = state.directory.workspace;
  for (const { file } of slackFiles(content.blocks, [])) state.files.share(fileIdOf(file) ?? '', channel.id);
  const message = state.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs,
    via: 'api',
  });
  state.echoMessage(message, 'message');
  return { ok: true, channel: channel.id, ts: message.ts, message: wireMessage(message, state) };
};

const postEphemeral = (args: JsonObject, state: SlackState): Reply => {
  const channel = writableChannel(args, state);
  if (isRefused(channel)) return channel;
  const user = stringAt(args, 'user');
  if (user === undefined || state.directory.person(user) === undefined) return refuse('user_not_found');
  if (!channel.members.includes(user)) return refuse('user_not_in_channel');
  const content = readContent(args, state, { filesAllowed: false });
  if (isRefused(content)) return content;
  const { app } = state.directory.workspace;
  const message = state.messages.add({
    ...content,
    channel: channel.id,
    user: app.botUserId,
    botId: app.botId,
    threadTs: threadOf(args, channel, state),
    visibleTo: user,
    via: 'api',
  });
  return { ok: true, message_ts: message.ts };
};

/** A message the bot posted and may change. Ephemeral messages cannot be changed this way. */
function ownMessage(args: JsonObject, state: SlackState, cant: string): Message | Refused {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  const message = state.messages.find(channel.id, stringAt(args, 'ts') ?? '');
  if (message === undefined || message.visibleTo !== undefined) return refuse('message_not_found');
  if (message.botId !== state.directory.workspace.app.botId) return refuse(cant);
  return message;
}

const update = (args: JsonObject, state: SlackState): Reply => {
  const message = ownMessage(args, state, 'cant_update_message');
  if (isRefused(message)) return message;
  // Sending only a text removes the blocks.
  const content = readContent(args, state, { filesAllowed: true, maxTextChars: UPDATE_TEXT_CHARS });
  if (isRefused(content)) return content;
  for (const { file } of slackFiles(content.blocks, [])) state.files.share(fileIdOf(file) ?? '', message.channel);
  const next = state.messages.edit(message, content);
  state.echoMessage(next, 'edit');
  return { ok: true, channel: next.channel, ts: next.ts, text: next.text, message: wireMessage(next, state) };
};

const remove = (args: JsonObject, state: SlackState): Reply => {
  const message = ownMessage(args, state, 'cant_delete_message');
  if (isRefused(message)) return message;
  state.messages.remove(message);
  state.echoMessage(message, 'delete');
  return { ok: true, channel: message.channel, ts: message.ts };
};

const getPermalink = (args: JsonObject, state: SlackState): Reply => {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  const ts = stringAt(args, 'message_ts') ?? '';
  if (state.messages.find(channel.id, ts) === undefined) return refuse('message_not_found');
  return {
    ok: true,
    channel: channel.id,
    permalink: `${state.baseUrl()}/archives/${channel.id}/p${ts.replace('.', '')}`,
  };
};

export const CHAT_METHODS: Readonly<Record<string, MethodEntry>> = {
  'chat.postMessage': { run: postMessage, scopes: ['chat:write'] },
  'chat.postEphemeral': { run: postEphemeral, scopes: ['chat:write'] },
  'chat.update': { run: update, scopes: ['chat:write'] },
  'chat.delete': { run: remove, scopes: ['chat:write'] },
  'chat.getPermalink': { run: getPermalink, scopes: [] },
};
