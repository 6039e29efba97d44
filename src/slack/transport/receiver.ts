/** How requests from Slack arrive: over Socket Mode connections that the bot opens, or as HTTP requests. */
import { Server, type ServerResponse } from 'node:http';
import { type App, HTTPReceiver, type Receiver, type Logger as SlackLogger } from '@slack/bolt';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { createSocketReceiver } from './socket-receiver.ts';

export type ReceiverConfig =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string; readonly port: number };

/** A path that HTTP mode serves on the same port. */
export interface ExtraRoute {
  readonly path: string;
  readonly handler: (request: unknown, response: ServerResponse) => void;
}

interface ReceiverOptions {
  readonly config: ReceiverConfig;
  readonly apiUrl: string | undefined;
  readonly routes: readonly ExtraRoute[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly logger: SlackLogger;
}

interface SlackReceiver {
  readonly boltReceiver: Receiver;
  start(app: App): Promise<void>;
  /** Open connections to Slack; `null` in HTTP mode, which has none. */
  connected(): number | null;
  /** The port HTTP mode listens on. */
  port(): number | null;
}

export function createReceiver({ config, apiUrl, routes, clock, log, logger }: ReceiverOptions): SlackReceiver {
  if (config.kind === 'socket') {
    const receiver = createSocketReceiver({ appToken: config.appToken, apiUrl, clock, log, logger });
    return {
      boltReceiver: receiver,
      start: async (app) => void (await app.start()),
      connected: () => receiver.connected(),
      port: () => null,
    };
  }
  let port: number | null = null;
  return {
    boltReceiver: new HTTPReceiver({
      signingSecret: config.signingSecret,
      port: config.port,
      endpoints: ['/slack/events'],
      logger,
      customPropertiesExtractor: (request) => ({ requestSignature: request.headers['x-slack-signature'] }),
      customRoutes: routes.map(({ path, handler }) => ({ path, method: 'GET', handler })),
    }),
    async start(app) {
      port = portOf(await app.start(config.port));
    },
    connected: () => null,
    port: () => port,
  };
}

function portOf(server: unknown): number | null {
  const address = server instanceof Server ? server.address() : null;
  return typeof address === 'object' && address !== null ? address.port : null;
}
