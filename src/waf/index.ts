/** The client of the statistics service, put together: authentication, requests, and the cache that all callers share. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keyv } from 'keyv';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { AttackSources, ShowAddresses } from '../statistics/attack-sources.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { createKeyAuthorizer, type KeyCredentials } from './auth/access-key.ts';
import { createCredentialLockout, createTokenCache, createTokenCipher } from './auth/token-cache.ts';
import { createTokenAuthorizer, createTokenProvider } from './auth/token-provider.ts';
import { createTokenRequest, type PasswordCredentials } from './auth/token-request.ts';
import { type BestEffortCache, createBestEffortCache } from './cache/best-effort-cache.ts';
import { createReplicaSharing, type ReplicaLocks } from './cache/request-sharing.ts';
import { createRetryPolicy, createTransport, type RetryOptions } from './client/http.ts';
import { createProbe, type ProbeFinding } from './client/probe.ts';
import { createQueries, type ObserveQuery } from './client/queries.ts';
import { createRequest } from './client/request.ts';
import { createScrubber } from './client/scrub.ts';
import { createDialectChoice, type DialectSetting, inChosenDialect } from './dialects/choose.ts';
import type { Dialect } from './dialects/dialect.ts';
import { createEventsDialect } from './dialects/events.ts';
import { createOverviewsDialect } from './dialects/overviews.ts';
import { createHostPages } from './hosts/host-pages.ts';
import { createServiceHosts, type ServiceHosts } from './hosts/service-hosts.ts';
import type { WafQuery } from './wire/query-window.ts';

export type { WafQuery } from './wire/query-window.ts';

type RetrySettings = Omit<RetryOptions, 'service' | 'now' | 'random' | 'log' | 'sleep'>;

export interface WafClientOptions extends RetrySettings {
  readonly baseUrl: string;
  /** Needed for tokens only. */
  readonly iamUrl?: string | undefined;
  readonly projectId: string;
  readonly auth: PasswordCredentials | KeyCredentials;
  /** `events` where left out; `auto` finds out. */
  readonly dialect?: DialectSetting | undefined;
  /** The enterprise project that the overviews dialect asks for. */
  readonly enterpriseProject?: string | undefined;
  /** How much of the addresses of attackers may be seen; `masked` where left out. */
  readonly showAddresses?: ShowAddresses | undefined;
  /** Where tokens and refusals are stored. Tokens are encrypted. */
  readonly tokens: Keyv;
  /** Where answers are stored. */
  readonly answers: Keyv;
  /** Locks of a store that other replicas use too: equal questions are then asked once for all of them. */
  readonly locks?: ReplicaLocks | undefined;
  readonly now: () => number;
  readonly random?: () => number;
  readonly sleep?: RetryOptions['sleep'];
  readonly log: Logger;
  readonly observe?: ObserveQuery;
  /** Longer ranges are asked for in parts. */
  readonly maxRangeDays?: number;
  /** Room for hosts in one URL; the gateway takes 32 KB in all. */
  readonly maxUrlBytes?: number;
  /** How many parts of one query are asked for at the same time. */
  readonly concurrency?: number;
  /** How long before its end a token is renewed. */
  readonly tokenMarginMs?: number;
  /** The longest answer that is read, in bytes. */
  readonly maxBodyBytes?: number;
  /** Respect `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly proxyFromEnvironment?: boolean;
}

export interface WafClient {
  timeline(query: WafQuery): Promise<Timeline>;
  distribution(query: WafQuery): Promise<Distribution>;
  /** Who attacks. */
  sources(query: WafQuery): Promise<AttackSources>;
  /** The hosts that the service lists. */
  readonly hosts: ServiceHosts;
  /** For the doctor: one finding for each check, in order. */
  probe(signal?: AbortSignal): Promise<readonly ProbeFinding[]>;
  /** Ends pending questions, and makes no call any more. */
  abort(): void;
  /** Aborts, and waits for pending writes. */
  close(): Promise<void>;
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    // Node's timer rejects with its own reason; the signal's is the one to report.
    signal.throwIfAborted();
    throw error;
  }
}

export function createWafClient(options: WafClientOptions): WafClient {
  const { auth, projectId, now, log, random = Math.random } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const iamUrl = options.iamUrl?.replace(/\/+$/, '');
  const scrub = createScrubber(
    auth.kind === 'token' ? [auth.password] : [auth.accessKey, auth.secretKey, auth.securityToken ?? ''],
  );
  const stored = createBestEffortCache(options.tokens, log);
  const answerCache = createBestEffortCache(options.answers, log, { isOurs: options.locks === undefined });
  const { proxyFromEnvironment, maxBodyBytes } = options;
  const transport = createTransport({ proxyFromEnvironment, maxBodyBytes });
  const { sleep = wait } = options;
  const retries = {
    statistics: createRetryPolicy({ ...options, service: 'statistics', random, sleep }),
    identity: createRetryPolicy({ ...options, service: 'identity', random, sleep }),
  };
  const owner = randomUUID();
  const sharingOn = (cache: BestEffortCache) =>
    createReplicaSharing({ cache, locks: options.locks ?? null, owner, sleep, log });
  const [identity, secret] =
    auth.kind === 'token'
      ? [[iamUrl ?? '', auth.domainName, auth.username, projectId], auth.password]
      : [[baseUrl, auth.accessKey, auth.securityToken ?? '', projectId], auth.secretKey];
  const cipher = createTokenCipher(identity, secret);
  const lockout = createCredentialLockout({ cache: stored, cipher, now });

  function createTokens(credentials: PasswordCredentials) {
    if (iamUrl === undefined) {
      throw new BotError('config', 'The address of the identity service is missing.', { hint: 'Set WAF_IAM_URL.' });
    }
    const parts = { iamUrl, projectId, credentials, transport, retries: retries.identity, scrub, now };
    const marginMs = options.tokenMarginMs ?? 10 * 60_000;
    return createTokenProvider({
      ...createTokenRequest(parts),
      lockout,
      cache: createTokenCache(stored, cipher),
      replicas: sharingOn(stored),
      now,
      log,
      learnSecret: scrub.learn,
      marginMs,
    });
  }

  const tokens = auth.kind === 'token' ? createTokens(auth) : undefined;
  const authorizer =
    auth.kind === 'aksk'
      ? createKeyAuthorizer({ key: auth, projectId, lockout, now })
      : createTokenAuthorizer(tokens ?? createTokens(auth));
  const closing = new AbortController();
  const request = createRequest({
    closing: closing.signal,
    baseUrl,
    transport,
    retries: retries.statistics,
    authorizer,
    scrub,
    now,
    log,
  });
  // Other services and projects may share the store, but must never see these answers.
  const scopeOf = (...more: readonly string[]) =>
    createHash('sha256')
      .update(JSON.stringify([baseUrl, projectId, ...more]))
      .digest('hex')
      .slice(0, 16);
  const { enterpriseProject, showAddresses = 'masked' } = options;
  const overviewsScope = scopeOf('overviews', enterpriseProject ?? '');
  const dialects = {
    events: createEventsDialect({ request, projectId, showAddresses }),
    overviews: createOverviewsDialect({
      request,
      projectId,
      showAddresses,
      enterpriseProject,
      cache: stored,
      scope: overviewsScope,
      now,
      closing: closing.signal,
    }),
  };
  const queriesIn = (dialect: Dialect, scope: string) =>
    createQueries({
      dialect,
      showAddresses,
      now,
      log,
      cache: answerCache,
      replicas: sharingOn(answerCache),
      observe: options.observe,
      scope,
      maxRangeDays: options.maxRangeDays ?? 30,
      maxUrlBytes: options.maxUrlBytes ?? 30 * 1024,
      concurrency: options.concurrency ?? 4,
    });
  const queries = {
    events: queriesIn(dialects.events, scopeOf()),
    overviews: queriesIn(dialects.overviews, overviewsScope),
  };
  const chosen = createDialectChoice({
    setting: options.dialect ?? 'events',
    events: dialects.events,
    probe: dialects.overviews.probe,
    cache: stored,
    scope: scopeOf(),
    now,
    log,
    closing: closing.signal,
  });
  const hosts = createServiceHosts({
    list: createHostPages({ request, projectId, enterpriseProject }),
    cache: stored,
    replicas: sharingOn(stored),
    scope: enterpriseProject === undefined ? scopeOf() : scopeOf(enterpriseProject),
    now,
    log,
    closing: closing.signal,
  });
  const probed = { method: auth.kind, baseUrl, iamUrl, transport, retries, tokens, choose: chosen.get, dialects, now };

  function abort(): void {
    const reason = new BotError('upstream_unavailable', 'The bot is shutting down.', {
      hint: 'Ask again in a moment.',
    });
    closing.abort(reason);
    for (const each of Object.values(queries)) each.abortAll(reason);
    tokens?.close(reason);
  }

  return {
    ...inChosenDialect(chosen, queries),
    hosts,
    probe: createProbe({ ...probed, hostNames: hosts.findings }),
    abort,
    async close() {
      abort();
      await Promise.all([stored.flush(), answerCache.flush()]);
      await transport.close();
    },
  };
}
