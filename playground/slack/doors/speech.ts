/** People saying things: in a channel, to the bot by name, or to the bot alone; and the events that come of it. */

import type { JsonObject } from '../../json.ts';
import type { Delivery } from '../delivery/envelope.ts';
import type { Message } from '../messages.ts';
import { wireMessage, wireView } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { type DoorDeps, notSent, type Outcome } from './outcome.ts';

export interface SayInput {
  readonly text: string;
  readonly channel?: string;
  readonly user?: string;
  readonly threadTs?: string;
}

export interface EventOutcome extends Outcome {
  /** What the person said. */
  readonly message?: Message;
  /** The last of all tries to bring the event. */
  readonly settled?: Promise<Delivery>;
}

/** Plain talk: nothing goes to the app. */
export function say(input: SayInput, world: World): Message {
  const channel = world.directory.channelNamed(input.channel);
  const user = world.directory.personNamed(input.user);
  return world.messages.add({
    channel: channel.id,
    user: user.id,
    text: input.text,
    blocks: [],
    threadTs: input.threadTs,
    via: 'person',
  });
}

export async function mention(input: SayInput, deps: DoorDeps): Promise<EventOutcome> {
  const { world } = deps;
  const { app } = world.directory.workspace;
  const name = `<@${app.botUserId}>`;
  const message = say({ ...input, text: input.text.includes(name) ? input.text : `${name} ${input.text}` }, world);
  const channel = world.directory.channelNamed(message.channel);
  // Slack asks the person to invite the bot first.
  if (!channel.botIsMember) return { ...notSent('bot_not_in_channel'), message };
  if (channel.kind === 'im') return { ...(await event(messageEvent(message, world), deps)), message };
  const body = { ...wireMessage(message, world), type: 'app_mention', channel: channel.id, event_ts: message.ts };
  return { ...(await event(body, deps)), message };
}

export async function directMessage(input: Omit<SayInput, 'channel'>, deps: DoorDeps): Promise<EventOutcome> {
  const { world } = deps;
  const user = world.directory.personNamed(input.user);
  const channel = world.directory.directMessage(user.id);
  const message = say({ ...input, channel: channel.id, user: user.id }, world);
  return { ...(await event(messageEvent(message, world), deps)), message };
}

export function openHome(userRef: string | undefined, deps: DoorDeps): Promise<EventOutcome> {
  const { world } = deps;
  const user = world.directory.personNamed(userRef);
  const view = world.views.home(user.id);
  return event(
    {
      type: 'app_home_opened',
      user: user.id,
      channel: world.directory.directMessage(user.id).id,
      tab: 'home',
      event_ts: world.ids.ts(),
      ...(view === undefined ? {} : { view: wireView(view, world) }),
    },
    deps,
  );
}

/** In a direct message the app hears everything, its own words and edits too. */
export function echoInDirectMessage(message: Message, change: 'message' | 'edit' | 'delete', deps: DoorDeps): void {
  const { world } = deps;
  if (world.directory.channel(message.channel)?.kind !== 'im') return;
  const base = {
    type: 'message',
    channel: message.channel,
    channel_type: 'im',
    ts: world.ids.ts(),
    event_ts: world.ids.ts(),
  };
  const body =
    change === 'message'
      ? messageEvent(message, world)
      : change === 'edit'
        ? { ...base, subtype: 'message_changed', message: wireMessage(message, world), hidden: true }
        : { ...base, subtype: 'message_deleted', deleted_ts: message.ts, hidden: true };
  void event(body, deps);
}

function messageEvent(message: Message, world: World): JsonObject {
  return { ...wireMessage(message, world), channel: message.channel, channel_type: 'im', event_ts: message.ts };
}

const SUBSCRIPTION: Readonly<Record<string, string>> = { message: 'message.im' };

/** An event nobody subscribed to goes nowhere. */
export async function event(body: JsonObject, { world, postman }: DoorDeps): Promise<EventOutcome> {
  const { team, app } = world.directory.workspace;
  const type = String(body.type);
  if (!app.events.includes(SUBSCRIPTION[type] ?? type)) return notSent('not_subscribed');
  return postman.event({
    token: 'verification-token',
    team_id: team.id,
    api_app_id: app.id,
    type: 'event_callback',
    event: body,
    event_id: world.ids.next('Ev'),
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: team.id, user_id: app.botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
  });
}
