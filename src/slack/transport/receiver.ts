/** How requests from Slack arrive: over Socket Mode connections that the bot opens, or as HTTP requests. */
import { Server } from 'node:http';
import { type App, HTTPReceiver, type Receiver } from '@slack/bolt';
import type { Deduplicate } from '../middleware.ts';
import { createSocketReceiver, type SocketReceiverOptions } from './socket-receiver.ts';
import { ENDPOINT, guardRequests } from './verify-requests.ts';

export type ReceiverConfig =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string; readonly port: number };

interface ReceiverOptions extends Omit<SocketReceiverOptions, 'appToken' | 'connections'> {
  readonly config: ReceiverConfig;
  readonly isNewSignature: Deduplicate;
}

interface SlackReceiver {
  readonly boltReceiver: Receiver;
  start(app: App): Promise<void>;
  connected(): number | null;
  port(): number | null;
}

/** Slack waits three seconds for an answer, so a request that takes longer is lost anyway. */
const CLOSE_GRACE_MS = 3_000;

export function createReceiver(options: ReceiverOptions): SlackReceiver {
  const { config, apiUrl, isNewSignature, clock, log, logger } = options;
  if (config.kind === 'socket') {
    const receiver = createSocketReceiver({ appToken: config.appToken, apiUrl, clock, log, logger });
    return {
      boltReceiver: receiver,
      start: async (app) => void (await app.start()),
      connected: () => receiver.connected(),
      port: () => null,
    };
  }
  let server: Server | undefined;
  const receiver = new HTTPReceiver({
    signingSecret: config.signingSecret,
    port: config.port,
    endpoints: [ENDPOINT],
    logger,
  });
  guardRequests(receiver, { signingSecret: config.signingSecret, isNewSignature, log });
  return {
    boltReceiver: {
      init: (app) => receiver.init(app),
      start: () => receiver.start(config.port),
      async stop() {
        // Stopped while still waiting for Slack; Bolt's receiver would throw.
        if (server === undefined) return;
        const closed = receiver.stop();
        // A half-sent request would keep the server open for minutes.
        const cancel = clock.after(CLOSE_GRACE_MS, () => server?.closeAllConnections());
        await closed.finally(cancel);
      },
    },
    async start(app) {
      const started: unknown = await app.start();
      server = started instanceof Server ? started : undefined;
    },
    // Slack connects to us once we listen.
    connected: () => (server === undefined ? 0 : null),
    port: () => portOf(server),
  };
}

function portOf(server: Server | undefined): number | null {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}
