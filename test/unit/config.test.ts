import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect, parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type Config,
  ConfigError,
  describeConfig,
  readConfig,
  readServiceConfig,
  secretsOf,
  unencryptedSettings,
} from '../../src/config/config.ts';

const SLACK = { SLACK_BOT_TOKEN: 'xoxb-bot-token', SLACK_APP_TOKEN: 'xapp-app-token' };
const SERVICE = {
  WAF_BASE_URL: 'https://waf.example.com/',
  WAF_IAM_URL: 'https://iam.example.com',
  WAF_PROJECT_ID: 'p-1',
  WAF_USERNAME: 'bot',
  WAF_PASSWORD: 'pass-word-secret',
  WAF_DOMAIN_NAME: 'acme',
};
const KEYS = {
  WAF_BASE_URL: 'https://waf.example.com',
  WAF_PROJECT_ID: 'p-1',
  WAF_ACCESS_KEY: 'AKxyz',
  WAF_SECRET_KEY: 'SKxyz',
};

function faultsOf(
  environment: Record<string, string>,
  options: Parameters<typeof readConfig>[1] = {},
): readonly string[] {
  try {
    readConfig(environment, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('defaults', () => {
  it('starts the playground when nothing is set', () => {
    const config = readConfig({});
    expect(config.slack).toBeNull();
    expect(config.projects).toBeNull();
    expect(config).toMatchObject({
      command: '/waf',
      zone: 'UTC',
      logLevel: 'info',
      port: 3000,
      charts: { kind: 'embedded' },
    });
    expect(config.store.reveal()).toBe('sqlite:data/wafbot.db');
    expect(config.allowedChannels).toBeNull();
  });

  it.each([
    ['in production', { NODE_ENV: 'production' }, {}],
    ['without a playground', {}, { hasPlayground: false }],
  ])('%s, missing tokens are faults, all at once', (_where, environment, options) => {
    expect(faultsOf(environment, options).map((fault) => fault.split(';')[0])).toEqual([
      'SLACK_BOT_TOKEN is missing',
      'SLACK_APP_TOKEN is missing',
      'WAF_BASE_URL is missing',
      'WAF_PROJECT_ID is missing',
      'WAF_IAM_URL is missing',
      'No credentials are set',
    ]);
    expect(faultsOf(environment, options)[0]).toContain('playground');
    expect(faultsOf({ ...environment, ...SLACK, ...SERVICE }, options)).toEqual([]);
    expect(faultsOf({ ...environment, SLACK_APP_TOKEN: 'xapp-1' }, options)[0]).toBe(
      `SLACK_BOT_TOKEN is missing; copy it from the app's "OAuth & Permissions" page.`,
    );
  });

  it('takes an empty value for one that is not set', () => {
    expect(readConfig({ WAFBOT_ZONE: '', PORT: ' ' })).toMatchObject({ zone: 'UTC', port: 3000 });
  });

  it('refuses the placeholders of .env.example', () => {
    const example = parseEnv(readFileSync(new URL('../../.env.example', import.meta.url), 'utf8'));
    const faults = faultsOf({
      ...SERVICE,
      SLACK_BOT_TOKEN: example.SLACK_BOT_TOKEN ?? '',
      SLACK_APP_TOKEN: example.SLACK_APP_TOKEN ?? '',
    });
    expect(faults).toEqual([
      'SLACK_BOT_TOKEN is still the placeholder of .env.example; set your own value.',
      'SLACK_APP_TOKEN is still the placeholder of .env.example; set your own value.',
    ]);
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });
});

describe('the port for health and metrics', () => {
  const HTTP = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '0123456789abcdef', ...KEYS };
  it.each([
    ['is PORT in Socket Mode', { ...SLACK, ...SERVICE, PORT: '8080' }, { host: undefined, port: 8080 }],
    ['can be moved in Socket Mode', { ...SLACK, ...SERVICE, WAFBOT_HEALTH_PORT: '9' }, { host: undefined, port: 9 }],
    ['is this machine\u2019s own in HTTP mode', HTTP, { host: '127.0.0.1', port: 3001 }],
    ['is any free one where PORT is', { ...HTTP, PORT: '0' }, { host: '127.0.0.1', port: 0 }],
    ['can be opened in HTTP mode', { ...HTTP, WAFBOT_HEALTH_PORT: '9100' }, { host: undefined, port: 9100 }],
    ['can have an address', { ...HTTP, WAFBOT_HEALTH_PORT: '10.0.0.7:9100' }, { host: '10.0.0.7', port: 9100 }],
    ['can have an IPv6 address', { ...HTTP, WAFBOT_HEALTH_PORT: '[::1]:9100' }, { host: '::1', port: 9100 }],
  ])('%s', (_, environment, health) => {
    expect(readConfig(environment).health).toEqual(health);
  });

  it.each([
    ['PORT of Slack', { ...HTTP, PORT: '3001' }],
    ['PORT of Slack', { ...HTTP, WAFBOT_HEALTH_PORT: '127.0.0.1:3000' }],
    ['no port', { ...HTTP, WAFBOT_HEALTH_PORT: '127.0.0.1' }],
    ['no port', { ...HTTP, WAFBOT_HEALTH_PORT: '65536' }],
    ['no port', { ...HTTP, WAFBOT_HEALTH_PORT: ':3001' }],
  ])('is refused: %s', (_, environment) => {
    expect(faultsOf(environment)).toEqual([expect.stringMatching(/^WAFBOT_HEALTH_PORT must /)]);
  });
});

describe('a whole configuration', () => {
  it('reads Socket Mode with a token', () => {
    const { slack, projects } = readConfig({ ...SLACK, ...SERVICE });
    const service = projects?.[0];
    expect(slack?.transport.kind).toBe('socket');
    expect(service).toMatchObject({ baseUrl: 'https://waf.example.com', projectId: 'p-1', auth: { kind: 'token' } });
  });

  it('reads HTTP mode with keys and without an identity service', () => {
    const { slack, projects } = readConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: '0123456789abcdef',
      ...KEYS,
      WAF_SECURITY_TOKEN: 'temporary',
    });
    expect(slack?.transport.kind).toBe('http');
    expect(projects?.[0].auth.kind).toBe('aksk');
  });

  it('finds the dialect of the service out unless it is set', () => {
    const dialectOf = (more: object) => readConfig({ ...SLACK, ...SERVICE, ...more }).projects?.[0].dialect;
    expect([dialectOf({}), dialectOf({ WAF_DIALECT: 'overviews' })]).toEqual(['auto', 'overviews']);
    expect(faultsOf({ ...SLACK, ...SERVICE, WAF_DIALECT: 'klingon', WAF_ENTERPRISE_PROJECT: 'ours' })).toEqual([
      'WAF_DIALECT must be auto, events or overviews.',
      expect.stringMatching(/^WAF_ENTERPRISE_PROJECT must be 0 /),
    ]);
  });

  it.each([
    ['embedded', { kind: 'embedded' }],
    ['none', { kind: 'none' }],
    ['quickchart:http://charts.internal:3400/', { kind: 'quickchart', baseUrl: 'http://charts.internal:3400' }],
  ])('reads WAFBOT_CHARTS=%s', (value, charts) => {
    expect(readConfig({ WAFBOT_CHARTS: value }).charts).toEqual(charts);
  });

  it('reads lists', () => {
    const config = readConfig({ WAFBOT_ALLOWED_CHANNELS: 'C1, C2', WAFBOT_ADMINS: 'U1 U2' });
    expect(config.allowedChannels).toEqual(['C1', 'C2']);
    expect(config.alsoAnswer).toEqual([]);
    expect(readConfig({ WAFBOT_ALSO_ANSWER: 'bots, external' }).alsoAnswer).toEqual(['bots', 'external']);
    expect(config.admins).toEqual(['U1', 'U2']);
  });
});

describe('faults', () => {
  it('names three at once, each with its fix', () => {
    const faults = faultsOf({
      ...SLACK,
      ...SERVICE,
      WAFBOT_ZONE: 'Mars/Olympus',
      PORT: 'http',
      WAF_BASE_URL: 'waf.example.com',
    });
    expect(faults).toEqual([
      'WAF_BASE_URL must be a URL such as https://waf.example.com.',
      'WAFBOT_ZONE must be an IANA time zone such as Europe/Berlin.',
      'PORT must be a port number from 0 to 65535.',
    ]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a misspelt name', { WAFBOT_ZON: 'UTC' }, /^WAFBOT_ZON is not a wafbot setting; did you mean WAFBOT_ZONE\?$/],
    [
      'an unknown name',
      { WAF_SOMETHING_ELSE_ENTIRELY: '1' },
      /WAF_SOMETHING_ELSE_ENTIRELY is not a wafbot setting; remove it/,
    ],
    [
      'both ways to authenticate',
      { ...SLACK, ...SERVICE, WAF_ACCESS_KEY: 'AK', WAF_SECRET_KEY: 'SK' },
      /keep one kind/,
    ],
    [
      'no way to authenticate',
      { ...SLACK, WAF_BASE_URL: 'https://a.example', WAF_IAM_URL: 'https://b.example', WAF_PROJECT_ID: 'p' },
      /No credentials/,
    ],
    ['half a key pair', { ...SLACK, ...KEYS, WAF_SECRET_KEY: '' }, /WAF_SECRET_KEY is missing/],
    ['a token without identity service', { ...SLACK, ...SERVICE, WAF_IAM_URL: '' }, /WAF_IAM_URL is missing/],
    [
      'both transports',
      { ...SLACK, ...SERVICE, SLACK_SIGNING_SECRET: '0123456789abcdef' },
      /keep the first for Socket Mode/,
    ],
    ['no transport', { SLACK_BOT_TOKEN: 'xoxb-1', ...SERVICE }, /SLACK_APP_TOKEN is missing/],
    ['no bot token', { SLACK_APP_TOKEN: 'xapp-1', ...SERVICE }, /SLACK_BOT_TOKEN is missing/],
    [
      'tokens the wrong way round',
      { SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1', ...SERVICE },
      /must start with xoxb-/,
    ],
    [
      'a password in an address',
      { ...SLACK, ...SERVICE, WAF_BASE_URL: 'https://u:p@waf.example.com' },
      /WAF_BASE_URL must be a URL/,
    ],
    ['a store of no kind', { WAFBOT_STORE: 'postgres://x' }, /WAFBOT_STORE must be/],
    ['a command without slash', { WAFBOT_COMMAND: 'waf' }, /WAFBOT_COMMAND must be a slash/],
    ['somebody else to answer', { WAFBOT_ALSO_ANSWER: 'strangers' }, /WAFBOT_ALSO_ANSWER must be external/],
    ['names instead of IDs', { WAFBOT_ADMINS: 'alice' }, /WAFBOT_ADMINS must be user IDs/],
  ])('%s', (_what, environment, fault) => {
    expect(faultsOf(environment)).toContainEqual(expect.stringMatching(fault));
  });

  it('tells of each name once', () => {
    const names = faultsOf({ SLACK_BOT_TOKEN: 'wrong', SLACK_APP_TOKEN: 'wrong' }).map((fault) => fault.split(' ')[0]);
    expect(names.filter((name) => name?.startsWith('SLACK_'))).toEqual(['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN']);
  });

  it('names a missing service whole, with Slack tokens alone', () => {
    const faults = faultsOf(SLACK).join('\n');
    for (const name of ['WAF_BASE_URL', 'WAF_IAM_URL', 'WAF_PROJECT_ID', 'WAF_USERNAME'])
      expect(faults).toContain(name);
  });
});

describe('mounted secrets', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-config-'));
  const file = path.join(folder, 'password');
  writeFileSync(file, 'from-a-file\n');

  it('reads NAME_FILE', () => {
    const { WAF_PASSWORD: _, ...rest } = SERVICE;
    const auth = readConfig({ ...SLACK, ...rest, WAF_PASSWORD_FILE: file }).projects?.[0].auth;
    expect(auth?.kind === 'token' && auth.password.reveal()).toBe('from-a-file');
  });

  it('refuses both at once, and a file that is not there', () => {
    expect(faultsOf({ ...SLACK, ...SERVICE, WAF_PASSWORD_FILE: file })).toContainEqual(
      expect.stringMatching(/both set/),
    );
    expect(faultsOf({ WAFBOT_ZONE_FILE: path.join(folder, 'nothing') })).toContainEqual(
      expect.stringMatching(/can't be read/),
    );
  });
});

describe('secrets', () => {
  const environment = { ...SLACK, ...SERVICE, WAFBOT_STORE: 'redis://:redis-password@cache:6379' };
  const secrets = ['xoxb-bot-token', 'xapp-app-token', 'pass-word-secret', 'redis-password'];
  const shows: readonly [string, (config: Config) => string][] = [
    ['the description', (config) => describeConfig(config).join('\n')],
    ['JSON', (config) => JSON.stringify(config)],
    ['inspect', (config) => inspect(config, { depth: 9 })],
  ];

  it.each(shows)('are not in %s', (_what, show) => {
    const text = show(readConfig(environment));
    expect(text).toContain('[redacted]');
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('are not in a fault', () => {
    const faults = faultsOf({ ...environment, SLACK_BOT_TOKEN: 'my-own-token', WAFBOT_ZONE: 'nowhere' }).join('\n');
    for (const secret of [...secrets, 'my-own-token']) expect(faults).not.toContain(secret);
  });

  it('are all known to the log', () => {
    expect(secretsOf(readConfig(environment))).toEqual(
      expect.arrayContaining([
        'xoxb-bot-token',
        'xapp-app-token',
        'pass-word-secret',
        'redis://:redis-password@cache:6379',
        'redis-password',
      ]),
    );
  });
});

describe('the service alone', () => {
  it('needs no Slack and minds no other name', () => {
    const { projects, store } = readServiceConfig({ ...SERVICE, SLACK_BOT_TOKEN: 'nonsense', WAFBOT_ZON: 'x' });
    expect(projects[0].projectId).toBe('p-1');
    expect(store.reveal()).toBe('sqlite:data/wafbot.db');
  });

  it('names what is missing', () => {
    expect(() => readServiceConfig({})).toThrow(ConfigError);
  });
});

it('an address that is not encrypted is named, unless it is on this machine', () => {
  const open = { WAF_BASE_URL: 'http://waf.example.com', WAF_IAM_URL: 'http://127.0.0.1.example.com' };
  const charts = { WAFBOT_CHARTS: 'quickchart:http://charts:3400', SLACK_API_URL: 'http://proxy/api' };
  expect(unencryptedSettings(readConfig({ ...SLACK, ...SERVICE, ...open, ...charts })).sort()).toEqual([
    'SLACK_API_URL',
    'WAFBOT_CHARTS',
    'WAF_BASE_URL',
    'WAF_IAM_URL',
  ]);
  const local = {
    WAF_BASE_URL: 'http://127.0.0.1:9',
    WAF_IAM_URL: 'http://localhost',
    SLACK_API_URL: 'http://[::1]:1/api',
  };
  expect(unencryptedSettings(readConfig({ ...SLACK, ...SERVICE, ...local }))).toEqual([]);
  expect(unencryptedSettings(readConfig({ ...SLACK, ...SERVICE }))).toEqual([]);
});

describe('agents', () => {
  const TOKEN = 'token-with-many-characters';

  it('can ask on loopback only, unless an address is given', () => {
    expect(readConfig({}).mcp).toBeNull();
    const { mcp } = readConfig({ WAFBOT_MCP_TOKEN: TOKEN });
    expect(mcp).toMatchObject({ host: '127.0.0.1', port: 3002, hostNames: ['localhost', '127.0.0.1', '[::1]'] });
    expect(readConfig({ WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_PORT: '4000' }).mcp?.host).toBe('127.0.0.1');
    const open = { WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_PORT: '0.0.0.0:4000', WAFBOT_MCP_HOSTS: 'WAF.example.org' };
    expect(readConfig(open).mcp).toMatchObject({ host: '0.0.0.0', port: 4000 });
    expect(readConfig(open).mcp?.hostNames).toEqual(['localhost', '127.0.0.1', '[::1]', 'waf.example.org']);
    const own = readConfig({ WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_PORT: '10.0.0.7:4000' });
    expect(own.mcp?.hostNames).toContain('10.0.0.7');
  });

  it('have a token that is never shown', () => {
    const config = readConfig({ WAFBOT_MCP_TOKEN: TOKEN });
    expect(secretsOf(config)).toContain(TOKEN);
    expect(describeConfig(config)).toContain('Agents over HTTP: 127.0.0.1:3002, token [redacted]');
    expect(inspect(config, { depth: 9 })).not.toContain(TOKEN);
  });

  it('may be Slackbot alone, with a secret that is never shown', () => {
    const config = readConfig({ WAFBOT_SLACKBOT_SECRET: TOKEN });
    expect(config.mcp).toMatchObject({ token: null, port: 3002 });
    expect(secretsOf(config)).toContain(TOKEN);
    expect(describeConfig(config)).toContain('Agents over HTTP: 127.0.0.1:3002, Slackbot [redacted]');
    expect(inspect(config, { depth: 9 })).not.toContain(TOKEN);
    expect(faultsOf({ WAFBOT_SLACKBOT_SECRET: 'short' })).toEqual([expect.stringContaining('is too short')]);
  });

  it.each([
    [{ WAFBOT_MCP_TOKEN: 'short' }, 'WAFBOT_MCP_TOKEN must have at least 24 characters'],
    [{ WAFBOT_MCP_PORT: '4000' }, 'WAFBOT_MCP_TOKEN is missing'],
    [{ WAFBOT_MCP_HOSTS: 'waf.example.org' }, 'WAFBOT_MCP_TOKEN is missing'],
    [{ WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_PORT: '3000' }, 'WAFBOT_MCP_PORT must differ from the other ports'],
    [{ WAFBOT_MCP_TOKEN: TOKEN, WAFBOT_MCP_HOSTS: 'https://waf.example.org' }, 'WAFBOT_MCP_HOSTS must be host names'],
  ])('with %j are refused', (environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringContaining(fault)]);
  });
});
