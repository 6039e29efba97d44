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
  /** Ids of files that the person has uploaded. */
  readonly files?: readonly string[];
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
    fileIds: input.files ?? [],
    via: 'person',
  });
}

/** Posts a message, and dispatches every event for it that the app has subscribed to. */
export async function sendMessage(input: SayInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  for (const id of input.files ?? []) state.files.share(id, state.directory.channelNamed(input.channel).id);
  const message = say(input, state);
  const channel = state.directory.channelNamed(message.channel);
  if (!channel.botIsMember) return { ...notSent('bot_not_in_channel'), message };
  const isMention = channel.kind !== 'im' && message.text.includes(`<@${state.directory.workspace.app.botUserId}>`);
  const events = [
    messageEvent(message, state),
    ...(isMention ? [mentionEvent(message, state)] : []),
    ...message.fileIds.map((id) => fileSharedEvent(id, message, state)),
  ];
  const results = await Promise.all(events.map((event) => dispatchEvent(event, deps)));
  const sent = results.filter(({ error }) => error !== NOT_SUBSCRIBED);
  return { ...(sent.find(({ acked }) => !acked) ?? sent[0] ?? notSent(NOT_SUBSCRIBED)), message };
}

/** A person edits or deletes a message of theirs. */
export async function changeMessage(
  message: Message,
  text: string | undefined,
  deps: DispatchDeps,
): Promise<EventResult> {
  const { state } = deps;
  const next = text === undefined ? message : state.messages.edit(message, { text, blocks: [] });
  if (text === undefined) state.messages.remove(message);
  return {
    ...(await dispatchEvent(changeEvent(next, text === undefined ? 'delete' : 'edit', state), deps)),
    message: next,
  };
}

const mentionEvent = (message: Message, state: SlackState): JsonObject => ({
  ...wireMessage(message, state),
  type: 'app_mention',
  channel: message.channel,
  event_ts: message.ts,
});

const fileSharedEvent = (id: string, message: Message, state: SlackState): JsonObject => ({
  type: 'file_shared',
  file_id: id,
  file: { id },
  user_id: message.user,
  channel_id: message.channel,
  event_ts: state.ids.ts(),
});

export async function mention(input: SayInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const { app } = state.directory.workspace;
  const name = `<@${app.botUserId}>`;
  const message = say({ ...input, text: input.text.includes(name) ? input.text : `${name} ${input.text}` }, state);
  const channel = state.directory.channelNamed(message.channel);
  // Slack's client asks the person to invite the bot first.
  if (!channel.botIsMember) return { ...notSent('bot_not_in_channel'), message };
  if (channel.kind === 'im') return { ...(await dispatchEvent(messageEvent(message, state), deps)), message };
  return { ...(await dispatchEvent(mentionEvent(message, state), deps)), message };
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
  /** The channel that the person is viewing next to the direct message; none by default. */
  readonly viewing?: string;
}

/** Only an app with Slack's agent view is told what the person is viewing. */
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

/** Opens an assistant, which starts a thread in the direct message. */
export async function openAssistant({ user: ref, viewing }: ViewingInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const { app } = state.directory.workspace;
  if (!app.assistantView) return notSent('no_assistant_view');
  const user = state.directory.personNamed(ref);
  const { id: channel } = state.directory.directMessage(user.id);
  const root = { user: app.botUserId, text: 'New Assistant Thread', blocks: [], subtype: 'assistant_app_thread' };
  const message = state.messages.add({ ...root, channel, via: 'person' });
  state.agentView.openThread(channel, message.ts);
  const event = assistantEvent('assistant_thread_started', user.id, message, viewing, state);
  return { ...(await dispatchEvent(event, deps)), message };
}

function assistantEvent(
  type: string,
  user: string,
  { channel, ts }: Pick<Message, 'channel' | 'ts'>,
  viewing: string | undefined,
  { directory, ids }: SlackState,
): JsonObject {
  const team = directory.workspace.team.id;
  const context = viewing === undefined ? {} : { channel_id: directory.channelNamed(viewing).id, team_id: team };
  const thread = { user_id: user, context, channel_id: channel, thread_ts: ts };
  return { type, assistant_thread: thread, event_ts: ids.ts() };
}

export async function viewChannel({ user: ref, viewing }: ViewingInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  if (state.directory.workspace.app.assistantView) return viewBesideAssistant({ user: ref, viewing }, deps);
  if (!state.directory.workspace.app.agentView) return notSent('no_agent_view');
  const user = state.directory.personNamed(ref);
  const { id: channel } = state.directory.directMessage(user.id);
  const changed = { type: 'app_context_changed', user: user.id, channel, event_ts: state.ids.ts() };
  return dispatchEvent({ ...changed, ...contextOf(viewing, state) }, deps);
}

async function viewBesideAssistant({ user: ref, viewing }: ViewingInput, deps: DispatchDeps): Promise<EventResult> {
  const { state } = deps;
  const user = state.directory.personNamed(ref);
  const { id: channel } = state.directory.directMessage(user.id);
  const ts = state.agentView.thread(channel);
  if (ts === undefined) return notSent('no_assistant_open');
  const event = assistantEvent('assistant_thread_context_changed', user.id, { channel, ts }, viewing, state);
  return dispatchEvent(event, deps);
}

/** Slack sends an app every change where it reads messages, including those the app made itself. */
export function dispatchMessageEcho(message: Message, change: 'message' | 'edit' | 'delete', deps: DispatchDeps): void {
  const { state } = deps;
  const body = change === 'message' ? messageEvent(message, state) : changeEvent(message, change, state);
  void dispatchEvent(body, deps);
}

const CHANNEL_TYPE = { public: 'channel', private: 'group', im: 'im' } as const;

const channelTypeOf = ({ channel }: Message, { directory }: SlackState): string =>
  CHANNEL_TYPE[directory.channelNamed(channel).kind];

function messageEvent(message: Message, state: SlackState): JsonObject {
  const where = { channel: message.channel, channel_type: channelTypeOf(message, state) };
  return { ...wireMessage(message, state), ...where, event_ts: message.ts };
}

/** With the message as it was before. */
function changeEvent(message: Message, change: 'edit' | 'delete', state: SlackState): JsonObject {
  const before = message.versions.at(change === 'edit' ? -2 : -1) ?? message;
  const event = {
    type: 'message',
    channel: message.channel,
    channel_type: channelTypeOf(message, state),
    ts: state.ids.ts(),
    event_ts: state.ids.ts(),
    hidden: true,
    previous_message: wireMessage({ ...message, ...before, edited: message.versions.length > 2 }, state),
  };
  return change === 'edit'
    ? { ...event, subtype: 'message_changed', message: wireMessage(message, state) }
    : { ...event, subtype: 'message_deleted', deleted_ts: message.ts };
}

const NOT_SUBSCRIBED = 'not_subscribed';

/** As a manifest names it. */
const subscriptionOf = ({ type, channel_type }: JsonObject): string =>
  type === 'message' ? `message.${channel_type === 'im' ? 'im' : `${String(channel_type)}s`}` : String(type);

/** Only events the app subscribed to are dispatched. */
export async function dispatchEvent(body: JsonObject, { state, deliverer }: DispatchDeps): Promise<EventResult> {
  const { team, app } = state.directory.workspace;
  if (!app.events.includes(subscriptionOf(body))) return notSent(NOT_SUBSCRIBED);
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
