/**
 * A connection to Redis that cannot hang: at the start it answers PING within a limit or fails clearly, it refuses commands
 * while Redis is away instead of queueing them, notices a silent peer, and reconnects. Its errors and log lines contain
 * neither the address nor the password.
 */
import { createClient } from '@keyv/redis';
import { systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';

export type RedisClient = ReturnType<typeof createClient>;

const START_LIMIT_MS = 3_000;
const RECONNECT_MAX_MS = 2_000;
/** An idle connection pings this often, so `SILENCE_MS` without an answer means that the peer is gone. */
const PING_EVERY_MS = 2_000;
const SILENCE_MS = 6_000;

interface ConnectOptions {
  /** Commands wait for the connection to come back instead of failing at once. Only BullMQ wants that. */
  readonly queueWhileAway?: boolean;
  /** How long the peer may be silent before the connection counts as dead. */
  readonly silenceMs?: number;
}

export async function connectRedis(url: string, log: Logger, options: ConnectOptions = {}): Promise<RedisClient> {
  const client = build(url, options);
  // Every space adds a listener to this one client.
  client.setMaxListeners(0);
  const trouble = watch(client, log);
  try {
    const greeting = withTimeout(systemClock, START_LIMIT_MS, () => greet(client), tooLate);
    // The library would retry a wrong password until the limit.
    await Promise.race([greeting, trouble.refused]);
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw startError(trouble.last() ?? error);
  }
  trouble.started();
  return client;
}

function build(url: string, { queueWhileAway = false, silenceMs = SILENCE_MS }: ConnectOptions): RedisClient {
  try {
    return createClient({
      url,
      disableOfflineQueue: !queueWhileAway,
      pingInterval: PING_EVERY_MS,
      socket: {
        connectTimeout: START_LIMIT_MS,
        socketTimeout: silenceMs,
        // Always a number: the library's own strategy gives up for good on a silent peer.
        reconnectStrategy: (retries) => Math.min(2 ** retries * 50, RECONNECT_MAX_MS),
      },
    });
  } catch {
    throw new BotError('config', 'The storage address is not understood.', {
      hint: 'Use redis://<user>:<password>@<host>:<port>, with special characters of the password percent-encoded.',
    });
  }
}

/** Logs losing Redis and reaching it again once each; a reconnecting client reports every attempt. */
function watch(client: RedisClient, log: Logger) {
  let last: unknown;
  let running = false;
  let away = false;
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  client.on('error', (error: unknown) => {
    last = error;
    if (!running && isRefusal(error)) refused.reject(error);
    if (!running || away) return;
    away = true;
    log.error({ reason: reasonOf(error) }, 'Redis does not answer; trying again until it does');
  });
  client.on('ready', () => {
    if (running && away) log.info({}, 'Redis answers again');
    away = false;
  });
  return {
    last: () => last,
    refused: refused.promise,
    started: () => {
      running = true;
    },
  };
}

async function greet(client: RedisClient): Promise<void> {
  await client.connect();
  await client.ping();
}

function tooLate(): never {
  throw new Error('limit');
}

/** A code such as ECONNREFUSED or WRONGPASS, without the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const word = /^[A-Z]{4,}(?= )/.exec(error.message);
  return word?.[0] ?? error.constructor.name;
}

function isRefusal(error: unknown): boolean {
  return ['WRONGPASS', 'NOAUTH', 'NOPERM'].includes(reasonOf(error));
}

function startError(error: unknown): BotError {
  const reason = reasonOf(error);
  const refused = isRefusal(error);
  return new BotError('config', refused ? 'Redis refuses the credentials.' : 'Redis does not answer.', {
    hint: refused
      ? 'Check user and password in WAFBOT_STORE.'
      : 'Check that Redis is running and that WAFBOT_STORE names it.',
    detail: { reason },
  });
}

/** Any failure of a running Redis as the error a person may see; the reason is for the log. */
export function unavailable(error: unknown): BotError {
  if (error instanceof BotError) return error;
  return new BotError('upstream_unavailable', 'The storage does not answer right now.', {
    hint: 'Try again in a moment.',
    detail: { storage: 'redis', reason: reasonOf(error) },
  });
}

/** Resolves when the connection is gone, at once if it already is. For a client that is being closed. */
export function lost(client: RedisClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (!client.isReady) resolve();
  };
  check();
  for (const event of ['error', 'reconnecting', 'end']) client.on(event, check);
  return promise;
}

/** For a frozen Redis, which neither answers nor disconnects. */
const CLOSE_LIMIT_MS = 1_000;

/** Waits for pending answers: a command cut off by force would be a rejection that nobody handles. */
export async function closeClient(client: RedisClient): Promise<void> {
  // If Redis goes away meanwhile, the library would wait for its return.
  if (client.isReady) {
    const closed = Promise.race([client.close().catch(() => undefined), lost(client)]);
    await withTimeout(
      systemClock,
      CLOSE_LIMIT_MS,
      () => closed,
      () => undefined,
    );
  }
  if (client.isOpen) client.destroy();
}

/** Ignores failures from here on, because the connection is being closed. */
export function ignoreErrors(client: RedisClient): void {
  client.removeAllListeners('error');
  client.on('error', () => undefined);
}

/** A list of every connection that a library duplicates from this one from now on. */
export function trackDuplicates(client: RedisClient): readonly RedisClient[] {
  const duplicates: RedisClient[] = [];
  const duplicate = client.duplicate.bind(client);
  Object.defineProperty(client, 'duplicate', {
    value: () => {
      const copy = duplicate();
      duplicates.push(copy);
      return copy;
    },
  });
  return duplicates;
}
