/** The people and channels of the workspace as they are now: archiving, membership, opened direct messages. */
import type { Ids } from './ids.ts';
import type { Channel, Person, UserGroup, Workspace } from './workspace.ts';

export interface Directory {
  readonly workspace: Workspace;
  channel(id: string): Channel | undefined;
  person(id: string): Person | undefined;
  channels(): readonly Channel[];
  userGroup(id: string): UserGroup | undefined;
  /** By id or name, by default the first one. Throws if there is none, since the caller is a test or a page. */
  channelNamed(ref?: string): Channel;
  personNamed(ref?: string): Person;
  /** The direct message conversation between a person and the bot, opened if necessary. */
  directMessage(userId: string): Channel;
  add(channel: Pick<Channel, 'name' | 'kind' | 'members'>): Channel;
  change(id: string, change: Partial<Omit<Channel, 'id'>>): void;
  scopes(): readonly string[];
  revokeScope(scope: string): void;
}

export function createDirectory(workspace: Workspace, ids: Ids, changed: () => void): Directory {
  const channels = new Map(workspace.channels.map((channel) => [channel.id, channel]));
  const people = new Map(workspace.users.map((user) => [user.id, user]));
  let scopes = workspace.app.scopes;

  return {
    workspace,
    channel: (id) => channels.get(id),
    person: (id) => people.get(id),
    channels: () => [...channels.values()],
    userGroup: (id) => workspace.userGroups.find((group) => group.id === id),
    channelNamed(ref) {
      const name = ref?.replace(/^#/, '');
      const all = [...channels.values()];
      const found = ref === undefined ? all[0] : all.find((channel) => channel.id === ref || channel.name === name);
      if (found === undefined) throw new Error(`No channel ${ref ?? ''} in the workspace.`);
      return found;
    },
    personNamed(ref) {
      const name = ref?.replace(/^@/, '');
      const found =
        ref === undefined ? workspace.users[0] : workspace.users.find((user) => user.id === ref || user.name === name);
      if (found === undefined) throw new Error(`No person ${ref ?? ''} in the workspace.`);
      return found;
    },
    directMessage(userId) {
      const open = [...channels.values()].find((channel) => channel.kind === 'im' && channel.members.includes(userId));
      if (open !== undefined) return open;
      const channel: Channel = {
        id: ids.next('D'),
        name: 'directmessage',
        kind: 'im',
        members: [userId],
        botIsMember: true,
        archived: false,
      };
      channels.set(channel.id, channel);
      changed();
      return channel;
    },
    add(input) {
      const channel: Channel = { id: ids.next('C'), botIsMember: true, archived: false, ...input };
      channels.set(channel.id, channel);
      changed();
      return channel;
    },
    change(id, change) {
      const channel = channels.get(id);
      if (channel === undefined) throw new Error(`There is no channel ${id} in the workspace.`);
      channels.set(id, { ...channel, ...change });
      changed();
    },
    scopes: () => scopes,
    revokeScope(scope) {
      scopes = scopes.filter((other) => other !== scope);
    },
  };
}
