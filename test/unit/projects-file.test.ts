import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConfigError,
  describeConfig,
  readConfig,
  readServiceConfig,
  secretsOf,
  unencryptedSettings,
} from '../../src/config/config.ts';

const SLACK = { SLACK_BOT_TOKEN: 'xoxb-bot-token', SLACK_APP_TOKEN: 'xapp-app-token' };
const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-projects-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRETS = ['pass-word-secret', 'sk-secret-value', 'another-secret'];
const EU = `  eu:
    base_url: https://waf.eu.example.com/
    iam_url: https://iam.eu.example.com
    project_id: 0123456789
    username: bot
    password: pass-word-secret
    domain_name: acme
`;
const US = `  us:
    base_url: https://waf.us.example.com
    project_id: p-us
    access_key: AKxyz
    secret_key: sk-secret-value
    enterprise_project: all_granted_eps
    allowed_channels: [C0US, C0BOTH]
`;

let files = 0;
function fileOf(yaml: string): Record<string, string> {
  files += 1;
  const file = path.join(folder, `projects-${files}.yaml`);
  writeFileSync(file, yaml);
  return { WAFBOT_PROJECTS_FILE: file };
}

function faultsOf(yaml: string, more: Record<string, string> = {}): readonly string[] {
  try {
    readConfig({ ...SLACK, ...fileOf(yaml), ...more });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('a file of projects', () => {
  it('has each with its own service, credentials and channels, the default first', () => {
    const { projects } = readConfig({ ...SLACK, ...fileOf(`projects:\n${US}${EU}default: eu\n`) });
    expect(projects).toMatchObject([
      {
        name: 'eu',
        baseUrl: 'https://waf.eu.example.com',
        // Text: a number would have lost its zero.
        projectId: '0123456789',
        auth: { kind: 'token', username: 'bot', domainName: 'acme' },
        allowedChannels: null,
        enterpriseProject: undefined,
      },
      {
        name: 'us',
        projectId: 'p-us',
        auth: { kind: 'aksk' },
        allowedChannels: ['C0US', 'C0BOTH'],
        enterpriseProject: 'all_granted_eps',
      },
    ]);
    expect(readConfig({ ...SLACK, ...fileOf(`projects:\n${US}${EU}`) }).projects?.map(({ name }) => name)).toEqual([
      'us',
      'eu',
    ]);
  });

  it('takes values from files beside it', () => {
    writeFileSync(path.join(folder, 'password'), 'another-secret\n');
    const yaml = `projects:\n${EU.replace('password: pass-word-secret', 'password_file: password')}`;
    const auth = readConfig({ ...SLACK, ...fileOf(yaml) }).projects?.[0].auth;
    expect(auth?.kind === 'token' && auth.password.reveal()).toBe('another-secret');
  });

  it('shows no secret, and knows them all', () => {
    const config = readConfig({ ...SLACK, ...fileOf(`projects:\n${EU}${US}`) });
    expect(secretsOf(config)).toEqual(expect.arrayContaining(['pass-word-secret', 'AKxyz', 'sk-secret-value']));
    const shown = `${describeConfig(config).join('\n')}${inspect(config, { depth: 9 })}${JSON.stringify(config)}`;
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
    expect(describeConfig(config)).toEqual(
      expect.arrayContaining([
        'Project eu: https://waf.eu.example.com, project 0123456789, token authentication, dialect auto, credentials [redacted]',
        expect.stringMatching(/^Project us: .*AK\/SK.* channels C0US,C0BOTH$/),
      ]),
    );
  });

  it('says which of its addresses are not encrypted', () => {
    const yaml = `projects:\n${EU.replace('https://iam.eu', 'http://iam.eu')}${US}`;
    expect(unencryptedSettings(readConfig({ ...SLACK, ...fileOf(yaml) }))).toEqual(['iam_url of project eu']);
  });

  it('serves the commands at a shell too', () => {
    const { projects } = readServiceConfig(fileOf(`projects:\n${EU}${US}`));
    expect(projects.map(({ name }) => name)).toEqual(['eu', 'us']);
  });

  it('has all its faults told at once', () => {
    const faults = faultsOf(`projcts: x
default: asia
projects:
${EU.replace('password:', 'pasword:').replace('https://waf.eu', 'ftp://waf.eu')}
${US.replace('C0US', 'general').replace('access_key: AKxyz', 'zone: Europe/Berlin').replace('all_granted_eps', 'some')}
  Asia:
    base_url: https://waf.asia.example.com
  none:
    base_url: https://waf.example.com
  empty:
`);
    expect(faults.every((fault) => fault.startsWith('WAFBOT_PROJECTS_FILE: '))).toBe(true);
    expect(faults.map((fault) => fault.slice('WAFBOT_PROJECTS_FILE: '.length))).toEqual([
      'projcts is not a known key; did you mean projects?',
      'default must be the name of one of its projects: eu, us, none, empty.',
      'project eu: pasword is not a known key; did you mean password?',
      'project eu: base_url must be a URL such as https://waf.example.com.',
      'project eu: password is missing; set the password of username.',
      'project us: zone is not a known key; remove it.',
      'project us: enterprise_project must be 0 (default), all_granted_eps (all), or an ID of 36 characters.',
      'project us: access_key is missing; set the access key that belongs to secret_key.',
      'project us: allowed_channels must be channel IDs such as C0123ABCD, separated by commas.',
      expect.stringContaining('project Asia: the name must be'),
      expect.stringContaining('project none: the name must be'),
      'project empty: has no settings; set base_url, project_id and its credentials below it.',
    ]);
    for (const secret of SECRETS) expect(faults.join('\n')).not.toContain(secret);
  });

  it.each([
    ['a tab', 'projects:\n\teu: pass-word-secret\n', /line 2 is not valid YAML/],
    ['the same key twice', `projects:\n${EU}${EU}`, /is not valid YAML \(duplicate key\)/],
    ['a quote that is not closed', 'projects:\n  eu:\n    password: "pass-word-secret\n', /is not valid YAML/],
    ['nothing', '# pass-word-secret\n', /has no projects/],
    ['a list', '- pass-word-secret\n', /has no projects/],
    ['no projects', 'default: eu\n', /projects is missing/],
    ['a list for a value', `projects:\n${EU.replace('bot', '[pass-word-secret]')}`, /username must be a single value/],
    ['a file that is not there', `projects:\n${EU.replace('password: pass', 'password_file: pass')}`, /can't be read/],
  ])('with %s is refused without a word of what is in it', (_, yaml, expected) => {
    const faults = faultsOf(yaml);
    expect(faults.some((fault) => expected.test(fault))).toBe(true);
    expect(faults.join('\n')).not.toContain('pass-word-secret');
  });

  it('that cannot be read, or stands beside a project of the environment, is refused', () => {
    expect(() => readConfig({ ...SLACK, WAFBOT_PROJECTS_FILE: path.join(folder, 'nowhere') })).toThrow(ConfigError);
    expect(faultsOf(`projects:\n${EU}`, { WAF_PROJECT_ID: 'p-1' })).toEqual([
      'WAF_PROJECT_ID and WAFBOT_PROJECTS_FILE are both set; configure projects only in the file.',
    ]);
  });
});
