/** chat.startStream, appendStream and stopStream: a reply that is shown while it is written. */
import { z } from 'zod';
import { type JsonObject, objectsIn, stringAt } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { contentOf, type Stream, startedStream, withChunk } from '../streams.ts';
import { checkMessage, checkMetadata } from '../validation/message.ts';
import { problemsOf } from '../validation/problem.ts';
import { wireMessage } from '../wire-format.ts';
import { writableChannel } from './chat.ts';
import { isRefused, type MethodEntry, type Refused, type Reply, refuse, refuseProblems } from './reply.ts';

const MAX_MARKDOWN = 12_000;

const chunk = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown_text'), text: z.string().max(MAX_MARKDOWN) }),
  z.strictObject({ type: z.literal('blocks'), blocks: z.array(z.looseObject({})).max(50) }),
  z.strictObject({ type: z.literal('plan_update'), title: z.string().min(1) }),
  z.strictObject({
    type: z.literal('task_update'),
    id: z.string().min(1),
    title: z.string().min(1),
    status: z.enum(['pending', 'in_progress', 'complete', 'error']),
    details: z.string().optional(),
    output: z.string().optional(),
    sources: z.array(z.looseObject({})).optional(),
  }),
]);
const chunks = z.array(chunk);

/** The stream with what the call adds, or what is wrong with that. */
function extended(stream: Stream, args: JsonObject): Stream | Refused {
  const markdown = stringAt(args, 'markdown_text');
  if ((markdown ?? '').length > MAX_MARKDOWN) return refuse('msg_too_long');
  const problems = args.chunks === undefined ? [] : problemsOf(chunks, args.chunks, ['chunks'], 'invalid_chunks');
  if (problems.length > 0) return refuseProblems(problems);
  const added = [
    ...(markdown === undefined ? [] : [{ type: 'markdown_text', text: markdown }]),
    ...objectsIn(args.chunks),
  ];
  const blocks = added.flatMap((each) => ('blocks' in each ? checkMessage(each.blocks, ' ') : []));
  return blocks.length > 0 ? refuseProblems(blocks) : added.reduce(withChunk, stream);
}

const keyOf = ({ channel, ts }: Pick<Message, 'channel' | 'ts'>): string => `${channel}/${ts}`;

const start = (args: JsonObject, state: SlackState): Reply => {
  const channel = writableChannel(args, state);
  if (isRefused(channel)) return channel;
  const threadTs = stringAt(args, 'thread_ts') ?? '';
  if (state.messages.find(channel.id, threadTs) === undefined) return refuse('invalid_thread_ts');
  if (channel.kind !== 'im') {
    if (stringAt(args, 'recipient_user_id') === undefined) return refuse('missing_recipient_user_id');
    if (stringAt(args, 'recipient_team_id') === undefined) return refuse('missing_recipient_team_id');
  }
  const stream = extended(startedStream(args.task_display_mode), args);
  if (isRefused(stream)) return stream;
  const { app } = state.directory.workspace;
  const by = { user: app.botUserId, botId: app.botId, via: 'api' } as const;
  const message = state.messages.add({ ...contentOf(stream), channel: channel.id, ...by, threadTs, streaming: true });
  state.streams.set(keyOf(message), stream);
  return { ok: true, channel: channel.id, ts: message.ts };
};

function streamed(args: JsonObject, state: SlackState): Message | Refused {
  const channel = state.directory.channel(stringAt(args, 'channel') ?? '');
  if (channel === undefined) return refuse('channel_not_found');
  const message = state.messages.find(channel.id, stringAt(args, 'ts') ?? '');
  if (message === undefined) return refuse('message_not_found');
  if (message.botId !== state.directory.workspace.app.botId) return refuse('message_not_owned_by_app');
  return state.streams.has(keyOf(message)) ? message : refuse('message_not_in_streaming_state');
}

const append = (args: JsonObject, state: SlackState): Reply => {
  const message = streamed(args, state);
  if (isRefused(message)) return message;
  if (args.markdown_text === undefined && args.chunks === undefined) return refuse('no_text');
  const stream = extended(state.streams.get(keyOf(message)) ?? startedStream(undefined), args);
  if (isRefused(stream)) return stream;
  state.streams.set(keyOf(message), stream);
  state.messages.stream(message, contentOf(stream), true);
  return { ok: true, channel: message.channel, ts: message.ts };
};

const stop = (args: JsonObject, state: SlackState): Reply => {
  const message = streamed(args, state);
  if (isRefused(message)) return message;
  const stream = extended(state.streams.get(keyOf(message)) ?? startedStream(undefined), args);
  if (isRefused(stream)) return stream;
  const problems = [
    ...(args.blocks === undefined ? [] : checkMessage(args.blocks, ' ')),
    ...checkMetadata(args.metadata),
  ];
  if (problems.length > 0) return refuseProblems(problems);
  const { text, blocks } = contentOf({ ...stream, blocks: [...stream.blocks, ...objectsIn(args.blocks)] });
  if (text.trim() === '' && blocks.length === 0) return refuse('no_text');
  state.streams.delete(keyOf(message));
  const metadata = args.metadata as JsonObject | undefined;
  const ended = state.messages.stream(message, { text, blocks, metadata }, false);
  state.echoMessage(ended, 'message');
  return { ok: true, channel: ended.channel, ts: ended.ts, message: wireMessage(ended, state) };
};

export const STREAM_METHODS: Readonly<Record<string, MethodEntry>> = {
  'chat.startStream': { run: start, scopes: ['chat:write'] },
  'chat.appendStream': { run: append, scopes: ['chat:write'] },
  'chat.stopStream': { run: stop, scopes: ['chat:write'] },
};
