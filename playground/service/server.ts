/**
 * The local statistics service and its identity service, each on its own port. They answer like the real ones, record
 * every request, and play injected faults.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isForeign, targetOf } from '../slack/loopback-only.ts';
import { drip, flood } from './bodies.ts';
import { type Call, createFaults, distort, type Fault, type FaultScope, isDelay } from './faults.ts';
import { DEFAULT_HOSTS, type TrafficHost } from './hosts.ts';
import { createIdentity, type User } from './identity.ts';
import { DEFAULT_HABITS, type ServiceHabits } from './overviews.ts';
import { createQueries, queryName } from './queries.ts';
import { type Answer, type RefusalCode, refuse } from './refusals.ts';
import { type AccessKey, createSignatureCheck } from './signature.ts';
import type { TrafficModel } from './traffic.ts';
import type { Wave } from './waves.ts';

export interface StatisticsServiceOptions {
  /** Port of the statistics service; any free one by default. */
  readonly port?: number;
  readonly iamPort?: number;
  readonly seed?: number;
  readonly now?: () => number;
  readonly projectId?: string;
  readonly users?: readonly User[];
  readonly keys?: readonly AccessKey[];
  readonly hosts?: readonly TrafficHost[];
  readonly waves?: readonly Wave[];
  readonly seededWaves?: boolean;
  readonly tokenLifeMs?: number;
  readonly tokenLength?: number;
  readonly maxRangeDays?: number;
  readonly retentionDays?: number;
  /** How long it takes until all attacks of a minute are logged. */
  readonly loggingMs?: number;
  /** How a slow response waits; in real time by default. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** How this region answers; only in the events dialect by default. */
  readonly habits?: Partial<ServiceHabits>;
}

export interface RecordedRequest {
  /** `undefined` for any other path. */
  readonly call: Call | undefined;
  readonly method: string;
  /** The request target as received, not decoded. */
  readonly target: string;
  readonly search: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly atMs: number;
  /** 0 if no status was sent. */
  status: number;
  /** Set once the response ended or was cut off. */
  tookMs?: number;
}

export type StatisticsService = Awaited<ReturnType<typeof startStatisticsService>>;

export const DEFAULT_USER: User = { username: 'wafbot', password: 'correct horse battery', domainName: 'OTC-EU-DE-1' };
export const DEFAULT_KEY: AccessKey = {
  accessKey: 'AKLOCAL0123456789AB',
  secretKey: 'SKlocal0123456789abcdefghijklmnop',
};
export const DEFAULT_PROJECT_ID = '3ac26c59e15a4a11bb680a103a29ddb6';

const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 128 * 1024;

/** What can be changed while the service runs. */
interface Settings {
  model: TrafficModel;
  habits: ServiceHabits;
  tokenRefusal: { code: RefusalCode; status?: number };
}

export async function startStatisticsService(options: StatisticsServiceOptions = {}) {
  const { now = Date.now, projectId = DEFAULT_PROJECT_ID, users = [DEFAULT_USER], keys = [DEFAULT_KEY] } = options;
  const { hosts = DEFAULT_HOSTS, seed = 1, waves = [], seededWaves = true } = options;
  const settings: Settings = {
    model: { seed, hosts, waves, seededWaves, loggingMs: options.loggingMs },
    habits: { ...DEFAULT_HABITS, ...options.habits },
    tokenRefusal: { code: 'APIG.0307' },
  };
  const { tokenLifeMs = 24 * 3_600_000, tokenLength = 1_800 } = options;
  const identity = createIdentity({ users, projectId, now, tokenLifeMs, tokenLength });
  const signatures = createSignatureCheck(keys, now);
  const query = createQueries({
    model: () => settings.model,
    projectId,
    identity,
    checkSignature: signatures.check,
    now,
    maxRangeDays: options.maxRangeDays ?? 30,
    retentionDays: options.retentionDays ?? Number.POSITIVE_INFINITY,
    habits: () => settings.habits,
    tokenRefusal: () => settings.tokenRefusal,
  });
  const faults = createFaults();
  const log = createRequestLog(now);
  const waits = countWaits(options.wait ?? ((ms) => delay(ms, undefined, { ref: false })));
  const handle = createHandler({ now, log, faults, identity, query, wait: waits.wait });
  const servers = [
    await listen(options.port ?? 0, (request, response) => handle('statistics', request, response)),
    await listen(options.iamPort ?? 0, (request, response) => handle('identity', request, response)),
  ];
  const [url = '', iamUrl = ''] = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    /** The statistics service. */
    url,
    /** The identity service. */
    iamUrl,
    projectId,
    user: users[0] ?? DEFAULT_USER,
    key: keys[0] ?? DEFAULT_KEY,
    hosts,
    ...log.queries,
    /** How many slow responses wait; each is also under way. */
    responsesWaiting: waits.count,
    ...faultControls(faults),
    ...settingControls(settings),
    revokeTokens: (): void => identity.revokeAll(),
    isUserLocked: (user: User): boolean => identity.isLocked(user),
    isKeyLocked: (accessKey: string): boolean => signatures.isLocked(accessKey),
    tokensIssued: (): number => identity.issued,
    close: async (): Promise<void> => void (await Promise.all(servers.map(closed))),
  };
}

function countWaits(wait: (ms: number) => Promise<unknown>) {
  let count = 0;
  return {
    count: () => count,
    async wait(ms: number): Promise<void> {
      count += 1;
      await wait(ms);
      count -= 1;
    },
  };
}

const faultControls = (faults: ReturnType<typeof createFaults>) => ({
  /** Returns a function that ends the fault. */
  misbehave: (fault: Fault, scope: FaultScope = {}): (() => void) => faults.add(fault, scope),
  resetFaults: (): void => faults.clear(),
  /** Holds calls back until `release` is called. */
  hold(scope: FaultScope = {}): { release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    faults.add({ kind: 'wait', until: promise }, scope);
    return { release: resolve };
  },
});

const settingControls = (settings: Settings) => ({
  /** The refusal for invalid tokens from now on. */
  refuseTokensWith(code: RefusalCode, status?: number): void {
    settings.tokenRefusal = status === undefined ? { code } : { code, status };
  },
  /** Changes how the region answers while it runs. */
  setHabits(changes: Partial<ServiceHabits>): void {
    settings.habits = { ...settings.habits, ...changes };
  },
  waves: (): readonly Wave[] => settings.model.waves ?? [],
  /** Replaces the additional waves, for instance with one that begins now. */
  setWaves(waves: readonly Wave[]): void {
    settings.model = { ...settings.model, waves };
  },
});

function createRequestLog(now: () => number) {
  const requests: RecordedRequest[] = [];
  let underWay = 0;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    record(call: Call | undefined, request: IncomingMessage, url: URL, body: string, response: ServerResponse) {
      const { method = 'GET', url: target = '/', headers } = request;
      const search = url.searchParams;
      const recorded: RecordedRequest = { call, method, target, search, headers, body, atMs: now(), status: 0 };
      const startedMs = performance.now();
      requests.push(recorded);
      underWay += 1;
      notify();
      response.once('close', () => {
        underWay -= 1;
        recorded.tookMs = performance.now() - startedMs;
        notify();
      });
      return recorded;
    },
    queries: {
      /** Every request, in order of arrival. */
      requests,
      calls: (call: Call): readonly RecordedRequest[] => requests.filter((request) => request.call === call),
      requestsUnderWay: (): number => underWay,
      /** Called when a request arrives and when it's over. */
      onChange(listener: () => void): () => void {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}

interface HandlerDeps {
  readonly now: () => number;
  readonly log: ReturnType<typeof createRequestLog>;
  readonly faults: ReturnType<typeof createFaults>;
  readonly identity: ReturnType<typeof createIdentity>;
  readonly query: ReturnType<typeof createQueries>;
  readonly wait: (ms: number) => Promise<unknown>;
}

function createHandler({ now, log, faults, identity, query, wait }: HandlerDeps) {
  const send = createSender(now);

  function respond(call: Call | undefined, request: IncomingMessage, url: URL, body: string): Answer {
    const method = request.method ?? 'GET';
    if (call !== 'token') return query({ method, url, headers: request.headers, body });
    if (method !== 'POST') return refuse('IAM.request', { status: 405 });
    try {
      return identity.issue(JSON.parse(body));
    } catch {
      return refuse('IAM.request');
    }
  }

  return async (service: 'identity' | 'statistics', request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    if (request.method !== 'GET') for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = targetOf(request) ?? new URL('http://localhost');
    const isToken = service === 'identity' && url.pathname === '/v3/auth/tokens';
    const call = isToken ? 'token' : service === 'statistics' ? queryName(url.pathname) : undefined;
    const recorded = log.record(call, request, url, body, response);
    const active = call === undefined ? [] : faults.take(call, url.searchParams);
    for (const fault of active.filter(isDelay)) {
      await (fault.kind === 'wait' ? fault.until : wait(fault.ms));
    }
    const fault = active.find((one) => !isDelay(one));
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'drip') return drip(response, fault.everyMs ?? 5);
    if (fault?.kind === 'flood') return flood(response, fault.bytes, fault.gzip ?? false);
    const refusal = fault?.kind === 'refuse' ? refuse(fault.code, fault.changes) : undefined;
    const intended = fault?.kind === 'answer' ? fault.answer : (refusal ?? respond(call, request, url, body));
    // Faults that change content apply to successful answers only.
    const answer = fault !== undefined && intended.status < 300 ? distort(fault, intended) : intended;
    recorded.status = answer.status;
    send(response, answer, fault?.kind === 'cut' || fault?.kind === 'truncate' ? fault.kind : undefined);
  };
}

function createSender(now: () => number) {
  let served = 0;
  return (response: ServerResponse, answer: Answer, how?: 'cut' | 'truncate'): void => {
    served += 1;
    const requestId = served.toString(16).padStart(32, '0');
    const { body } = answer;
    // The gateway repeats the request id in the body of a refusal.
    const gateway = typeof body === 'object' && body !== null && 'error_code' in body && answer.status >= 400;
    let text = typeof body === 'string' ? body : JSON.stringify(gateway ? { ...body, request_id: requestId } : body);
    const length = Buffer.byteLength(text);
    if (how === 'truncate') text = text.slice(0, Math.floor(text.length / 2));
    const headers = new Map([
      ['date', new Date(now()).toUTCString()],
      ['content-type', 'application/json;charset=utf8'],
      ['x-request-id', requestId],
      ...Object.entries(answer.headers ?? {}),
    ]);
    response.sendDate = false;
    for (const [name, value] of headers) if (value !== '') response.setHeader(name, value);
    response.writeHead(answer.status, how === 'cut' ? { 'content-length': length } : {});
    if (how !== 'cut') response.end(text);
    else response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
  };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function listen(port: number, handle: Handle): Promise<Server> {
  return new Promise<Server>((resolve, reject) => {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
      if (isForeign(request, LOOPBACK)) return void response.writeHead(403).end('forbidden');
      handle(request, response).catch(() => request.socket.destroy());
    });
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => resolve(server));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
