/** Open modals, stacked per person, and Home tabs. */

import type { Ids } from './ids.ts';
import { isObject, type JsonObject, objectsIn, stringAt } from './json.ts';
import { withIds } from './messages.ts';

export interface View {
  readonly id: string;
  readonly user: string;
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
type Identity = { readonly [Key in 'id' | 'rootId' | 'previousId']?: string | undefined };

export interface Views {
  open(user: string, source: JsonObject): View;
  push(user: string, source: JsonObject): View;
  update(view: View, source: JsonObject): View;
  publish(user: string, source: JsonObject): View;
  close(view: View): void;
  clear(user: string): void;
  /** Open modals of a person, the topmost last. */
  stack(user: string): readonly View[];
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
  const setStack = (user: string, views: readonly View[]) => {
    stacks.set(user, views);
    deps.changed(views.at(-1));
  };
  const all = () => [...[...stacks.values()].flat(), ...homes.values()];

  return {
    open(user, source) {
      const view = make(user, source);
      setStack(user, [view]);
      return view;
    },
    push(user, source) {
      const stack = stacks.get(user) ?? [];
      const view = make(user, source, { rootId: stack[0]?.id, previousId: stack.at(-1)?.id });
      setStack(user, [...stack, view]);
      return view;
    },
    update(view, source) {
      const next = make(view.user, source, view);
      if (view.type === 'home') {
        homes.set(view.user, next);
        deps.changed(next);
      } else {
        setStack(
          view.user,
          (stacks.get(view.user) ?? []).map((other) => (other.id === view.id ? next : other)),
        );
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
      setStack(
        view.user,
        (stacks.get(view.user) ?? []).filter((other) => other.id !== view.id),
      );
    },
    clear: (user) => setStack(user, []),
    stack: (user) => stacks.get(user) ?? [],
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
