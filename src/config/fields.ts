/** Every environment variable: how its value is parsed, and the fix printed if it is invalid. */
import { z } from 'zod';

export type ChartsConfig =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'quickchart'; readonly baseUrl: string }
  | { readonly kind: 'none' };

export interface ListenOn {
  /** All interfaces if undefined. */
  readonly host: string | undefined;
  readonly port: number;
}

/** A URL without user and password, which might end up in a log. */
const url = (value: string): boolean => {
  const parsed = URL.parse(value);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
};
const text = z.string();
const webAddress = text.refine(url).transform((value) => value.replace(/\/+$/, ''));
const list = (id: RegExp) =>
  text
    .transform((value) => value.split(/[\s,]+/).filter((part) => part !== ''))
    .refine((ids) => ids.length > 0 && ids.every((part) => id.test(part)));
const isZone = (zone: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
};
const charts = text.transform((value, context): ChartsConfig => {
  if (value === 'embedded' || value === 'none') return { kind: value };
  const baseUrl = value.startsWith('quickchart:') ? value.slice('quickchart:'.length) : '';
  if (url(baseUrl)) return { kind: 'quickchart', baseUrl: baseUrl.replace(/\/+$/, '') };
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});

/** A port, or an address and a port: `3001`, `127.0.0.1:3001`, `[::1]:3001`. */
const listenOn = text.transform((value, context): ListenOn => {
  const { host, port = '' } = /^(?:(?<host>\[[\da-f:]+\]|[\w.-]+):)?(?<port>\d{1,5})$/i.exec(value)?.groups ?? {};
  if (port !== '' && Number(port) <= 65_535) return { host: host?.replace(/^\[|\]$/g, ''), port: Number(port) };
  context.addIssue({ code: 'custom' });
  return z.NEVER;
});

const isWebhookSecret = (value: string): boolean => {
  const [, key = ''] = /^whsec_([\w+/]+={0,2})$/.exec(value) ?? [];
  const bytes = Buffer.from(key, 'base64').length;
  return bytes >= 24 && bytes <= 64;
};

export const FIELDS = {
  SLACK_BOT_TOKEN: [
    text.startsWith('xoxb-'),
    'must start with xoxb-; copy it from the app\'s "OAuth & Permissions" page',
  ],
  SLACK_APP_TOKEN: [
    text.startsWith('xapp-'),
    'must start with xapp-; create one under "Basic Information" with the scope connections:write',
  ],
  SLACK_SIGNING_SECRET: [text.min(16), 'is too short; copy it from the app\'s "Basic Information" page'],
  SLACK_API_URL: [webAddress, 'must be a URL such as https://slack.com/api'],
  WAF_BASE_URL: [webAddress, 'must be a URL such as https://waf.example.com'],
  WAF_IAM_URL: [webAddress, 'must be a URL such as https://iam.example.com'],
  WAF_PROJECT_ID: [text.regex(/^[\w-]+$/), 'must be the project ID: letters, digits, - and _'],
  WAF_DIALECT: [z.enum(['auto', 'events', 'overviews']), 'must be auto, events or overviews'],
  WAF_ENTERPRISE_PROJECT: [
    text.regex(/^(0|all_granted_eps|[\da-f-]{36})$/i),
    'must be 0 (default), all_granted_eps (all), or an ID of 36 characters',
  ],
  WAF_USERNAME: [text, ''],
  WAF_PASSWORD: [text, ''],
  WAF_DOMAIN_NAME: [text, ''],
  WAF_ACCESS_KEY: [text, ''],
  WAF_SECRET_KEY: [text, ''],
  WAF_SECURITY_TOKEN: [text, ''],
  WAFBOT_PROJECTS: [text, ''],
  WAFBOT_STORE: [
    text.regex(/^(sqlite:.+|rediss?:\/\/.+|memory:)$/),
    'must be sqlite:<path>, redis://<host>:<port> or memory:',
  ],
  WAFBOT_EXPECT_STORE: [z.enum(['yes', 'no']), 'must be yes or no'],
  WAFBOT_CHARTS: [charts, 'must be embedded, quickchart:<server URL> or none'],
  WAFBOT_COMMAND: [
    text.regex(/^\/[a-z0-9_-]{1,31}$/),
    'must be a slash followed by up to 31 of a-z, 0-9, - and _, such as /waf',
  ],
  WAFBOT_ZONE: [text.refine(isZone), 'must be an IANA time zone such as Europe/Berlin'],
  WAFBOT_LOG_LEVEL: [
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'must be one of fatal, error, warn, info, debug, trace, silent',
  ],
  WAFBOT_ALLOWED_CHANNELS: [list(/^[CGD][A-Z0-9]+$/), 'must be channel IDs such as C0123ABCD, separated by commas'],
  WAFBOT_ADMINS: [list(/^[UW][A-Z0-9]+$/), 'must be user IDs such as U0123ABCD, separated by commas'],
  WAFBOT_ALSO_ANSWER: [
    text
      .transform((value) => value.split(/[\s,]+/).filter((part) => part !== ''))
      .pipe(z.array(z.enum(['external', 'bots'])).min(1)),
    'must be external (people from other organizations), bots, or both, separated by commas',
  ],
  WAFBOT_SHOW_ADDRESSES: [z.enum(['no', 'masked', 'yes']), 'must be no, masked or yes'],
  WAFBOT_RUNBOOK_HOSTS: [
    list(/^https?:\/\/[a-z0-9.-]+(:\d{1,5})?\/?$/i).transform((origins) =>
      origins.map((origin) => URL.parse(origin)?.origin ?? origin),
    ),
    'must be schemes with hosts such as https://wiki.example.org, separated by commas',
  ],
  WAFBOT_MCP_TOKEN: [
    text.regex(/^\S{24,}$/),
    'must have at least 24 characters and no spaces; create one with openssl rand -hex 32',
  ],
  WAFBOT_SLACKBOT_SECRET: [
    text.min(16),
    'is too short; copy the signing secret from the app\'s "Basic Information" page',
  ],
  WAFBOT_MCP_PORT: [listenOn, 'must be a port such as 3002, or an address and a port such as 10.0.0.7:3002'],
  WAFBOT_MCP_HOSTS: [
    list(/^[a-z0-9.-]+$/i).transform((names) => names.map((name) => name.toLowerCase())),
    'must be host names such as wafbot.example.org, separated by commas',
  ],
  WAFBOT_PAGERDUTY_ROUTING_KEY: [
    text.regex(/^[\w-]{32}$/),
    'must be the 32 characters of an Events API v2 integration; copy it from the service\'s "Integrations" page',
  ],
  WAFBOT_PAGERDUTY_URL: [webAddress, 'must be a URL such as https://events.eu.pagerduty.com'],
  WAFBOT_ALERTMANAGER_URL: [webAddress, 'must be a URL such as http://alertmanager:9093'],
  WAFBOT_WEBHOOK_URL: [text.refine(url), 'must be a URL such as https://hooks.example.org/wafbot'],
  WAFBOT_WEBHOOK_SECRET: [
    text.refine(isWebhookSecret),
    'must be whsec_ and 24 to 64 bytes in base64; create one with echo whsec_$(openssl rand -base64 32)',
  ],
  WAFBOT_PAGE_FROM: [z.enum(['elevated', 'surge']), 'must be elevated or surge'],
  WAFBOT_PAGERDUTY_WEBHOOK_SECRET: [
    text.regex(/^\S{16,}$/),
    'is too short; copy the secret that PagerDuty showed when the webhook was created',
  ],
  WAFBOT_PAGERDUTY_WEBHOOK_PORT: [
    listenOn,
    'must be a port such as 3003, or an address and a port such as 10.0.0.7:3003',
  ],
  WAFBOT_HEALTH_PORT: [listenOn, 'must be a port such as 3001, or an address and a port such as 127.0.0.1:3001'],
  WAFBOT_STOP_SECONDS: [z.coerce.number().int().min(4).max(3_600), 'must be a number of seconds from 4 to 3600'],
  PORT: [z.coerce.number().int().min(0).max(65_535), 'must be a port number from 0 to 65535'],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

export type Name = keyof typeof FIELDS;
export type Values = { [N in Name]?: z.output<(typeof FIELDS)[N][0]> };
