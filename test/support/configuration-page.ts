/** `docs/configuration.md`: every environment variable with its meaning, its default and the error for a bad value. */
import { describeConfig, readConfig } from '../../src/config/config.ts';
import { FIELDS, type Name } from '../../src/config/fields.ts';

interface Setting {
  readonly meaning: string;
  /** Where the default depends on other settings, or there is none. Otherwise it's read from the code. */
  readonly fallback?: string;
}

const GROUPS: Readonly<Record<string, readonly Name[]>> = {
  Slack: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_API_URL', 'WAFBOT_COMMAND'],
  'Statistics service': [
    'WAF_BASE_URL',
    'WAF_IAM_URL',
    'WAF_PROJECT_ID',
    'WAF_USERNAME',
    'WAF_PASSWORD',
    'WAF_DOMAIN_NAME',
    'WAF_ACCESS_KEY',
    'WAF_SECRET_KEY',
    'WAF_SECURITY_TOKEN',
    'WAF_DIALECT',
    'WAF_ENTERPRISE_PROJECT',
    'WAFBOT_PROJECTS',
  ],
  Access: [
    'WAFBOT_ALLOWED_CHANNELS',
    'WAFBOT_ADMINS',
    'WAFBOT_ALSO_ANSWER',
    'WAFBOT_SHOW_ADDRESSES',
    'WAFBOT_RUNBOOK_HOSTS',
  ],
  Agents: ['WAFBOT_MCP_TOKEN', 'WAFBOT_SLACKBOT_SECRET', 'WAFBOT_MCP_PORT', 'WAFBOT_MCP_HOSTS'],
  Pagers: [
    'WAFBOT_PAGERDUTY_ROUTING_KEY',
    'WAFBOT_PAGERDUTY_URL',
    'WAFBOT_ALERTMANAGER_URL',
    'WAFBOT_WEBHOOK_URL',
    'WAFBOT_WEBHOOK_SECRET',
    'WAFBOT_PAGE_FROM',
    'WAFBOT_PAGERDUTY_WEBHOOK_SECRET',
    'WAFBOT_PAGERDUTY_WEBHOOK_PORT',
  ],
  'Running the bot': [
    'WAFBOT_STORE',
    'WAFBOT_EXPECT_STORE',
    'WAFBOT_CHARTS',
    'WAFBOT_ZONE',
    'WAFBOT_LOG_LEVEL',
    'PORT',
    'WAFBOT_HEALTH_PORT',
    'WAFBOT_STOP_SECONDS',
  ],
};

const SETTINGS: Readonly<Record<Name, Setting>> = {
  WAFBOT_STOP_SECONDS: {
    meaning:
      'How long a stop may take to finish what people asked and what is being posted. Docker kills after 10 seconds unless told otherwise; set less than your supervisor waits',
  },
  SLACK_BOT_TOKEN: {
    meaning: 'Bot token',
    fallback: 'none. In a checkout the playground starts instead; in production the token is required',
  },
  SLACK_APP_TOKEN: { meaning: 'App-level token for Socket Mode', fallback: 'none; set this or the signing secret' },
  SLACK_SIGNING_SECRET: {
    meaning: 'HTTP mode instead of Socket Mode. Slack sends its requests to `PORT`, path `/slack/events`',
    fallback: 'none',
  },
  SLACK_API_URL: { meaning: 'Address of the Slack Web API, for proxies and tests', fallback: "Slack's" },
  WAFBOT_COMMAND: { meaning: 'Name of the slash command' },
  WAF_BASE_URL: { meaning: 'Address of the statistics service', fallback: 'required with Slack tokens' },
  WAF_IAM_URL: { meaning: 'Address of the identity service', fallback: 'required with a user name' },
  WAF_PROJECT_ID: { meaning: 'Project ID', fallback: 'required with Slack tokens' },
  WAF_USERNAME: { meaning: 'Token authentication: user with programmatic access', fallback: 'none' },
  WAF_PASSWORD: { meaning: 'Token authentication: password', fallback: 'none' },
  WAF_DOMAIN_NAME: { meaning: 'Token authentication: account (domain) of the user', fallback: 'none' },
  WAF_ACCESS_KEY: { meaning: 'AK/SK authentication: access key', fallback: 'none' },
  WAF_SECRET_KEY: { meaning: 'AK/SK authentication: secret key', fallback: 'none' },
  WAF_SECURITY_TOKEN: { meaning: 'AK/SK authentication: security token of temporary keys', fallback: 'none' },
  WAF_DIALECT: {
    meaning: 'Interface of the service. `auto` [detects it](operations.md#which-interface-the-service-has)',
    fallback: '`auto`',
  },
  WAF_ENTERPRISE_PROJECT: {
    meaning: 'Enterprise project, for `overviews`: `0` is the default one, `all_granted_eps` is all of them',
    fallback: "the service's own default",
  },
  WAFBOT_PROJECTS: {
    meaning: 'YAML file with [several projects](operations.md#several-projects). Replaces the `WAF_…` names',
    fallback: 'one project, from the names above',
  },
  WAFBOT_ALLOWED_CHANNELS: {
    meaning: 'IDs of the channels that may use the bot. Digests and watches in other channels are paused',
  },
  WAFBOT_ADMINS: {
    meaning:
      'IDs of the users who may change digests, watches, runbooks, what is ignored, hosts and settings. Responding to an alert (`assign`, `ack`, `snooze`, `wake`, `expected`, `earlier`, `undo`) stays open to everyone who may ask in its channel',
  },
  WAFBOT_ALSO_ANSWER: {
    meaning:
      'Who else gets answers: `external` (people from other organizations in shared channels), `bots` (other bots and workflows), or both',
    fallback: 'nobody: external people get a refusal, bots are ignored',
  },
  WAFBOT_SHOW_ADDRESSES: {
    meaning:
      "How much of an attacker's address `who` shows: `no`, `masked` (without the last octet; the /64 of IPv6) or `yes`",
  },
  WAFBOT_RUNBOOK_HOSTS: {
    meaning: 'What runbooks may link to: schemes with hosts such as `https://wiki.example.org`, separated by commas',
    fallback: 'none: `runbook` refuses every address',
  },
  WAFBOT_STORE: {
    meaning: '`sqlite:<path>` for one process, `redis://…` or `rediss://…` for several, `memory:` to store nothing',
  },
  WAFBOT_EXPECT_STORE: {
    meaning:
      '`yes` refuses to start on an empty store. Set it [after the first start](upgrade.md#an-unexpectedly-empty-store)',
  },
  WAFBOT_CHARTS: {
    meaning:
      '`embedded`, `quickchart:<address of your server>` (falls back to `embedded` while the server is down) or `none`',
  },
  WAFBOT_ZONE: { meaning: 'Time zone when neither the channel nor the asker has one' },
  WAFBOT_LOG_LEVEL: { meaning: 'Lowest level that is logged' },
  WAFBOT_MCP_TOKEN: {
    meaning:
      'Bearer token with which [agents](agents.md) may ask over HTTP about every project. Whoever has it can read, and change nothing',
    fallback: "none: agents can't ask over HTTP",
  },
  WAFBOT_SLACKBOT_SECRET: {
    meaning:
      "The app's signing secret, with which [Slackbot](agents.md#slackbot) may ask on behalf of people. In HTTP mode it's the same as `SLACK_SIGNING_SECRET`",
    fallback: "none: Slackbot can't ask",
  },
  WAFBOT_MCP_PORT: {
    meaning:
      'Where agents are answered: a port of this machine, or an address and a port. `0.0.0.0:3002` is every address; put a proxy with TLS in front',
    fallback: '`127.0.0.1:3002`',
  },
  WAFBOT_MCP_HOSTS: {
    meaning:
      'Names that agents reach the server by, as in the `Host` header. Requests for or from other names are refused',
    fallback: 'those of this machine',
  },
  WAFBOT_PAGERDUTY_ROUTING_KEY: {
    meaning: 'Integration key of an Events API v2 integration: alerts go to [PagerDuty](pagers.md#pagerduty)',
    fallback: 'none',
  },
  WAFBOT_PAGERDUTY_URL: {
    meaning: "Address of PagerDuty's Events API, for accounts in Europe and for proxies",
    fallback: '`https://events.pagerduty.com`',
  },
  WAFBOT_ALERTMANAGER_URL: {
    meaning: 'Address of an [Alertmanager](pagers.md#alertmanager) that alerts go to',
    fallback: 'none',
  },
  WAFBOT_WEBHOOK_URL: {
    meaning: 'Address that alerts are sent to as [signed webhooks](pagers.md#webhooks)',
    fallback: 'none',
  },
  WAFBOT_WEBHOOK_SECRET: {
    meaning: 'What webhooks are signed with, as Standard Webhooks defines it',
    fallback: 'required with `WAFBOT_WEBHOOK_URL`',
  },
  WAFBOT_PAGE_FROM: {
    meaning: 'The lowest level that goes to pagers: `elevated` (every alert) or `surge`',
    fallback: '`elevated`',
  },
  WAFBOT_PAGERDUTY_WEBHOOK_SECRET: {
    meaning:
      'Secret of a PagerDuty webhook, with which [acknowledgments made there](pagers.md#acknowledgments-from-pagerduty) show up in Slack',
    fallback: "none: the bot doesn't listen for them",
  },
  WAFBOT_PAGERDUTY_WEBHOOK_PORT: {
    meaning:
      'Where webhooks of PagerDuty are received, path `/pagerduty`: a port of this machine, or an address and a port. Put a proxy with TLS in front',
    fallback: '`127.0.0.1:3003`',
  },
  PORT: {
    meaning: 'HTTP mode: requests from Slack. Socket Mode: health and metrics. Playground: its page',
    fallback: '`3000`; the playground picks another port if that one is taken',
  },
  WAFBOT_HEALTH_PORT: {
    meaning: 'Where health and metrics are served: a port, or an address and a port such as `10.0.0.7:3001`',
    fallback: '`PORT` in Socket Mode, `127.0.0.1:3001` in HTTP mode',
  },
};

/** The defaults as `check-config` prints them; `(everyone)` stands for no value. */
const defaults = new Map(
  describeConfig(readConfig({})).map((line) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return [name, value.startsWith('(') ? value.slice(1, -1) : `\`${value}\``];
  }),
);

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

function row(name: Name): string {
  const { meaning, fallback = defaults.get(name) ?? '' } = SETTINGS[name];
  const [, fix] = FIELDS[name];
  return `| \`${name}${name === 'WAFBOT_PROJECTS' ? '_FILE' : ''}\` | ${meaning} | ${fallback} | ${escaped(fix)} |`;
}

/** Settings that the page would leave out. */
export const undocumentedSettings = (): string[] =>
  Object.keys(FIELDS).filter((name) => !Object.values(GROUPS).some((names) => names.some((known) => known === name)));

export function configurationPage(): string {
  return `${[
    '# Configuration',
    '',
    '<!-- Generated from src/config/fields.ts by `npm run docs`. -->',
    '',
    'Settings come from the environment, or from a file `.env` in the working directory; the environment wins.',
    '[.env.example](../.env.example) is a template.',
    '',
    '- Any name can be set as `NAME_FILE` with the path of a file that contains the value, for mounted secrets.',
    '- A name that starts with `WAFBOT_` or `WAF_` and is not listed here is an error.',
    '- `wafbot check-config` checks everything without starting (`npm start -- --check-config` in a checkout). It reports all errors at once and exits with 78.',
    '- Secrets never appear in the log, in an error message or in a chat.',
    '',
    'Set either the three names of token authentication or the two of AK/SK authentication.',
    ...Object.entries(GROUPS).flatMap(([group, names]) => [
      '',
      `## ${group}`,
      '',
      '| name | meaning | default | if the value is invalid |',
      '|---|---|---|---|',
      ...names.map(row),
    ]),
    '',
    '## HTTP mode',
    '',
    'Set `SLACK_SIGNING_SECRET` instead of `SLACK_APP_TOKEN`. In the manifest, set `socket_mode_enabled: false` and add',
    '`https://<your host>/slack/events` as the request URL of the slash command, of interactivity and of event subscriptions.',
  ].join('\n')}\n`;
}
