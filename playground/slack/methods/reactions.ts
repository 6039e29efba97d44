/** reactions.* and pins.*: what can be attached to a message. */
import { type JsonObject, stringAt } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { wireMessage } from '../wire-format.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse } from './reply.ts';

const NAME = /^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/;
const MAX_OF_ONE_PERSON = 23;

/** Adds a reaction of somebody, and dispatches the event; otherwise Slack's error. */
export function addReaction(message: Message, name: string, user: string, state: SlackState): string | undefined {
  if (!NAME.test(name)) return 'invalid_name';
  const own = message.reactions.filter(({ users }) => users.includes(user));
  if (own.some((reaction) => reaction.name === name)) return 'already_reacted';
  if (own.length >= MAX_OF_ONE_PERSON) return 'too_many_reactions';
  const known = message.reactions.some((reaction) => reaction.name === name);
  const reactions = known
    ? message.reactions.map((each) => (each.name === name ? { name, users: [...each.users, user] } : each))
    : [...message.reactions, { name, users: [user] }];
  state.messages.setReactions(message, reactions);
  state.emit(reactionEvent('reaction_added', message, name, user, state));
  return undefined;
}

export function removeReaction(message: Message, name: string, user: string, state: SlackState): string | undefined {
  const reaction = message.reactions.find((each) => each.name === name);
  if (reaction?.users.includes(user) !== true) return 'no_reaction';
  const reactions = message.reactions
    .map((each) => (each === reaction ? { name, users: each.users.filter((other) => other !== user) } : each))
    .filter(({ users }) => users.length > 0);
  state.messages.setReactions(message, reactions);
  state.emit(reactionEvent('reaction_removed', message, name, user, state));
  return undefined;
}

const reactionEvent = (type: string, message: Message, name: string, user: string, state: SlackState): JsonObject => ({
  type,
  user,
  reaction: name,
  item: { type: 'message', channel: message.channel, ts: message.ts },
  item_user: message.user,
  event_ts: state.ids.ts(),
});

function messageIn(args: JsonObject, state: SlackState): Message | Refused {
  const [channelId, ts] = [stringAt(args, 'channel'), stringAt(args, 'timestamp')];
  if (channelId === undefined || ts === undefined) return refuse('no_item_specified');
  const channel = state.directory.channel(channelId);
  if (channel === undefined || (channel.kind === 'private' && !channel.botIsMember)) return refuse('channel_not_found');
  if (channel.archived) return refuse('is_archived');
  if (!channel.botIsMember) return refuse('not_in_channel');
  const message = state.messages.find(channel.id, ts);
  return message === undefined || message.visibleTo !== undefined ? refuse('message_not_found') : message;
}

const changing =
  (change: typeof addReaction) =>
  (args: JsonObject, state: SlackState): Reply => {
    const message = messageIn(args, state);
    if (isRefused(message)) return message;
    const error = change(message, stringAt(args, 'name') ?? '', state.directory.workspace.app.botUserId, state);
    return error === undefined ? { ok: true } : refuse(error);
  };

const get = (args: JsonObject, state: SlackState): Reply => {
  const message = messageIn(args, state);
  if (isRefused(message)) return message;
  return { ok: true, type: 'message', channel: message.channel, message: wireMessage(message, state) };
};

const keyOf = ({ channel, ts }: Message): string => `${channel}/${ts}`;

const pin = (args: JsonObject, state: SlackState): Reply => {
  const message = messageIn(args, state);
  if (isRefused(message)) return message;
  if (state.pins.has(keyOf(message))) return refuse('already_pinned');
  state.pins.add(keyOf(message));
  return { ok: true };
};

const unpin = (args: JsonObject, state: SlackState): Reply => {
  const message = messageIn(args, state);
  if (isRefused(message)) return message;
  return state.pins.delete(keyOf(message)) ? { ok: true } : refuse('no_pin');
};

const listPins = (args: JsonObject, state: SlackState): Reply => {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  const pinned = state.messages.inChannel(channel.id).filter((message) => state.pins.has(keyOf(message)));
  const items = pinned.map((message) => ({
    type: 'message',
    channel: channel.id,
    message: wireMessage(message, state),
  }));
  return { ok: true, items };
};

export const REACTION_METHODS: Readonly<Record<string, MethodEntry>> = {
  'reactions.add': { run: changing(addReaction), scopes: ['reactions:write'] },
  'reactions.remove': { run: changing(removeReaction), scopes: ['reactions:write'] },
  'reactions.get': { run: get, scopes: ['reactions:read'] },
  'pins.add': { run: pin, scopes: ['pins:write'] },
  'pins.remove': { run: unpin, scopes: ['pins:write'] },
  'pins.list': { run: listPins, scopes: ['pins:read'] },
};
