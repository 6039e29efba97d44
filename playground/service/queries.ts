/** The gateway and the queries of both dialects: authentication first, then validation, then the answer. */
import { abnormalPages, actionTypes, type DetailQuery, detailName, eventRows, responseCodes } from './details.ts';
import { type HostListQuery, hasHostList, hostList, hostListName, isHostList } from './host-lists.ts';
import type { Identity } from './identity.ts';
import {
  createOverviews,
  type OverviewQuery,
  overviewName,
  recentWindow,
  type ServiceHabits,
  topAddresses,
} from './overviews.ts';
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
  readonly habits: () => ServiceHabits;
  /** The refusal for an invalid token, which differs between deployments. */
  readonly tokenRefusal: () => { code: RefusalCode; status?: number };
}

interface RefusalCodes {
  readonly time: RefusalCode;
  readonly id: RefusalCode;
}

/** Older refusals have four digits, those of the overviews dialect eight. */
const FOUR_DIGITS: RefusalCodes = { time: 'WAF.1025', id: 'WAF.1003' };
const EIGHT_DIGITS: RefusalCodes = { time: 'WAF.00011001', id: 'WAF.00011004' };

type QueryName = 'timeline' | 'distribution' | 'sources' | OverviewQuery | DetailQuery | HostListQuery;

export function queryName(path: string): QueryName | undefined {
  if (/^\/v1\/[^/]+\/waf\/event\/timeline$/.test(path)) return 'timeline';
  if (/^\/v1\/[^/]+\/waf\/event\/attack\/type$/.test(path)) return 'distribution';
  if (/^\/v1\/[^/]+\/waf\/event\/attack\/source$/.test(path)) return 'sources';
  return (
    hostListName(path) ?? (/^\/v1\/[^/]+\/waf\//.test(path) ? (overviewName(path) ?? detailName(path)) : undefined)
  );
}

const readMs = (text: string | null) => (text !== null && /^\d{1,16}$/.test(text) ? Number(text) : undefined);

function readWindow(
  { now, maxRangeDays, retentionDays, habits }: QueryOptions,
  search: URLSearchParams,
  codes: RefusalCodes,
): Window | Answer {
  const named = recentWindow(search.get('recent') ?? '', now());
  const fromMs = named?.fromMs ?? readMs(search.get('from'));
  const toMs = named?.toMs ?? readMs(search.get('to'));
  const hosts = search.getAll('hosts');
  if (fromMs === undefined || toMs === undefined || fromMs >= toMs) return refuse(codes.time);
  if (toMs - fromMs > maxRangeDays * DAY_MS) return refuse(codes.time);
  if (hosts.some((id) => !/^[\w-]{1,64}$/.test(id))) return refuse(codes.id);
  const oldestMs = now() - retentionDays * DAY_MS;
  const taken = habits().hosts === 'first' ? hosts.slice(0, 1) : hosts;
  if (habits().beyondRetention === 'zeros') return { fromMs, toMs, hosts: taken, availableFromMs: oldestMs };
  return { fromMs: Math.max(fromMs, Math.min(oldestMs, toMs)), toMs, hosts: taken };
}

function detail({ model, now }: QueryOptions, name: DetailQuery, window: Window, search: URLSearchParams): Answer {
  const nowMs = now();
  const number = (key: string, otherwise: number): number => Number(search.get(key) ?? otherwise);
  switch (name) {
    case 'action types':
      return { status: 200, body: actionTypes(model(), window, nowMs) };
    case 'response codes': {
      const source = search.get('response_source') ?? 'WAF';
      if (source !== 'WAF' && source !== 'UPSTREAM') return refuse('WAF.00011001');
      return { status: 200, body: responseCodes(model(), window, source, nowMs) };
    }
    case 'abnormal': {
      const code = search.get('code') ?? '404';
      if (!['404', '500', '502'].includes(code)) return refuse('WAF.00011001');
      return { status: 200, body: abnormalPages(model(), window, code, number('top', 5), nowMs) };
    }
    case 'events': {
      const [page, pageSize] = [number('page', 1), number('pagesize', 10)];
      if (!(page >= 1 && pageSize >= 1 && pageSize <= 100)) return refuse('WAF.00011011');
      const filter = { attacks: search.getAll('attacks'), page, pageSize };
      return { status: 200, body: eventRows(model(), window, filter, nowMs) };
    }
  }
}

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

  const { habits } = options;
  const overviews = createOverviews(options.model, habits, options.now);

  function exists(name: QueryName): boolean {
    if (isHostList(name)) return hasHostList(name, habits());
    if (name === 'sources') return !habits().without.includes(name);
    const inEvents = name === 'timeline' || name === 'distribution';
    if (inEvents && habits().speaks.includes('events')) return true;
    return name !== 'timeline' && habits().speaks.includes('overviews') && !habits().without.includes(name);
  }

  function noSuchQuery(): Answer {
    const { noSuchQuery: code } = habits();
    return code === 'bare' ? { status: 404, body: '' } : refuse(code);
  }

  function answer(request: SignedRequest): Answer {
    const name = queryName(request.url.pathname);
    if (name === undefined || request.method !== 'GET') return refuse('APIG.0101');
    if (!exists(name)) return noSuchQuery();
    if (request.url.href.length - request.url.origin.length > MAX_URL_BYTES) {
      return { status: 414, body: { error_code: 'APIG.0201', error_msg: 'Request URI too large' } };
    }
    const refused = authenticate(request);
    if (refused !== undefined) return refused;
    if (request.url.pathname.split('/')[2] !== options.projectId) return refuse('WAF.00012002');
    const search = request.url.searchParams;
    if (isHostList(name)) {
      return hostList(name, options.model().hosts, habits(), search);
    }
    const isEvents = habits().speaks.includes('events') && ['timeline', 'distribution', 'sources'].includes(name);
    const isNamed = name === 'distribution' && !isEvents && search.has('recent');
    // Mandatory in this dialect, as with some providers.
    if (!isEvents && request.headers['content-type'] === undefined) return refuse('WAF.00011001');
    const window = readWindow(options, search, isEvents ? FOUR_DIGITS : EIGHT_DIGITS);
    if ('status' in window) return window;
    if (name === 'timeline') {
      const shiftMs = offsetMs(search.get('timezone') ?? '+00:00');
      if (shiftMs === undefined) return refuse('WAF.1025');
      return { status: 200, body: timeline(options.model(), window, shiftMs, options.now()) };
    }
    if (name === 'sources') return { status: 200, body: topAddresses(options.model(), window, options.now()) };
    if (isDetail(name)) return detail(options, name, window, search);
    if (name !== 'distribution') return overviews(name, window, search);
    const wantsName = habits().categories === 'recent' || habits().windows === 'fixed';
    if (!isEvents && wantsName && !isNamed) return refuse('WAF.00011001');
    return { status: 200, body: distribution(options.model(), window, options.now()) };
  }

  return (request: SignedRequest): Answer => {
    const given = answer(request);
    return given.status === 200 ? { ...given, body: inRegion(given.body, habits()) } : given;
  };
}

const isDetail = (name: QueryName): name is DetailQuery =>
  name === 'action types' || name === 'response codes' || name === 'abnormal' || name === 'events';

/** How a region distorts a good answer: numbers as text, points left out, categories it can't count. */
function inRegion(body: unknown, habits: ServiceHabits): unknown {
  const { numbers, missingEvery, unknownCategories } = habits;
  if (numbers === 'numbers' && missingEvery === 0 && unknownCategories.length === 0) return body;
  const isMissing = (point: unknown): boolean =>
    missingEvery > 0 &&
    typeof point === 'object' &&
    point !== null &&
    'time' in point &&
    !('sip' in point) &&
    Math.floor(Number(point.time) / 60_000) % missingEvery === 0;
  const changed = (value: unknown, key: string): unknown => {
    if (typeof value === 'number') {
      if (unknownCategories.includes(key)) return null;
      return numbers === 'strings' ? String(value) : value;
    }
    if (Array.isArray(value)) return value.filter((point) => !isMissing(point)).map((item) => changed(item, ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, changed(item, name)]));
  };
  return changed(body, '');
}
