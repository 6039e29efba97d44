/** assistant.threads.*: suggested prompts and the status in Slack's agent view. */
import { type JsonObject, objectsIn, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const MAX_PROMPTS = 4;

const setSuggestedPrompts = (args: JsonObject, { directory, agentView }: SlackState): Reply => {
  const channel = directory.channel(stringAt(args, 'channel_id') ?? '');
  if (channel?.kind !== 'im') return refuse('channel_not_found');
  const prompts = objectsIn(args.prompts).flatMap((prompt) => {
    const [title, message] = [stringAt(prompt, 'title'), stringAt(prompt, 'message')];
    return title === undefined || message === undefined ? [] : [{ title, message }];
  });
  if (prompts.length === 0 || prompts.length > MAX_PROMPTS) return refuse('invalid_arguments');
  // As documented: with a thread, the call of an agent fails silently. An assistant has to name one.
  const { app } = directory.workspace;
  if (app.assistantView && args.thread_ts === undefined) return refuse('invalid_arguments');
  if (app.assistantView || (app.agentView && args.thread_ts === undefined))
    agentView.suggest(channel.id, stringAt(args, 'title') ?? '', prompts);
  return { ok: true };
};

const setStatus = (args: JsonObject, { messages, agentView }: SlackState): Reply => {
  const [channel = '', ts = ''] = [stringAt(args, 'channel_id'), stringAt(args, 'thread_ts')];
  const status = stringAt(args, 'status');
  if (status === undefined) return refuse('invalid_arguments');
  if (messages.find(channel, ts) === undefined) return refuse('invalid_thread_ts');
  agentView.setStatus(channel, ts, status);
  return { ok: true };
};

const setTitle = (args: JsonObject, { messages, agentView }: SlackState): Reply => {
  const [channel = '', ts = ''] = [stringAt(args, 'channel_id'), stringAt(args, 'thread_ts')];
  const title = stringAt(args, 'title') ?? '';
  if (title === '') return refuse('invalid_arguments');
  if (messages.find(channel, ts) === undefined) return refuse('invalid_thread_ts');
  agentView.setTitle(channel, ts, title);
  return { ok: true };
};

export const ASSISTANT_METHODS: Readonly<Record<string, MethodEntry>> = {
  'assistant.threads.setSuggestedPrompts': { run: setSuggestedPrompts, scopes: ['assistant:write'] },
  'assistant.threads.setTitle': { run: setTitle, scopes: ['assistant:write'] },
  'assistant.threads.setStatus': { run: setStatus, scopes: ['assistant:write'] },
};
