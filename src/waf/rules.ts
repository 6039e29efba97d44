/**
 * What the error codes and statuses of both services mean. None of it was verified on a running service, so it is all in
 * this table: for a deployment that differs, change a line here. Codes come before statuses, because the service answers
 * 400 where others answer 401.
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
   * `refused`: the credentials are invalid or have expired. `doubtful`: they are in some deployments. `fine`: valid, but
   * not allowed to do this. `unknown`: the reply says nothing about them.
   */
  readonly credentials: 'refused' | 'doubtful' | 'fine' | 'unknown';
}

type RuleFields = Partial<ServiceRule> & Pick<ServiceRule, 'code' | 'says'>;

const rule = (fields: RuleFields): ServiceRule => ({ retry: false, outage: false, credentials: 'unknown', ...fields });

const TOKEN_REFUSED = rule({
  code: 'upstream_auth',
  says: 'The statistics service refused the token.',
  hint: 'Check the user, its permissions and WAF_PROJECT_ID.',
  credentials: 'refused',
});
const KEY_REFUSED = rule({
  code: 'upstream_auth',
  says: 'The statistics service refused the access key.',
  hint: "Check WAF_ACCESS_KEY, WAF_SECRET_KEY and this machine's clock.",
  credentials: 'refused',
});
const NOT_ALLOWED = rule({
  code: 'upstream_auth',
  says: "The bot's account isn't allowed to read this project's statistics.",
  hint: 'Give it read access to the firewall in this project (waf:event:get).',
  credentials: 'fine',
});
const WRONG_PROJECT = rule({
  code: 'upstream_auth',
  says: "The project doesn't belong to the bot's credentials.",
  hint: 'Check WAF_PROJECT_ID.',
  credentials: 'fine',
});
const BUSY = rule({
  code: 'upstream_unavailable',
  says: '{service} is overloaded or down.',
  hint: 'Try again in a moment.',
  retry: true,
  outage: true,
});
const BROKEN = rule({ ...BUSY, says: '{service} had an internal error.' });
const THROTTLED = rule({
  code: 'upstream_rate_limited',
  says: '{service} is limiting requests.',
  hint: 'Ask again in a minute.',
  retry: true,
});
const UNKNOWN_PATH = rule({
  code: 'upstream_bad_response',
  says: "{service} doesn't have this query.",
  hint: 'Check WAF_BASE_URL and WAF_IAM_URL (two different hosts), WAF_PROJECT_ID, and WAF_DIALECT if it is set.',
});
const NOT_UNDERSTOOD = rule({
  code: 'upstream_bad_response',
  says: '{service} rejected the request.',
  hint: 'The log has the reason and the request ID.',
});

const WINDOW_REFUSED = rule({
  code: 'limit',
  says: "The service doesn't accept this time range.",
  hint: 'It may store only 30 days. Ask for a shorter or more recent range.',
});
const UNKNOWN_HOST = rule({
  code: 'not_found',
  says: "The service doesn't know one of the hosts.",
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
    says: 'The project has no firewall subscription.',
    hint: 'Check WAF_PROJECT_ID and WAF_BASE_URL: in some regions dedicated engines have their own address.',
  }),
  'WAF.00012010': rule({
    ...NOT_ALLOWED,
    says: "The bot's account isn't allowed to query all enterprise projects.",
    hint: 'Set WAF_ENTERPRISE_PROJECT to one of them, or remove it.',
  }),
};

const WRONG_PASSWORD = rule({
  code: 'upstream_auth',
  says: "The identity service refused the bot's user name or password.",
  hint: 'Check WAF_USERNAME, WAF_PASSWORD and WAF_DOMAIN_NAME.',
  credentials: 'refused',
});

const IDENTITY: Readonly<Record<string, ServiceRule>> = {
  'IAM.0012': THROTTLED,
  'IAM.0061': rule({
    ...WRONG_PASSWORD,
    says: "The bot's account is locked after too many wrong passwords.",
    hint: 'Wait until it is unlocked, and check WAF_PASSWORD.',
  }),
  'IAM.0081': rule({
    ...WRONG_PASSWORD,
    says: "The bot's user has console access only.",
    hint: 'Set its access type to "Programmatic access".',
  }),
};

/** What a status means without a known code. */
function byStatus(service: ServiceName, method: AuthMethod, status: number): ServiceRule {
  if (status === 502 || status === 503 || status === 504) return BUSY;
  if (status >= 500) return BROKEN;
  if (status === 414) return rule({ code: 'limit', says: 'Too many hosts for one question.' });
  if (service === 'identity') {
    if (status === 401) return WRONG_PASSWORD;
    if (status === 403) return rule({ ...WRONG_PASSWORD, says: "The identity service doesn't let the bot's user in." });
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
  // Whatever the code says, this status asks for fewer calls.
  if (status === 429) return THROTTLED;
  const known = service === 'identity' ? IDENTITY[key] : STATISTICS[key];
  // The gateway calls it a token even for an access key.
  if (known === TOKEN_REFUSED && method === 'aksk') return KEY_REFUSED;
  // A status that asks to try again later counts too.
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
