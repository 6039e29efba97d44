/** Submitting and closing modals, and what the app's answer does to them. */
import { BotError } from '../../../src/errors.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../json.ts';
import { isRefused } from '../methods/reply.ts';
import { readView } from '../methods/views.ts';
import { elementsOf, STACK_LIMIT, type View } from '../views.ts';
import { wireView } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { type DoorDeps, notSent, type Outcome, payloadBase, payloadUser } from './outcome.ts';
import { type Choices, stateValues, unfilled } from './state-values.ts';

export interface SubmitInput {
  readonly user?: string;
  /** What was put into the inputs, by action id. */
  readonly values?: Choices;
  /** The top one of the person where left out. */
  readonly viewId?: string;
}

export interface SubmitOutcome extends Outcome {
  /** Complaints by block id, shown beside the inputs. */
  readonly errors: Readonly<Record<string, string>>;
  /** Inputs still empty, where Slack's client did not let the form go. */
  readonly unfilled: readonly string[];
}

function openView(input: { readonly user?: string; readonly viewId?: string }, world: World): View {
  const user = world.directory.personNamed(input.user);
  const view = input.viewId === undefined ? world.views.stack(user.id).at(-1) : world.views.byId(input.viewId);
  if (view === undefined) throw new BotError('not_found', `${user.realName} has no modal open.`);
  return view;
}

export async function submitView(input: SubmitInput, { world, postman }: DoorDeps): Promise<SubmitOutcome> {
  const view = openView(input, world);
  const user = world.directory.personNamed(view.user);
  const state = stateValues(view.blocks, input.values ?? {});
  const missing = unfilled(view.blocks, state);
  if (missing.length > 0) return { ...notSent('required_inputs_empty'), errors: {}, unfilled: missing };
  const triggerId = world.tickets.trigger(user.id, view.id);
  const delivery = await postman.once('interactive', {
    type: 'view_submission',
    ...payloadBase(world),
    user: payloadUser(user, world),
    trigger_id: triggerId,
    view: wireView(view, world, state),
    response_urls: responseUrls(view, state, world),
  });
  const errors = delivery.acked ? applyAnswer(view, delivery.ack, world) : {};
  return { ...delivery, triggerId, errors, unfilled: [] };
}

export async function closeView(
  input: { readonly user?: string; readonly viewId?: string },
  { world, postman }: DoorDeps,
): Promise<Outcome> {
  const view = openView(input, world);
  const user = world.directory.personNamed(view.user);
  world.views.close(view);
  if (view.source.notify_on_close !== true) return notSent('not_asked_for');
  return postman.once('interactive', {
    type: 'view_closed',
    ...payloadBase(world),
    user: payloadUser(user, world),
    view: wireView(view, world),
    is_cleared: false,
  });
}

/** Menus of conversations may ask for a response_url of their own. */
function responseUrls(
  view: View,
  state: Readonly<Record<string, Record<string, JsonObject>>>,
  world: World,
): readonly JsonObject[] {
  return elementsOf(view.blocks).flatMap(({ block, element }) => {
    if (element.response_url_enabled !== true) return [];
    const chosen = state[String(block.block_id)]?.[String(element.action_id)] ?? {};
    const channel = stringAt(chosen, 'selected_conversation') ?? stringAt(chosen, 'selected_channel');
    if (channel === undefined) return [];
    const responseUrl = world.tickets.responseUrl({ channel, user: view.user });
    return [{ block_id: block.block_id, action_id: element.action_id, channel_id: channel, response_url: responseUrl }];
  });
}

/** No answer closes the modal; others keep, change, cover or clear it. A faulty answer leaves it open, as Slack does. */
function applyAnswer(view: View, ack: JsonObject, world: World): Readonly<Record<string, string>> {
  const refused = (error: string, problems: Parameters<typeof world.journal.refusals.push>[0]['problems'] = []) => {
    world.journal.refusals.push({ method: 'view_submission', error, problems, args: ack });
    world.journal.changed('refusal');
    return {};
  };
  const source = () => readView(objectAt(ack, 'view'), 'modal', world, view);
  switch (ack.response_action) {
    case undefined:
      world.views.close(view);
      return {};
    case 'clear':
      world.views.clear(view.user);
      return {};
    case 'update': {
      const next = source();
      if (isRefused(next)) return refused(next.error, next.problems);
      world.views.update(view, next);
      return {};
    }
    case 'push': {
      const next = source();
      if (isRefused(next)) return refused(next.error, next.problems);
      if (world.views.stack(view.user).length >= STACK_LIMIT) return refused('push_limit_reached');
      world.views.push(view.user, next);
      return {};
    }
    case 'errors': {
      const errors = isObject(ack.errors) ? ack.errors : {};
      const blockIds = new Set(view.blocks.filter((block) => block.type === 'input').map((block) => block.block_id));
      const unknown = Object.keys(errors).filter((blockId) => !blockIds.has(blockId));
      if (unknown.length > 0 || Object.keys(errors).length === 0) return refused('invalid_response_errors');
      return Object.fromEntries(Object.entries(errors).map(([blockId, message]) => [blockId, String(message)]));
    }
    default:
      return refused('invalid_response_action');
  }
}
