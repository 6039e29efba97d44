/** The face of the room: a Bolt app with all its doors, ready to start and to stop. */
import { App } from '@slack/bolt';
import { type Clock, sleep } from '../clock.ts';
import type { Commands } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { digestForm } from './blocks/forms/digest-form.ts';
import { hostForm } from './blocks/forms/host-form.ts';
import { settingsForm } from './blocks/forms/settings-form.ts';
import { watchForm } from './blocks/forms/watch-form.ts';
import { createConversation, type Observation } from './conversation.ts';
import { registerSentenceButton } from './listeners/actions/sentence-button.ts';
import { registerSlashCommand } from './listeners/commands/slash-command.ts';
import type { ListenerContext } from './listeners/context.ts';
import { type LookHome, registerHome } from './listeners/events/app-home-opened.ts';
import { registerAppMention } from './listeners/events/app-mention.ts';
import { registerDirectMessage } from './listeners/events/direct-message.ts';
import { registerMessageShortcut } from './listeners/shortcuts/message-shortcut.ts';
import { registerForms } from './listeners/views/form.ts';
import { createAttachments } from './posting/attachments.ts';
import { createPictures, type Draw } from './posting/chart-upload.ts';
import { createDelivery } from './posting/deliver-reply.ts';
import { createFallbackRendering } from './posting/fallback-rendering.ts';
import { createOutbox, type Outbox } from './posting/outbox.ts';
import { createPoster } from './posting/post-once.ts';
import { createNotices } from './posting/progress-notice.ts';
import { createUploads } from './posting/uploads.ts';
import { slackFailure } from './slack-failure.ts';
import { createClients, type SlackClients, slackLogger } from './transport/clients.ts';
import { type Deduplicate, dropRepeated } from './transport/deduplicate.ts';
import { createTransport, type Route, type TransportConfig } from './transport/transport.ts';
import { createZones } from './zones.ts';

export interface SlackOptions {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly transport: TransportConfig;
  readonly command: string;
  readonly commands: Commands;
  readonly draw: Draw;
  readonly deduplicate: Deduplicate;
  readonly lookHome: LookHome;
  readonly log: Logger;
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
  const fallback = createFallbackRendering(command, clock, log);
  const makePicture = createPictures(options.draw, uploads, log);
  const attachments = createAttachments(clients, poster, uploads, log);
  const delivery = createDelivery({ clients, poster, attachments, fallback, makePicture, log, command, botName });
  const notices = createNotices({ clients, poster, log, clock, commands });
  const zones = createZones(clients, () => clock.now().epochMilliseconds, log);
  const { observe } = options;
  const underWay = new Set<Promise<void>>();
  const listener: ListenerContext = {
    conversation: createConversation({ commands, zones, delivery, notices, log, clock, command, observe }),
    log,
    command,
    inBackground(work) {
      const guarded = work
        .catch((error: unknown) => log.error({ err: error }, 'a listener failed'))
        .finally(() => underWay.delete(guarded));
      underWay.add(guarded);
    },
  };

  app.use(dropRepeated(options.deduplicate));
  registerSlashCommand(app, listener);
  registerAppMention(app, listener);
  registerDirectMessage(app, listener);
  registerMessageShortcut(app, { ...listener, clock });
  registerSentenceButton(app, listener);
  registerForms(app, { ...listener, clients, commands, delivery, zones, forms: FORMS });
  registerHome(app, { ...listener, clients, look: options.lookHome });
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
    outbox: createOutbox({ clients, poster, fallback, makePicture }),
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
