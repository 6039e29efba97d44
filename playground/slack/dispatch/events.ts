/** Messages, mentions, direct messages and the Home tab: what people do and the events dispatched for it. */

import type { Delivery } from '../delivery/envelope.ts';
import type { JsonObject } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { wireMessage, wireView } from '../wire-format.ts';
import { type DispatchDeps, type DispatchResult, notSent } from './result.ts';

export interface SayInput {
  readonly text: string;
  readonly channel?: string;
  readonly user?: string;
  readonly threadTs?: string;
}

export interface EventResult extends DispatchResult {
  /** The message the person posted. */
  readonly message?: Message;
  /** The last attempt to deliver the event. */
  readonly settled?: Promise<Delivery>;
}

/** Posts a message without dispatching an event. */
export function say(input: SayInput, state: SlackState): Message {
  const channel = state.directory.channelNamed(input.channel);
  const user = state.directory.personNamed(input.user);
  return state.messages.add({
    channel: channel.id,
    user: user.id,
    text: input.text,
    blocks: [],
    threadTs: input.threadTs,
    via: 'person',
  });
}

export async function mention(input: SayInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const { app } = state.directory.workspace;
  const name = `<@${app.botUserId}>`;
  const message = say({ ...input, text: input.text.includes(name) ? input.text : `${name} ${input.text}` }, state);
  const channel = state.directory.channelNamed(message.channel);
  // Slack's client asks the person to invite the bot first.
  if (!channel.botIsMember) return { ...notSent('bot_not_in_channel'), message };
  if (channel.kind === 'im') return { ...(await dispatchEvent(messageEvent(message, state), deps)), message };
  const body = { ...wireMessage(message, state), type: 'app_mention', channel: channel.id, event_ts: message.ts };
  return { ...(await dispatchEvent(body, deps)), message };
}

export async function directMessage(input: Omit<SayInput, 'channel'>, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const user = state.directory.personNamed(input.user);
  const channel = state.directory.directMessage(user.id);
  const message = say({ ...input, channel: channel.id, user: user.id }, state);
  return { ...(await dispatchEvent(messageEvent(message, state), deps)), message };
}

export function openHome(userRef: string | undefined, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const user = state.directory.personNamed(userRef);
  const view = state.views.home(user.id);
  return dispatchEvent(
    {
      type: 'app_home_opened',
      user: user.id,
      channel: state.directory.directMessage(user.id).id,
      tab: 'home',
      event_ts: state.ids.ts(),
      ...(view === undefined ? {} : { view: wireView(view, state) }),
    },
    deps,
  );
}

export interface ViewingInput {
  readonly user?: string;
  /** What the person looks at beside the direct message; nothing by default. */
  readonly viewing?: string;
}

/** Only an app with Slack's agent view learns what the person looks at. */
function contextOf(viewing: string | undefined, { directory }: SlackState): JsonObject {
  const { team, app } = directory.workspace;
  if (!app.agentView) return {};
  if (viewing === undefined) return { context: {} };
  const value = directory.channelNamed(viewing).id;
  return { context: { entities: [{ type: 'slack#/types/channel_id', value, team_id: team.id }] } };
}

export function openDirectMessage({ user: ref, viewing }: ViewingInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const user = state.directory.personNamed(ref);
  const { id: channel } = state.directory.directMessage(user.id);
  const opened = { type: 'app_home_opened', user: user.id, channel, tab: 'messages', event_ts: state.ids.ts() };
  return dispatchEvent({ ...opened, ...contextOf(viewing, state) }, deps);
}

export async function viewChannel({ user: ref, viewing }: ViewingInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  if (!state.directory.workspace.app.agentView) return notSent('no_agent_view');
  const user = state.directory.personNamed(ref);
  const { id: channel } = state.directory.directMessage(user.id);
  const changed = { type: 'app_context_changed', user: user.id, channel, event_ts: state.ids.ts() };
  return dispatchEvent({ ...changed, ...contextOf(viewing, state) }, deps);
}

/** Slack sends an app every change in its direct messages, including those the app made itself. */
export function dispatchDirectMessageEcho(
  message: Message,
  change: 'message' | 'edit' | 'delete',
  deps: DispatchDeps,
): void {
  const { state } = deps;
  if (state.directory.channel(message.channel)?.kind !== 'im') return;
  const base = {
    type: 'message',
    channel: message.channel,
    channel_type: 'im',
    ts: state.ids.ts(),
    event_ts: state.ids.ts(),
  };
  const body =
    change === 'message'
      ? messageEvent(message, state)
      : change === 'edit'
        ? { ...base, subtype: 'message_changed', message: wireMessage(message, state), hidden: true }
        : { ...base, subtype: 'message_deleted', deleted_ts: message.ts, hidden: true };
  void dispatchEvent(body, deps);
}

function messageEvent(message: Message, state: SlackState): JsonObject {
  return { ...wireMessage(message, state), channel: message.channel, channel_type: 'im', event_ts: message.ts };
}

const SUBSCRIPTION: Readonly<Record<string, string>> = { message: 'message.im' };

/** Only events the app subscribed to are dispatched. */
export async function dispatchEvent(body: JsonObject, { state, deliverer }: DispatchDeps): Promise<EventResult> {
  const { team, app } = state.directory.workspace;
  const type = String(body.type);
  if (!app.events.includes(SUBSCRIPTION[type] ?? type)) return notSent('not_subscribed');
  return deliverer.deliverEvent({
    token: 'verification-token',
    team_id: team.id,
    api_app_id: app.id,
    type: 'event_callback',
    event: body,
    event_id: state.ids.next('Ev'),
    event_time: Math.floor(state.now() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: team.id, user_id: app.botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: body.user_team !== undefined,
  });
}
