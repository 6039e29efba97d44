/** The gateway and the two queries: authentication first, then validation, then the answer. */
import type { Identity } from './identity.ts';
import { type Answer, type RefusalCode, refuse } from './refusals.ts';
import type { SignedRequest } from './signature.ts';
import { distribution, offsetMs, timeline, type Window } from './statistics.ts';
import type { TrafficModel } from './traffic.ts';

const DAY_MS = 86_400_000;
const MAX_URL_BYTES = 32 * 1024;

export interface QueryOptions {
  readonly model: () => TrafficModel;
  readonly projectId: string;
  readonly identity: Identity;
  readonly checkSignature: (request: SignedRequest) => Answer | undefined;
  readonly now: () => number;
  readonly maxRangeDays: number;
  readonly retentionDays: number;
  /** The refusal for an invalid token, which differs between deployments. */
  readonly tokenRefusal: () => { code: RefusalCode; status?: number };
}

export function queryName(path: string): 'timeline' | 'distribution' | undefined {
  if (/^\/v1\/[^/]+\/waf\/event\/timeline$/.test(path)) return 'timeline';
  if (/^\/v1\/[^/]+\/waf\/event\/attack\/type$/.test(path)) return 'distribution';
  return undefined;
}

const readMs = (text: string | null) => (text !== null && /^\d{1,16}$/.test(text) ? Number(text) : undefined);

export function createQueries(options: QueryOptions) {
  function authenticate(request: SignedRequest): Answer | undefined {
    if (request.headers.authorization !== undefined) return options.checkSignature(request);
    const token = request.headers['x-auth-token'];
    if (typeof token !== 'string') return refuse('APIG.0301');
    const state = options.identity.stateOf(token);
    if (state === 'good') return undefined;
    const { code, status } = options.tokenRefusal();
    return refuse(code, status === undefined ? {} : { status });
  }

  function readWindow(search: URLSearchParams): Window | Answer {
    const fromMs = readMs(search.get('from'));
    const toMs = readMs(search.get('to'));
    const hosts = search.getAll('hosts');
    if (fromMs === undefined || toMs === undefined || fromMs >= toMs) return refuse('WAF.1025');
    if (toMs - fromMs > options.maxRangeDays * DAY_MS) return refuse('WAF.1025');
    if (hosts.some((id) => !/^[\w-]{1,64}$/.test(id))) return refuse('WAF.1003');
    const oldestMs = options.now() - options.retentionDays * DAY_MS;
    return { fromMs: Math.max(fromMs, Math.min(oldestMs, toMs)), toMs, hosts };
  }

  return function answer(request: SignedRequest): Answer {
    const name = queryName(request.url.pathname);
    if (name === undefined || request.method !== 'GET') return refuse('APIG.0101');
    if (request.url.href.length - request.url.origin.length > MAX_URL_BYTES) {
      return { status: 414, body: { error_code: 'APIG.0201', error_msg: 'Request URI too large' } };
    }
    const refused = authenticate(request);
    if (refused !== undefined) return refused;
    if (request.url.pathname.split('/')[2] !== options.projectId) return refuse('WAF.00012002');
    const search = request.url.searchParams;
    const window = readWindow(search);
    if ('status' in window) return window;
    if (name === 'distribution') return { status: 200, body: distribution(options.model(), window, options.now()) };
    const shiftMs = offsetMs(search.get('timezone') ?? '+00:00');
    if (shiftMs === undefined) return refuse('WAF.1025');
    return { status: 200, body: timeline(options.model(), window, shiftMs, options.now()) };
  };
}
