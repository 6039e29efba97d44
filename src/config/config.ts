/**
 * Environment → typed, frozen `Config`. The only reader of `process.env`. All faults are reported together, each with its
 * fix; secrets are wrapped as soon as they are read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Secret } from '../secret.ts';
import type { ShowAddresses } from '../statistics/attack-sources.ts';
import type { ChartsConfig, ListenOn, Name, Values } from './fields.ts';
import { type PagersConfig, pagerLines, readPagers } from './pagers.ts';
import { type ProjectConfigs, readProjects } from './projects-file.ts';
import { ConfigError, type Environment, readValues } from './values.ts';

export { ConfigError };

export interface SlackConfig {
  readonly botToken: Secret;
  readonly apiUrl: string | undefined;
  readonly transport:
    | { readonly kind: 'socket'; readonly appToken: Secret }
    | { readonly kind: 'http'; readonly signingSecret: Secret };
}

/** The server for agents. */
interface McpConfig {
  readonly host: string;
  readonly port: number;
  /** The names that clients reach it by. */
  readonly hostNames: readonly string[];
  /** `null`: only Slackbot may ask. */
  readonly token: Secret | null;
  /** The app's signing secret, with which Slackbot may ask. */
  readonly slackbotSecret: Secret | null;
}

export interface Config {
  /** `null`: no Slack tokens; the playground starts. */
  readonly slack: SlackConfig | null;
  /** The default first. `null`: only without Slack tokens; the local statistics service is used. */
  readonly projects: ProjectConfigs | null;
  /** `sqlite:<path>`, `redis://…`, `memory:`. A Redis URL may contain a password. */
  readonly store: Secret;
  readonly charts: ChartsConfig;
  readonly command: string;
  readonly zone: string;
  readonly logLevel: string;
  /** `null`: everyone. */
  readonly allowedChannels: readonly string[] | null;
  readonly admins: readonly string[] | null;
  /** Who else gets answers besides people of the bot's own organization. */
  readonly alsoAnswer: readonly ('external' | 'bots')[];
  /** How much of an attacker's address `who` shows. */
  readonly showAddresses: ShowAddresses;
  /** Schemes with hosts that runbooks may link to. */
  readonly runbookHosts: readonly string[];
  /** Slack requests in HTTP mode; health and metrics in Socket Mode; the playground's page. */
  readonly port: number;
  readonly health: ListenOn;
  /** `null`: agents can't ask over HTTP. */
  readonly mcp: McpConfig | null;
  /** Refuse to start on an empty store. */
  readonly expectStore: boolean;
  /** `null`: nobody is paged. */
  readonly pagers: PagersConfig | null;
  /** How long a stop may take. A supervisor should wait a little longer before it kills the process. */
  readonly stopMs: number;
  /** Names set in the environment or the `.env` file; the rest are defaults. */
  readonly given: ReadonlySet<string>;
}

/** In HTTP mode, where `PORT` is Slack's. */
const DEFAULT_HEALTH_PORT = 3001;
const DEFAULT_MCP_PORT = 3002;

/** The process environment, which overrides a `.env` file in the working directory. */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}

/**
 * For the bot: Slack and the service, or neither if the playground may start. With `NODE_ENV=production` it never does: a
 * production start without tokens must fail.
 */
export function readConfig(environment: Environment, { hasPlayground = true } = {}): Config {
  const { values, faults } = readValues(environment);
  const slack = readSlack(values, faults, hasPlayground && environment.NODE_ENV !== 'production');
  const wantsService = slack !== null || Object.keys(values).some((name) => /^WAF_|^WAFBOT_PROJECTS$/.test(name));
  const projects = wantsService ? readProjects(values, environment, faults) : null;
  const port = values.PORT ?? 3000;
  const health = readHealth(values, slack, port, faults);
  const mcp = readMcp(values, [port, health.port], faults);
  const pagers = readPagers(values, [port, health.port, ...(mcp === null ? [] : [mcp.port])], faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze({
    slack,
    projects,
    ...answerSettings(values),
    logLevel: values.WAFBOT_LOG_LEVEL ?? 'info',
    allowedChannels: values.WAFBOT_ALLOWED_CHANNELS ?? null,
    admins: values.WAFBOT_ADMINS ?? null,
    alsoAnswer: values.WAFBOT_ALSO_ANSWER ?? [],
    runbookHosts: values.WAFBOT_RUNBOOK_HOSTS ?? [],
    port,
    health,
    mcp,
    expectStore: values.WAFBOT_EXPECT_STORE === 'yes',
    pagers,
    stopMs: (values.WAFBOT_STOP_SECONDS ?? 8) * 1_000,
    given: new Set(Object.keys(values)),
  });
}

export type ServiceSettings = Pick<Config, 'store' | 'charts' | 'zone' | 'showAddresses' | 'command'> & {
  readonly projects: ProjectConfigs;
};

/** For shell commands, which need the service and the store but not Slack. `also`: what else is read; the rest has its default. */
export function readServiceConfig(
  environment: Environment,
  { also = [] }: { readonly also?: readonly Name[] } = {},
): ServiceSettings {
  const isRead = (name: string): boolean =>
    /^(WAF_|WAFBOT_STORE|WAFBOT_PROJECTS)/.test(name) || also.some((each) => name === each || name === `${each}_FILE`);
  const names = Object.entries(environment).filter(([name]) => isRead(name));
  const { values, faults } = readValues(Object.fromEntries(names));
  const projects = readProjects(values, environment, faults);
  if (faults.length > 0 || projects === null) throw new ConfigError(faults);
  return { projects, ...answerSettings(values) };
}

/** For shell commands that need nothing but the store. */
export function readStoreConfig(environment: Environment): Secret {
  const names = Object.entries(environment).filter(([name]) => name.startsWith('WAFBOT_STORE'));
  const { values, faults } = readValues(Object.fromEntries(names));
  if (faults.length > 0) throw new ConfigError(faults);
  return answerSettings(values).store;
}

/** What answers depend on, with or without Slack. */
function answerSettings(values: Values): Omit<ServiceSettings, 'projects'> {
  return {
    store: new Secret(values.WAFBOT_STORE ?? 'sqlite:data/wafbot.db'),
    charts: values.WAFBOT_CHARTS ?? { kind: 'embedded' },
    command: values.WAFBOT_COMMAND ?? '/waf',
    zone: values.WAFBOT_ZONE ?? 'UTC',
    showAddresses: values.WAFBOT_SHOW_ADDRESSES ?? 'masked',
  };
}

/** `null`: no Slack setting is present and the playground may start. */
function readSlack(values: Values, faults: string[], mayPlay: boolean): SlackConfig | null {
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: signing } = values;
  const faulty = (name: Name): boolean => faults.some((fault) => fault.startsWith(`${name} `));
  const given = bot || app || signing || faulty('SLACK_BOT_TOKEN') || faulty('SLACK_APP_TOKEN');
  const untouched = !given && !faulty('SLACK_SIGNING_SECRET');
  if (untouched && mayPlay) return null;
  if (!bot && !faulty('SLACK_BOT_TOKEN')) {
    const aside = ' To try wafbot without tokens, run "wafbot playground".';
    faults.push(
      `SLACK_BOT_TOKEN is missing; copy it from the app's "OAuth & Permissions" page.${untouched ? aside : ''}`,
    );
  }
  if (app && signing) {
    faults.push(
      'SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are both set; keep the first for Socket Mode or the second for HTTP.',
    );
  } else if (!app && !signing && !faulty('SLACK_APP_TOKEN') && !faulty('SLACK_SIGNING_SECRET')) {
    faults.push('SLACK_APP_TOKEN is missing; set it for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.');
  }
  const transport = app
    ? ({ kind: 'socket', appToken: new Secret(app) } as const)
    : ({ kind: 'http', signingSecret: new Secret(signing ?? '') } as const);
  return { botToken: new Secret(bot ?? ''), apiUrl: values.SLACK_API_URL, transport };
}

/**
 * In HTTP mode Slack's port is open to the internet, so health and metrics get their own, by default only reachable from this
 * machine.
 */
function readHealth(values: Values, slack: SlackConfig | null, port: number, faults: string[]): ListenOn {
  const given = values.WAFBOT_HEALTH_PORT;
  if (slack?.transport.kind !== 'http') return given ?? { host: undefined, port };
  const health = given ?? { host: '127.0.0.1', port: port === 0 ? 0 : DEFAULT_HEALTH_PORT };
  if (health.port === port && port !== 0) {
    faults.push(`WAFBOT_HEALTH_PORT must differ from PORT (${port}), which receives Slack requests; set another port.`);
  }
  return health;
}

const LOOPBACK = '127.0.0.1';
/** Listens on every address; as a name, browsers take it for this machine. */
const ANY_ADDRESS = /^(0\.0\.0\.0|::)$/;
const LOOPBACK_HOSTS = ['localhost', LOOPBACK, '[::1]'];

/** Only reachable from this machine, unless an address is given. */
function readMcp(values: Values, taken: readonly number[], faults: string[]): McpConfig | null {
  const { WAFBOT_MCP_TOKEN: token, WAFBOT_MCP_PORT: listenOn, WAFBOT_MCP_HOSTS: hostNames = [] } = values;
  const { WAFBOT_SLACKBOT_SECRET: signing } = values;
  const isFaulty = faults.some((fault) => /^(WAFBOT_MCP_TOKEN|WAFBOT_SLACKBOT_SECRET)/.test(fault));
  if (token === undefined && signing === undefined) {
    if ((listenOn !== undefined || hostNames.length > 0) && !isFaulty)
      faults.push('WAFBOT_MCP_TOKEN is missing; agents need it, so set it or remove the other WAFBOT_MCP names.');
    return null;
  }
  const { host = LOOPBACK, port } = listenOn ?? { port: DEFAULT_MCP_PORT };
  if (port !== 0 && taken.includes(port))
    faults.push(`WAFBOT_MCP_PORT must differ from the other ports (${port} is taken); set another port.`);
  const ownName = ANY_ADDRESS.test(host) ? [] : [host.includes(':') ? `[${host}]` : host];
  const names = new Set([...LOOPBACK_HOSTS, ...ownName, ...hostNames]);
  return {
    ...{ host, port, hostNames: [...names] },
    token: token === undefined ? null : new Secret(token),
    slackbotSecret: signing === undefined ? null : new Secret(signing),
  };
}

/** Every secret value, so that the log can redact them. */
export function secretsOf(
  config: Pick<Config, 'slack' | 'projects' | 'store' | 'mcp'> & Partial<Pick<Config, 'pagers'>>,
): string[] {
  const { slack, projects, mcp, pagers } = config;
  const secrets: (Secret | undefined)[] = [config.store, passwordOf(config.store), slack?.botToken];
  secrets.push(mcp?.token ?? undefined, mcp?.slackbotSecret ?? undefined);
  secrets.push(pagers?.pagerduty?.routingKey, pagers?.webhook?.secret, pagers?.acknowledgments?.secret);
  if (slack?.transport.kind === 'socket') secrets.push(slack.transport.appToken);
  if (slack?.transport.kind === 'http') secrets.push(slack.transport.signingSecret);
  for (const { auth } of projects ?? []) {
    if (auth.kind === 'token') secrets.push(auth.password);
    else secrets.push(auth.accessKey, auth.secretKey, auth.securityToken);
  }
  return secrets.flatMap((secret) => secret?.reveal() ?? []).filter((value) => !/^(sqlite|memory):/.test(value));
}

const LOOPBACK_NAMES = /^(localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Settings whose URL is plain HTTP beyond this machine. */
export function unencryptedSettings({ slack, projects, charts, pagers }: Config): string[] {
  const addresses: [string, string | undefined][] = [
    ['SLACK_API_URL', slack?.apiUrl],
    ...(projects ?? []).flatMap(({ name, baseUrl, iamUrl }): [string, string | undefined][] => [
      [name === null ? 'WAF_BASE_URL' : `base_url of project ${name}`, baseUrl],
      [name === null ? 'WAF_IAM_URL' : `iam_url of project ${name}`, iamUrl],
    ]),
    ['WAFBOT_CHARTS', charts.kind === 'quickchart' ? charts.baseUrl : undefined],
    ['WAFBOT_PAGERDUTY_URL', pagers?.pagerduty?.url],
    ['WAFBOT_ALERTMANAGER_URL', pagers?.alertmanager?.url],
    ['WAFBOT_WEBHOOK_URL', pagers?.webhook?.url],
  ];
  return addresses.flatMap(([name, address = '']) => {
    const url = URL.parse(address);
    return url?.protocol === 'http:' && !LOOPBACK_NAMES.test(url.hostname) ? [name] : [];
  });
}

/** The password in a store's URL, which an error may quote on its own. */
function passwordOf(store: Secret): Secret | undefined {
  const password = URL.parse(store.reveal())?.password;
  if (!password) return undefined;
  try {
    return new Secret(decodeURIComponent(password));
  } catch {
    return new Secret(password);
  }
}

/** One `NAME=value` line each, secrets as `[redacted]`, for `wafbot check-config`. */
export function describeConfig(config: Config): string[] {
  const store = config.store.reveal();
  const transport = config.slack?.transport.kind;
  return [
    `Slack: ${transport === undefined ? 'none (playground)' : `${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, tokens [redacted]`}`,
    ...serviceLines(config),
    `WAFBOT_STORE=${/^redis/.test(store) ? 'redis://[redacted]' : store}`,
    `WAFBOT_EXPECT_STORE=${config.expectStore ? 'yes' : 'no'}`,
    `WAFBOT_CHARTS=${config.charts.kind === 'quickchart' ? `quickchart:${config.charts.baseUrl}` : config.charts.kind}`,
    `WAFBOT_COMMAND=${config.command}`,
    `WAFBOT_ZONE=${config.zone}`,
    `WAFBOT_LOG_LEVEL=${config.logLevel}`,
    `WAFBOT_ALLOWED_CHANNELS=${config.allowedChannels?.join(',') ?? '(everyone)'}`,
    `WAFBOT_ADMINS=${config.admins?.join(',') ?? '(everyone)'}`,
    `WAFBOT_ALSO_ANSWER=${config.alsoAnswer.join(',') || '(nobody)'}`,
    `WAFBOT_SHOW_ADDRESSES=${config.showAddresses}`,
    `WAFBOT_RUNBOOK_HOSTS=${config.runbookHosts.join(',') || '(none)'}`,
    `PORT=${config.port}`,
    `WAFBOT_STOP_SECONDS=${config.stopMs / 1_000}`,
    `WAFBOT_HEALTH_PORT=${config.health.host === undefined ? '' : `${config.health.host}:`}${config.health.port}`,
    ...mcpLines(config),
    ...pagerLines(config.pagers),
  ];
}

function mcpLines({ mcp }: Config): string[] {
  if (mcp === null) return ['Agents over HTTP: none'];
  const { host, port, hostNames, token, slackbotSecret } = mcp;
  const who = [...(token === null ? [] : ['token']), ...(slackbotSecret === null ? [] : ['Slackbot'])].join(' and ');
  return [`Agents over HTTP: ${host}:${port}, ${who} [redacted]`, `WAFBOT_MCP_HOSTS=${hostNames.join(',')}`];
}

function serviceLines({ projects }: Config): string[] {
  if (projects === null) return ['Service: none (local statistics service)'];
  return projects.map(({ name, baseUrl, projectId, dialect, auth, allowedChannels }) => {
    const how = `${auth.kind === 'aksk' ? 'AK/SK' : 'token'} authentication, dialect ${dialect}, credentials [redacted]`;
    const channels = allowedChannels === null ? '' : `, channels ${allowedChannels.join(',')}`;
    const at = `${baseUrl}, project ${projectId}, ${how}`;
    return name === null ? `Service: ${at}` : `Project ${name}: ${at}${channels}`;
  });
}
