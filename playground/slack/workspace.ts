/** Who and what is in the workspace: people with their zones, channels, the app and what it was granted. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  /** IANA zone of the profile; some people have none. */
  readonly tz?: string | undefined;
  readonly isAdmin?: boolean;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  /** People, by id. The bot is told apart, since it is what most tests vary. */
  readonly members: readonly string[];
  readonly botIsMember: boolean;
  readonly archived: boolean;
  readonly topic?: string;
}

export interface AppSettings {
  readonly id: string;
  readonly name: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly scopes: readonly string[];
  readonly commands: readonly string[];
  /** Events as the manifest names them: `app_mention`, `message.im`, … */
  readonly events: readonly string[];
  readonly shortcuts: readonly { readonly callbackId: string; readonly name: string }[];
}

export interface Workspace {
  readonly team: { readonly id: string; readonly name: string; readonly domain: string };
  readonly users: readonly Person[];
  readonly channels: readonly Channel[];
  readonly app: AppSettings;
}

type ChannelSpec = Pick<Channel, 'id' | 'name'> & Partial<Channel>;

/** What may be left out comes from the default workspace. */
export interface WorkspaceSpec {
  readonly team?: Partial<Workspace['team']>;
  readonly users?: readonly Person[];
  readonly channels?: readonly ChannelSpec[];
  readonly app?: Partial<AppSettings>;
}

export const DEFAULT_SCOPES = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'users:read',
] as const;

const DEFAULT_USERS: readonly Person[] = [
  { id: 'U0MAYA0001', name: 'maya', realName: 'Maya Lindholm', tz: 'Europe/Stockholm', isAdmin: true },
  { id: 'U0DIEGO001', name: 'diego', realName: 'Diego Fuentes', tz: 'America/New_York' },
  { id: 'U0ANJALI01', name: 'anjali', realName: 'Anjali Rao', tz: 'Asia/Kolkata' },
  { id: 'U0NOZONE01', name: 'sam', realName: 'Sam Okafor' },
];

const DEFAULT_CHANNELS: readonly ChannelSpec[] = [
  { id: 'C0SECURITY', name: 'security', topic: 'Web application firewall, reviews, findings' },
  { id: 'C0ONCALL01', name: 'oncall', topic: 'Who is paged, and why' },
  { id: 'C0GENERAL1', name: 'general', topic: 'Everyone is here. wafbot is not.', botIsMember: false },
];

const DEFAULT_APP: AppSettings = {
  id: 'A0WAFBOT01',
  name: 'wafbot',
  botUserId: 'U0WAFBOT01',
  botId: 'B0WAFBOT01',
  scopes: DEFAULT_SCOPES,
  commands: ['/waf'],
  events: ['app_mention', 'message.im', 'app_home_opened'],
  shortcuts: [{ callbackId: 'waf_around_message', name: 'WAF around this message' }],
};

export function resolveWorkspace(spec: WorkspaceSpec = {}): Workspace {
  const users = spec.users ?? DEFAULT_USERS;
  const everyone = users.map((user) => user.id);
  const channels = (spec.channels ?? DEFAULT_CHANNELS).map(
    (channel): Channel => ({ kind: 'public', members: everyone, botIsMember: true, archived: false, ...channel }),
  );
  const team = { id: 'T0TEAM0001', name: 'Northwind Shop', domain: 'northwind', ...spec.team };
  return { team, users, channels, app: { ...DEFAULT_APP, ...spec.app } };
}
