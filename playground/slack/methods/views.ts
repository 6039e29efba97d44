/** views.*: opening, stacking and changing modals, publishing the Home tab. */

import { isObject, type JsonObject, stringAt } from '../../json.ts';
import { checkView } from '../checks/view.ts';
import { STACK_LIMIT, type View } from '../views.ts';
import { wireView } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse, refuseProblems } from './reply.ts';

/** A view that was sent: `type` says where it must belong. Also used for views in answers to a submission. */
export function readView(value: unknown, type: View['type'], world: World, replaced?: View): JsonObject | Refused {
  const problems = checkView(value);
  if (problems.length > 0) return refuseProblems(problems);
  if (!isObject(value)) return refuse('invalid_arguments');
  if (value.type !== type) return refuse('invalid_arguments');
  const taken = world.views.byExternalId(stringAt(value, 'external_id') ?? '');
  if (taken !== undefined && taken.id !== replaced?.id) return refuse('duplicate_external_id');
  return value;
}

const shown = (view: View, world: World): Reply => ({ ok: true, view: wireView(view, world) });

const open = (args: JsonObject, world: World): Reply => {
  const source = readView(args.view, 'modal', world);
  if (isRefused(source)) return source;
  const trigger = world.tickets.useTrigger(stringAt(args, 'trigger_id') ?? '');
  if (typeof trigger === 'string') return refuse(trigger);
  return shown(world.views.open(trigger.user, source), world);
};

const push = (args: JsonObject, world: World): Reply => {
  const source = readView(args.view, 'modal', world);
  if (isRefused(source)) return source;
  const trigger = world.tickets.useTrigger(stringAt(args, 'trigger_id') ?? '');
  if (typeof trigger === 'string') return refuse(trigger);
  // Only something done in an open modal may put another one on top of it.
  if (trigger.viewId === undefined) return refuse('invalid_trigger_id');
  if (world.views.stack(trigger.user).length >= STACK_LIMIT) return refuse('push_limit_reached');
  return shown(world.views.push(trigger.user, source), world);
};

const update = (args: JsonObject, world: World): Reply => {
  const view =
    world.views.byId(stringAt(args, 'view_id') ?? '') ?? world.views.byExternalId(stringAt(args, 'external_id') ?? '');
  if (view === undefined) return refuse('not_found');
  const hash = stringAt(args, 'hash');
  if (hash !== undefined && hash !== view.hash) return refuse('hash_conflict');
  const source = readView(args.view, view.type, world, view);
  return isRefused(source) ? source : shown(world.views.update(view, source), world);
};

const publish = (args: JsonObject, world: World): Reply => {
  const user = stringAt(args, 'user_id') ?? '';
  if (world.directory.person(user) === undefined) return refuse('invalid_arguments');
  const current = world.views.home(user);
  const hash = stringAt(args, 'hash');
  if (hash !== undefined && current !== undefined && hash !== current.hash) return refuse('hash_conflict');
  const source = readView(args.view, 'home', world, current);
  return isRefused(source) ? source : shown(world.views.publish(user, source), world);
};

export const VIEW_METHODS: Readonly<Record<string, MethodEntry>> = {
  'views.open': { run: open, scopes: [] },
  'views.push': { run: push, scopes: [] },
  'views.update': { run: update, scopes: [] },
  'views.publish': { run: publish, scopes: [] },
};
