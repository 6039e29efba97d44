/** The face of the room: one client of the statistics service, made of its parts. */
import { createHash } from 'node:crypto';
import type { Keyv } from 'keyv';
import { BotError } from '../errors.ts';
import type { Distribution, Timeline } from '../insight/timeline.ts';
import type { Logger } from '../observability/logger.ts';
import { createAsk } from './ask.ts';
import { createKeyAuthorizer, createTokenAuthorizer, type KeyCredentials } from './authorizer.ts';
import { createHold } from './hold.ts';
import { createIdentity } from './identity.ts';
import { createKept } from './kept.ts';
import { createPatience, type PatienceOptions } from './patience.ts';
import { createProbe, type ProbeFinding } from './probe.ts';
import { createQueries } from './queries.ts';
import { createScrubber } from './scrub.ts';
import { createTokenProvider } from './token.ts';
import type { PasswordCredentials } from './token-request.ts';
import { createTransport } from './transport.ts';
import { createVault } from './vault.ts';
import type { WafQuery } from './window.ts';

export type { ProbeFinding } from './probe.ts';
export type { WafQuery } from './window.ts';

type PatienceSettings = Omit<PatienceOptions, 'service' | 'now' | 'random' | 'log'>;

export interface WafClientOptions extends PatienceSettings {
  readonly baseUrl: string;
  /** Needed for tokens only. */
  readonly iamUrl?: string | undefined;
  readonly projectId: string;
  readonly auth: PasswordCredentials | KeyCredentials;
  /** A namespace for tokens and refusals. Everything secret in it is encrypted. */
  readonly tokens: Keyv;
  /** A namespace for answers. */
  readonly answers: Keyv;
  readonly now: () => number;
  readonly random?: () => number;
  readonly log: Logger;
  /** Longer ranges are asked for in parts. */
  readonly maxRangeDays?: number;
  /** Room for hosts in one URL; the gateway takes 32 KB in all. */
  readonly maxUrlBytes?: number;
  /** Parts of one question asked at the same time. */
  readonly concurrency?: number;
  /** How long before its end a token is renewed. */
  readonly tokenMarginMs?: number;
  /** Honour `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly proxyFromEnvironment?: boolean;
}

export interface WafClient {
  timeline(query: WafQuery): Promise<Timeline>;
  distribution(query: WafQuery): Promise<Distribution>;
  /** For the doctor: one finding per thing looked at, in order. */
  probe(signal?: AbortSignal): Promise<readonly ProbeFinding[]>;
  /** Ends what is in flight, waits for what is being kept. */
  close(): Promise<void>;
}

export function createWafClient(options: WafClientOptions): WafClient {
  const { auth, projectId, now, log, random = Math.random } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const iamUrl = options.iamUrl?.replace(/\/+$/, '');
  const scrub = createScrubber(
    auth.kind === 'token' ? [auth.password] : [auth.accessKey, auth.secretKey, auth.securityToken ?? ''],
  );
  const kept = createKept(options.tokens, log);
  const transport = createTransport({ proxyFromEnvironment: options.proxyFromEnvironment ?? false });
  const patience = (service: 'statistics' | 'identity') => createPatience({ ...options, service, random });
  const [name, secret] =
    auth.kind === 'token'
      ? [[iamUrl ?? '', auth.domainName, auth.username, projectId], auth.password]
      : [[baseUrl, auth.accessKey, auth.securityToken ?? '', projectId], auth.secretKey];
  const vault = createVault(name, secret);
  const hold = createHold({ kept, vault, now });

  function createTokens(credentials: PasswordCredentials) {
    if (iamUrl === undefined) {
      throw new BotError('config', 'The address of the identity service is missing.', { hint: 'Set WAF_IAM_URL.' });
    }
    const parts = { iamUrl, projectId, credentials, transport, patience: patience('identity'), scrub, now };
    const { request, holdMsFor } = createIdentity(parts);
    const marginMs = options.tokenMarginMs ?? 10 * 60_000;
    return createTokenProvider({ request, holdMsFor, hold, kept, vault, now, log, learn: scrub.learn, marginMs });
  }

  const tokens = auth.kind === 'token' ? createTokens(auth) : undefined;
  const authorizer =
    auth.kind === 'aksk'
      ? createKeyAuthorizer({ key: auth, projectId, hold, now })
      : createTokenAuthorizer(tokens ?? createTokens(auth));
  const ask = createAsk({ baseUrl, transport, patience: patience('statistics'), authorizer, scrub, now, log });
  const answersKept = createKept(options.answers, log);
  const queries = createQueries({
    ask,
    projectId,
    now,
    log,
    kept: answersKept,
    // Another service or project must never see these answers, whoever shares the store.
    scope: createHash('sha256')
      .update(JSON.stringify([baseUrl, projectId]))
      .digest('hex')
      .slice(0, 16),
    maxRangeDays: options.maxRangeDays ?? 30,
    maxUrlBytes: options.maxUrlBytes ?? 30 * 1024,
    concurrency: options.concurrency ?? 4,
  });

  return {
    timeline: queries.timeline,
    distribution: queries.distribution,
    probe: createProbe({ way: auth.kind, iamUrl, projectId, transport, tokens, ask, now }),
    async close() {
      const reason = new BotError('upstream_unavailable', 'The bot is shutting down.');
      queries.abortAll(reason);
      tokens?.close(reason);
      await Promise.all([kept.flush(), answersKept.flush()]);
      await transport.close();
    },
  };
}
