/**
 * Who gets a notification from which message, with Slack's default preferences. Only a new message notifies: an edit
 * doesn't, and neither does what an attachment, an ephemeral message or code says. Where Slack's docs leave it open,
 * nobody is notified, so that anyone notified here would be in Slack, too.
 */

import type { Directory } from './directory.ts';
import { isObject, type JsonObject, objectsIn, stringAt } from './json.ts';
import type { Message } from './messages.ts';
import type { Channel } from './workspace.ts';

type Reason =
  /** `<@U…>` */
  | 'mention'
  /** `<!subteam^S…>` */
  | 'group'
  /** `<!here>`, `<!channel>`, `<!everyone>` */
  | 'channel'
  | 'direct'
  /** They started the thread, replied in it or were mentioned there. */
  | 'thread';

export interface Notification {
  readonly user: string;
  readonly channel: string;
  /** The message's. */
  readonly ts: string;
  readonly text: string;
  readonly why: Reason;
}

/** The notifications of a new message. `earlier` are the messages of its thread before it. */
export function notificationsOf(
  message: Message,
  directory: Directory,
  earlier: readonly Message[],
): readonly Notification[] {
  const channel = directory.channel(message.channel);
  if (channel === undefined || message.visibleTo !== undefined) return [];
  const mentioned = channel.kind === 'im' ? allOf(channel, 'direct') : mentionedIn(message, channel, directory);
  const followers = earlier.flatMap((each) => [each.user, ...mentionedIn(each, channel, directory).keys()]);
  const reasons = new Map([...followers.map((user) => [user, 'thread'] as const), ...mentioned]);
  return [...reasons].flatMap(([user, why]) => {
    // Nobody is notified of their own message, nor of one in a channel that they aren't in.
    if (user === message.user || !channel.members.includes(user)) return [];
    return [{ user, channel: message.channel, ts: message.ts, text: message.text, why }];
  });
}

const allOf = ({ members }: Channel, why: Reason): Map<string, Reason> => new Map(members.map((user) => [user, why]));

const MENTION =
  /<(?:@(?<user>[UW][A-Z0-9]+)|!subteam\^(?<group>S[A-Z0-9]+)|!(?<all>here|channel|everyone))(?:\|[^<>]*)?>/g;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

/** A person who is mentioned in several ways is notified once, for the most direct one. */
function mentionedIn(message: Message, channel: Channel, directory: Directory): Map<string, Reason> {
  const texts = message.blocks.length === 0 ? [message.text] : message.blocks.flatMap(shownTexts);
  const found = texts.flatMap((text) => [...text.replace(CODE, '').matchAll(MENTION)]);
  const groups = found.flatMap(({ groups: named }) => directory.userGroup(named?.group ?? '') ?? []);
  return new Map<string, Reason>([
    ...(found.some(({ groups: named }) => named?.all !== undefined) ? allOf(channel, 'channel') : []),
    ...groups
      .filter(({ disabled = false }) => !disabled)
      .flatMap(({ members }) => members.map((user) => [user, 'group'] as const)),
    ...found.flatMap(({ groups: named }) => (named?.user === undefined ? [] : [[named.user, 'mention'] as const])),
  ]);
}

/** The texts of a block in which Slack resolves mentions; elements of rich text in the notation of the others. */
function shownTexts(part: JsonObject): readonly string[] {
  const id = (key: string): string => stringAt(part, key) ?? '';
  switch (part.type) {
    case 'mrkdwn':
    case 'markdown':
      return [id('text')];
    case 'user':
      return [`<@${id('user_id')}>`];
    case 'usergroup':
      return [`<!subteam^${id('usergroup_id')}>`];
    case 'broadcast':
      return [`<!${id('range')}>`];
    case 'rich_text_preformatted':
      return [];
    default:
      return ['text', 'fields', 'elements', 'child_blocks'].flatMap((key) =>
        (isObject(part[key]) ? [part[key]] : objectsIn(part[key])).flatMap(shownTexts),
      );
  }
}
