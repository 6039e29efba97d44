/** Submitting and closing modals, and applying the `response_action` the app acknowledges a submission with. */
import { isObject, type JsonObject, objectAt, stringAt } from '../json.ts';
import { isRefused } from '../methods/reply.ts';
import { readView } from '../methods/views.ts';
import type { SlackState } from '../state.ts';
import { elementsOf, STACK_LIMIT, type View } from '../views.ts';
import { wireView } from '../wire-format.ts';
import { type Choices, stateValues, unfilled } from './input-values.ts';
import { type DispatchDeps, type DispatchResult, notSent, payloadBase, payloadUser } from './result.ts';

export interface SubmitInput {
  readonly user?: string;
  /** Input values by action id. */
  readonly values?: Choices;
  /** Defaults to the person's topmost modal. */
  readonly viewId?: string;
}

export interface SubmitResult extends DispatchResult {
  /** Validation messages by block id, shown beside the inputs. */
  readonly errors: Readonly<Record<string, string>>;
  /** Required inputs that are empty; Slack's client does not send such a form. */
  readonly unfilled: readonly string[];
}

function openView(input: { readonly user?: string; readonly viewId?: string }, state: SlackState): View {
  const user = state.directory.personNamed(input.user);
  const view = input.viewId === undefined ? state.views.stack(user.id).at(-1) : state.views.byId(input.viewId);
  if (view === undefined) throw new Error(`${user.realName} has no modal open.`);
  return view;
}

export async function submitView(input: SubmitInput, { state, deliverer }: DispatchDeps): Promise<SubmitResult> {
  const view = openView(input, state);
  const user = state.directory.personNamed(view.user);
  const values = stateValues(view.blocks, input.values ?? {});
  const missing = unfilled(view.blocks, values);
  if (missing.length > 0) return { ...notSent('required_inputs_empty'), errors: {}, unfilled: missing };
  const triggerId = state.triggerIds.issue(user.id, { viewId: view.id, client: view.client });
  const delivery = await deliverer.deliverOnce('interactive', {
    type: 'view_submission',
    ...payloadBase(state),
    user: payloadUser(user, state),
    trigger_id: triggerId,
    view: wireView(view, state, values),
    response_urls: responseUrls(view, values, state),
  });
  const errors = delivery.acked ? applyResponseAction(view, delivery.ack, state) : {};
  return { ...delivery, triggerId, errors, unfilled: [] };
}

export async function closeView(
  input: { readonly user?: string; readonly viewId?: string },
  { state, deliverer }: DispatchDeps,
): Promise<DispatchResult> {
  const view = openView(input, state);
  const user = state.directory.personNamed(view.user);
  state.views.close(view);
  if (view.source.notify_on_close !== true) return notSent('not_asked_for');
  return deliverer.deliverOnce('interactive', {
    type: 'view_closed',
    ...payloadBase(state),
    user: payloadUser(user, state),
    view: wireView(view, state),
    is_cleared: false,
  });
}

/** Conversation menus with `response_url_enabled` get a response_url each. */
function responseUrls(
  view: View,
  values: Readonly<Record<string, Record<string, JsonObject>>>,
  state: SlackState,
): readonly JsonObject[] {
  return elementsOf(view.blocks).flatMap(({ block, element }) => {
    if (element.response_url_enabled !== true) return [];
    const chosen = values[String(block.block_id)]?.[String(element.action_id)] ?? {};
    const channel = stringAt(chosen, 'selected_conversation') ?? stringAt(chosen, 'selected_channel');
    if (channel === undefined) return [];
    const responseUrl = state.responseUrls.issue({ channel, user: view.user });
    return [{ block_id: block.block_id, action_id: element.action_id, channel_id: channel, response_url: responseUrl }];
  });
}

/** An empty acknowledgement closes the modal. An invalid `response_action` leaves it open, as Slack does. */
function applyResponseAction(view: View, ack: JsonObject, state: SlackState): Readonly<Record<string, string>> {
  const refused = (error: string, problems: Parameters<typeof state.callLog.refusals.push>[0]['problems'] = []) => {
    state.callLog.refusals.push({ method: 'view_submission', error, problems, args: ack });
    state.callLog.notify('refusal');
    return {};
  };
  const source = () => readView(objectAt(ack, 'view'), 'modal', state, view);
  switch (ack.response_action) {
    case undefined:
      state.views.close(view);
      return {};
    case 'clear':
      state.views.clear(view);
      return {};
    case 'update': {
      const next = source();
      if (isRefused(next)) return refused(next.error, next.problems);
      state.views.update(view, next);
      return {};
    }
    case 'push': {
      const next = source();
      if (isRefused(next)) return refused(next.error, next.problems);
      if (state.views.stack(view.user, view.client).length >= STACK_LIMIT) return refused('push_limit_reached');
      state.views.push(view.user, next, view.client);
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
