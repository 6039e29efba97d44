/**
 * A connection to Redis. At startup it either waits for Redis or fails clearly after a time limit. While Redis is down
 * it rejects commands instead of queueing them, detects a silent peer, and reconnects. Its errors and log lines contain
 * neither the address nor the password.
 */
import { createClient } from '@keyv/redis';
import { sleep, systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';

export type RedisClient = ReturnType<typeof createClient>;

const START_LIMIT_MS = 3_000;
/** Short, so that the bot recovers soon after Redis is back. */
const RECONNECT_MAX_MS = 500;
/** An idle connection pings this often, so `SILENCE_MS` without data means the peer is gone. */
const PING_EVERY_MS = 1_000;
const SILENCE_MS = 4_000;

interface ConnectOptions {
  /** Queue commands until the connection is back instead of failing them. For BullMQ only. */
  readonly queueWhileAway?: boolean;
  /** How long the peer can be silent before the connection counts as dead. */
  readonly silenceMs?: number;
  /** At startup, wait for a Redis that's unreachable. A refusal, such as a wrong password, still fails. */
  readonly waitUntilReachable?: boolean;
}

export async function connectRedis(url: string, log: Logger, options: ConnectOptions = {}): Promise<RedisClient> {
  const { waitUntilReachable = false } = options;
  const client = build(url, options);
  // Every space adds a listener to this client.
  client.setMaxListeners(0);
  const trouble = logTrouble(client, log, waitUntilReachable);
  try {
    const connected = waitUntilReachable
      ? connectEventually(client)
      : withTimeout(systemClock, START_LIMIT_MS, () => connect(client), tooLate);
    // The library would retry a wrong password until the time limit.
    await Promise.race([connected, trouble.refused]);
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw startError(trouble.last() ?? error);
  }
  trouble.started();
  return client;
}

export const reconnectDelayMs = (retries: number): number => Math.min(2 ** retries * 50, RECONNECT_MAX_MS);

function build(url: string, { queueWhileAway = false, silenceMs = SILENCE_MS }: ConnectOptions): RedisClient {
  try {
    return createClient({
      url,
      disableOfflineQueue: !queueWhileAway,
      pingInterval: PING_EVERY_MS,
      socket: {
        connectTimeout: START_LIMIT_MS,
        socketTimeout: silenceMs,
        // Always a number: the library's own strategy gives up on a silent peer for good.
        reconnectStrategy: reconnectDelayMs,
      },
    });
  } catch {
    throw new BotError('config', 'Can’t read the storage address.', {
      hint: 'Use redis://<user>:<password>@<host>:<port>, with special characters in the password percent-encoded.',
    });
  }
}

/**
 * Logs once when Redis is lost and once when it's back, although a reconnecting client reports every attempt. Logs
 * nothing during a startup that fails by itself.
 */
function logTrouble(client: RedisClient, log: Logger, fromTheStart: boolean) {
  let last: unknown;
  let running = false;
  let away = false;
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  client.on('error', (error: unknown) => {
    last = error;
    if (!running && isRefusal(error)) refused.reject(error);
    if (!(running || fromTheStart) || away) return;
    away = true;
    log.error({ reason: reasonOf(error) }, 'Redis unreachable, reconnecting');
  });
  client.on('ready', () => {
    if (away) log.info({}, 'Redis connected');
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

async function connect(client: RedisClient): Promise<void> {
  await client.connect();
  await client.ping();
}

/** The client retries the connection by itself; a connected Redis may still be loading its data. */
async function connectEventually(client: RedisClient): Promise<void> {
  await client.connect();
  while (!(await answersPing(client))) await sleep(systemClock, RECONNECT_MAX_MS);
}

async function answersPing(client: RedisClient): Promise<boolean> {
  try {
    await client.ping();
    return true;
  } catch (error) {
    if (isRefusal(error)) throw error;
    return false;
  }
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

const isWrongDatabase = (error: unknown): boolean => error instanceof Error && /DB index/.test(error.message);
const isWrongPassword = (error: unknown): boolean => ['WRONGPASS', 'NOAUTH', 'NOPERM'].includes(reasonOf(error));

/** Redis is up and refuses; retrying won't help. */
const isRefusal = (error: unknown): boolean => isWrongPassword(error) || isWrongDatabase(error);

function startError(error: unknown): BotError {
  const [message, hint] = isWrongPassword(error)
    ? ['Redis rejected the credentials.', 'Check the user and password in WAFBOT_STORE.']
    : isWrongDatabase(error)
      ? ['Redis has no database with that number.', 'Check the number at the end of WAFBOT_STORE.']
      : ['Can’t reach Redis.', 'Check that Redis is running and that WAFBOT_STORE has its address.'];
  return new BotError('config', message, { hint, detail: { reason: reasonOf(error) } });
}

/** For a single command the code comes first; for a transaction or a script it's further inside the message. */
const isFull = (error: unknown): boolean => error instanceof Error && /\bOOM\b/.test(error.message);

/** Any failure of a running Redis as an error that's safe to show; the reason is for the log. */
export function unavailable(error: unknown): BotError {
  if (error instanceof BotError) return error;
  if (isFull(error)) {
    return new BotError('storage', 'The storage is full, so nothing can be saved.', {
      hint: 'Ask whoever runs the bot to give Redis more memory.',
      reason: { is: 'storage_full' },
      detail: { storage: 'redis', reason: 'OOM' },
    });
  }
  return new BotError('storage', 'Can’t reach the storage right now.', {
    hint: 'Try again in a moment. `doctor` and the log show whether Redis is up.',
    detail: { storage: 'redis', reason: reasonOf(error) },
  });
}

/** Resolves once the connection is gone, at once if it already is. For a client that's being closed. */
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

/** Waits for pending answers: cutting off a command would be an unhandled rejection. */
export async function closeClient(client: RedisClient): Promise<void> {
  // If Redis went away now, the library would wait for its return.
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

/** Ignores connection errors from here on, because the connection is being closed. */
export function ignoreErrors(client: RedisClient): void {
  client.removeAllListeners('error');
  client.on('error', () => undefined);
}

/** The connections that a library duplicates from this one from now on. */
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
