/** Every message of the workspace, including ephemeral and deleted ones, with all versions. */

import type { Ids } from './ids.ts';
import { isObject, type JsonObject, objectsIn } from './json.ts';

interface MessageVersion {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly metadata?: JsonObject | undefined;
  readonly atMs: number;
}

export interface Reaction {
  /** The emoji's name, without colons. */
  readonly name: string;
  /** User ids, in the order they reacted. */
  readonly users: readonly string[];
}

export interface Message extends MessageVersion {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly botId?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly attachments: readonly JsonObject[];
  readonly fileIds: readonly string[];
  readonly reactions: readonly Reaction[];
  /** What Slack calls a message that isn't simply written, such as the root of an assistant's thread. */
  readonly subtype?: string | undefined;
  /** The app is still streaming it. */
  readonly streaming?: boolean | undefined;
  /** The one person who sees it, if it is ephemeral. */
  readonly visibleTo?: string | undefined;
  /** How it came: typed by a person, by the Web API, through a response_url, or in an acknowledgement. */
  readonly via: 'person' | 'api' | 'response_url' | 'ack';
  readonly edited: boolean;
  readonly deleted: boolean;
  /** Oldest first; the last one is shown now. */
  readonly versions: readonly MessageVersion[];
}

export type MessageContent = Pick<Message, 'text' | 'blocks'> & Partial<Pick<Message, 'metadata' | 'attachments'>>;
type NewMessage = MessageContent &
  Pick<Message, 'channel' | 'user' | 'via'> &
  Partial<Pick<Message, 'botId' | 'threadTs' | 'visibleTo' | 'fileIds' | 'subtype' | 'streaming'>>;

export interface Messages {
  add(message: NewMessage): Message;
  edit(message: Message, content: MessageContent): Message;
  /** Streams a message on; it isn't shown as edited. */
  stream(message: Message, content: MessageContent, streaming: boolean): Message;
  setReactions(message: Message, reactions: readonly Reaction[]): Message;
  remove(message: Message): void;
  find(channel: string, ts: string): Message | undefined;
  /** Messages that are not deleted, including ephemeral ones, in order. */
  inChannel(channel: string): readonly Message[];
  /** All messages including deleted ones, in order. */
  all(): readonly Message[];
  clear(): void;
}

export function createMessages(deps: {
  readonly ids: Ids;
  readonly now: () => number;
  readonly changed: (kind: 'message' | 'edit' | 'delete' | 'reaction', message: Message) => void;
}): Messages {
  const list: Message[] = [];
  const indexes = new Map<string, number>();
  /** Indexes in the list by channel, so that thousands of channels do not slow down reading one. */
  const channels = new Map<string, number[]>();
  const key = (channel: string, ts: string) => `${channel}/${ts}`;

  const replace = (kind: 'edit' | 'delete' | 'reaction', message: Message, next: Message): Message => {
    const index = indexes.get(key(message.channel, message.ts));
    if (index !== undefined) list[index] = next;
    deps.changed(kind, next);
    return next;
  };

  return {
    add(input) {
      const content = versionOf(input, deps);
      const message: Message = {
        ...input,
        ...content,
        ts: deps.ids.ts(),
        attachments: input.attachments ?? [],
        fileIds: input.fileIds ?? [],
        reactions: [],
        edited: false,
        deleted: false,
        versions: [content],
      };
      indexes.set(key(message.channel, message.ts), list.length);
      const inChannel = channels.get(message.channel);
      if (inChannel === undefined) channels.set(message.channel, [list.length]);
      else inChannel.push(list.length);
      list.push(message);
      deps.changed('message', message);
      return message;
    },
    edit: (message, input) => replace('edit', message, { ...withVersion(message, input, deps), edited: true }),
    stream: (message, input, streaming) =>
      replace('edit', message, { ...withVersion(message, input, deps), streaming }),
    setReactions: (message, reactions) => replace('reaction', message, { ...message, reactions }),
    remove: (message) => void replace('delete', message, { ...message, deleted: true }),
    find(channel, ts) {
      const index = indexes.get(key(channel, ts));
      const message = index === undefined ? undefined : list[index];
      return message?.deleted ? undefined : message;
    },
    inChannel: (channel) =>
      (channels.get(channel) ?? []).flatMap((index) => {
        const message = list[index];
        return message === undefined || message.deleted ? [] : [message];
      }),
    all: () => list,
    clear() {
      list.length = 0;
      indexes.clear();
      channels.clear();
    },
  };
}

interface VersionDeps {
  readonly ids: Ids;
  readonly now: () => number;
}

/** Without new metadata, the message keeps its own. */
function withVersion(message: Message, input: MessageContent, deps: VersionDeps): Message {
  const content = { ...versionOf(input, deps), metadata: input.metadata ?? message.metadata };
  const attachments = input.attachments ?? message.attachments;
  return { ...message, ...content, attachments, versions: [...message.versions, content] };
}

function versionOf(input: MessageContent, deps: VersionDeps): MessageVersion {
  const blocks = withIds(input.blocks, deps.ids);
  return { text: input.text, blocks, metadata: input.metadata, atMs: deps.now() };
}

/** Slack generates ids for blocks and interactive elements that were sent without one. */
export function withIds(blocks: readonly JsonObject[], ids: Ids): readonly JsonObject[] {
  return blocks.map((block) => {
    const named: Record<string, unknown> = { ...block, block_id: block.block_id ?? ids.next('b') };
    for (const key of ['elements', 'actions']) {
      const elements = named[key];
      if (Array.isArray(elements)) named[key] = elements.map((element) => withActionId(element, ids));
    }
    for (const key of ['accessory', 'element']) {
      if (isObject(named[key])) named[key] = withActionId(named[key], ids);
    }
    if (Array.isArray(named.child_blocks)) named.child_blocks = withIds(objectsIn(named.child_blocks), ids);
    return named;
  });
}

const NOT_INTERACTIVE = /^(image|plain_text|mrkdwn|rich_text.*|url)$/;

function withActionId(element: unknown, ids: Ids): unknown {
  if (!isObject(element) || NOT_INTERACTIVE.test(String(element.type)) || element.type === 'card') return element;
  return { ...element, action_id: element.action_id ?? ids.next('a') };
}
