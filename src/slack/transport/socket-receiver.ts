/**
 * Socket Mode over two connections, so that Slack's routine refresh of one leaves no gap. The SDK's own reconnect waits at
 * least five seconds and causes an unhandled rejection when stopped midway, so each connection has a loop here that
 * reconnects at once, and after failures with a growing delay. A connection that Slack is about to close stays until the
 * next one is open.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type App, type Receiver, type Logger as SlackLogger, SocketModeReceiver } from '@slack/bolt';
import { ping, WebSocket } from 'undici';
import { type Clock, elapsedMsOf } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';
import { singleCalls, slackFailure } from './web-api.ts';

export interface SocketReceiverOptions {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly connections?: number;
  /** Between two pings. */
  readonly pingEveryMs?: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: SlackLogger;
}

export interface SocketReceiver extends Receiver {
  connected(): number;
}

const MAX_RECONNECT_DELAY_MS = 15_000;
/** After a connection that lasted, or while no other one is open. */
const SHORT_RECONNECT_MS = 200;
const HELLO_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** A connection that closes sooner counts as failed: Slack may close each one right after its hello. */
const MIN_CONNECTED_MS = 5_000;
/** A connection that lasted this long was usable, so the next one is opened soon: Slack needs one to send commands. */
const MIN_USEFUL_MS = 300;
const PING_EVERY_MS = 5_000;
const MAX_UNANSWERED_PINGS = 3;

export function createSocketReceiver(options: SocketReceiverOptions): SocketReceiver {
  const { connections = 2, clock, log } = options;
  const pool = createPool(options);
  const loops: Promise<void>[] = [];
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const elapsedMs = elapsedMsOf(clock);
  let stopping = false;

  /** Resolves once another connection is needed, with how long this one was open. */
  async function keepOpen(socket: Socket): Promise<number> {
    const over = Promise.withResolvers<void>();
    for (const event of ['disconnected', LEAVING]) socket.client.once(event, over.resolve);
    await connect(socket);
    // Stopped while connecting; the SDK opens the socket nevertheless.
    if (stopping) {
      await close(socket, clock);
      return 0;
    }
    const sinceMs = elapsedMs();
    socket.open = true;
    started.resolve();
    await over.promise;
    return elapsedMs() - sinceMs;
  }

  async function keepReplacing(): Promise<void> {
    let failures = 0;
    let leaving: Socket | null = null;
    while (!stopping) {
      const socket = pool.create();
      const last: Socket | null = leaving;
      // Slack normally closes it; this is in case it doesn't.
      if (last !== null) socket.client.once('connected', () => void close(last, clock));
      let lastedMs: number | null = null;
      try {
        lastedMs = await keepOpen(socket);
        leaving = socket.open ? socket : null;
        failures = lastedMs < MIN_CONNECTED_MS ? failures + 1 : 0;
      } catch (error) {
        pool.remove(socket);
        failures += 1;
        const rejection = rejectedAppToken(error);
        if (rejection !== null) started.reject(rejection);
        // A connection that was still opening when the bot stopped isn't worth a warning.
        if (!stopping) log.warn({ failures, err: error }, 'could not open a socket to Slack');
      }
      // No delay after the first failure: it may be Slack refreshing a young connection.
      if (!stopping && failures > 1) await pool.delay(failures, lastedMs, stopped.promise);
    }
  }

  return {
    init: pool.init,
    /** Resolves with the first open socket, however long Slack is down; rejects if Slack rejects the token. */
    async start() {
      loops.push(...Array.from({ length: connections }, keepReplacing));
      await started.promise;
    },
    async stop() {
      stopping = true;
      stopped.resolve();
      // Ends a start that is still pending; nobody may be waiting for it any more.
      started.promise.catch(() => {});
      started.reject(new Error('stopped before Slack answered'));
      await Promise.all(pool.all().map((socket) => close(socket, clock)));
      await Promise.all(loops);
    },
    connected: pool.countOpen,
  };
}

interface Socket {
  readonly receiver: SocketModeReceiver;
  readonly client: SocketModeReceiver['client'];
  open: boolean;
}

/** The connections that are open or opening, also those that Slack is about to close. */
function createPool(options: SocketReceiverOptions) {
  const { clock } = options;
  const sockets = new Set<Socket>();
  /** Called when a socket closes. */
  const waiting = new Set<() => void>();
  let app: App | undefined;
  const countOpen = (): number => [...sockets].filter(({ open }) => open).length;

  return {
    countOpen,
    all: () => [...sockets],
    remove: (socket: Socket) => void sockets.delete(socket),
    init(boltApp: App): void {
      app = boltApp;
    },
    create(): Socket {
      const socket = createSocket(options);
      if (app !== undefined) socket.receiver.init(app);
      sockets.add(socket);
      socket.client.once('disconnected', () => {
        socket.open = false;
        sockets.delete(socket);
        for (const wake of waiting) wake();
      });
      return socket;
    },
    /**
     * Waits before reconnecting; `lastedMs` is `null` if the last connection didn't open. If it did, the wait is cut
     * short when no connection is left, because Slack then can't send a command.
     */
    async delay(failures: number, lastedMs: number | null, stopped: Promise<void>): Promise<void> {
      const over = Promise.withResolvers<void>();
      const delayMs = (lastedMs ?? 0) < MIN_USEFUL_MS ? reconnectDelayMs(failures) : SHORT_RECONNECT_MS;
      const cancel = clock.after(delayMs, over.resolve);
      const wake = (): void => {
        if (lastedMs !== null && countOpen() === 0) clock.after(SHORT_RECONNECT_MS, over.resolve);
      };
      waiting.add(wake);
      wake();
      await Promise.race([over.promise, stopped]);
      waiting.delete(wake);
      cancel();
    },
  };
}

/** Emitted by a client whose connection Slack is about to close. */
const LEAVING = 'wafbot_leaving';
/** Node's longest timer. The SDK's own check would drop every socket when the clock is set. */
const NEVER_MS = 2 ** 31 - 1;

function createSocket({ appToken, apiUrl, log, logger, pingEveryMs = PING_EVERY_MS }: SocketReceiverOptions): Socket {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientPingTimeout: NEVER_MS,
    // Bolt's own handler puts the body's type into a string, which throws for some bodies, and nobody handles that.
    processEventErrorHandler: async ({ error }) => {
      log.error({ err: error }, 'could not handle an envelope');
      return false;
    },
    customPropertiesExtractor: ({ envelope_id: envelopeId }: { envelope_id?: string }) => ({ envelopeId }),
    installerOptions: { clientOptions: singleCalls(apiUrl) },
  });
  const { client } = receiver;
  pingWhileOpen(client, pingEveryMs);
  ignoreUnreadableFrames(client, log);
  return { receiver, client, open: false };
}

const OPENED = 'undici:websocket:open';
const PONG = 'undici:websocket:pong';

/** Cuts a connection on which Slack has gone silent. Counts pings instead of time, because the clock can be set. */
function pingWhileOpen(client: SocketModeReceiver['client'], everyMs: number): void {
  let url = '';
  let socket: WebSocket | null = null;
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  const alive = (): void => {
    unanswered = 0;
  };
  const onOpened = (message: unknown): void => {
    if (isRecord(message) && message.websocket instanceof WebSocket && message.websocket.url === url)
      socket = message.websocket;
  };
  const onPong = (message: unknown): void => {
    if (isRecord(message) && message.websocket === socket) alive();
  };
  const beat = (): void => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (unanswered >= MAX_UNANSWERED_PINGS) {
      clearInterval(timer);
      // The first call sends a close frame, and the second one doesn't wait for an answer to it.
      void client.disconnect();
      void client.disconnect();
      return;
    }
    unanswered += 1;
    ping(socket);
  };
  client.once('authenticated', (response: unknown) => {
    url = URL.parse(String(isRecord(response) ? response.url : ''))?.href ?? '';
    subscribe(OPENED, onOpened);
    subscribe(PONG, onPong);
    timer = setInterval(beat, everyMs);
  });
  client.on('ws_message', alive);
  client.once('disconnected', () => {
    clearInterval(timer);
    unsubscribe(OPENED, onOpened);
    unsubscribe(PONG, onPong);
  });
}

/** Without a hello from Slack, the SDK would wait forever. */
async function connect({ client }: Socket): Promise<void> {
  const timer = setTimeout(() => void client.disconnect(), HELLO_TIMEOUT_MS);
  try {
    await client.start();
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the connection; if the peer doesn't answer, a second call to the SDK cuts it without waiting. */
async function close({ client }: Socket, clock: Clock): Promise<void> {
  const cancel = clock.after(CLOSE_TIMEOUT_MS, () => void client.disconnect());
  await client.disconnect();
  cancel();
}

function reconnectDelayMs(failures: number): number {
  return Math.min(MAX_RECONNECT_DELAY_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** A rejected token stays rejected, so retrying is pointless. */
function rejectedAppToken(error: unknown): BotError | null {
  const failure = slackFailure(error);
  if (failure?.kind !== 'refused' || !/auth|token|account|team|user|scope/.test(failure.reason)) return null;
  return new BotError('config', `Slack rejected the app token (${failure.reason}).`, {
    hint: 'Check SLACK_APP_TOKEN: it starts with xapp- and needs the scope connections:write.',
    cause: error,
  });
}

const CONTROL = new Set(['hello', 'disconnect']);
const ENVELOPES = new Set(['events_api', 'slash_commands', 'interactive']);

/**
 * The SDK trusts what Slack sends: a frame `null` or an incomplete envelope would be an unhandled rejection, and it emits a
 * frame's type as an event, so a frame of type `close` would look like a closed connection. Malformed frames are logged and
 * ignored.
 */
function ignoreUnreadableFrames(client: SocketModeReceiver['client'], log: Logger): void {
  const listeners = client.listeners('ws_message');
  // The client's own events, such as `close`. No event from Slack has one of these names.
  const reserved = new Set([...client.eventNames(), 'connected', 'disconnected', 'disconnecting', LEAVING].map(String));
  const read = async (data: unknown, isBinary: unknown): Promise<void> => {
    for (const listener of listeners) await listener.call(client, data, isBinary);
  };
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    if (!isReadable(data, reserved)) return log.warn({}, 'ignoring a malformed socket frame');
    // The SDK would close the connection before another one is open.
    if (isDisconnect(data)) return void client.emit(LEAVING);
    read(data, isBinary).catch((error: unknown) => log.error({ err: error }, 'could not handle a socket frame'));
  });
}

const isDisconnect = (data: unknown): boolean => {
  const frame = typeof data === 'string' ? parseJson(data) : null;
  return isRecord(frame) && frame.type === 'disconnect';
};

function isReadable(data: unknown, reserved: ReadonlySet<string>): boolean {
  const frame = typeof data === 'string' ? parseJson(data) : null;
  if (!isRecord(frame) || typeof frame.type !== 'string') return false;
  if (CONTROL.has(frame.type)) return true;
  const { payload } = frame;
  if (!ENVELOPES.has(frame.type) || typeof frame.envelope_id !== 'string' || !isRecord(payload)) return false;
  if (frame.type !== 'events_api') return true;
  const { event } = payload;
  return isRecord(event) && typeof event.type === 'string' && !reserved.has(event.type);
}
