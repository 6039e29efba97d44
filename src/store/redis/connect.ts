/**
 * A connection to Redis: at the start it answers PING within a limit or fails clearly, or is waited for; it refuses commands
 * while Redis is away instead of queueing them, notices a silent peer, and reconnects. Its errors and log lines contain
 * neither the address nor the password.
 */
import { createClient } from '@keyv/redis';
import { sleep, systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';

export type RedisClient = ReturnType<typeof createClient>;

const START_LIMIT_MS = 3_000;
/** Short enough that people do not notice for long when Redis is back. */
const RECONNECT_MAX_MS = 500;
/** An idle connection pings this often, so `SILENCE_MS` without an answer means that the peer is gone. */
const PING_EVERY_MS = 1_000;
const SILENCE_MS = 4_000;

interface ConnectOptions {
  /** Commands wait for the connection to come back instead of failing at once. Only BullMQ wants that. */
  readonly queueWhileAway?: boolean;
  /** How long the peer may be silent before the connection counts as dead. */
  readonly silenceMs?: number;
  /** At the start, wait for a Redis that does not answer; one that refuses is a fault all the same. */
  readonly waitUntilReachable?: boolean;
}

export async function connectRedis(url: string, log: Logger, options: ConnectOptions = {}): Promise<RedisClient> {
  const { waitUntilReachable = false } = options;
  const client = build(url, options);
  // Every space adds a listener to this one client.
  client.setMaxListeners(0);
  const trouble = watch(client, log, waitUntilReachable);
  try {
    const greeting = waitUntilReachable
      ? greetHoweverLong(client)
      : withTimeout(systemClock, START_LIMIT_MS, () => greet(client), tooLate);
    // The library would retry a wrong password until the limit.
    await Promise.race([greeting, trouble.refused]);
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
        // Always a number: the library's own strategy gives up for good on a silent peer.
        reconnectStrategy: reconnectDelayMs,
      },
    });
  } catch {
    throw new BotError('config', 'The storage address is not understood.', {
      hint: 'Use redis://<user>:<password>@<host>:<port>, with special characters of the password percent-encoded.',
    });
  }
}

/**
 * Logs losing Redis and reaching it again once each; a reconnecting client reports every attempt. Not during a start that
 * fails by itself when Redis is away.
 */
function watch(client: RedisClient, log: Logger, fromTheStart: boolean) {
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
    log.error({ reason: reasonOf(error) }, 'Redis does not answer; trying again until it does');
  });
  client.on('ready', () => {
    if (away) log.info({}, running ? 'Redis answers again' : 'Redis answers');
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

/** The client connects by itself again and again; one that is connected may still be loading its data. */
async function greetHoweverLong(client: RedisClient): Promise<void> {
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

/** Redis is there and says no. It will say so again. */
const isRefusal = (error: unknown): boolean => isWrongPassword(error) || isWrongDatabase(error);

function startError(error: unknown): BotError {
  const [message, hint] = isWrongPassword(error)
    ? ['Redis refuses the credentials.', 'Check user and password in WAFBOT_STORE.']
    : isWrongDatabase(error)
      ? ['Redis has no database of that number.', 'Check the number at the end of WAFBOT_STORE.']
      : ['Redis does not answer.', 'Check that Redis is running and that WAFBOT_STORE names it.'];
  return new BotError('config', message, { hint, detail: { reason: reasonOf(error) } });
}

/** A single command is refused by name; one of several in a transaction, or in a script, is named further inside. */
const isFull = (error: unknown): boolean => error instanceof Error && /\bOOM\b/.test(error.message);

/** Any failure of a running Redis as the error a person may see; the reason is for the log. */
export function unavailable(error: unknown): BotError {
  if (error instanceof BotError) return error;
  if (isFull(error)) {
    return new BotError('storage', 'The storage is full, so nothing can be saved.', {
      hint: 'Try again once whoever runs the bot has given Redis more memory.',
      detail: { storage: 'redis', reason: 'OOM' },
    });
  }
  return new BotError('storage', 'The storage does not answer right now.', {
    hint: 'Try again in a moment; whoever runs the bot can see in `doctor` and in the log whether Redis is up.',
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
