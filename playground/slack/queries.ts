/** Read access for tests and pages: messages, files, views, calls, and waiting for the bot's next message. */
import type { Call, WaitOptions } from './call-log.ts';
import type { LocalSlack, MessageFilter } from './local-slack.ts';
import type { Message } from './messages.ts';
import { describeCall } from './server.ts';
import type { SlackState } from './state.ts';

type Queries = Pick<
  LocalSlack,
  | 'messages'
  | 'thread'
  | 'ephemerals'
  | 'message'
  | 'canvases'
  | 'canvas'
  | 'execution'
  | 'suggestedPrompts'
  | 'status'
  | 'threadTitle'
  | 'scheduled'
  | 'files'
  | 'file'
  | 'modals'
  | 'home'
  | 'viewHistory'
  | 'typedCommands'
  | 'channels'
  | 'people'
  | 'userGroups'
  | 'notifications'
  | 'calls'
  | 'callsUnderWay'
  | 'nextMessage'
>;

export function createQueries(state: SlackState): Queries {
  const { directory, messages, views, files, callLog } = state;
  const handedOut = new Set<string>();
  const existing = () => messages.all().filter((message) => !message.deleted);
  const inChannel = (channel?: string) => {
    const { id } = directory.channelNamed(channel);
    return messages.inChannel(id).filter((message) => message.visibleTo === undefined);
  };

  return {
    messages: inChannel,
    thread: (channel, ts) => inChannel(channel).filter((message) => message.ts === ts || message.threadTs === ts),
    ephemerals(user, channel) {
      const person = user === undefined ? undefined : directory.personNamed(user).id;
      const channelId = channel === undefined ? undefined : directory.channelNamed(channel).id;
      return existing().filter(
        (message) =>
          message.visibleTo !== undefined &&
          (person ?? message.visibleTo) === message.visibleTo &&
          (channelId ?? message.channel) === message.channel,
      );
    },
    message: (ref) => messages.find(ref.channel, ref.ts),
    canvases: state.canvases.all,
    canvas: state.canvases.get,
    execution: state.executions.get,
    suggestedPrompts: (user) => state.agentView.suggested(directory.directMessage(directory.personNamed(user).id).id),
    status: ({ channel, ts }) => state.agentView.status(channel, ts),
    threadTitle: ({ channel, ts }) => state.agentView.title(channel, ts),
    scheduled: () => [...state.scheduled],
    files: files.all,
    file: files.get,
    modals: (user, client) => views.stack(directory.personNamed(user).id, client),
    home: (user) => views.home(directory.personNamed(user).id),
    viewHistory: views.history,
    typedCommands: (channel) => state.typedCommands.in(directory.channelNamed(channel).id),
    channels: directory.channels,
    people: () => directory.workspace.users,
    userGroups: () => directory.workspace.userGroups,
    notifications: (channel) =>
      state.notifications.filter(
        (each) => channel === undefined || each.channel === directory.channelNamed(channel).id,
      ),
    calls: (method) => callLog.calls.filter((call: Call) => method === undefined || call.method === method),
    callsUnderWay: () => callLog.underWay(),
    nextMessage(filter: MessageFilter = {}, options: WaitOptions = {}) {
      const fits = (message: Message) =>
        message.botId !== undefined &&
        message.streaming !== true &&
        !handedOut.has(`${message.channel}/${message.ts}`) &&
        matches(message, filter, state);
      const what = options.what ?? `the bot's next message ${JSON.stringify(filter)}`;
      // Marked as soon as it is found, so that of several concurrent waits each gets a different message.
      const take = (): Message | undefined => {
        const message = existing().find(fits);
        if (message !== undefined) handedOut.add(`${message.channel}/${message.ts}`);
        return message;
      };
      return callLog.waitFor(take, { ...options, what });
    },
  };
}

function matches(message: Message, filter: MessageFilter, state: SlackState): boolean {
  const { directory } = state;
  if (filter.channel !== undefined && message.channel !== directory.channelNamed(filter.channel).id) return false;
  if (filter.threadTs !== undefined && message.threadTs !== filter.threadTs) return false;
  if (filter.visibleTo !== undefined && message.visibleTo !== directory.personNamed(filter.visibleTo).id) return false;
  return filter.match?.(message) ?? true;
}

const SHOWN = 12;

/** The most recent messages, calls and refusals, for the error of a wait that timed out. */
export function describeState(state: SlackState): string {
  const messages = state.messages
    .all()
    .slice(-SHOWN)
    .map((message) => {
      const to = message.visibleTo === undefined ? '' : ` (only to ${message.visibleTo})`;
      return `  ${message.channel} ${message.ts} ${message.user}${to}: ${JSON.stringify(message.text.slice(0, 120))}`;
    });
  const calls = state.callLog.calls.slice(-SHOWN).map((call) => `  ${describeCall(call)}`);
  const refusals = state.callLog.refusals
    .slice(-SHOWN)
    .map((refusal) => `  ${refusal.method}: ${refusal.error} ${JSON.stringify(refusal.problems)}`);
  return [`messages:`, ...messages, `calls:`, ...calls, `refusals:`, ...refusals].join('\n');
}
