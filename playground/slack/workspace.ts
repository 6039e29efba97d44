/** The workspace as it is configured: people, channels, and the app with its scopes and subscriptions. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly email?: string;
  /** IANA time zone of the profile, if it has one. */
  readonly tz?: string | undefined;
  readonly isAdmin?: boolean;
  /** The person's own workspace, if they're from another organization, as in a shared channel. */
  readonly teamId?: string;
  /** For the bot user of another app. */
  readonly botId?: string;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  /** User ids. The bot's membership is separate because it is what most tests vary. */
  readonly members: readonly string[];
  readonly botIsMember: boolean;
  readonly archived: boolean;
  readonly topic?: string;
  readonly purpose?: string;
}

export interface UserGroup {
  readonly id: string;
  /** What people type after the `@`. */
  readonly handle: string;
  readonly name: string;
  /** User ids. */
  readonly members: readonly string[];
  readonly disabled?: boolean;
}

/** A parameter of a workflow step, as in an app manifest. */
interface StepParameter {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
}

interface StepParameters {
  readonly properties: Readonly<Record<string, StepParameter>>;
  readonly required?: readonly string[];
}

/** A workflow step that the app offers, as in an app manifest. */
export interface StepDefinition {
  readonly title: string;
  readonly description: string;
  readonly input_parameters: StepParameters;
  readonly output_parameters: StepParameters;
}

interface Shortcut {
  readonly callbackId: string;
  readonly name: string;
  /** On a message, which is the default, or anywhere. */
  readonly type?: 'message' | 'global';
}

export interface AppSettings {
  readonly id: string;
  readonly name: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly scopes: readonly string[];
  readonly commands: readonly string[];
  /** Subscribed events as named in an app manifest: `app_mention`, `message.im`, … */
  readonly events: readonly string[];
  readonly shortcuts: readonly Shortcut[];
  /** Whether the direct message is Slack's agent view. */
  readonly agentView: boolean;
  /** Whether the app is an assistant: each conversation with it is a thread. */
  readonly assistantView: boolean;
  /** Workflow steps by callback ID. */
  readonly functions: Readonly<Record<string, StepDefinition>>;
}

export interface Workspace {
  readonly team: {
    readonly id: string;
    readonly name: string;
    readonly domain: string;
    /** On the free plan there are no user groups, no workflow steps of apps, and no canvases outside of a channel's tabs. */
    readonly plan: 'free' | 'paid';
  };
  readonly users: readonly Person[];
  readonly channels: readonly Channel[];
  readonly userGroups: readonly UserGroup[];
  readonly app: AppSettings;
}

type ChannelSpec = Pick<Channel, 'id' | 'name'> & Partial<Channel>;

/** Anything omitted comes from the default workspace. */
export interface WorkspaceSpec {
  readonly team?: Partial<Workspace['team']>;
  readonly users?: readonly Person[];
  readonly channels?: readonly ChannelSpec[];
  readonly userGroups?: readonly UserGroup[];
  readonly app?: Partial<AppSettings>;
}

/** All that any method here needs. Without `chat:write.public`, so that a bot that isn't in a channel can't post there. */
const DEFAULT_SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'canvases:write',
  'channels:history',
  'channels:join',
  'channels:manage',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'groups:write',
  'im:history',
  'im:read',
  'im:write',
  'pins:read',
  'pins:write',
  'reactions:read',
  'reactions:write',
  'team:read',
  'usergroups:read',
  'users.profile:read',
  'users:read',
  'users:read.email',
] as const;

const DEFAULT_USERS: readonly Person[] = [
  {
    id: 'U0MAYA0001',
    name: 'maya',
    realName: 'Maya Lindholm',
    email: 'maya@example.com',
    tz: 'Europe/Stockholm',
    isAdmin: true,
  },
  { id: 'U0DIEGO001', name: 'diego', realName: 'Diego Fuentes', tz: 'America/New_York' },
  { id: 'U0ANJALI01', name: 'anjali', realName: 'Anjali Rao', tz: 'Asia/Kolkata' },
  { id: 'U0NOZONE01', name: 'sam', realName: 'Sam Okafor' },
];

const DEFAULT_USER_GROUPS: readonly UserGroup[] = [
  { id: 'S0ONCALL01', handle: 'oncall', name: 'On call', members: ['U0DIEGO001', 'U0ANJALI01'] },
  { id: 'S0FORMER01', handle: 'former', name: 'Former team', members: ['U0DIEGO001'], disabled: true },
];

const DEFAULT_CHANNELS: readonly ChannelSpec[] = [
  { id: 'C0GENERAL1', name: 'general' },
  { id: 'C0RANDOM01', name: 'random' },
  { id: 'C0LOUNGE01', name: 'lounge', topic: 'The app is not a member of this channel.', botIsMember: false },
];

const DEFAULT_APP: AppSettings = {
  id: 'A0TESTAPP1',
  name: 'testapp',
  botUserId: 'U0TESTAPP1',
  botId: 'B0TESTAPP1',
  scopes: DEFAULT_SCOPES,
  commands: ['/test'],
  events: ['app_mention', 'message.im', 'app_home_opened'],
  shortcuts: [{ callbackId: 'test_shortcut', name: 'Test shortcut' }],
  agentView: false,
  assistantView: false,
  functions: {},
};

/** The app's manifest applies unless the spec overrides it. */
export function resolveWorkspace(spec: WorkspaceSpec = {}, installed: Partial<AppSettings> = {}): Workspace {
  const users = spec.users ?? DEFAULT_USERS;
  const everyone = users.map((user) => user.id);
  const channels = (spec.channels ?? DEFAULT_CHANNELS).map(
    (channel): Channel => ({ kind: 'public', members: everyone, botIsMember: true, archived: false, ...channel }),
  );
  const team = { id: 'T0TEAM0001', name: 'Local Workspace', domain: 'local', plan: 'paid' as const, ...spec.team };
  const userGroups = spec.userGroups ?? DEFAULT_USER_GROUPS;
  return { team, users, channels, userGroups, app: { ...DEFAULT_APP, ...installed, ...spec.app } };
}
