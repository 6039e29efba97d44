/** Messages, channels, people, files and views in the JSON shapes of the Web API and of events. */
import { typeOfFile } from './file-types.ts';
import { isPicture, type StoredFile } from './files.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './messages.ts';
import type { SlackState } from './state.ts';
import type { View } from './views.ts';
import type { Channel, Person, UserGroup } from './workspace.ts';

export function wireMessage(message: Message, state: SlackState): JsonObject {
  const { workspace } = state.directory;
  const byBot = message.botId !== undefined;
  const person = state.directory.person(message.user);
  const outside = person?.teamId === undefined ? {} : { user_team: person.teamId, source_team: person.teamId };
  const otherBot = person?.botId === undefined ? {} : { bot_id: person.botId, bot_profile: { id: person.botId } };
  const files = message.fileIds.flatMap((id) => {
    const file = state.files.get(id);
    return file === undefined ? [] : [wireFile(file, state)];
  });
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: person?.teamId ?? workspace.team.id,
    ...outside,
    ...otherBot,
    text: message.text,
    ...(byBot ? { bot_id: message.botId, app_id: workspace.app.id, bot_profile: wireBot(state) } : {}),
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
    thread_ts: message.threadTs,
    ...(message.subtype === undefined ? {} : { subtype: message.subtype }),
    ...(files.length > 0 ? { files, subtype: 'file_share' } : {}),
    ...(message.reactions.length > 0
      ? { reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })) }
      : {}),
    ...(message.edited ? { edited: { user: message.user, ts: (message.atMs / 1000).toFixed(6) } } : {}),
    metadata: message.metadata,
  };
}

export function wireBot(state: SlackState): JsonObject {
  const { app, team } = state.directory.workspace;
  return { id: app.botId, app_id: app.id, user_id: app.botUserId, name: app.name, deleted: false, team_id: team.id };
}

export function wireChannel(channel: Channel, state: SlackState): JsonObject {
  const { team, app } = state.directory.workspace;
  if (channel.kind === 'im') {
    return {
      id: channel.id,
      is_im: true,
      is_channel: false,
      user: channel.members[0],
      is_archived: false,
      context_team_id: team.id,
    };
  }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'public',
    is_group: channel.kind === 'private',
    is_im: false,
    is_mpim: false,
    is_private: channel.kind === 'private',
    is_archived: channel.archived,
    is_member: channel.botIsMember,
    creator: channel.members[0] ?? app.botUserId,
    topic: { value: channel.topic ?? '', creator: '', last_set: 0 },
    purpose: { value: channel.purpose ?? '', creator: '', last_set: 0 },
    num_members: channel.members.length + (channel.botIsMember ? 1 : 0),
    context_team_id: team.id,
  };
}

export function wirePerson(person: Person, state: SlackState): JsonObject {
  const { team } = state.directory.workspace;
  const zone =
    person.tz === undefined
      ? {}
      : { tz: person.tz, tz_label: person.tz, tz_offset: offsetSeconds(person.tz, state.now()) };
  return {
    id: person.id,
    team_id: person.teamId ?? team.id,
    name: person.name,
    real_name: person.realName,
    deleted: false,
    ...zone,
    profile: wireProfile(person, state),
    is_admin: person.isAdmin ?? false,
    is_owner: false,
    is_bot: person.botId !== undefined,
    is_stranger: person.teamId !== undefined,
    is_app_user: false,
    updated: 0,
  };
}

/** The address only with its scope, as in Slack. */
export function wireProfile({ name, realName, email }: Person, { directory }: SlackState): JsonObject {
  const shown = email !== undefined && directory.scopes().includes('users:read.email') ? { email } : {};
  return { real_name: realName, display_name: name, ...shown, team: directory.workspace.team.id };
}

export function wireUserGroup(group: UserGroup, withUsers: boolean, state: SlackState): JsonObject {
  const { id, handle, name, members, disabled = false } = group;
  return {
    id,
    team_id: state.directory.workspace.team.id,
    is_usergroup: true,
    is_external: false,
    name,
    handle,
    description: '',
    date_delete: disabled ? Math.floor(state.now() / 1000) : 0,
    ...(withUsers ? { users: members } : {}),
  };
}

/** The time of day in the zone, read as if it was UTC, minus the time itself. */
function offsetSeconds(zone: string, nowMs: number): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const local = Date.parse(`${format.format(nowMs).replace(' ', 'T')}Z`);
  return local / 1000 - Math.floor(nowMs / 1000);
}

/** Until a file is ready, Slack reports neither its type nor thumbnails nor shares. */
export function wireFile(file: StoredFile, state: SlackState): JsonObject {
  const { app, team } = state.directory.workspace;
  const url = `${state.baseUrl()}/files-pri/${team.id}-${file.id}/${encodeURIComponent(file.name)}`;
  const known = file.ready ? typeOfFile(file.name) : { mimetype: '', filetype: '' };
  return {
    id: file.id,
    created: Math.floor(state.now() / 1000),
    name: file.name,
    title: file.title,
    ...known,
    user: file.user ?? app.botUserId,
    size: file.length,
    mode: 'hosted',
    is_external: false,
    is_public: false,
    url_private: url,
    permalink: url,
    alt_txt: file.altText,
    ...(file.ready && isPicture(file) ? { thumb_360: url } : {}),
    channels: file.ready ? file.channels : [],
    shares: file.ready ? Object.fromEntries(file.channels.map((channel) => [channel, []])) : {},
  };
}

export function wireView(view: View, state: SlackState, values: JsonObject = {}): JsonObject {
  const { app, team } = state.directory.workspace;
  return {
    title: null,
    submit: null,
    close: null,
    clear_on_close: false,
    notify_on_close: false,
    ...view.source,
    id: view.id,
    team_id: team.id,
    callback_id: view.callbackId,
    external_id: view.externalId,
    private_metadata: view.privateMetadata,
    hash: view.hash,
    state: { values },
    previous_view_id: view.previousId ?? null,
    root_view_id: view.rootId,
    app_id: app.id,
    app_installed_team_id: team.id,
    bot_id: app.botId,
  };
}
