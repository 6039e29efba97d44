/** Open modals, stacked per person and client, and Home tabs. */

import type { Ids } from './ids.ts';
import { isObject, type JsonObject, objectsIn, stringAt } from './json.ts';
import { withIds } from './messages.ts';

export interface View {
  readonly id: string;
  readonly user: string;
  /** The client it was opened in: a form in one window is not in another. Empty for the only one. */
  readonly client: string;
  readonly type: 'modal' | 'home';
  readonly callbackId: string;
  readonly externalId: string;
  readonly privateMetadata: string;
  readonly hash: string;
  readonly rootId: string;
  readonly previousId: string | undefined;
  readonly blocks: readonly JsonObject[];
  /** The view as it was sent, with generated block ids added. */
  readonly source: JsonObject;
}

export const STACK_LIMIT = 3;

/** What a new version of a view takes over from the previous one. */
type Identity = { readonly [Key in 'id' | 'rootId' | 'previousId' | 'client']?: string | undefined };

export interface Views {
  open(user: string, source: JsonObject, client?: string): View;
  push(user: string, source: JsonObject, client?: string): View;
  update(view: View, source: JsonObject): View;
  publish(user: string, source: JsonObject): View;
  close(view: View): void;
  /** Closes all modals of the client that this one is in. */
  clear(view: View): void;
  /** Open modals of a person, the topmost last; of all their clients unless one is named. */
  stack(user: string, client?: string): readonly View[];
  home(user: string): View | undefined;
  byId(id: string): View | undefined;
  byExternalId(externalId: string): View | undefined;
  /** Every version of every view, in order. */
  history(): readonly View[];
}

export function createViews(deps: { readonly ids: Ids; readonly changed: (view: View | undefined) => void }): Views {
  const stacks = new Map<string, readonly View[]>();
  const homes = new Map<string, View>();
  const history: View[] = [];

  const make = (user: string, source: JsonObject, identity: Identity = {}): View => {
    const id = identity.id ?? deps.ids.next('V');
    const named = { ...source, blocks: withIds(objectsIn(source.blocks), deps.ids) };
    const view: View = {
      id,
      user,
      client: identity.client ?? '',
      type: source.type === 'home' ? 'home' : 'modal',
      callbackId: stringAt(source, 'callback_id') ?? '',
      externalId: stringAt(source, 'external_id') ?? '',
      privateMetadata: stringAt(source, 'private_metadata') ?? '',
      hash: deps.ids.ts(),
      rootId: identity.rootId ?? id,
      previousId: identity.previousId,
      blocks: named.blocks,
      source: named,
    };
    history.push(view);
    return view;
  };
  const stackOf = (user: string, client: string) => stacks.get(`${user}/${client}`) ?? [];
  const setStack = (user: string, client: string, views: readonly View[]) => {
    stacks.set(`${user}/${client}`, views);
    deps.changed(views.at(-1));
  };
  const modals = () => [...stacks.values()].flat();
  const all = () => [...modals(), ...homes.values()];

  return {
    open(user, source, client = '') {
      const view = make(user, source, { client });
      setStack(user, client, [view]);
      return view;
    },
    push(user, source, client = '') {
      const stack = stackOf(user, client);
      const view = make(user, source, { client, rootId: stack[0]?.id, previousId: stack.at(-1)?.id });
      setStack(user, client, [...stack, view]);
      return view;
    },
    update(view, source) {
      const next = make(view.user, source, view);
      if (view.type === 'home') {
        homes.set(view.user, next);
        deps.changed(next);
      } else {
        const stack = stackOf(view.user, view.client).map((other) => (other.id === view.id ? next : other));
        setStack(view.user, view.client, stack);
      }
      return next;
    },
    publish(user, source) {
      const view = make(user, source, { id: homes.get(user)?.id });
      homes.set(user, view);
      deps.changed(view);
      return view;
    },
    close(view) {
      const left = stackOf(view.user, view.client).filter((other) => other.id !== view.id);
      setStack(view.user, view.client, left);
    },
    clear: (view) => setStack(view.user, view.client, []),
    stack: (user, client) =>
      client === undefined ? modals().filter((view) => view.user === user) : stackOf(user, client),
    home: (user) => homes.get(user),
    byId: (id) => all().find((view) => view.id === id),
    byExternalId: (externalId) => all().find((view) => view.externalId === externalId && externalId !== ''),
    history: () => history,
  };
}

/** Each interactive element with the block that contains it. */
export function elementsOf(
  blocks: readonly JsonObject[],
): readonly { readonly block: JsonObject; readonly element: JsonObject }[] {
  return blocks.flatMap((block) => {
    const own = [block.element, block.accessory, ...arrayOf(block.elements), ...arrayOf(block.actions)];
    const found = own
      .filter(isObject)
      .filter((element) => element.action_id !== undefined)
      .map((element) => ({ block, element }));
    const cards = block.type === 'carousel' ? objectsIn(block.elements) : [];
    return [...found, ...elementsOf([...objectsIn(block.child_blocks), ...cards])];
  });
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
