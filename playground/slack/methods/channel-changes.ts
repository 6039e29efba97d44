/** conversations.*: creating and changing channels, and who is in them. */
import { type JsonObject, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { wireChannel } from '../wire-format.ts';
import type { Channel } from '../workspace.ts';
import { isRefused, type MethodEntry, missingScope, type Refused, type Reply, refuse } from './reply.ts';

const NAME = /^[\p{Ll}\p{Lo}\p{N}_-]{1,80}$/u;

const isSet = (value: unknown): boolean => ['true', '1'].includes(String(value));

/** A channel that the app may change, which it has to be in. */
function ownChannel(args: JsonObject, state: SlackState): Channel | Refused {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined || (channel.kind === 'private' && !channel.botIsMember)) return refuse('channel_not_found');
  if (channel.kind === 'im') return refuse('method_not_supported_for_channel_type');
  const scope = channel.kind === 'private' ? 'groups:write' : 'channels:manage';
  if (!state.directory.scopes().includes(scope)) return missingScope(scope, state);
  return channel.botIsMember ? channel : refuse('not_in_channel');
}

function changing(change: (channel: Channel, args: JsonObject, state: SlackState) => Partial<Channel> | Refused) {
  return (args: JsonObject, state: SlackState): Reply => {
    const channel = ownChannel(args, state);
    if (isRefused(channel)) return channel;
    const changed = change(channel, args, state);
    if (isRefused(changed)) return changed;
    state.directory.change(channel.id, changed);
    const next = state.directory.channel(channel.id) ?? channel;
    return { ok: true, channel: wireChannel(next, state) };
  };
}

/** Why a channel can't have this name; undefined if it can. */
function refusedName(name: string, { directory }: SlackState): Refused | undefined {
  if (!NAME.test(name)) return refuse('invalid_name_specials');
  return directory.channels().some((channel) => channel.name === name) ? refuse('name_taken') : undefined;
}

const create = (args: JsonObject, state: SlackState): Reply => {
  const isPrivate = isSet(args.is_private);
  const scope = isPrivate ? 'groups:write' : 'channels:manage';
  if (!state.directory.scopes().includes(scope)) return missingScope(scope, state);
  const name = stringAt(args, 'name') ?? '';
  const refused = refusedName(name, state);
  if (refused !== undefined) return refused;
  const channel = state.directory.add({ name, kind: isPrivate ? 'private' : 'public', members: [] });
  return { ok: true, channel: wireChannel(channel, state) };
};

const usersIn = (args: JsonObject): readonly string[] =>
  (stringAt(args, 'users') ?? stringAt(args, 'user') ?? '').split(',').filter((id) => id !== '');

export const memberEvent = (type: string, channel: Channel, user: string, state: SlackState): JsonObject => ({
  type,
  user,
  channel: channel.id,
  channel_type: channel.kind === 'private' ? 'G' : 'C',
  team: state.directory.workspace.team.id,
  event_ts: state.ids.ts(),
});

const invite = changing((channel, args, state) => {
  if (channel.archived) return refuse('is_archived');
  const users = usersIn(args);
  if (users.length === 0) return refuse('no_user');
  if (users.some((user) => state.directory.person(user) === undefined)) return refuse('user_not_found');
  const added = users.filter((user) => !channel.members.includes(user));
  if (added.length === 0) return refuse('already_in_channel');
  for (const user of added) state.emit(memberEvent('member_joined_channel', channel, user, state));
  return { members: [...channel.members, ...added] };
});

const kick = changing((channel, args, state) => {
  const [user = ''] = usersIn(args);
  if (!channel.members.includes(user)) return refuse('not_in_channel');
  state.emit(memberEvent('member_left_channel', channel, user, state));
  return { members: channel.members.filter((other) => other !== user) };
});

const leave = (args: JsonObject, state: SlackState): Reply => {
  const channel = ownChannel(args, state);
  // Slack doesn't call it an error.
  if (isRefused(channel)) return channel.error === 'not_in_channel' ? { ok: true, not_in_channel: true } : channel;
  state.directory.change(channel.id, { botIsMember: false });
  return { ok: true };
};

const close = (args: JsonObject, state: SlackState): Reply => {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  return channel.kind === 'im' ? { ok: true } : refuse('method_not_supported_for_channel_type');
};

export const CHANNEL_CHANGE_METHODS: Readonly<Record<string, MethodEntry>> = {
  'conversations.create': { run: create, scopes: [] },
  'conversations.invite': { run: invite, scopes: [] },
  'conversations.kick': { run: kick, scopes: [] },
  'conversations.leave': { run: leave, scopes: [] },
  'conversations.close': { run: close, scopes: ['im:write'] },
  'conversations.archive': {
    run: changing(({ archived }) => (archived ? refuse('already_archived') : { archived: true })),
    scopes: [],
  },
  'conversations.unarchive': {
    run: changing(({ archived }) => (archived ? { archived: false } : refuse('not_archived'))),
    scopes: [],
  },
  'conversations.rename': {
    run: changing((_channel, args, state) => {
      const name = stringAt(args, 'name') ?? '';
      return refusedName(name, state) ?? { name };
    }),
    scopes: [],
  },
  'conversations.setTopic': {
    run: changing((_channel, args) => ({ topic: stringAt(args, 'topic') ?? '' })),
    scopes: [],
  },
  'conversations.setPurpose': {
    run: changing((_channel, args) => ({ purpose: stringAt(args, 'purpose') ?? '' })),
    scopes: [],
  },
};
