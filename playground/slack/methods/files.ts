/** files.*: the three steps of an upload, and asking whether a file is ready. */
import { type JsonObject, objectsIn, stringAt } from '../../json.ts';
import { wireFile } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const getUploadUrl = (args: JsonObject, world: World): Reply => {
  const name = stringAt(args, 'filename') ?? '';
  const length = Number(args.length);
  if (name === '' || !Number.isInteger(length) || length <= 0) return refuse('invalid_arguments');
  const file = world.files.announce({ name, length, altText: stringAt(args, 'alt_txt') });
  return { ok: true, file_id: file.id, upload_url: `${world.baseUrl()}/upload/v1/${file.id}` };
};

const completeUpload = (args: JsonObject, world: World): Reply => {
  const asked = objectsIn(args.files);
  if (asked.length === 0) return refuse('invalid_arguments');
  const ids = asked.map((file) => stringAt(file, 'id') ?? '');
  if (!ids.every((id) => world.files.get(id)?.state === 'uploaded')) return refuse('file_not_found');
  const channelId = stringAt(args, 'channel_id');
  const channel = channelId === undefined ? undefined : world.directory.channel(channelId);
  if (channelId !== undefined) {
    if (channel === undefined || (channel.kind === 'private' && !channel.botIsMember))
      return refuse('channel_not_found');
    if (channel.archived) return refuse('is_archived');
    if (!channel.botIsMember) return refuse('not_in_channel');
  }
  const completed = asked.flatMap(
    (file) => world.files.complete(stringAt(file, 'id') ?? '', stringAt(file, 'title')) ?? [],
  );
  if (channel !== undefined) shareInChannel(args, ids, channel.id, world);
  return { ok: true, files: completed.map((file) => wireFile(file, world)) };
};

function shareInChannel(args: JsonObject, ids: readonly string[], channel: string, world: World): void {
  const { app } = world.directory.workspace;
  for (const id of ids) world.files.share(id, channel);
  const comment = stringAt(args, 'initial_comment');
  const message = world.messages.add({
    channel,
    user: app.botUserId,
    botId: app.botId,
    text: comment ?? '',
    blocks: comment === undefined ? objectsIn(args.blocks) : [],
    threadTs: stringAt(args, 'thread_ts'),
    fileIds: ids,
    via: 'api',
  });
  world.messageInDirectMessage(message, 'message');
}

const info = (args: JsonObject, world: World): Reply => {
  const file = world.files.look(stringAt(args, 'file') ?? '');
  if (file === undefined || file.state !== 'completed') return refuse('file_not_found');
  return { ok: true, file: wireFile(file, world), comments: [], response_metadata: { next_cursor: '' } };
};

export const FILE_METHODS: Readonly<Record<string, MethodEntry>> = {
  'files.getUploadURLExternal': { run: getUploadUrl, scopes: ['files:write'] },
  'files.completeUploadExternal': { run: completeUpload, scopes: ['files:write'] },
  'files.info': { run: info, scopes: ['files:read'] },
};
