/** conversations.*: channels, their members and history, opening direct messages. */
import { type JsonObject, stringAt } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { wireChannel, wireMessage } from '../wire-format.ts';
import type { Channel } from '../workspace.ts';
import { memberEvent } from './channel-changes.ts';
import { pageOf } from './paging.ts';
import { isRefused, type MethodEntry, missingScope, type Refused, type Reply, refuse } from './reply.ts';

const SCOPE_FAMILY = { public: 'channels', private: 'groups', im: 'im' } as const;
const HISTORY_LIMIT = 999;

/** A channel the bot may read. Private channels it is not a member of do not exist for it. */
function visibleChannel(args: JsonObject, state: SlackState, right: 'read' | 'history'): Channel | Refused {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined || (channel.kind !== 'public' && !channel.botIsMember)) return refuse('channel_not_found');
  const scope = `${SCOPE_FAMILY[channel.kind]}:${right}`;
  if (!state.directory.scopes().includes(scope)) return missingScope(scope, state);
  return channel;
}

const info = (args: JsonObject, state: SlackState): Reply => {
  const channel = visibleChannel(args, state, 'read');
  return isRefused(channel) ? channel : { ok: true, channel: wireChannel(channel, state) };
};

const TYPE = { public: 'public_channel', private: 'private_channel', im: 'im' } as const;

const list = (args: JsonObject, state: SlackState): Reply => {
  const types = (stringAt(args, 'types') ?? TYPE.public).split(',').map((type) => type.trim());
  const kinds = (['public', 'private', 'im'] as const).filter((kind) => types.includes(TYPE[kind]));
  const missing = kinds
    .map((kind) => `${SCOPE_FAMILY[kind]}:read`)
    .find((scope) => !state.directory.scopes().includes(scope));
  if (missing !== undefined) return missingScope(missing, state);
  const withArchived = String(args.exclude_archived) !== 'true';
  const isListed = ({ kind, botIsMember, archived }: Channel): boolean =>
    kinds.includes(kind) && (kind === 'public' || botIsMember) && (withArchived || !archived);
  const { items, response_metadata } = pageOf(state.directory.channels().filter(isListed), args);
  return { ok: true, channels: items.map((channel) => wireChannel(channel, state)), response_metadata };
};

const members = (args: JsonObject, state: SlackState): Reply => {
  const channel = visibleChannel(args, state, 'read');
  if (isRefused(channel)) return channel;
  const bot = channel.botIsMember ? [state.directory.workspace.app.botUserId] : [];
  const { items, response_metadata } = pageOf([...channel.members, ...bot], args);
  return { ok: true, members: items, response_metadata };
};

const ofUser = (args: JsonObject, state: SlackState): Reply => {
  const user = stringAt(args, 'user') ?? state.directory.workspace.app.botUserId;
  if (state.directory.person(user) === undefined) return refuse('user_not_found');
  const types = (stringAt(args, 'types') ?? 'public_channel').split(',');
  const scope = types.includes('private_channel') ? 'groups:read' : 'channels:read';
  if (!state.directory.scopes().includes(scope)) return missingScope(scope, state);
  const isListed = ({ kind, members: people, botIsMember }: Channel): boolean =>
    people.includes(user) && types.includes(`${kind}_channel`) && (kind === 'public' || botIsMember);
  const limit = Number(stringAt(args, 'limit') ?? '100');
  const from = Number(stringAt(args, 'cursor') || '0');
  const all = state.directory.channels().filter(isListed);
  return {
    ok: true,
    channels: all.slice(from, from + limit).map((channel) => wireChannel(channel, state)),
    response_metadata: { next_cursor: from + limit < all.length ? String(from + limit) : '' },
  };
};

const open = (args: JsonObject, state: SlackState): Reply => {
  const users = (stringAt(args, 'users') ?? '').split(',').filter((id) => id !== '');
  const [user] = users;
  if (user === undefined) return refuse('users_list_not_supplied');
  if (users.length > 1) return refuse('method_not_supported_for_channel_type');
  if (state.directory.person(user) === undefined) return refuse('user_not_found');
  const channel = state.directory.directMessage(user);
  return { ok: true, channel: args.return_im === 'true' ? wireChannel(channel, state) : { id: channel.id } };
};

const join = (args: JsonObject, state: SlackState): Reply => {
  const channel = visibleChannel(args, state, 'read');
  if (isRefused(channel)) return channel;
  if (channel.kind !== 'public') return refuse('method_not_supported_for_channel_type');
  if (channel.archived) return refuse('is_archived');
  const warning = channel.botIsMember ? { warning: 'already_in_channel' } : {};
  state.directory.change(channel.id, { botIsMember: true });
  const joined = { ...channel, botIsMember: true };
  if (!channel.botIsMember)
    state.emit(memberEvent('member_joined_channel', joined, state.directory.workspace.app.botUserId, state));
  return { ok: true, channel: wireChannel(joined, state), ...warning };
};

/** One page of messages. `oldest` and `latest` are exclusive unless `inclusive` is set. */
function page(messages: readonly Message[], args: JsonObject, state: SlackState): JsonObject {
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
      const { metadata, ...rest } = { metadata: undefined, ...wireMessage(message, state) };
      return withMetadata && metadata !== undefined ? { ...rest, metadata } : rest;
    }),
    has_more: hasMore,
    response_metadata: { next_cursor: hasMore ? `offset:${start + limit}` : '' },
  };
}

function publicMessages(channel: Channel, state: SlackState): readonly Message[] {
  return state.messages.inChannel(channel.id).filter((message) => message.visibleTo === undefined);
}

const history = (args: JsonObject, state: SlackState): Reply => {
  const channel = visibleChannel(args, state, 'history');
  if (isRefused(channel)) return channel;
  if (!channel.botIsMember) return refuse('not_in_channel');
  const topLevel = publicMessages(channel, state).filter((message) => message.threadTs === undefined);
  return { ok: true, ...page(topLevel.toReversed(), args, state) };
};

const replies = (args: JsonObject, state: SlackState): Reply => {
  const channel = visibleChannel(args, state, 'history');
  if (isRefused(channel)) return channel;
  if (!channel.botIsMember) return refuse('not_in_channel');
  const ts = stringAt(args, 'ts') ?? '';
  const thread = publicMessages(channel, state).filter((message) => message.ts === ts || message.threadTs === ts);
  if (!thread.some((message) => message.ts === ts)) return refuse('thread_not_found');
  return { ok: true, ...page(thread, args, state) };
};

export const CONVERSATION_METHODS: Readonly<Record<string, MethodEntry>> = {
  'conversations.info': { run: info, scopes: [] },
  'conversations.list': { run: list, scopes: [] },
  'conversations.members': { run: members, scopes: [] },
  'conversations.join': { run: join, scopes: ['channels:join'] },
  'conversations.open': { run: open, scopes: ['im:write'] },
  'users.conversations': { run: ofUser, scopes: ['channels:read'] },
  'conversations.history': { run: history, scopes: [] },
  'conversations.replies': { run: replies, scopes: [] },
};
