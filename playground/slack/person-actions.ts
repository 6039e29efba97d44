/** What people do in the workspace. */
import {
  changeMessage,
  directMessage,
  dispatchEvent,
  type EventResult,
  mention,
  openAssistant,
  openDirectMessage,
  openHome,
  say,
  sendMessage,
  viewChannel,
} from './dispatch/events.ts';
import {
  dispatchMessageAction,
  dispatchMessageShortcut,
  dispatchShortcut,
  dispatchSuggestion,
  dispatchViewAction,
} from './dispatch/interaction.ts';
import { type DispatchDeps, type DispatchResult, notSent } from './dispatch/result.ts';
import { dispatchCommand } from './dispatch/slash-command.ts';
import { closeView, submitView } from './dispatch/view-submission.ts';
import { runStep } from './dispatch/workflow-step.ts';
import type { LocalSlack, PersonActions } from './local-slack.ts';
import type { Message } from './messages.ts';
import { memberEvent } from './methods/channel-changes.ts';
import { addReaction, removeReaction } from './methods/reactions.ts';

type Ref = Pick<Message, 'channel' | 'ts'>;

export function createPersonActions(dispatch: DispatchDeps): PersonActions {
  return { ...writing(dispatch), ...interacting(dispatch), ...joining(dispatch), ...opening(dispatch) };
}

const messageOf = ({ state }: DispatchDeps, { channel, ts }: Ref): Message | undefined =>
  state.messages.find(channel, ts);

function writing(
  dispatch: DispatchDeps,
): Pick<
  LocalSlack,
  | 'command'
  | 'say'
  | 'sendMessage'
  | 'mention'
  | 'directMessage'
  | 'editMessage'
  | 'deleteMessage'
  | 'uploadFile'
  | 'react'
  | 'sendEvent'
> {
  const { state } = dispatch;
  const change = async (ref: Ref, text: string | undefined): Promise<EventResult> => {
    const found = messageOf(dispatch, ref);
    if (found === undefined) return notSent('message_gone');
    return found.via === 'person' ? changeMessage(found, text, dispatch) : notSent('not_theirs');
  };
  return {
    command: (input = {}) => dispatchCommand(input, dispatch),
    say: (input) => say(input, state),
    sendMessage: (input) => sendMessage(input, dispatch),
    mention: (input) => mention(input, dispatch),
    directMessage: (input) => directMessage(input, dispatch),
    editMessage: ({ message, text }) => change(message, text),
    deleteMessage: ({ message }) => change(message, undefined),
    uploadFile: ({ name, bytes, user }) => state.files.put({ name, bytes, user: state.directory.personNamed(user).id }),
    react({ message, name, user: ref, remove = false }) {
      const found = messageOf(dispatch, message);
      if (found === undefined) return 'message_gone';
      const user = state.directory.personNamed(ref).id;
      return (remove ? removeReaction : addReaction)(found, name, user, state);
    },
    sendEvent: (event) => dispatchEvent({ event_ts: state.ids.ts(), ...event }, dispatch),
  };
}

function interacting(
  dispatch: DispatchDeps,
): Pick<
  LocalSlack,
  | 'messageShortcut'
  | 'shortcut'
  | 'clickButton'
  | 'clickInView'
  | 'loadOptions'
  | 'submitView'
  | 'closeView'
  | 'runStep'
> {
  const { state } = dispatch;
  const onMessage = (ref: Ref, act: (message: Message) => Promise<DispatchResult>) => {
    const found = messageOf(dispatch, ref);
    return found === undefined ? Promise.resolve(notSent('message_gone')) : act(found);
  };
  return {
    messageShortcut: ({ message, ...input }) =>
      onMessage(message, (found) => dispatchMessageShortcut(found, input, dispatch)),
    shortcut: (input = {}) => dispatchShortcut(input, dispatch),
    clickButton: ({ message, ...input }) =>
      onMessage(message, (found) => dispatchMessageAction(found, input, dispatch)),
    clickInView: ({ view, ...input }) => {
      const found = state.views.byId(view.id);
      return found === undefined ? Promise.resolve(notSent('view_gone')) : dispatchViewAction(found, input, dispatch);
    },
    async loadOptions(input) {
      const place = 'message' in input ? messageOf(dispatch, input.message) : state.views.byId(input.view.id);
      if (place === undefined) return { ...notSent('gone'), options: [], problems: [] };
      return dispatchSuggestion(place, input, dispatch);
    },
    submitView: (input = {}) => submitView(input, dispatch),
    closeView: (input = {}) => closeView(input, dispatch),
    runStep: (input) => runStep(input, dispatch),
  };
}

function joining(dispatch: DispatchDeps): Pick<LocalSlack, 'joinChannel' | 'inviteApp'> {
  const { state } = dispatch;
  const { directory } = state;
  return {
    async joinChannel({ channel: channelRef, user: ref }) {
      const channel = directory.channelNamed(channelRef);
      const user = directory.personNamed(ref).id;
      if (channel.members.includes(user)) return notSent('already_in_channel');
      directory.change(channel.id, { members: [...channel.members, user] });
      if (!channel.botIsMember) return notSent('bot_not_in_channel');
      return dispatchEvent(memberEvent('member_joined_channel', channel, user, state), dispatch);
    },
    async inviteApp({ channel: ref, user }) {
      const channel = directory.channelNamed(ref);
      if (channel.botIsMember) return notSent('already_in_channel');
      directory.change(channel.id, { botIsMember: true });
      const event = memberEvent('member_joined_channel', channel, directory.workspace.app.botUserId, state);
      return dispatchEvent({ ...event, inviter: directory.personNamed(user).id }, dispatch);
    },
  };
}

const opening = (
  dispatch: DispatchDeps,
): Pick<LocalSlack, 'openHome' | 'openDirectMessage' | 'openAssistant' | 'viewChannel'> => ({
  openHome: (user) => openHome(user, dispatch),
  openDirectMessage: (input = {}) => openDirectMessage(input, dispatch),
  openAssistant: (input = {}) => openAssistant(input, dispatch),
  viewChannel: (input) => viewChannel(input, dispatch),
});
