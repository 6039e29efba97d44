/**
 * The codes and statuses of both services and what each of them means. None of this was verified on a running service, so
 * it is all in this one table: a deployment that differs is a line changed here. Codes come before statuses, because the
 * service answers 400 where others answer 401.
 */
import type { BotErrorCode, FailureReason } from '../errors.ts';

export type ServiceName = 'statistics' | 'identity';

/** How the bot authenticates; the same code can mean different things. */
export type AuthMethod = 'token' | 'aksk';

export interface ServiceRule {
  readonly code: BotErrorCode;
  /** One sentence for the person who asked. */
  readonly says: string;
  readonly hint?: string;
  readonly retry: boolean;
  readonly outage: boolean;
  /**
   * `refused`: the credentials are not, or no longer, valid. `doubtful`: some deployments say it this way.
   * `fine`: valid, but not allowed to do this. `unknown`: the reply says nothing about them.
   */
  readonly credentials: 'refused' | 'doubtful' | 'fine' | 'unknown';
}

type RuleFields = Partial<ServiceRule> & Pick<ServiceRule, 'code' | 'says'>;

const rule = (fields: RuleFields): ServiceRule => ({ retry: false, outage: false, credentials: 'unknown', ...fields });

const TOKEN_REFUSED = rule({
  code: 'upstream_auth',
  says: 'The statistics service refused the token it was given.',
  hint: 'Check the user, its permissions and WAF_PROJECT_ID.',
  credentials: 'refused',
});
const KEY_REFUSED = rule({
  code: 'upstream_auth',
  says: 'The statistics service refused the access key.',
  hint: 'Check WAF_ACCESS_KEY and WAF_SECRET_KEY, and that the clock of this machine is right.',
  credentials: 'refused',
});
const NOT_ALLOWED = rule({
  code: 'upstream_auth',
  says: 'The account of the bot may not read the statistics of this project.',
  hint: 'Give it read access to the firewall in the project.',
  credentials: 'fine',
});
const WRONG_PROJECT = rule({
  code: 'upstream_auth',
  says: 'The project does not belong to the credentials of the bot.',
  hint: 'Check WAF_PROJECT_ID.',
  credentials: 'fine',
});
const BUSY = rule({
  code: 'upstream_unavailable',
  says: '{service} is busy or down at the moment.',
  hint: 'Try again in a moment.',
  retry: true,
  outage: true,
});
const BROKEN = rule({ ...BUSY, says: '{service} failed inside.' });
const THROTTLED = rule({
  code: 'upstream_rate_limited',
  says: '{service} takes no more questions for the moment.',
  hint: 'Ask again in a minute.',
  retry: true,
});
const UNKNOWN_PATH = rule({
  code: 'upstream_bad_response',
  says: '{service} does not know what it was asked.',
  hint: 'Check WAF_BASE_URL and WAF_IAM_URL, which are two different hosts, WAF_PROJECT_ID, and WAF_DIALECT if it is set.',
});
const NOT_UNDERSTOOD = rule({
  code: 'upstream_bad_response',
  says: '{service} did not accept the question.',
  hint: 'The log has its reason and the request id.',
});

const WINDOW_REFUSED = rule({
  code: 'limit',
  says: 'The service does not answer for this time range.',
  hint: 'It may keep no more than 30 days; ask for a shorter or a later one.',
});
const UNKNOWN_HOST = rule({
  code: 'not_found',
  says: 'The service does not know one of the hosts.',
  hint: 'Check the domain IDs behind the host names.',
});

const STATISTICS: Readonly<Record<string, ServiceRule>> = {
  '.0101': UNKNOWN_PATH,
  '.0307': TOKEN_REFUSED,
  '.0308': THROTTLED,
  '.0613': BUSY,
  'WAF.1025': WINDOW_REFUSED,
  'WAF.1003': UNKNOWN_HOST,
  'WAF.3004': BUSY,
  'WAF.5003': BROKEN,
  'WAF.9001': TOKEN_REFUSED,
  'WAF.9002': NOT_ALLOWED,
  'WAF.00012001': TOKEN_REFUSED,
  'WAF.00012002': WRONG_PROJECT,
  'WAF.00012003': NOT_ALLOWED,
  'WAF.4000': UNKNOWN_PATH,
  'WAF.00014009': UNKNOWN_PATH,
  'WAF.00011001': WINDOW_REFUSED,
  'WAF.00011004': UNKNOWN_HOST,
  'WAF.00012005': rule({
    ...NOT_ALLOWED,
    says: 'The project has not subscribed to the firewall.',
    hint: 'Check WAF_PROJECT_ID and WAF_BASE_URL: dedicated engines have an address of their own in some regions.',
  }),
  'WAF.00012010': rule({
    ...NOT_ALLOWED,
    says: 'The account of the bot may not ask for all enterprise projects.',
    hint: 'Name one in WAF_ENTERPRISE_PROJECT, or leave it out.',
  }),
};

const WRONG_PASSWORD = rule({
  code: 'upstream_auth',
  says: 'The identity service refused the user name or password of the bot.',
  hint: 'Check WAF_USERNAME, WAF_PASSWORD and WAF_DOMAIN_NAME.',
  credentials: 'refused',
});

const IDENTITY: Readonly<Record<string, ServiceRule>> = {
  'IAM.0012': THROTTLED,
  'IAM.0061': rule({
    ...WRONG_PASSWORD,
    says: 'The account of the bot is locked after too many wrong passwords.',
    hint: 'Wait until it is unlocked, and check WAF_PASSWORD.',
  }),
  'IAM.0081': rule({
    ...WRONG_PASSWORD,
    says: 'The user of the bot has console access only.',
    hint: 'Set its access type to "Programmatic access".',
  }),
};

/** What a status means without a known code. */
function byStatus(service: ServiceName, method: AuthMethod, status: number): ServiceRule {
  if (status === 502 || status === 503 || status === 504) return BUSY;
  if (status >= 500) return BROKEN;
  if (status === 414) return rule({ code: 'limit', says: 'These are too many hosts for one question.' });
  if (service === 'identity') {
    if (status === 401) return WRONG_PASSWORD;
    if (status === 403) return rule({ ...WRONG_PASSWORD, says: 'The identity service does not let the user in.' });
    if (status === 404) return rule({ ...UNKNOWN_PATH, hint: 'Check WAF_IAM_URL and WAF_PROJECT_ID.' });
    return NOT_UNDERSTOOD;
  }
  if (status === 401) return method === 'aksk' ? KEY_REFUSED : TOKEN_REFUSED;
  // One service of the family answers 403 to a token that has expired.
  if (status === 403) return rule({ ...NOT_ALLOWED, credentials: 'doubtful' });
  if (status === 404) return UNKNOWN_PATH;
  return NOT_UNDERSTOOD;
}

export function ruleFor(service: ServiceName, method: AuthMethod, status: number, key: string): ServiceRule {
  // Whatever the code says of the reason, this status says that the service wants fewer calls.
  if (status === 429) return THROTTLED;
  const known = service === 'identity' ? IDENTITY[key] : STATISTICS[key];
  // With an access key the gateway still speaks of a token.
  if (known === TOKEN_REFUSED && method === 'aksk') return KEY_REFUSED;
  // The code decides what happened, but a status that asks to try again later is respected too.
  if (known === BROKEN && (status === 502 || status === 503 || status === 504)) return BUSY;
  return known ?? byStatus(service, method, status);
}

const NO_SUCH_API = /(^|\.)0101$|^WAF\.(4000|00014009)$/;
/** Credentials, permissions and subscriptions: the query itself may well exist. */
const ABOUT_THE_CALLER = /^WAF\.(9\d{3}|0001200[1-6])$/;
const NOT_PERMITTED = /^WAF\.(9002|0001200[3-6])$/;

/** What a refusal of the statistics service means for the code that asked. */
export function reasonFor(status: number, serviceCode: string): FailureReason | undefined {
  const isTransient = status === 429 || status >= 500;
  const isUnknownPath = status === 404 && !ABOUT_THE_CALLER.test(serviceCode);
  if (!isTransient && (isUnknownPath || NO_SUCH_API.test(serviceCode))) return { is: 'no_such_query' };
  if (status === 403 || NOT_PERMITTED.test(serviceCode)) return { is: 'not_permitted' };
  if (status !== 400 || ABOUT_THE_CALLER.test(serviceCode)) return undefined;
  return { is: 'request_refused', dialect: dialectOf(serviceCode) };
}

/** The edition without overviews has codes of four digits, the other one of eight. */
function dialectOf(serviceCode: string): 'events' | 'overviews' | undefined {
  if (/^WAF\.\d{8}$/.test(serviceCode)) return 'overviews';
  return /^WAF\.\d{4}$/.test(serviceCode) ? 'events' : undefined;
}
