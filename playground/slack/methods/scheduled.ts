/** chat.scheduleMessage and what belongs to it. */
import { type JsonObject, stringAt } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { postMessage, writableChannel } from './chat.ts';
import { readContent } from './content.ts';
import { pageOf } from './paging.ts';
import { isRefused, type MethodEntry, type Reply, refuse } from './reply.ts';

const MAX_AHEAD_MS = 120 * 86_400_000;

const schedule = (args: JsonObject, state: SlackState): Reply => {
  const channel = writableChannel(args, state);
  if (isRefused(channel)) return channel;
  const postAtMs = Number(args.post_at) * 1000;
  if (!Number.isInteger(postAtMs)) return refuse('invalid_time');
  if (postAtMs <= state.now()) return refuse('time_in_past');
  if (postAtMs > state.now() + MAX_AHEAD_MS) return refuse('time_too_far');
  const content = readContent(args, state, { filesAllowed: true });
  if (isRefused(content)) return content;
  const { post_at: _, ...post } = args;
  const id = state.ids.next('Q');
  state.scheduled.push({ id, channel: channel.id, postAtMs, args: { ...post, channel: channel.id } });
  return {
    ok: true,
    channel: channel.id,
    scheduled_message_id: id,
    post_at: args.post_at,
    message: { text: content.text, type: 'delayed_message' },
  };
};

const remove = (args: JsonObject, state: SlackState): Reply => {
  const at = state.scheduled.findIndex(
    ({ id, channel }) => id === stringAt(args, 'scheduled_message_id') && channel === stringAt(args, 'channel'),
  );
  if (at === -1) return refuse('invalid_scheduled_message_id');
  state.scheduled.splice(at, 1);
  return { ok: true };
};

const list = (args: JsonObject, state: SlackState): Reply => {
  const chosen = stringAt(args, 'channel');
  const all = state.scheduled
    .filter(({ channel }) => (chosen ?? channel) === channel)
    .map(({ id, channel, postAtMs, args: { text } }) => ({
      id,
      channel_id: channel,
      post_at: postAtMs / 1000,
      text,
    }));
  const { items, response_metadata } = pageOf(all, args);
  return { ok: true, scheduled_messages: items, response_metadata };
};

/** Posts what is due by the workspace's clock, the earliest first. What can't be posted any more is left out, as in Slack. */
export function postScheduled(state: SlackState): readonly Message[] {
  const due = state.scheduled.filter(({ postAtMs }) => postAtMs <= state.now());
  for (const each of due) state.scheduled.splice(state.scheduled.indexOf(each), 1);
  return due
    .toSorted((a, b) => a.postAtMs - b.postAtMs)
    .flatMap(({ channel, args }) => {
      const reply = postMessage(args, state);
      return isRefused(reply) ? [] : (state.messages.find(channel, String(reply.ts)) ?? []);
    });
}

export const SCHEDULED_METHODS: Readonly<Record<string, MethodEntry>> = {
  'chat.scheduleMessage': { run: schedule, scopes: ['chat:write'] },
  'chat.deleteScheduledMessage': { run: remove, scopes: ['chat:write'] },
  'chat.scheduledMessages.list': { run: list, scopes: [] },
};
