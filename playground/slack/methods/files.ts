/** files.*: the steps of an external upload, and file info. */
import { type JsonObject, objectsIn, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { wireFile } from '../wire-format.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const getUploadUrl = (args: JsonObject, state: SlackState): Reply => {
  const name = stringAt(args, 'filename') ?? '';
  const length = Number(args.length);
  if (name === '' || !Number.isInteger(length) || length <= 0) return refuse('invalid_arguments');
  const file = state.files.announce({ name, length, altText: stringAt(args, 'alt_txt') });
  return { ok: true, file_id: file.id, upload_url: `${state.baseUrl()}/upload/v1/${file.id}` };
};

const completeUpload = (args: JsonObject, state: SlackState): Reply => {
  const listed = objectsIn(args.files);
  if (listed.length === 0) return refuse('invalid_arguments');
  const ids = listed.map((file) => stringAt(file, 'id') ?? '');
  if (!ids.every((id) => state.files.get(id)?.state === 'uploaded')) return refuse('file_not_found');
  const channelId = stringAt(args, 'channel_id');
  const channel = channelId === undefined ? undefined : state.directory.channel(channelId);
  if (channelId !== undefined) {
    if (channel === undefined || (channel.kind === 'private' && !channel.botIsMember))
      return refuse('channel_not_found');
    if (channel.archived) return refuse('is_archived');
    if (!channel.botIsMember) return refuse('not_in_channel');
  }
  const completed = listed.flatMap(
    (file) => state.files.complete(stringAt(file, 'id') ?? '', stringAt(file, 'title')) ?? [],
  );
  if (channel !== undefined) shareInChannel(args, ids, channel.id, state);
  return { ok: true, files: completed.map((file) => wireFile(file, state)) };
};

function shareInChannel(args: JsonObject, ids: readonly string[], channel: string, state: SlackState): void {
  const { app } = state.directory.workspace;
  for (const id of ids) state.files.share(id, channel);
  const comment = stringAt(args, 'initial_comment');
  const message = state.messages.add({
    channel,
    user: app.botUserId,
    botId: app.botId,
    text: comment ?? '',
    blocks: comment === undefined ? objectsIn(args.blocks) : [],
    threadTs: stringAt(args, 'thread_ts'),
    fileIds: ids,
    via: 'api',
  });
  state.echoMessage(message, 'message');
}

const info = (args: JsonObject, state: SlackState): Reply => {
  const file = state.files.inspect(stringAt(args, 'file') ?? '');
  if (file === undefined || file.state !== 'completed') return refuse('file_not_found');
  return { ok: true, file: wireFile(file, state), comments: [], response_metadata: { next_cursor: '' } };
};

const remove = (args: JsonObject, state: SlackState): Reply => {
  const file = state.files.get(stringAt(args, 'file') ?? '');
  if (file === undefined) return refuse('file_not_found');
  if (file.user !== undefined) return refuse('cant_delete_file');
  state.files.remove(file.id);
  return { ok: true };
};

export const FILE_METHODS: Readonly<Record<string, MethodEntry>> = {
  'files.getUploadURLExternal': { run: getUploadUrl, scopes: ['files:write'] },
  'files.completeUploadExternal': { run: completeUpload, scopes: ['files:write'] },
  'files.delete': { run: remove, scopes: ['files:write'] },
  'files.info': { run: info, scopes: ['files:read'] },
};
