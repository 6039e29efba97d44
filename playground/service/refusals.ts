/**
 * Every known refusal of the two services by code, with the body it's sent with. The identity service has two shapes of
 * body; the gateway in front of the statistics service adds a request id to its own.
 */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Title of the identity service's first shape; without one the second shape is sent. */
  readonly title?: string;
  readonly retryAfterSeconds?: number;
}

const REFUSALS = {
  // Identity service.
  'IAM.password': { status: 401, message: 'The username or password is wrong.', title: 'Unauthorized' },
  'IAM.request': { status: 400, message: 'The request body is invalid.', title: 'Bad Request' },
  'IAM.0002': { status: 401, message: 'Authentication failed.' },
  'IAM.0061': { status: 401, message: 'Account locked.' },
  'IAM.0081': { status: 403, message: 'This user only supports console access, not programmatic access.' },
  'IAM.0012': { status: 429, message: 'The throttling threshold has been reached.', retryAfterSeconds: 2 },
  'IAM.down': { status: 503, message: 'Service Unavailable.', title: 'Service Unavailable' },
  // Gateway.
  'APIG.0101': { status: 404, message: 'The API does not exist or has not been published in the environment' },
  'APIG.0301': { status: 401, message: 'Incorrect IAM authentication information' },
  'APIG.0307': { status: 401, message: 'Incorrect IAM authentication information: the token must be updated' },
  'APIGW.0301': { status: 401, message: 'Incorrect IAM authentication information' },
  'APIGW.0307': { status: 401, message: 'The token must be updated.' },
  'APIG.0308': {
    status: 429,
    message: 'The throttling threshold has been reached: policy ip over ratelimit,limit:5,time:1 minute',
  },
  'APIG.0613': { status: 503, message: 'The IAM service is unavailable' },
  // The statistics service itself.
  'WAF.1001': { status: 400, message: 'Invalid parameter.' },
  'WAF.1025': { status: 400, message: 'Invalid time.' },
  'WAF.1003': { status: 400, message: 'Invalid ID.' },
  'WAF.3004': { status: 500, message: 'System busy. Try again later.' },
  'WAF.5003': { status: 500, message: 'Elasticsearch service exception.' },
  'WAF.9001': { status: 401, message: 'Authentication failed.' },
  'WAF.9002': { status: 403, message: 'No permission.' },
  'WAF.00012001': { status: 400, message: 'Invalid token.' },
  'WAF.00012002': { status: 400, message: 'The project does not match the token.' },
  'WAF.00012003': { status: 400, message: 'Permission denied.' },
  'WAF.4000': { status: 400, message: 'The API does not exist.' },
  'WAF.00014009': { status: 400, message: 'API not found.' },
  'WAF.00011001': { status: 400, message: 'Bad request.' },
  'WAF.00011004': { status: 400, message: 'Invalid ID.' },
  'WAF.00011011': { status: 400, message: 'Invalid paging.' },
  'WAF.00012005': { status: 400, message: 'Not subscribed.' },
  'WAF.00012010': { status: 400, message: 'All enterprise projects are not granted.' },
} as const satisfies Record<string, Refusal>;

export type RefusalCode = keyof typeof REFUSALS;

export interface RefusalChanges {
  readonly status?: number;
  readonly message?: string;
  /** `null` leaves the header out. */
  readonly retryAfter?: string | null;
}

export function refuse(code: RefusalCode, changes: RefusalChanges = {}): Answer {
  const known: Refusal = REFUSALS[code];
  const status = changes.status ?? known.status;
  const message = changes.message ?? known.message;
  const retryAfter = changes.retryAfter === undefined ? known.retryAfterSeconds?.toString() : changes.retryAfter;
  return {
    status,
    headers: retryAfter === undefined || retryAfter === null ? {} : { 'retry-after': retryAfter },
    body:
      known.title === undefined
        ? { error_msg: message, error_code: code }
        : { error: { message, code: status, title: known.title } },
  };
}
