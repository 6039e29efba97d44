/** auth.*, apps.*, bots.*, users.* and usergroups.* */
import { type JsonObject, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { wireBot, wirePerson, wireProfile, wireUserGroup } from '../wire-format.ts';
import { pageOf } from './paging.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const authTest = (_args: JsonObject, state: SlackState): Reply => {
  const { team, app } = state.directory.workspace;
  return {
    ok: true,
    url: `${state.baseUrl()}/`,
    team: team.name,
    user: app.name,
    team_id: team.id,
    user_id: app.botUserId,
    bot_id: app.botId,
    is_enterprise_install: false,
  };
};

const openConnection = (_args: JsonObject, state: SlackState): Reply => {
  const url = state.openSocketUrl();
  return url === undefined ? refuse('too_many_websockets') : { ok: true, url };
};

const botInfo = (args: JsonObject, state: SlackState): Reply => {
  const { app } = state.directory.workspace;
  return stringAt(args, 'bot') === app.botId ? { ok: true, bot: wireBot(state) } : refuse('bot_not_found');
};

const userInfo = (args: JsonObject, state: SlackState): Reply => {
  const id = stringAt(args, 'user') ?? '';
  const { app, team } = state.directory.workspace;
  if (id === app.botUserId) {
    const user = {
      id,
      team_id: team.id,
      name: app.name,
      real_name: app.name,
      is_bot: true,
      tz: 'America/Los_Angeles',
      tz_offset: -28800,
    };
    return { ok: true, user };
  }
  const person = state.directory.person(id);
  return person === undefined ? refuse('user_not_found') : { ok: true, user: wirePerson(person, state) };
};

const userList = (args: JsonObject, state: SlackState): Reply => {
  const { items, response_metadata } = pageOf(state.directory.workspace.users, args);
  return { ok: true, members: items.map((person) => wirePerson(person, state)), response_metadata };
};

const lookupByEmail = (args: JsonObject, state: SlackState): Reply => {
  const person = state.directory.workspace.users.find(({ email }) => email !== undefined && email === args.email);
  return person === undefined ? refuse('users_not_found') : { ok: true, user: wirePerson(person, state) };
};

const profile = (args: JsonObject, state: SlackState): Reply => {
  const person = state.directory.person(stringAt(args, 'user') ?? '');
  return person === undefined ? refuse('user_not_found') : { ok: true, profile: wireProfile(person, state) };
};

const teamInfo = (_args: JsonObject, state: SlackState): Reply => {
  const { id, name, domain } = state.directory.workspace.team;
  return { ok: true, team: { id, name, domain, email_domain: '', icon: { image_default: true } } };
};

const userGroupUsers = (args: JsonObject, state: SlackState): Reply => {
  if (state.directory.workspace.team.plan === 'free') return refuse('plan_upgrade_required');
  const group = state.directory.userGroup(stringAt(args, 'usergroup') ?? '');
  return group === undefined ? refuse('no_such_subteam') : { ok: true, users: group.members };
};

const isSet = (value: unknown): boolean => ['true', '1'].includes(String(value));

const userGroupList = (args: JsonObject, state: SlackState): Reply => {
  const { team, userGroups } = state.directory.workspace;
  if (team.plan === 'free') return refuse('plan_upgrade_required');
  const listed = userGroups.filter(({ disabled = false }) => !disabled || isSet(args.include_disabled));
  return { ok: true, usergroups: listed.map((group) => wireUserGroup(group, isSet(args.include_users), state)) };
};

export const USER_METHODS: Readonly<Record<string, MethodEntry>> = {
  'auth.test': { run: authTest, scopes: [] },
  'apps.connections.open': { run: openConnection, scopes: [], token: 'app' },
  'bots.info': { run: botInfo, scopes: ['users:read'] },
  'users.info': { run: userInfo, scopes: ['users:read'] },
  'users.list': { run: userList, scopes: ['users:read'] },
  'users.lookupByEmail': { run: lookupByEmail, scopes: ['users:read.email'] },
  'users.profile.get': { run: profile, scopes: ['users.profile:read'] },
  'team.info': { run: teamInfo, scopes: ['team:read'] },
  'usergroups.users.list': { run: userGroupUsers, scopes: ['usergroups:read'] },
  'usergroups.list': { run: userGroupList, scopes: ['usergroups:read'] },
};
