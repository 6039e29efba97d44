/**
 * The local statistics service and its identity service, each on a port of its own. They answer like the real ones,
 * record every request, and play injected faults.
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
  /** How this region answers; in the events dialect alone by default. */
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
  /** 0 when no status was sent. */
  status: number;
  /** Set once answered, or cut off. */
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
/** Among the newest requests are all that are not answered yet. */
const RECENT = 200;
const MAX_HEADER_BYTES = 128 * 1024;

export async function startStatisticsService(options: StatisticsServiceOptions = {}) {
  const now = options.now ?? Date.now;
  const projectId = options.projectId ?? DEFAULT_PROJECT_ID;
  const users = options.users ?? [DEFAULT_USER];
  const keys = options.keys ?? [DEFAULT_KEY];
  const hosts = options.hosts ?? DEFAULT_HOSTS;
  const { seed = 1, waves = [], seededWaves = true } = options;
  let model: TrafficModel = { seed, hosts, waves, seededWaves };
  const requests: RecordedRequest[] = [];
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const faults = createFaults();
  const identity = createIdentity({
    users,
    projectId,
    now,
    tokenLifeMs: options.tokenLifeMs ?? 24 * 3_600_000,
    tokenLength: options.tokenLength ?? 1_800,
  });
  const signatures = createSignatureCheck(keys, now);
  let tokenRefusal: { code: RefusalCode; status?: number } = { code: 'APIG.0307' };
  let habits: ServiceHabits = { ...DEFAULT_HABITS, ...options.habits };
  const query = createQueries({
    model: () => model,
    projectId,
    identity,
    checkSignature: signatures.check,
    now,
    maxRangeDays: options.maxRangeDays ?? 30,
    retentionDays: options.retentionDays ?? Number.POSITIVE_INFINITY,
    habits: () => habits,
    tokenRefusal: () => tokenRefusal,
  });

  let served = 0;
  function send(response: ServerResponse, answer: Answer, how?: 'cut' | 'truncate'): void {
    served += 1;
    const requestId = served.toString(16).padStart(32, '0');
    const { body } = answer;
    // The gateway repeats the id of the request in the body of a refusal.
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
  }

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

  async function handle(service: 'identity' | 'statistics', request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    if (request.method !== 'GET') for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = targetOf(request) ?? new URL('http://localhost');
    const isToken = service === 'identity' && url.pathname === '/v3/auth/tokens';
    const call = isToken ? 'token' : service === 'statistics' ? queryName(url.pathname) : undefined;
    const { method = 'GET', url: target = '/', headers } = request;
    const recorded: RecordedRequest = {
      call,
      method,
      target,
      search: url.searchParams,
      headers,
      body,
      atMs: now(),
      status: 0,
    };
    const startedMs = performance.now();
    requests.push(recorded);
    notify();
    response.once('close', () => {
      recorded.tookMs = performance.now() - startedMs;
      notify();
    });
    const taken = call === undefined ? [] : faults.take(call);
    for (const fault of taken.filter(isDelay)) {
      await (fault.kind === 'wait' ? fault.until : delay(fault.ms, undefined, { ref: false }));
    }
    const fault = taken.find((one) => !isDelay(one));
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'drip') return drip(response, fault.everyMs ?? 5);
    if (fault?.kind === 'flood') return flood(response, fault.bytes, fault.gzip ?? false);
    const refusal = fault?.kind === 'refuse' ? refuse(fault.code, fault.changes) : undefined;
    const said = fault?.kind === 'answer' ? fault.answer : (refusal ?? respond(call, request, url, body));
    // Faults that change content apply to successful answers only.
    const answer = fault !== undefined && said.status < 300 ? distort(fault, said) : said;
    recorded.status = answer.status;
    send(response, answer, fault?.kind === 'cut' || fault?.kind === 'truncate' ? fault.kind : undefined);
  }

  const listen = (service: 'identity' | 'statistics', port: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
        if (isForeign(request, LOOPBACK)) return void response.writeHead(403).end('forbidden');
        handle(service, request, response).catch(() => request.socket.destroy());
      });
      server.once('error', reject);
      server.listen(port, LOOPBACK, () => resolve(server));
    });
  const servers = [await listen('statistics', options.port ?? 0), await listen('identity', options.iamPort ?? 0)];
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
    /** Every request, in order of arrival. */
    requests,
    calls: (call: Call): readonly RecordedRequest[] => requests.filter((request) => request.call === call),
    /** Returns a function that ends the fault. */
    misbehave: (fault: Fault, scope: FaultScope = {}): (() => void) => faults.add(fault, scope),
    resetFaults: (): void => faults.clear(),
    /** Holds calls back until `release` is called. */
    hold(scope: FaultScope = {}): { release: () => void } {
      const { promise, resolve } = Promise.withResolvers<void>();
      faults.add({ kind: 'wait', until: promise }, scope);
      return { release: resolve };
    },
    revokeTokens: (): void => identity.revokeAll(),
    /** The refusal for invalid tokens from now on. */
    refuseTokensWith(code: RefusalCode, status?: number): void {
      tokenRefusal = status === undefined ? { code } : { code, status };
    },
    /** A region that is changed while it runs. */
    setHabits(changes: Partial<ServiceHabits>): void {
      habits = { ...habits, ...changes };
    },
    isUserLocked: (user: User): boolean => identity.isLocked(user),
    isKeyLocked: (accessKey: string): boolean => signatures.isLocked(accessKey),
    /** Called when a request comes in and when it is over. */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    requestsUnderWay: (): number => requests.slice(-RECENT).filter(({ tookMs }) => tookMs === undefined).length,
    /** Tokens that the identity service has issued. */
    tokensIssued: (): number => identity.issued,
    waves: (): readonly Wave[] => model.waves ?? [],
    /** Replaces the additional waves, for instance with one that begins now. */
    setWaves(next: readonly Wave[]): void {
      model = { ...model, waves: next };
    },
    async close(): Promise<void> {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              server.close(() => resolve());
              server.closeAllConnections();
            }),
        ),
      );
    },
  };
}
