/** The Slack side of the bot: a Bolt app with its listeners, ready to start and to stop. */
import { App } from '@slack/bolt';
import { type Clock, sleep, withTimeout } from '../clock.ts';
import type { JoinOutcome } from '../commands/context.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Finding } from '../replies/finding.ts';
import type { Outbox } from '../subscriptions/delivery/outbox.ts';
import { type AnsweredQuestion, createAnswerQuestion } from './answer-question.ts';
import { type AlsoAnswered, createAudience } from './audience.ts';
import { type HomeContent, homeView } from './blocks/home-view.ts';
import { registerListeners } from './listeners/index.ts';
import { createDeliverReply } from './posting/deliver-reply.ts';
import { createPictureMessages, createSendWithFallbacks } from './posting/fallback-rendering.ts';
import { createPostOnce, createRetryOnRateLimit, NOBODY_WAITS } from './posting/post-once.ts';
import { createProgressNotices } from './posting/progress-notice.ts';
import { createRespond } from './posting/response-url.ts';
import { createOutbox } from './posting/slack-outbox.ts';
import { createUploads, type DrawChart } from './posting/uploads.ts';
import { assertPostable, joinChannel, probeSlack } from './probe.ts';
import { createClients, slackLogger } from './transport/clients.ts';
import { createReceiver, type ReceiverConfig } from './transport/receiver.ts';
import {
  createDeduplicate,
  createRequestTracker,
  type Deduplicate,
  dropRepeated,
} from './transport/request-middleware.ts';
import { slackFailure } from './transport/slack-failure.ts';
import { createUserProfiles, type KeptZones } from './user-profile.ts';

interface SlackOptions {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly receiver: ReceiverConfig;
  readonly command: string;
  readonly commands: Commands;
  readonly alsoAnswer: readonly AlsoAnswered[];
  readonly drawChart: DrawChart;
  /** Whether a delivery is new to all replicas; left out where there is only this process. */
  readonly isNewToAll?: Deduplicate | undefined;
  /** Whether the signature of an HTTP request is new, also after a restart. */
  readonly isNewSignature: Deduplicate;
  readonly keptZones: KeptZones;
  /** What the Home tab shows, and again when more is known. */
  readonly loadHome: (user: string) => AsyncIterable<HomeContent>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly onAnswered: (question: AnsweredQuestion) => void;
}

export interface SlackApp {
  readonly outbox: Outbox<Reply>;
  start(): Promise<void>;
  /**
   * Takes no new requests and closes the connections. Finishes what is under way, and `alsoUnderWay`, which may need
   * Slack; calls to Slack that hang are cut off, so that this takes seconds whatever Slack does.
   */
  stop(alsoUnderWay?: Promise<unknown>): Promise<void>;
  /** Open connections to Slack; `null` in HTTP mode, which has none. */
  connected(): number | null;
  /** The port HTTP mode listens on. */
  port(): number | null;
  /** Rejects where nothing can be posted to the channel. */
  assertPostable(channel: string): Promise<void>;
  joinChannel(channel: string): Promise<JoinOutcome>;
  /** What the `doctor` should know about Slack and this channel. */
  probe(channel: string): Promise<Finding[]>;
}

/** A supervisor kills a process that takes much longer to stop. */
const STOP_LIMIT_MS = 6_000;
const CUT_OFF_LIMIT_MS = 2_000;

export function createSlackApp(options: SlackOptions): SlackApp {
  const { botToken, apiUrl, log, clock, command, commands } = options;
  const logger = slackLogger(log);
  const isNewSignature = createDeduplicate(clock, log, options.isNewSignature);
  const receiver = createReceiver({ ...options, config: options.receiver, isNewSignature, logger });
  const app = new App({
    token: botToken,
    receiver: receiver.boltReceiver,
    logger,
    deferInitialization: true,
    convoStore: false,
    clientOptions: {
      slackApiUrl: apiUrl,
      timeout: 10_000,
      // Only used at the start, which has a retry loop of its own.
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    },
  });
  // How people address the bot, and where it is installed; the truth is known once it has started.
  const identity = { botName: 'wafbot', teamId: null as string | null, enterpriseId: null as string | null };
  const clients = createClients({ token: botToken, apiUrl, clock, log });
  const retryOnRateLimit = createRetryOnRateLimit(clock, log);
  const retryPatiently = createRetryOnRateLimit(clock, log, NOBODY_WAITS);
  const postOnce = createPostOnce({ clients, retryOnRateLimit, clock, log });
  const respond = createRespond({ clients, clock, log });
  const { drawChart } = options;
  const uploads = createUploads({ clients, postOnce, retryOnRateLimit, retryPatiently, drawChart, clock, log });
  const sendWithFallbacks = createSendWithFallbacks(clock, log, uploads.forget);
  const pictureMessages = createPictureMessages({ clients, uploads, sendWithFallbacks, retryPatiently, clock, log });
  const sending = { clients, postOnce, respond, retryOnRateLimit, sendWithFallbacks, pictureMessages };
  const posting = { ...sending, uploads, log, clock, command };
  const deliverReply = createDeliverReply({ ...posting, identity });
  const startProgressNotice = createProgressNotices(posting);
  const profiles = createUserProfiles(clients, clock, log, options.keptZones);
  const userZone = profiles.zone;
  const { onAnswered } = options;
  const answerQuestion = createAnswerQuestion({
    commands,
    userZone,
    deliverReply,
    startProgressNotice,
    log,
    clock,
    command,
    onAnswered,
  });

  /** A Home tab that is out of date is no reason to fail. */
  async function publishHome(user: string): Promise<void> {
    try {
      for await (const content of options.loadHome(user))
        await clients.read.views.publish({ user_id: user, view: homeView(content, command) });
    } catch (error) {
      log.warn({ err: error }, 'the Home tab could not be shown');
    }
  }

  const requests = createRequestTracker();
  app.use(requests.middleware);
  app.use(dropRepeated(createDeduplicate(clock, log, options.isNewToAll)));
  const { alsoAnswer } = options;
  app.use(createAudience({ alsoAnswer, installation: identity, profiles, deliverReply, command, log }));
  registerListeners(app, {
    answerQuestion,
    commands,
    deliverReply,
    respond,
    publishHome,
    userZone,
    clients,
    clock,
    log,
    command,
  });
  // Bolt wraps an error that has no code.
  app.error(async (error) => log.error({ err: error.original ?? error }, 'a listener failed'));

  let stopping = false;
  /** Slack may be away at the start, but a refused token stays refused. */
  async function initialise(): Promise<void> {
    for (let attempt = 1; !stopping; attempt++) {
      try {
        await app.init();
        const { user, team_id: teamId = null, enterprise_id: enterpriseId = null } = await clients.read.auth.test();
        Object.assign(identity, { botName: user ?? identity.botName, teamId, enterpriseId });
        return;
      } catch (error) {
        if (slackFailure(error)?.kind === 'refused') throw refusedBotToken(error);
        log.warn({ attempt, err: error }, 'Slack does not answer yet');
        await sleep(clock, Math.min(15_000, 500 * 2 ** attempt));
      }
    }
    throw new Error('stopped before Slack answered');
  }

  return {
    outbox: createOutbox(posting),
    async start() {
      await initialise();
      await receiver.start(app);
    },
    async stop(alsoUnderWay = Promise.resolve()) {
      stopping = true;
      const ended = Promise.all([app.stop(), requests.finished(), alsoUnderWay])
        .then(() => pictureMessages.finished())
        .then(() => true);
      const endsWithin = (limitMs: number) =>
        withTimeout(
          clock,
          limitMs,
          () => ended,
          () => false,
        );
      if (await endsWithin(STOP_LIMIT_MS)) return;
      log.warn({}, 'calls to Slack that are still under way are cut off');
      clients.cutOff();
      // Without Slack it is over in a moment; for anything else that hangs nobody waits here.
      await endsWithin(CUT_OFF_LIMIT_MS);
    },
    connected: receiver.connected,
    port: receiver.port,
    assertPostable: (channel) => assertPostable(clients, clock, channel),
    joinChannel: (channel) => joinChannel(clients, identity.botName, channel),
    probe: (channel) =>
      probeSlack({ clients, channel, connected: receiver.connected(), botName: identity.botName, now: clock.now() }),
  };
}

function refusedBotToken(error: unknown): BotError {
  const failure = slackFailure(error);
  const reason = failure?.kind === 'refused' ? ` (${failure.reason})` : '';
  return new BotError('config', `Slack refuses the bot token${reason}.`, {
    hint: 'Check SLACK_BOT_TOKEN: install the app to the workspace and copy the token that starts with xoxb-.',
    cause: error,
  });
}
