/** auth.*, apps.*, bots.*, users.*: who the app is, how it connects, who the people are. */
import { type JsonObject, stringAt } from '../../json.ts';
import { wireBot, wirePerson } from '../wire-shapes.ts';
import type { World } from '../world.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const authTest = (_args: JsonObject, world: World): Reply => {
  const { team, app } = world.directory.workspace;
  return {
    ok: true,
    url: `${world.baseUrl()}/`,
    team: team.name,
    user: app.name,
    team_id: team.id,
    user_id: app.botUserId,
    bot_id: app.botId,
    is_enterprise_install: false,
  };
};

const openConnection = (_args: JsonObject, world: World): Reply => {
  const url = world.openSocketUrl();
  return url === undefined ? refuse('too_many_websockets') : { ok: true, url };
};

const botInfo = (args: JsonObject, world: World): Reply => {
  const { app } = world.directory.workspace;
  return stringAt(args, 'bot') === app.botId ? { ok: true, bot: wireBot(world) } : refuse('bot_not_found');
};

const userInfo = (args: JsonObject, world: World): Reply => {
  const id = stringAt(args, 'user') ?? '';
  const { app, team } = world.directory.workspace;
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
  const person = world.directory.person(id);
  return person === undefined ? refuse('user_not_found') : { ok: true, user: wirePerson(person, world) };
};

const userList = (_args: JsonObject, world: World): Reply => ({
  ok: true,
  members: world.directory.workspace.users.map((person) => wirePerson(person, world)),
  response_metadata: { next_cursor: '' },
});

export const PEOPLE_METHODS: Readonly<Record<string, MethodEntry>> = {
  'auth.test': { run: authTest, scopes: [] },
  'apps.connections.open': { run: openConnection, scopes: [], token: 'app' },
  'bots.info': { run: botInfo, scopes: ['users:read'] },
  'users.info': { run: userInfo, scopes: ['users:read'] },
  'users.list': { run: userList, scopes: ['users:read'] },
};
