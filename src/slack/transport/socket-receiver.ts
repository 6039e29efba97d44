/**
 * Socket Mode over two connections, so that Slack's routine refresh of one leaves no gap. The SDK's own reconnect waits at
 * least five seconds and causes an unhandled rejection when stopped midway, so each connection has a loop here that
 * reconnects at once, and after failures with a growing delay.
 */
import { type App, type Receiver, type Logger as SlackLogger, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';
import { singleCalls, slackFailure } from './web-api.ts';

export interface SocketReceiverOptions {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly connections?: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: SlackLogger;
}

export interface SocketReceiver extends Receiver {
  connected(): number;
}

const MAX_RECONNECT_DELAY_MS = 15_000;
/** While no other socket is open. */
const LONE_RECONNECT_MS = 200;
const HELLO_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** A connection that closes sooner counts as failed: Slack may close each one right after its hello. */
const MIN_CONNECTED_MS = 5_000;

export function createSocketReceiver(options: SocketReceiverOptions): SocketReceiver {
  const { connections = 2, clock, log } = options;
  const sockets = Array.from({ length: connections }, () => createSocket(options));
  const loops: Promise<void>[] = [];
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  /** Called when a socket closes, by the delays of the others. */
  const waiting = new Set<() => void>();
  let stopping = false;

  async function keepOpen(socket: Socket): Promise<void> {
    let failures = 0;
    while (!stopping) {
      let wasOpen = false;
      const closed = Promise.withResolvers<void>();
      const onClose = (): void => closed.resolve();
      socket.client.on('disconnected', onClose);
      try {
        await connect(socket);
        // Stopped while connecting; the SDK opens the socket nevertheless.
        if (stopping) return await close(socket, clock);
        const sinceMs = clock.now().epochMilliseconds;
        socket.open = true;
        wasOpen = true;
        started.resolve();
        await closed.promise;
        failures = clock.now().epochMilliseconds - sinceMs < MIN_CONNECTED_MS ? failures + 1 : 0;
      } catch (error) {
        failures += 1;
        const rejection = rejectedAppToken(error);
        if (rejection !== null) started.reject(rejection);
        // A connection that was still opening when the bot stopped isn't worth a warning.
        if (!stopping) log.warn({ failures, err: error }, 'could not open a socket to Slack');
      } finally {
        socket.client.off('disconnected', onClose);
        socket.open = false;
        for (const wake of waiting) wake();
      }
      // No delay after the first failure: it may be Slack refreshing a young connection.
      if (!stopping && failures > 1) await delay(reconnectDelayMs(failures), wasOpen);
    }
  }

  /**
   * Ends early if the receiver stops. After a connection that opened, also soon after the last other one closes: without
   * any, Slack has nowhere to send a command.
   */
  async function delay(ms: number, wasOpen: boolean): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = clock.after(ms, () => over.resolve());
    const wake = (): void => {
      if (wasOpen && sockets.every(({ open }) => !open)) clock.after(LONE_RECONNECT_MS, () => over.resolve());
    };
    waiting.add(wake);
    wake();
    await Promise.race([over.promise, stopped.promise]);
    waiting.delete(wake);
    cancel();
  }

  return {
    init(app: App) {
      for (const { receiver } of sockets) receiver.init(app);
    },
    /** Resolves with the first open socket, however long Slack is down; rejects if Slack rejects the token. */
    async start() {
      loops.push(...sockets.map(keepOpen));
      await started.promise;
    },
    async stop() {
      stopping = true;
      stopped.resolve();
      // Ends a start that is still pending; nobody may be waiting for it any more.
      started.promise.catch(() => {});
      started.reject(new Error('stopped before Slack answered'));
      await Promise.all(sockets.map((socket) => close(socket, clock)));
      await Promise.all(loops);
    },
    connected: () => sockets.filter(({ open }) => open).length,
  };
}

interface Socket {
  readonly receiver: SocketModeReceiver;
  readonly client: SocketModeReceiver['client'];
  open: boolean;
}

function createSocket({ appToken, apiUrl, log, logger }: SocketReceiverOptions): Socket {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientPingTimeout: 15_000,
    // Bolt's own handler puts the body's type into a string, which throws for some bodies, and nobody handles that.
    processEventErrorHandler: async ({ error }) => {
      log.error({ err: error }, 'could not handle an envelope');
      return false;
    },
    customPropertiesExtractor: ({ envelope_id: envelopeId }: { envelope_id?: string }) => ({ envelopeId }),
    installerOptions: { clientOptions: singleCalls(apiUrl) },
  });
  ignoreUnreadableFrames(receiver.client, log);
  return { receiver, client: receiver.client, open: false };
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
  const reserved = new Set([...client.eventNames(), 'connected', 'disconnected', 'disconnecting'].map(String));
  const read = async (data: unknown, isBinary: unknown): Promise<void> => {
    for (const listener of listeners) await listener.call(client, data, isBinary);
  };
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    if (!isReadable(data, reserved)) return log.warn({}, 'ignoring a malformed socket frame');
    read(data, isBinary).catch((error: unknown) => log.error({ err: error }, 'could not handle a socket frame'));
  });
}

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
