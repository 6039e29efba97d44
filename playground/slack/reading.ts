/** The reading half of the local Slack: what is there now, and the bot's next word. */
import type { Call, WaitOptions } from './journal.ts';
import type { LocalSlack, MessageFilter } from './local-slack.ts';
import type { Message } from './messages.ts';
import { describeCall } from './server.ts';
import type { World } from './world.ts';

type Reading = Pick<
  LocalSlack,
  | 'messages'
  | 'thread'
  | 'ephemerals'
  | 'message'
  | 'files'
  | 'file'
  | 'modals'
  | 'home'
  | 'viewHistory'
  | 'channels'
  | 'people'
  | 'calls'
  | 'nextMessage'
>;

export function createReading(world: World): Reading {
  const { directory, messages, views, files, journal } = world;
  const handedOut = new Set<string>();
  const seen = () => messages.all().filter((message) => !message.deleted);
  const inChannel = (channel?: string) => {
    const { id } = directory.channelNamed(channel);
    return messages.inChannel(id).filter((message) => message.visibleTo === undefined);
  };

  return {
    messages: inChannel,
    thread: (channel, ts) => inChannel(channel).filter((message) => message.ts === ts || message.threadTs === ts),
    ephemerals(user, channel) {
      const person = user === undefined ? undefined : directory.personNamed(user).id;
      const place = channel === undefined ? undefined : directory.channelNamed(channel).id;
      return seen().filter(
        (message) =>
          message.visibleTo !== undefined &&
          (person ?? message.visibleTo) === message.visibleTo &&
          (place ?? message.channel) === message.channel,
      );
    },
    message: (ref) => messages.find(ref.channel, ref.ts),
    files: files.all,
    file: files.get,
    modals: (user) => views.stack(directory.personNamed(user).id),
    home: (user) => views.home(directory.personNamed(user).id),
    viewHistory: views.history,
    channels: directory.channels,
    people: () => directory.workspace.users,
    calls: (method) => journal.calls.filter((call: Call) => method === undefined || call.method === method),
    nextMessage(filter: MessageFilter = {}, options: WaitOptions = {}) {
      const fits = (message: Message) =>
        message.botId !== undefined &&
        !handedOut.has(`${message.channel}/${message.ts}`) &&
        matches(message, filter, world);
      const what = options.what ?? `the bot's next message ${JSON.stringify(filter)}`;
      // Marked the moment it is found: of several who wait at once, each gets one of their own.
      const take = (): Message | undefined => {
        const message = seen().find(fits);
        if (message !== undefined) handedOut.add(`${message.channel}/${message.ts}`);
        return message;
      };
      return journal.waitFor(take, { ...options, what });
    },
  };
}

function matches(message: Message, filter: MessageFilter, world: World): boolean {
  const { directory } = world;
  if (filter.channel !== undefined && message.channel !== directory.channelNamed(filter.channel).id) return false;
  if (filter.threadTs !== undefined && message.threadTs !== filter.threadTs) return false;
  if (filter.visibleTo !== undefined && message.visibleTo !== directory.personNamed(filter.visibleTo).id) return false;
  return filter.match?.(message) ?? true;
}

const SHOWN = 12;

/** The last things that happened, for the failure of a wait. */
export function describeWorld(world: World): string {
  const messages = world.messages
    .all()
    .slice(-SHOWN)
    .map((message) => {
      const to = message.visibleTo === undefined ? '' : ` (only to ${message.visibleTo})`;
      return `  ${message.channel} ${message.ts} ${message.user}${to}: ${JSON.stringify(message.text.slice(0, 120))}`;
    });
  const calls = world.journal.calls.slice(-SHOWN).map((call) => `  ${describeCall(call)}`);
  const refusals = world.journal.refusals
    .slice(-SHOWN)
    .map((refusal) => `  ${refusal.method}: ${refusal.error} ${JSON.stringify(refusal.problems)}`);
  return [`messages:`, ...messages, `calls:`, ...calls, `refusals:`, ...refusals].join('\n');
}
