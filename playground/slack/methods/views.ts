/** views.*: opening, pushing and updating modals, publishing the Home tab. */

import { isObject, type JsonObject, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { checkView } from '../validation/view.ts';
import { STACK_LIMIT, type View } from '../views.ts';
import { wireView } from '../wire-format.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse, refuseProblems } from './reply.ts';

/** Validates a view that was sent, also one in the `response_action` of a submission. */
export function readView(value: unknown, type: View['type'], state: SlackState, replaced?: View): JsonObject | Refused {
  const problems = checkView(value);
  if (problems.length > 0) return refuseProblems(problems);
  if (!isObject(value)) return refuse('invalid_arguments');
  if (value.type !== type) return refuse('invalid_arguments');
  const taken = state.views.byExternalId(stringAt(value, 'external_id') ?? '');
  if (taken !== undefined && taken.id !== replaced?.id) return refuse('duplicate_external_id');
  return value;
}

const shown = (view: View, state: SlackState): Reply => ({ ok: true, view: wireView(view, state) });

const open = (args: JsonObject, state: SlackState): Reply => {
  const source = readView(args.view, 'modal', state);
  if (isRefused(source)) return source;
  const trigger = state.triggerIds.use(stringAt(args, 'trigger_id') ?? '');
  if (typeof trigger === 'string') return refuse(trigger);
  return shown(state.views.open(trigger.user, source, trigger.client), state);
};

const push = (args: JsonObject, state: SlackState): Reply => {
  const source = readView(args.view, 'modal', state);
  if (isRefused(source)) return source;
  const trigger = state.triggerIds.use(stringAt(args, 'trigger_id') ?? '');
  if (typeof trigger === 'string') return refuse(trigger);
  // Only a trigger from an open modal may push another one.
  if (trigger.viewId === undefined) return refuse('invalid_trigger_id');
  if (state.views.stack(trigger.user, trigger.client ?? '').length >= STACK_LIMIT) return refuse('push_limit_reached');
  return shown(state.views.push(trigger.user, source, trigger.client), state);
};

const update = (args: JsonObject, state: SlackState): Reply => {
  const view =
    state.views.byId(stringAt(args, 'view_id') ?? '') ?? state.views.byExternalId(stringAt(args, 'external_id') ?? '');
  if (view === undefined) return refuse('not_found');
  const hash = stringAt(args, 'hash');
  if (hash !== undefined && hash !== view.hash) return refuse('hash_conflict');
  const source = readView(args.view, view.type, state, view);
  return isRefused(source) ? source : shown(state.views.update(view, source), state);
};

const publish = (args: JsonObject, state: SlackState): Reply => {
  const user = stringAt(args, 'user_id') ?? '';
  if (state.directory.person(user) === undefined) return refuse('invalid_arguments');
  const current = state.views.home(user);
  const hash = stringAt(args, 'hash');
  if (hash !== undefined && current !== undefined && hash !== current.hash) return refuse('hash_conflict');
  const source = readView(args.view, 'home', state, current);
  return isRefused(source) ? source : shown(state.views.publish(user, source), state);
};

export const VIEW_METHODS: Readonly<Record<string, MethodEntry>> = {
  'views.open': { run: open, scopes: [] },
  'views.push': { run: push, scopes: [] },
  'views.update': { run: update, scopes: [] },
  'views.publish': { run: publish, scopes: [] },
};
