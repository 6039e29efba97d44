/** conversations.*: reading channels, their people and their history, opening direct messages. */
import { type JsonObject, stringAt } from '../../json.ts';
import type { Message } from '../messages.ts';
import { wireChannel, wireMessage } from '../wire-shapes.ts';
import type { Channel } from '../workspace.ts';
import type { World } from '../world.ts';
import { isRefused, type MethodEntry, missingScope, type Refused, type Reply, refuse } from './reply.ts';

const SCOPE_FAMILY = { public: 'channels', private: 'groups', im: 'im' } as const;
const HISTORY_LIMIT = 999;

/** A channel the bot may look at; private ones it is not in do not exist for it. */
function visibleChannel(args: JsonObject, world: World, right: 'read' | 'history'): Channel | Refused {
  const channel = world.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined || (channel.kind !== 'public' && !channel.botIsMember)) return refuse('channel_not_found');
  const scope = `${SCOPE_FAMILY[channel.kind]}:${right}`;
  if (!world.directory.scopes().includes(scope)) return missingScope(scope, world);
  return channel;
}

const info = (args: JsonObject, world: World): Reply => {
  const channel = visibleChannel(args, world, 'read');
  return isRefused(channel) ? channel : { ok: true, channel: wireChannel(channel, world) };
};

const list = (_args: JsonObject, world: World): Reply => ({
  ok: true,
  channels: world.directory
    .channels()
    .filter((channel) => channel.kind === 'public' || (channel.kind === 'private' && channel.botIsMember))
    .map((channel) => wireChannel(channel, world)),
  response_metadata: { next_cursor: '' },
});

const members = (args: JsonObject, world: World): Reply => {
  const channel = visibleChannel(args, world, 'read');
  if (isRefused(channel)) return channel;
  const bot = channel.botIsMember ? [world.directory.workspace.app.botUserId] : [];
  return { ok: true, members: [...channel.members, ...bot], response_metadata: { next_cursor: '' } };
};

const open = (args: JsonObject, world: World): Reply => {
  const users = (stringAt(args, 'users') ?? '').split(',').filter((id) => id !== '');
  const [user] = users;
  if (user === undefined) return refuse('users_list_not_supplied');
  if (users.length > 1) return refuse('method_not_supported_for_channel_type');
  if (world.directory.person(user) === undefined) return refuse('user_not_found');
  const channel = world.directory.directMessage(user);
  return { ok: true, channel: args.return_im === 'true' ? wireChannel(channel, world) : { id: channel.id } };
};

/** Newest first in a history, oldest first in a thread, as Slack has it; `oldest` and `latest` exclude their own ts. */
function page(messages: readonly Message[], args: JsonObject, world: World): JsonObject {
  const oldest = Number(args.oldest ?? 0);
  const latest = args.latest === undefined || args.latest === 'now' ? Infinity : Number(args.latest);
  const inclusive = String(args.inclusive) === 'true' || String(args.inclusive) === '1';
  const inRange = messages.filter(({ ts }) => {
    const at = Number(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
  const limit = Math.min(Number(args.limit ?? 100) || 100, HISTORY_LIMIT);
  const start = Number(/^offset:(\d+)$/.exec(stringAt(args, 'cursor') ?? '')?.[1] ?? 0);
  const shown = inRange.slice(start, start + limit);
  const hasMore = start + limit < inRange.length;
  const withMetadata = ['true', '1'].includes(String(args.include_all_metadata));
  return {
    messages: shown.map((message) => {
      const { metadata, ...rest } = { metadata: undefined, ...wireMessage(message, world) };
      return withMetadata && metadata !== undefined ? { ...rest, metadata } : rest;
    }),
    has_more: hasMore,
    response_metadata: { next_cursor: hasMore ? `offset:${start + limit}` : '' },
  };
}

function publicMessages(channel: Channel, world: World): readonly Message[] {
  return world.messages.inChannel(channel.id).filter((message) => message.visibleTo === undefined);
}

const history = (args: JsonObject, world: World): Reply => {
  const channel = visibleChannel(args, world, 'history');
  if (isRefused(channel)) return channel;
  if (!channel.botIsMember) return refuse('not_in_channel');
  const topLevel = publicMessages(channel, world).filter((message) => message.threadTs === undefined);
  return { ok: true, ...page(topLevel.toReversed(), args, world) };
};

const replies = (args: JsonObject, world: World): Reply => {
  const channel = visibleChannel(args, world, 'history');
  if (isRefused(channel)) return channel;
  if (!channel.botIsMember) return refuse('not_in_channel');
  const ts = stringAt(args, 'ts') ?? '';
  const thread = publicMessages(channel, world).filter((message) => message.ts === ts || message.threadTs === ts);
  if (!thread.some((message) => message.ts === ts)) return refuse('thread_not_found');
  return { ok: true, ...page(thread, args, world) };
};

export const CONVERSATION_METHODS: Readonly<Record<string, MethodEntry>> = {
  'conversations.info': { run: info, scopes: [] },
  'conversations.list': { run: list, scopes: ['channels:read'] },
  'conversations.members': { run: members, scopes: [] },
  'conversations.open': { run: open, scopes: ['im:write'] },
  'conversations.history': { run: history, scopes: [] },
  'conversations.replies': { run: replies, scopes: [] },
};
