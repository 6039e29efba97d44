/** The client of the statistics service: authentication, requests, dialects, and the cache that all callers share. */
import { hash, randomUUID } from 'node:crypto';
import { Keyv } from 'keyv';
import { type Clock, elapsedMsOf, systemClock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServiceObserver } from '../observability/observers.ts';
import type { ShowAddresses } from '../statistics/attack-sources.ts';
import type { ListedHosts, ServicePause } from '../statistics/statistics.ts';
import { createKeyAuthorizer, type KeyCredentials } from './auth/access-key.ts';
import {
  createCredentialLockout,
  createTokenAuthorizer,
  createTokenCache,
  createTokenCipher,
  createTokenProvider,
  createTokenRequest,
  type PasswordCredentials,
  type TokenProvider,
} from './auth/token-provider.ts';
import {
  type BestEffortCache,
  createBestEffortCache,
  createReplicaSharing,
  type ReplicaLocks,
  type ReplicaSharing,
} from './cache.ts';
import {
  createHttp,
  createRequest,
  createRetryPolicy,
  createScrubber,
  type HttpOptions,
  type RetryOptions,
  type SendRequest,
} from './client/http.ts';
import { createProbe, type ProbeFinding } from './client/probe.ts';
import { type AskedQueries, createQueries } from './client/queries.ts';
import { createDialectChoice, type DialectSetting, inChosenDialect } from './dialects/choose.ts';
import type { Dialect, DialectName } from './dialects/dialect.ts';
import { createEventsDialect } from './dialects/events.ts';
import { createOverviewsDialect } from './dialects/overviews.ts';
import { createHostPages, createServiceHosts } from './hosts.ts';
import type { ServiceName } from './rules.ts';

type RetrySettings = Omit<RetryOptions, 'service' | 'now' | 'random' | 'log' | 'sleep'>;

export interface WafClientOptions extends RetrySettings, HttpOptions {
  readonly baseUrl: string;
  /** Only needed for tokens. */
  readonly iamUrl?: string | undefined;
  readonly projectId: string;
  readonly auth: PasswordCredentials | KeyCredentials;
  /** Defaults to `events`; `auto` detects it. */
  readonly dialect?: DialectSetting | undefined;
  /** The enterprise project for the overviews dialect. */
  readonly enterpriseProject?: string | undefined;
  /** How much of attackers' addresses is shown; defaults to `masked`. */
  readonly showAddresses?: ShowAddresses | undefined;
  /** Where tokens and refusals are stored. Tokens are encrypted. */
  readonly tokens: Keyv;
  readonly answers: Keyv;
  /** Locks of a store that replicas share, so that equal questions are asked once for all of them. */
  readonly locks?: ReplicaLocks | undefined;
  readonly now: () => number;
  /** For waits, pauses and the time limits of the doctor's checks. */
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly sleep?: RetryOptions['sleep'];
  readonly log: Logger;
  readonly observer?: ServiceObserver | undefined;
  /** Longer ranges are split. */
  readonly maxRangeDays?: number;
  /** How many parts of one query are requested in parallel. */
  readonly concurrency?: number;
}

export interface WafClient extends AskedQueries {
  readonly hosts: ListedHosts;
  /** For the doctor: one finding per check, in order. */
  probe(signal?: AbortSignal): Promise<readonly ProbeFinding[]>;
  /** Why requests are paused, and until when; `null` if they aren't. */
  heldBack(): ServicePause | null;
  /** Ends pending questions and makes no more calls. */
  abort(): void;
  /** Aborts, and waits for pending writes. */
  close(): Promise<void>;
}

/** Waits as long as it takes on the clock that deadlines and pauses are measured with. */
const sleepOn =
  (clock: Clock): RetryOptions['sleep'] =>
  async (ms, signal) => {
    signal.throwIfAborted();
    const end = Promise.withResolvers<void>();
    const cancel = clock.after(ms, end.resolve);
    signal.addEventListener('abort', () => end.resolve(), { once: true });
    await end.promise;
    cancel();
    signal.throwIfAborted();
  };

interface Shared {
  readonly options: WafClientOptions;
  readonly sleep: RetryOptions['sleep'];
  /** Tokens, the lockout, the dialect, traits and hosts. */
  readonly records: BestEffortCache;
  readonly answers: BestEffortCache;
  readonly sharingOn: (cache: BestEffortCache) => ReplicaSharing;
  /** Aborted when no more calls may be made. */
  readonly closing: AbortSignal;
  /** Part of cache keys: other services and projects may share the store, but must never see these answers. */
  readonly scopeOf: (...more: readonly string[]) => string;
}

function share(options: WafClientOptions, closing: AbortSignal): Shared {
  const { log, locks = null, clock = systemClock, sleep = sleepOn(clock) } = options;
  const owner = randomUUID();
  return {
    options,
    sleep,
    records: createBestEffortCache(options.tokens, log),
    answers: createBestEffortCache(options.answers, log),
    sharingOn: (cache) => createReplicaSharing({ cache, locks, owner, sleep, log }),
    closing,
    scopeOf: (...more) =>
      hash('sha256', JSON.stringify([withoutSlash(options.baseUrl), options.projectId, ...more])).slice(0, 16),
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

function connect(shared: Shared) {
  const { options, sleep, records, closing } = shared;
  const { auth, projectId, now, log, random = Math.random } = options;
  const http = createHttp(options);
  const secrets = auth.kind === 'token' ? [auth.password] : [auth.accessKey, auth.secretKey, auth.securityToken ?? ''];
  const scrub = createScrubber(secrets);
  const contextOf = (service: ServiceName) => ({ service, method: auth.kind, now, scrub });
  const context = contextOf('statistics');
  const elapsedMs = options.clock === undefined ? now : elapsedMsOf(options.clock);
  const waiting = { random, sleep, elapsedMs };
  const retries = {
    statistics: createRetryPolicy({ ...options, ...waiting, service: 'statistics' }),
    identity: createRetryPolicy({ ...options, ...waiting, service: 'identity' }),
  };
  const cipher = createCipher(options);
  const lockout = createCredentialLockout({ cache: records, cipher, now });
  const identity =
    options.iamUrl === undefined ? undefined : http.createPeer({ prefix: options.iamUrl, ...contextOf('identity') });

  function createTokens(credentials: PasswordCredentials): TokenProvider {
    if (identity === undefined) {
      throw new BotError('config', 'The address of the identity service is missing.', { hint: 'Set WAF_IAM_URL.' });
    }
    return createTokenProvider({
      request: createTokenRequest({ peer: identity, projectId, credentials, retries: retries.identity, now }),
      lockout,
      cache: createTokenCache(records, cipher),
      replicas: shared.sharingOn(records),
      now,
      log,
      observer: options.observer,
      learnSecret: scrub.learn,
      closing,
    });
  }

  const tokens = auth.kind === 'token' ? createTokens(auth) : undefined;
  const authorizer =
    auth.kind === 'token'
      ? createTokenAuthorizer(tokens ?? createTokens(auth), context)
      : createKeyAuthorizer({ key: auth, projectId, lockout, context });
  const statistics = http.createPeer({ prefix: options.baseUrl, hooks: authorizer.hooks, ...context });
  const { observer } = options;
  const calls = { retries: retries.statistics, authorizer, now, log, observer };
  const request = createRequest({ closing, peer: statistics, ...calls });
  return { request, tokens, retries, peers: { statistics, identity }, close: http.close };
}

/** The records of one account at one service are encrypted with a key of their own. */
function createCipher({ auth, baseUrl, iamUrl = '', projectId }: WafClientOptions) {
  return auth.kind === 'token'
    ? createTokenCipher([withoutSlash(iamUrl), auth.domainName, auth.username, projectId], auth.password)
    : createTokenCipher([withoutSlash(baseUrl), auth.accessKey, auth.securityToken ?? '', projectId], auth.secretKey);
}

function createDialects({ options, records, scopeOf, closing }: Shared, request: SendRequest) {
  const { projectId, enterpriseProject, showAddresses = 'masked', now } = options;
  const scope = scopeOf('overviews', enterpriseProject ?? '');
  const common = { request, projectId, showAddresses };
  return {
    events: createEventsDialect(common),
    overviews: createOverviewsDialect({ ...common, enterpriseProject, cache: records, scope, now, closing }),
  };
}

function createAllQueries({ options, answers, sharingOn, scopeOf }: Shared, dialects: Record<DialectName, Dialect>) {
  const { now, log, observer, enterpriseProject = '' } = options;
  const { showAddresses = 'masked', maxRangeDays = 30, concurrency = 4 } = options;
  const replicas = sharingOn(answers);
  const common = { showAddresses, now, log, cache: answers, replicas, observer, maxRangeDays, concurrency };
  return {
    events: createQueries({ ...common, dialect: dialects.events, scope: scopeOf() }),
    overviews: createQueries({
      ...common,
      dialect: dialects.overviews,
      scope: scopeOf('overviews', enterpriseProject),
    }),
  };
}

export function createWafClient(options: WafClientOptions): WafClient {
  const { now, log, enterpriseProject, projectId } = options;
  const closing = new AbortController();
  const shared = share(options, closing.signal);
  const { records, answers, scopeOf } = shared;
  const { request, close, ...connection } = connect(shared);
  const dialects = createDialects(shared, request);
  const queries = createAllQueries(shared, dialects);
  const common = { cache: records, now, log, closing: closing.signal };
  const choice = createDialectChoice({
    ...common,
    setting: options.dialect ?? 'events',
    events: dialects.events,
    probe: dialects.overviews.probe,
    scope: scopeOf(),
  });
  const hosts = createServiceHosts({
    ...common,
    list: createHostPages({ request, projectId, enterpriseProject }),
    replicas: shared.sharingOn(records),
    scope: enterpriseProject === undefined ? scopeOf() : scopeOf(enterpriseProject),
  });

  function abort(): void {
    const reason = new BotError('stopping', 'The bot is restarting.', { hint: 'Ask again in a minute.' });
    closing.abort(reason);
    for (const each of Object.values(queries)) each.abortAll(reason);
  }

  const cached = inChosenDialect(choice, queries);
  const uncached = () =>
    share({ ...options, answers: new Keyv(), locks: undefined, observer: undefined }, closing.signal);

  return {
    ...cached,
    hosts,
    heldBack: () => connection.retries.statistics.heldBack() ?? connection.retries.identity.heldBack(),
    probe: createProbe({
      ...connection,
      dialects,
      choose: choice.get,
      freshQueries: () => inChosenDialect(choice, createAllQueries(uncached(), dialects)),
      cached,
      hostNames: hosts.examine,
      closing: closing.signal,
      now,
      clock: options.clock ?? systemClock,
    }),
    abort,
    async close() {
      abort();
      await Promise.all([records.flush(), answers.flush()]);
      await close();
    },
  };
}
