/**
 * Environment → typed, frozen `Config`. The only reader of `process.env`. Every fault is found before any is reported,
 * each with its fix; secrets are wrapped the moment they are read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { BotError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { type ChartsConfig, FIELDS, type ListenOn, type Name, type Values } from './fields.ts';

export interface SlackConfig {
  readonly botToken: Secret;
  readonly apiUrl: string | undefined;
  readonly transport:
    | { readonly kind: 'socket'; readonly appToken: Secret }
    | { readonly kind: 'http'; readonly signingSecret: Secret };
}

export interface ServiceConfig {
  readonly baseUrl: string;
  readonly iamUrl: string | undefined;
  readonly projectId: string;
  readonly dialect: 'auto' | 'events' | 'overviews';
  readonly enterpriseProject: string | undefined;
  readonly auth:
    | { readonly kind: 'token'; readonly username: string; readonly password: Secret; readonly domainName: string }
    | {
        readonly kind: 'aksk';
        readonly accessKey: Secret;
        readonly secretKey: Secret;
        readonly securityToken: Secret | undefined;
      };
}

export interface Config {
  /** `null`: no Slack tokens, the playground starts. */
  readonly slack: SlackConfig | null;
  /** `null`: only without Slack tokens; the local statistics service stands in. */
  readonly service: ServiceConfig | null;
  /** `sqlite:<path>`, `redis://…`, `memory:`. A Redis address can carry a password. */
  readonly store: Secret;
  readonly charts: ChartsConfig;
  readonly command: string;
  readonly zone: string;
  readonly logLevel: string;
  /** `null`: everyone. */
  readonly allowedChannels: readonly string[] | null;
  readonly admins: readonly string[] | null;
  /** Besides the people of the bot's own organisation. */
  readonly alsoAnswer: readonly ('external' | 'bots')[];
  /** Slack's requests in HTTP mode; health and metrics in Socket Mode; the playground's page. */
  readonly port: number;
  /** Where health and metrics are served. */
  readonly health: ListenOn;
  /** Names that were set, in the environment or the file; the rest are defaults. */
  readonly given: ReadonlySet<string>;
}

/** In HTTP mode, where `PORT` is Slack's. */
const DEFAULT_HEALTH_PORT = 3001;

type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends BotError {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super('config', `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}.`);
    this.faults = faults;
  }
}

/** The process's environment over the `.env` file of the working directory, if there is one. */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}

/**
 * For the bot: Slack and the service, or neither of them where the playground may stand in. A production start that lost
 * its tokens must fail rather than become a demonstration, so `NODE_ENV=production` never opens the playground.
 */
export function readConfig(environment: Environment, { hasPlayground = true } = {}): Config {
  const { values, faults } = readValues(environment);
  const embedded: ChartsConfig = { kind: 'embedded' };
  const slack = readSlack(values, faults, hasPlayground && environment.NODE_ENV !== 'production');
  const wantsService = slack !== null || Object.keys(values).some((name) => name.startsWith('WAF_'));
  const service = wantsService ? readService(values, faults) : null;
  const port = values.PORT ?? 3000;
  const health = readHealth(values, slack, port, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze({
    slack,
    service,
    store: new Secret(values.WAFBOT_STORE ?? 'sqlite:data/wafbot.db'),
    charts: values.WAFBOT_CHARTS ?? embedded,
    command: values.WAFBOT_COMMAND ?? '/waf',
    zone: values.WAFBOT_ZONE ?? 'UTC',
    logLevel: values.WAFBOT_LOG_LEVEL ?? 'info',
    allowedChannels: values.WAFBOT_ALLOWED_CHANNELS ?? null,
    admins: values.WAFBOT_ADMINS ?? null,
    alsoAnswer: values.WAFBOT_ALSO_ANSWER ?? [],
    port,
    health,
    given: new Set(Object.keys(values)),
  });
}

/** For the commands at a shell: the names of the service and the store; Slack's are not needed. */
export function readServiceConfig(environment: Environment): { service: ServiceConfig; store: Secret } {
  const names = Object.entries(environment).filter(([name]) => /^(WAF_|WAFBOT_STORE)/.test(name));
  const { values, faults } = readValues(Object.fromEntries(names));
  const service = readService(values, faults);
  if (faults.length > 0 || service === null) throw new ConfigError(faults);
  return { service, store: new Secret(values.WAFBOT_STORE ?? 'sqlite:data/wafbot.db') };
}

function readValues(environment: Environment): { values: Values; faults: string[] } {
  const faults = unknownNames(environment);
  const values: Record<string, unknown> = {};
  for (const [name, [schema, fix]] of Object.entries(FIELDS)) {
    const raw = readRaw(name, environment, faults);
    if (raw === undefined) continue;
    const parsed = schema.safeParse(raw);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(`${name} ${fix}.`);
  }
  return { values, faults };
}

function readRaw(name: string, environment: Environment, faults: string[]): string | undefined {
  const direct = environment[name]?.trim();
  const path = environment[`${name}_FILE`]?.trim();
  if (!path) return direct === '' ? undefined : direct;
  if (direct) {
    faults.push(`${name} and ${name}_FILE are both set; keep one of them.`);
    return direct;
  }
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    faults.push(`${name}_FILE names a file that cannot be read; check the path and its permissions.`);
    return undefined;
  }
}

function unknownNames(environment: Environment): string[] {
  const known = Object.keys(FIELDS);
  return Object.keys(environment)
    .filter((name) => /^(WAFBOT|WAF)_/.test(name) && !known.includes(name.replace(/_FILE$/, '')))
    .map((name) => {
      const nearest = closest(name, known);
      const advice = distance(name, nearest) <= 4 ? `did you mean ${nearest}?` : 'remove it.';
      return `${name} is not a setting of wafbot; ${advice}`;
    });
}

/** `null`: nothing of Slack is set, and the playground may take its place. */
function readSlack(values: Values, faults: string[], mayPlay: boolean): SlackConfig | null {
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: signing } = values;
  const faulty = (name: Name): boolean => faults.some((fault) => fault.startsWith(`${name} `));
  const given = bot || app || signing || faulty('SLACK_BOT_TOKEN') || faulty('SLACK_APP_TOKEN');
  const untouched = !given && !faulty('SLACK_SIGNING_SECRET');
  if (untouched && mayPlay) return null;
  if (!bot && !faulty('SLACK_BOT_TOKEN')) {
    const aside = ' The playground needs no tokens, but starts only from a checkout and without NODE_ENV=production.';
    faults.push(`SLACK_BOT_TOKEN is missing; copy it from "OAuth & Permissions" of the app.${untouched ? aside : ''}`);
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

function readService(values: Values, faults: string[]): ServiceConfig | null {
  const { WAF_BASE_URL: baseUrl, WAF_IAM_URL: iamUrl, WAF_PROJECT_ID: projectId } = values;
  const { WAF_USERNAME: username, WAF_PASSWORD: password, WAF_DOMAIN_NAME: domainName } = values;
  const { WAF_ACCESS_KEY: accessKey, WAF_SECRET_KEY: secretKey, WAF_SECURITY_TOKEN: securityToken } = values;
  const { WAF_DIALECT: dialect = 'auto', WAF_ENTERPRISE_PROJECT: enterpriseProject } = values;
  const byToken = username || password || domainName;
  const byKeys = accessKey || secretKey || securityToken;
  const need = (name: Name, value: unknown, fix: string): void => {
    if (!value && !faults.some((fault) => fault.startsWith(`${name} `))) faults.push(`${name} is missing; ${fix}.`);
  };
  need('WAF_BASE_URL', baseUrl, 'set the address of the statistics service');
  need('WAF_PROJECT_ID', projectId, 'set the ID of the project whose traffic is asked for');
  if (byToken && byKeys) {
    faults.push('WAF_USERNAME and WAF_ACCESS_KEY name two ways to authenticate; keep the names of one way.');
  } else if (byKeys) {
    need('WAF_ACCESS_KEY', accessKey, 'set the access key that belongs to WAF_SECRET_KEY');
    need('WAF_SECRET_KEY', secretKey, 'set the secret key that belongs to WAF_ACCESS_KEY');
  } else if (byToken) {
    need('WAF_IAM_URL', iamUrl, 'set the address of the identity service, which issues tokens');
    need('WAF_USERNAME', username, 'set the user with programmatic access');
    need('WAF_PASSWORD', password, 'set the password of WAF_USERNAME');
    need('WAF_DOMAIN_NAME', domainName, 'set the account (domain) that WAF_USERNAME belongs to');
  } else {
    need('WAF_IAM_URL', iamUrl, 'set the address of the identity service, which issues tokens');
    faults.push(
      'No way to authenticate is set; set WAF_USERNAME, WAF_PASSWORD and WAF_DOMAIN_NAME, or WAF_ACCESS_KEY and WAF_SECRET_KEY.',
    );
  }
  if (!baseUrl || !projectId) return null;
  const service = { baseUrl, iamUrl, projectId, dialect, enterpriseProject };
  if (byKeys) {
    const keys = { accessKey: new Secret(accessKey ?? ''), secretKey: new Secret(secretKey ?? '') };
    const token = securityToken ? new Secret(securityToken) : undefined;
    return { ...service, auth: { kind: 'aksk', ...keys, securityToken: token } };
  }
  const auth = {
    kind: 'token',
    username: username ?? '',
    password: new Secret(password ?? ''),
    domainName: domainName ?? '',
  } as const;
  return { ...service, auth };
}

/**
 * Slack's port is open to the internet, so in HTTP mode health and metrics have one of their own, which only this machine
 * can reach unless the operator says otherwise.
 */
function readHealth(values: Values, slack: SlackConfig | null, port: number, faults: string[]): ListenOn {
  const given = values.WAFBOT_HEALTH_PORT;
  if (slack?.transport.kind !== 'http') return given ?? { host: undefined, port };
  const health = given ?? { host: '127.0.0.1', port: port === 0 ? 0 : DEFAULT_HEALTH_PORT };
  if (health.port === port && port !== 0) {
    faults.push(`WAFBOT_HEALTH_PORT must not be ${port}, where PORT takes Slack's requests; set another port.`);
  }
  return health;
}

/** Every secret value, so that the log can refuse to print one by accident. */
export function secretsOf(config: Config): string[] {
  const { slack, service } = config;
  const secrets: (Secret | undefined)[] = [config.store, passwordOf(config.store), slack?.botToken];
  if (slack?.transport.kind === 'socket') secrets.push(slack.transport.appToken);
  if (slack?.transport.kind === 'http') secrets.push(slack.transport.signingSecret);
  if (service?.auth.kind === 'token') secrets.push(service.auth.password);
  if (service?.auth.kind === 'aksk')
    secrets.push(service.auth.accessKey, service.auth.secretKey, service.auth.securityToken);
  return secrets.flatMap((secret) => secret?.reveal() ?? []).filter((value) => !/^(sqlite|memory):/.test(value));
}

const LOOPBACK_NAMES = /^(localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The settings whose address is reached over plain HTTP beyond this machine: whoever is on the way reads along. */
export function unencryptedSettings({ slack, service, charts }: Config): string[] {
  const addresses = {
    SLACK_API_URL: slack?.apiUrl,
    WAF_BASE_URL: service?.baseUrl,
    WAF_IAM_URL: service?.iamUrl,
    WAFBOT_CHARTS: charts.kind === 'quickchart' ? charts.baseUrl : undefined,
  };
  return Object.entries(addresses).flatMap(([name, address = '']) => {
    const url = URL.parse(address);
    return url?.protocol === 'http:' && !LOOPBACK_NAMES.test(url.hostname) ? [name] : [];
  });
}

/** The password in a store's address, which may be repeated without the address around it. */
function passwordOf(store: Secret): Secret | undefined {
  const password = URL.parse(store.reveal())?.password;
  if (!password) return undefined;
  try {
    return new Secret(decodeURIComponent(password));
  } catch {
    return new Secret(password);
  }
}

/** One `NAME=value` line each, secrets as `[redacted]`, for `--check-config`. */
export function describeConfig(config: Config): string[] {
  const store = config.store.reveal();
  const transport = config.slack?.transport.kind;
  const auth = config.service?.auth.kind === 'aksk' ? 'AK/SK' : 'token';
  return [
    `Slack: ${transport === undefined ? 'none, the playground starts' : `${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, tokens [redacted]`}`,
    `Service: ${config.service === null ? 'none, the local statistics service stands in' : `${config.service.baseUrl}, project ${config.service.projectId}, ${auth} authentication, dialect ${config.service.dialect}, credentials [redacted]`}`,
    `WAFBOT_STORE=${/^redis/.test(store) ? 'redis://[redacted]' : store}`,
    `WAFBOT_CHARTS=${config.charts.kind === 'quickchart' ? `quickchart:${config.charts.baseUrl}` : config.charts.kind}`,
    `WAFBOT_COMMAND=${config.command}`,
    `WAFBOT_ZONE=${config.zone}`,
    `WAFBOT_LOG_LEVEL=${config.logLevel}`,
    `WAFBOT_ALLOWED_CHANNELS=${config.allowedChannels?.join(',') ?? '(everyone)'}`,
    `WAFBOT_ADMINS=${config.admins?.join(',') ?? '(everyone)'}`,
    `WAFBOT_ALSO_ANSWER=${config.alsoAnswer.join(',') || '(nobody)'}`,
    `PORT=${config.port}`,
    `WAFBOT_HEALTH_PORT=${config.health.host === undefined ? '' : `${config.health.host}:`}${config.health.port}`,
  ];
}
