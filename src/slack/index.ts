/** The face of the room: a Bolt app with all its doors, ready to start and to stop. */
import { Server, type ServerResponse } from 'node:http';
import { App, HTTPReceiver, type Receiver } from '@slack/bolt';
import { type Clock, sleep } from '../clock.ts';
import type { Commands } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import { createClients, type SlackClients, slackLogger } from './clients.ts';
import { createConversation } from './conversation.ts';
import { createDelivery } from './delivery.ts';
import { registerButtonDoor } from './doors/button.ts';
import { registerCommandDoor } from './doors/command.ts';
import type { DoorContext } from './doors/context.ts';
import { registerDirectMessageDoor } from './doors/direct-message.ts';
import { registerFormDoor } from './doors/form.ts';
import { createHomeDoor, type LookHome, registerHomeDoor } from './doors/home.ts';
import { registerMentionDoor } from './doors/mention.ts';
import { registerShortcutDoor } from './doors/shortcut.ts';
import { digestForm } from './forms/digest-form.ts';
import { hostForm } from './forms/host-form.ts';
import { settingsForm } from './forms/settings-form.ts';
import { watchForm } from './forms/watch-form.ts';
import { createLadder } from './ladder.ts';
import type { Log } from './log.ts';
import { createNotices } from './notices.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createPictures, type Draw } from './picture.ts';
import { createPoster } from './poster.ts';
import { dropRepeated, type FirstTime } from './seen.ts';
import { slackFailure } from './slack-failure.ts';
import { createSocketReceiver } from './socket-receiver.ts';
import { createUploads } from './uploads.ts';
import { createZones } from './zones.ts';

export interface SlackOptions {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly transport:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string; readonly port: number };
  readonly command: string;
  readonly commands: Commands;
  readonly draw: Draw;
  readonly firstTime: FirstTime;
  readonly lookHome: LookHome;
  readonly log: Log;
  readonly clock: Clock;
  readonly observe: (outcome: { verb: string; failed: boolean }) => void;
  /** Further paths on the port of HTTP mode. */
  readonly routes: readonly Route[];
}

export interface Route {
  readonly path: string;
  readonly handler: (request: unknown, response: ServerResponse) => void;
}

const FORMS = [digestForm, hostForm, settingsForm, watchForm];

export interface SlackApp {
  readonly clients: SlackClients;
  readonly outbox: Outbox;
  start(): Promise<void>;
  /** Takes no new questions, finishes the ones under way, closes the connections. */
  stop(): Promise<void>;
  /** Open connections to Slack; `null` in HTTP mode, where Slack connects to us. */
  connected(): number | null;
  /** The port HTTP mode listens on. */
  port(): number | null;
}

export function createSlackApp(options: SlackOptions): SlackApp {
  const { botToken, apiUrl, transport, log, clock, command } = options;
  const logger = slackLogger(log);
  const socket =
    transport.kind === 'socket'
      ? createSocketReceiver({ appToken: transport.appToken, apiUrl, clock, log, logger })
      : null;
  const receiver: Receiver = socket ?? httpReceiver(transport, options);
  const app = new App({
    token: botToken,
    receiver,
    logger,
    deferInitialization: true,
    convoStore: false,
    clientOptions: {
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
      timeout: 10_000,
      retryConfig: { retries: 2 },
    },
  });
  const clients = createClients(botToken, apiUrl, log);
  const poster = createPoster({ clients, clock, log });
  const uploads = createUploads(clients, poster);
  let botName = 'wafbot';
  let port: number | null = null;
  const ladder = createLadder(command, clock, log);
  const makePicture = createPictures(options.draw, uploads, log);
  const delivery = createDelivery({
    clients,
    poster,
    uploads,
    ladder,
    makePicture,
    log,
    command,
    botName: () => botName,
  });
  const notices = createNotices({ poster, log, clock, isPrivate: (question) => options.commands.isPrivate(question) });
  const conversation = createConversation({
    commands: options.commands,
    delivery,
    notices,
    log,
    command,
    observe: options.observe,
  });
  const underWay = new Set<Promise<void>>();
  const door: DoorContext = {
    conversation,
    zones: createZones(clients, () => clock.now().epochMilliseconds, log),
    log,
    command,
    inBackground(work) {
      const guarded = work
        .catch((error: unknown) => log.error({ err: error }, 'a door failed'))
        .finally(() => underWay.delete(guarded));
      underWay.add(guarded);
    },
  };

  app.use(dropRepeated(options.firstTime));
  registerCommandDoor(app, door);
  registerMentionDoor(app, door);
  registerDirectMessageDoor(app, door);
  registerShortcutDoor(app, { ...door, clock });
  const home = createHomeDoor(clients, options.lookHome, command, log);
  registerButtonDoor(app, { ...door, clients, refreshHome: (user) => home.refresh(user) });
  registerFormDoor(app, { ...door, commands: options.commands, delivery, forms: FORMS });
  registerHomeDoor(app, home, door.inBackground);
  app.error(async (error) => log.error({ err: error }, 'a listener failed'));

  /** Slack may be away when we start; a token it refuses will not get better. */
  async function initialise(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await app.init();
        const { user } = await clients.read.auth.test();
        botName = user ?? botName;
        return;
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind === 'refused') {
          throw new BotError('config', `Slack refuses the bot token (${failure.reason}).`, {
            hint: 'Check SLACK_BOT_TOKEN: install the app to the workspace and copy the token that starts with xoxb-.',
            cause: error,
          });
        }
        log.warn({ attempt, err: error }, 'Slack does not answer yet');
        await sleep(clock, Math.min(15_000, 500 * 2 ** attempt));
      }
    }
  }

  return {
    clients,
    outbox: createOutbox({ clients, poster, ladder, makePicture }),
    async start() {
      await initialise();
      if (transport.kind === 'socket') await app.start();
      else port = portOf(await app.start(transport.port));
    },
    async stop() {
      await app.stop();
      await Promise.all(underWay);
    },
    connected: () => socket?.connected() ?? null,
    port: () => port,
  };
}

function portOf(server: unknown): number | null {
  const address = server instanceof Server ? server.address() : null;
  return typeof address === 'object' && address !== null ? address.port : null;
}

function httpReceiver(
  transport: Extract<SlackOptions['transport'], { kind: 'http' }> | { kind: 'socket' },
  options: SlackOptions,
): HTTPReceiver {
  if (transport.kind !== 'http') throw new Error('HTTP mode needs a signing secret');
  return new HTTPReceiver({
    signingSecret: transport.signingSecret,
    port: transport.port,
    endpoints: ['/slack/events'],
    logger: slackLogger(options.log),
    customPropertiesExtractor: (request) => ({ requestSignature: request.headers['x-slack-signature'] }),
    customRoutes: options.routes.map(({ path, handler }) => ({ path, method: 'GET', handler })),
  });
}
