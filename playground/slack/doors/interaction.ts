/** Pressing buttons, choosing from menus and using the shortcut of a message. */
import { BotError } from '../../../src/errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Message } from '../messages.ts';
import { elementsOf, type View } from '../views.ts';
import { wireMessage, wireView } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { channelName, type DoorDeps, notSent, type Outcome, payloadBase, payloadUser, sayAck } from './outcome.ts';
import { type Choices, elementState, stateValues } from './state-values.ts';

export interface ActInput {
  readonly user?: string;
  readonly actionId: string;
  /** Where the same action id stands in several blocks. */
  readonly blockId?: string;
  /** The value chosen in a menu, a date, a text; nothing for a button. */
  readonly choice?: string | number | readonly string[];
  /** What else stands in the inputs around it. */
  readonly state?: Choices;
}

function elementIn(blocks: readonly JsonObject[], input: ActInput) {
  const found = elementsOf(blocks).filter(
    ({ block, element }) =>
      element.action_id === input.actionId && (input.blockId ?? block.block_id) === block.block_id,
  );
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const all = elementsOf(blocks).map(({ element }) => String(element.action_id));
    const message = `${found.length} elements have the action id ${input.actionId}; there are: ${all.join(', ')}.`;
    throw new BotError('not_found', message);
  }
  return only;
}

function actionOf(blocks: readonly JsonObject[], input: ActInput, world: World): JsonObject {
  const { block, element } = elementIn(blocks, input);
  return {
    type: element.type,
    action_id: element.action_id,
    block_id: block.block_id,
    ...(element.text === undefined ? {} : { text: element.text }),
    ...elementState(element, input.choice),
    action_ts: world.ids.ts(),
  };
}

const stateAround = (blocks: readonly JsonObject[], input: ActInput) =>
  stateValues(blocks, { ...input.state, ...(input.choice === undefined ? {} : { [input.actionId]: input.choice }) });

export async function actOnMessage(message: Message, input: ActInput, { world, postman }: DoorDeps): Promise<Outcome> {
  const user = world.directory.personNamed(input.user);
  const channel = world.directory.channelNamed(message.channel);
  const ephemeral = message.visibleTo !== undefined;
  if (ephemeral && message.visibleTo !== user.id) return notSent('not_visible');
  const ticket = { channel: channel.id, user: user.id, messageTs: message.ts, threadTs: message.threadTs };
  const responseUrl = world.tickets.responseUrl(ticket);
  const triggerId = world.tickets.trigger(user.id);
  const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
  const delivery = await postman.once('interactive', {
    type: 'block_actions',
    ...payloadBase(world),
    user: payloadUser(user, world),
    container: { type: 'message', message_ts: message.ts, channel_id: channel.id, is_ephemeral: ephemeral, ...thread },
    channel: { id: channel.id, name: channelName(channel) },
    // Of an ephemeral message the app gets no copy.
    ...(ephemeral ? {} : { message: wireMessage(message, world) }),
    state: { values: stateAround(message.blocks, input) },
    trigger_id: triggerId,
    response_url: responseUrl,
    actions: [actionOf(message.blocks, input, world)],
  });
  sayAck(delivery, ticket, world);
  return { ...delivery, responseUrl, triggerId };
}

export async function actOnView(view: View, input: ActInput, { world, postman }: DoorDeps): Promise<Outcome> {
  const user = world.directory.personNamed(view.user);
  const triggerId = world.tickets.trigger(user.id, view.type === 'modal' ? view.id : undefined);
  const state = stateAround(view.blocks, input);
  const delivery = await postman.once('interactive', {
    type: 'block_actions',
    ...payloadBase(world),
    user: payloadUser(user, world),
    container: { type: 'view', view_id: view.id },
    view: wireView(view, world, state),
    trigger_id: triggerId,
    actions: [actionOf(view.blocks, input, world)],
  });
  return { ...delivery, triggerId };
}

export interface ShortcutInput {
  readonly user?: string;
  readonly callbackId?: string;
}

/** Works on any message a person sees, also where the bot is not. */
export async function useMessageShortcut(
  message: Message,
  input: ShortcutInput,
  { world, postman }: DoorDeps,
): Promise<Outcome> {
  const { app } = world.directory.workspace;
  const user = world.directory.personNamed(input.user);
  const callbackId = input.callbackId ?? app.shortcuts[0]?.callbackId;
  if (callbackId === undefined) return notSent('no_such_shortcut');
  const channel = world.directory.channelNamed(message.channel);
  const ticket = { channel: channel.id, user: user.id, threadTs: message.threadTs };
  const responseUrl = world.tickets.responseUrl(ticket);
  const triggerId = world.tickets.trigger(user.id);
  const delivery = await postman.once('interactive', {
    type: 'message_action',
    ...payloadBase(world),
    user: payloadUser(user, world),
    callback_id: callbackId,
    trigger_id: triggerId,
    response_url: responseUrl,
    action_ts: world.ids.ts(),
    message_ts: message.ts,
    channel: { id: channel.id, name: channelName(channel) },
    message: wireMessage(message, world),
  });
  return { ...delivery, responseUrl, triggerId };
}
