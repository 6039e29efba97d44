/** The face of the room: a Bolt app with all its doors, ready to start and to stop. */
import { App } from '@slack/bolt';
import { type Clock, sleep } from '../clock.ts';
import type { Commands } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import { createAttachments } from './attachments.ts';
import { createClients, type SlackClients, slackLogger } from './clients.ts';
import { createConversation, type Observation } from './conversation.ts';
import { createDelivery } from './delivery.ts';
import { registerButtonDoor } from './doors/button.ts';
import { registerCommandDoor } from './doors/command.ts';
import type { DoorContext } from './doors/context.ts';
import { registerDirectMessageDoor } from './doors/direct-message.ts';
import { registerFormDoor } from './doors/form.ts';
import { type LookHome, registerHomeDoor } from './doors/home.ts';
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
import { createTransport, type Route, type TransportConfig } from './transport.ts';
import { createUploads } from './uploads.ts';
import { createZones } from './zones.ts';

export interface SlackOptions {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly transport: TransportConfig;
  readonly command: string;
  readonly commands: Commands;
  readonly draw: Draw;
  readonly firstTime: FirstTime;
  readonly lookHome: LookHome;
  readonly log: Log;
  readonly clock: Clock;
  readonly observe: (observation: Observation) => void;
  readonly routes: readonly Route[];
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
  /** How people call the bot; known once it has started. */
  botName(): string;
}

export function createSlackApp(options: SlackOptions): SlackApp {
  const { botToken, apiUrl, log, clock, command, commands } = options;
  const logger = slackLogger(log);
  const transport = createTransport({ ...options, config: options.transport, logger });
  const app = new App({
    token: botToken,
    receiver: transport.receiver,
    logger,
    deferInitialization: true,
    convoStore: false,
    clientOptions: {
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
      timeout: 10_000,
      // Only the start uses it, and tries again by itself.
      retryConfig: { retries: 0 },
    },
  });
  let name = 'wafbot';
  const botName = (): string => name;
  const clients = createClients(botToken, apiUrl, log);
  const poster = createPoster({ clients, clock, log });
  const uploads = createUploads(clients, poster);
  const ladder = createLadder(command, clock, log);
  const makePicture = createPictures(options.draw, uploads, log);
  const attachments = createAttachments(clients, poster, uploads, log);
  const delivery = createDelivery({ clients, poster, attachments, ladder, makePicture, log, command, botName });
  const notices = createNotices({ clients, poster, log, clock, commands });
  const zones = createZones(clients, () => clock.now().epochMilliseconds, log);
  const { observe } = options;
  const underWay = new Set<Promise<void>>();
  const door: DoorContext = {
    conversation: createConversation({ commands, zones, delivery, notices, log, clock, command, observe }),
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
  registerButtonDoor(app, door);
  registerFormDoor(app, { ...door, clients, commands, delivery, zones, forms: FORMS });
  registerHomeDoor(app, { ...door, clients, look: options.lookHome });
  app.error(async (error) => log.error({ err: error }, 'a listener failed'));

  /** Slack may be away when we start; a token it refuses will not get better. */
  async function initialise(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await app.init();
        const { user } = await clients.read.auth.test();
        name = user ?? name;
        return;
      } catch (error) {
        if (slackFailure(error)?.kind === 'refused') throw refusedToken(error);
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
      await transport.start(app);
    },
    async stop() {
      await app.stop();
      await Promise.all(underWay);
    },
    connected: transport.connected,
    port: transport.port,
    botName,
  };
}

function refusedToken(error: unknown): BotError {
  const failure = slackFailure(error);
  const reason = failure?.kind === 'refused' ? ` (${failure.reason})` : '';
  return new BotError('config', `Slack refuses the bot token${reason}.`, {
    hint: 'Check SLACK_BOT_TOKEN: install the app to the workspace and copy the token that starts with xoxb-.',
    cause: error,
  });
}
