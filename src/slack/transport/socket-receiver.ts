/**
 * Socket Mode over two connections, so that Slack's routine refresh of one leaves no hole. The SDK's own reconnecting
 * waits five seconds at best and rejects a promise that nobody holds when stopped in the middle; here every connection
 * has a loop that holds its promise and starts again at once, then with growing pauses.
 */
import { type App, type Receiver, type Logger as SlackLogger, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { slackFailure } from '../slack-failure.ts';

export interface SocketReceiverOptions {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly connections?: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: SlackLogger;
}

export interface SocketReceiver extends Receiver {
  /** How many connections are open right now. */
  connected(): number;
}

const LONGEST_PAUSE_MS = 15_000;
const HELLO_MS = 20_000;
const GOODBYE_MS = 3_000;
/** One that ends sooner counts as a failure: Slack may be turning us away after each hello. */
const SHORTEST_LIFE_MS = 5_000;

export function createSocketReceiver(options: SocketReceiverOptions): SocketReceiver {
  const { appToken, apiUrl, connections = 2, clock, log, logger } = options;
  const sockets = Array.from({ length: connections }, () => {
    const receiver = new SocketModeReceiver({
      appToken,
      logger,
      autoReconnectEnabled: false,
      clientPingTimeout: 15_000,
      customPropertiesExtractor: ({ envelope_id: envelopeId }: { envelope_id?: string }) => ({ envelopeId }),
      // Each its own object: the SDK writes into it.
      installerOptions: {
        clientOptions: {
          ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
          timeout: 10_000,
          // The loop below tries again.
          retryConfig: { retries: 0 },
        },
      },
    });
    return { receiver, open: false };
  });
  const loops: Promise<void>[] = [];
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let stopping = false;

  async function connectOnce({ receiver }: (typeof sockets)[number]): Promise<void> {
    // Without a hello the SDK would wait for ever.
    const timer = setTimeout(() => void receiver.client.disconnect(), HELLO_MS);
    try {
      await receiver.client.start();
    } finally {
      clearTimeout(timer);
    }
  }

  async function keepOpen(socket: (typeof sockets)[number]): Promise<void> {
    let failures = 0;
    while (!stopping) {
      const closed = Promise.withResolvers<void>();
      const onClose = (): void => closed.resolve();
      socket.receiver.client.on('disconnected', onClose);
      try {
        await connectOnce(socket);
        // Stopped while it was connecting: the SDK opens the socket all the same.
        if (stopping) return await close(socket);
        const sinceMs = clock.now().epochMilliseconds;
        socket.open = true;
        started.resolve();
        await closed.promise;
        failures = clock.now().epochMilliseconds - sinceMs < SHORTEST_LIFE_MS ? failures + 1 : 0;
      } catch (error) {
        failures += 1;
        const refusal = refusedToken(error);
        if (refusal !== null) started.reject(refusal);
        // One that was still opening when everything stops is no trouble.
        if (!stopping) log.warn({ failures, err: error }, 'a socket to Slack could not be opened');
      } finally {
        socket.receiver.client.off('disconnected', onClose);
        socket.open = false;
      }
      // The first failure may be a passing one, or Slack's own refresh of a young connection.
      if (!stopping && failures > 1) await pause(pauseAfter(failures));
    }
  }

  /** A polite goodbye, and a cut for a peer that does not answer it: asked a second time, the SDK does not wait. */
  async function close({ receiver: { client } }: (typeof sockets)[number]): Promise<void> {
    const cancel = clock.after(GOODBYE_MS, () => void client.disconnect());
    await client.disconnect();
    cancel();
  }

  /** Over at once when we stop. */
  async function pause(ms: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = clock.after(ms, () => over.resolve());
    await Promise.race([over.promise, stopped.promise]);
    cancel();
  }

  return {
    init(app: App) {
      for (const { receiver } of sockets) receiver.init(app);
    },
    /** Resolves with the first open socket; waits for a Slack that is away, rejects on a token that is refused. */
    async start() {
      loops.push(...sockets.map(keepOpen));
      await started.promise;
    },
    async stop() {
      stopping = true;
      stopped.resolve();
      // Nobody may be waiting any more; a start that was still pending ends here.
      started.promise.catch(() => {});
      started.reject(new Error('stopped before Slack answered'));
      await Promise.all(sockets.map(close));
      await Promise.all(loops);
    },
    connected: () => sockets.filter(({ open }) => open).length,
  };
}

function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** A token that Slack refuses will not get better by waiting. */
function refusedToken(error: unknown): BotError | null {
  const failure = slackFailure(error);
  if (failure?.kind !== 'refused' || !/auth|token|account|team|user|scope/.test(failure.reason)) return null;
  return new BotError('config', `Slack refuses the app token (${failure.reason}).`, {
    hint: 'Check SLACK_APP_TOKEN: it starts with xapp- and needs the scope connections:write.',
    cause: error,
  });
}
