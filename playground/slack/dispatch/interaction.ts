/** Block actions and shortcuts: the payloads for a pressed button, a choice in a menu, what is typed into one, a used shortcut. */
import { type JsonObject, objectsIn } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { checkOptions } from '../validation/options.ts';
import type { Problem } from '../validation/problem.ts';
import { elementsOf, type View } from '../views.ts';
import { wireMessage, wireView } from '../wire-format.ts';
import { type Choices, elementState, rememberOptions, stateValues } from './input-values.ts';
import {
  channelName,
  type DispatchDeps,
  type DispatchResult,
  notSent,
  payloadBase,
  payloadUser,
  postAck,
} from './result.ts';

export interface ActionInput {
  readonly user?: string;
  readonly actionId: string;
  /** Needed where several blocks use the same action id. */
  readonly blockId?: string;
  /** The value chosen in a menu, a date, a text; nothing for a button. */
  readonly choice?: string | number | readonly string[];
  /** Values of the other inputs in the same message or view. */
  readonly state?: Choices;
  /** Which of the person's clients was used; a form that it opens belongs to that one. */
  readonly client?: string;
}

function elementIn(blocks: readonly JsonObject[], input: Pick<ActionInput, 'actionId' | 'blockId'>) {
  const found = elementsOf(blocks).filter(
    ({ block, element }) =>
      element.action_id === input.actionId && (input.blockId ?? block.block_id) === block.block_id,
  );
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const all = elementsOf(blocks).map(({ element }) => String(element.action_id));
    const message = `${found.length} elements have the action id ${input.actionId}; there are: ${all.join(', ')}.`;
    throw new Error(message);
  }
  return only;
}

function actionOf(blocks: readonly JsonObject[], input: ActionInput, state: SlackState): JsonObject {
  const { block, element } = elementIn(blocks, input);
  return {
    type: element.type,
    action_id: element.action_id,
    block_id: block.block_id,
    text: element.text,
    ...elementState(element, input.choice),
    action_ts: state.ids.ts(),
  };
}

const valuesAround = (blocks: readonly JsonObject[], input: ActionInput) =>
  stateValues(blocks, { ...input.state, ...(input.choice === undefined ? {} : { [input.actionId]: input.choice }) });

export async function dispatchMessageAction(
  message: Message,
  input: ActionInput,
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const user = state.directory.personNamed(input.user);
  const channel = state.directory.channelNamed(message.channel);
  const ephemeral = message.visibleTo !== undefined;
  if (ephemeral && message.visibleTo !== user.id) return notSent('not_visible');
  const target = { channel: channel.id, user: user.id, messageTs: message.ts, threadTs: message.threadTs };
  const responseUrl = state.responseUrls.issue(target);
  const triggerId = state.triggerIds.issue(user.id, { client: input.client });
  const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'block_actions',
    ...payloadBase(state),
    user: payloadUser(user, state),
    container: { type: 'message', message_ts: message.ts, channel_id: channel.id, is_ephemeral: ephemeral, ...thread },
    channel: { id: channel.id, name: channelName(channel) },
    // Slack sends the app no copy of an ephemeral message.
    ...(ephemeral ? {} : { message: wireMessage(message, state) }),
    state: { values: valuesAround(message.blocks, input) },
    trigger_id: triggerId,
    response_url: responseUrl,
    actions: [actionOf(message.blocks, input, state)],
  });
  postAck(delivery, target, state);
  return { ...delivery, responseUrl, triggerId };
}

export async function dispatchViewAction(
  view: View,
  input: ActionInput,
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const user = state.directory.personNamed(view.user);
  const triggerId = state.triggerIds.issue(
    user.id,
    view.type === 'modal' ? { viewId: view.id, client: view.client } : { client: input.client },
  );
  const values = valuesAround(view.blocks, input);
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'block_actions',
    ...payloadBase(state),
    user: payloadUser(user, state),
    container: { type: 'view', view_id: view.id },
    view: wireView(view, state, values),
    trigger_id: triggerId,
    actions: [actionOf(view.blocks, input, state)],
  });
  return { ...delivery, triggerId };
}

export interface OptionsInput extends Pick<ActionInput, 'user' | 'actionId' | 'blockId'> {
  /** What the person has typed so far. */
  readonly query?: string;
}

export interface OptionsResult extends DispatchResult {
  /** What the menu shows, without its groups. */
  readonly options: readonly JsonObject[];
  /** What is wrong with the app's answer. */
  readonly problems: readonly Problem[];
}

/** A person opens a menu with an external source or types into it, in a message or in a view. */
export async function dispatchSuggestion(
  place: Message | View,
  input: OptionsInput,
  { state, deliverer }: DispatchDeps,
): Promise<OptionsResult> {
  const isMessage = 'ts' in place;
  const user = state.directory.personNamed(isMessage ? input.user : place.user);
  const { block, element } = elementIn(place.blocks, input);
  const channel = isMessage ? state.directory.channelNamed(place.channel) : undefined;
  const where =
    isMessage && channel !== undefined
      ? {
          container: { type: 'message', message_ts: place.ts, channel_id: channel.id },
          channel: { id: channel.id, name: channelName(channel) },
          message: wireMessage(place, state),
        }
      : isMessage
        ? {}
        : { container: { type: 'view', view_id: place.id }, view: wireView(place, state) };
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'block_suggestion',
    ...payloadBase(state),
    user: payloadUser(user, state),
    ...where,
    action_id: element.action_id,
    block_id: block.block_id,
    value: input.query ?? '',
  });
  const problems = delivery.acked ? checkOptions(delivery.ack) : [];
  const groups = objectsIn(delivery.ack.option_groups).flatMap((group) => objectsIn(group.options));
  const options = problems.length > 0 ? [] : [...objectsIn(delivery.ack.options), ...groups];
  rememberOptions(element, options);
  if (problems.length > 0) refuseOptions(problems, delivery.ack, state);
  return { ...delivery, options, problems };
}

function refuseOptions(problems: readonly Problem[], args: JsonObject, { callLog }: SlackState): void {
  const refusal = { method: 'block_suggestion', error: 'invalid_options', problems, args };
  callLog.refusals.push(refusal);
  callLog.notify('refusal', refusal);
}

export interface ShortcutInput {
  readonly user?: string;
  readonly callbackId?: string;
  readonly client?: string;
}

/** From the search or the plus menu: without a message. */
export async function dispatchShortcut(
  input: ShortcutInput,
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const { app } = state.directory.workspace;
  const user = state.directory.personNamed(input.user);
  const global = app.shortcuts.filter(({ type }) => type === 'global');
  const callbackId = input.callbackId ?? global[0]?.callbackId;
  if (!global.some((shortcut) => shortcut.callbackId === callbackId)) return notSent('no_such_shortcut');
  const triggerId = state.triggerIds.issue(user.id, { client: input.client });
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'shortcut',
    ...payloadBase(state),
    user: payloadUser(user, state),
    callback_id: callbackId,
    trigger_id: triggerId,
    action_ts: state.ids.ts(),
  });
  return { ...delivery, triggerId };
}

/** Works on any message a person can see, also in channels the bot is not a member of. */
export async function dispatchMessageShortcut(
  message: Message,
  input: ShortcutInput,
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const { app } = state.directory.workspace;
  const user = state.directory.personNamed(input.user);
  const callbackId = input.callbackId ?? app.shortcuts.find(({ type }) => type !== 'global')?.callbackId;
  if (callbackId === undefined) return notSent('no_such_shortcut');
  const channel = state.directory.channelNamed(message.channel);
  const target = { channel: channel.id, user: user.id, threadTs: message.threadTs };
  const responseUrl = state.responseUrls.issue(target);
  const triggerId = state.triggerIds.issue(user.id, { client: input.client });
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'message_action',
    ...payloadBase(state),
    user: payloadUser(user, state),
    callback_id: callbackId,
    trigger_id: triggerId,
    response_url: responseUrl,
    action_ts: state.ids.ts(),
    message_ts: message.ts,
    channel: { id: channel.id, name: channelName(channel) },
    message: wireMessage(message, state),
  });
  return { ...delivery, responseUrl, triggerId };
}
