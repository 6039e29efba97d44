/** The Slack side of the bot: a Bolt app with its listeners, ready to start and to stop. */
import { App, type Receiver, type Logger as SlackLogger } from '@slack/bolt';
import { type Clock, sleep, withTimeout } from '../clock.ts';
import type { FoundMentioned, JoinOutcome } from '../commands/context.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObserveQuestion } from '../observability/observers.ts';
import type { Finding } from '../replies/finding.ts';
import type { Outbox } from '../subscriptions/delivery/outbox.ts';
import {
  createAnswerQuestion,
  createPendingQuestions,
  createProgressNotices,
  createResumeQuestion,
  type PendingQuestions,
  type QuestionStore,
  type ResumeQuestion,
} from './answer-question.ts';
import { type HomeContent, homeView } from './blocks/home-view.ts';
import { createAgentView, listenToAgentView, type ViewedChannels } from './listeners/agent-view.ts';
import { registerListeners } from './listeners/index.ts';
import { listenToSteps } from './listeners/steps.ts';
import {
  type AlsoAnswered,
  createAudience,
  createDeduplicate,
  createIsAnswered,
  createRequestTracker,
  createUserProfiles,
  type Deduplicate,
  dropRepeated,
  ONLY_COLLEAGUES,
  type StoredZones,
} from './middleware.ts';
import { findMentioned } from './people.ts';
import { createPosting } from './posting/index.ts';
import type { DrawChart } from './posting/picture-messages.ts';
import { assertPostable, joinChannel, probeSlack } from './probe.ts';
import { createSteps, type EndedSteps } from './run-step.ts';
import { createReceiver, type ReceiverConfig } from './transport/receiver.ts';
import { createClients, type SlackClients, singleCalls, slackFailure, slackLogger } from './transport/web-api.ts';

interface SlackOptions {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly receiver: ReceiverConfig;
  /** How long a stop waits for what is under way. */
  readonly stopMs: number;
  readonly command: string;
  readonly commands: Commands;
  readonly alsoAnswer: readonly AlsoAnswered[];
  readonly drawChart: DrawChart;
  /** Whether a delivery is new to all replicas; omitted if there is only this process. */
  readonly isNewToAll?: Deduplicate | undefined;
  /** Whether the signature of an HTTP request is new, also after a restart. */
  readonly isNewSignature: Deduplicate;
  readonly storedZones: StoredZones;
  /** Where questions under way are remembered. */
  readonly questions: QuestionStore;
  /** Which workflow steps have ended, also after a restart. */
  readonly endedSteps: EndedSteps;
  readonly viewedChannels: ViewedChannels;
  /** What the Home tab shows; yields again once more is known. */
  readonly loadHome: (user: string) => AsyncIterable<HomeContent>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly observeQuestion: ObserveQuestion;
}

export interface SlackApp {
  readonly outbox: Outbox<Reply>;
  start(): Promise<void>;
  /**
   * Accepts no new requests and closes the connections. Finishes what is under way, and `alsoUnderWay`, which may need
   * Slack. Hanging calls to Slack are aborted, so this takes seconds whatever Slack does.
   */
  stop(alsoUnderWay?: Promise<unknown>): Promise<void>;
  /** Open connections to Slack; `null` in HTTP mode, which has none. */
  connected(): number | null;
  /** The port HTTP mode listens on. */
  port(): number | null;
  /** Whether a request is under way. */
  isBusy(): boolean;
  assertPostable(channel: string): Promise<void>;
  joinChannel(channel: string): Promise<JoinOutcome>;
  findMentioned(name: string): Promise<FoundMentioned>;
  /** The time zone of the person Slackbot asks on behalf of. Rejects if the bot doesn't answer them. */
  admit(person: { readonly user: string; readonly team: string }): Promise<string | null>;
  /** What the `doctor` should know about Slack and this channel. */
  probe(channel: string): Promise<Finding[]>;
}

const CUT_OFF_LIMIT_MS = 1_000;

export function createSlackApp(options: SlackOptions): SlackApp {
  const { botToken, apiUrl, log, clock, command, commands } = options;
  const logger = slackLogger(log);
  const isNewSignature = createDeduplicate(clock, log, options.isNewSignature);
  const receiver = createReceiver({ ...options, config: options.receiver, isNewSignature, logger });
  const app = createBoltApp(options, receiver.boltReceiver, logger);
  const identity: BotIdentity = { botName: 'wafbot', url: null, teamId: null, enterpriseId: null, isAgent: false };
  const clients = createClients({ token: botToken, apiUrl, clock, log });
  const profiles = createUserProfiles(clients, clock, log, options.storedZones);
  const { drawChart } = options;
  const posting = createPosting({ clients, drawChart, identity, userName: profiles.name, clock, log });
  const { deliverReply, postAndConfirm, respond } = posting;
  const common = { commands, userZone: profiles.zone, deliverReply, clock, log, command };
  const startProgressNotice = createProgressNotices({ clients, postAndConfirm, respond, clock, log });
  const isNew = createDeduplicate(clock, log, options.isNewToAll);
  const pending = createPendingQuestions({ store: options.questions, clock, log, markSeen: isNew });
  const { observeQuestion } = options;
  const answerQuestion = createAnswerQuestion({ ...common, pending, startProgressNotice, observeQuestion });
  const { alsoAnswer, endedSteps } = options;
  const isAnswered = createIsAnswered({ alsoAnswer, installation: identity, profiles });
  const steps = createSteps({ ...common, clients, pending, profiles, isAnswered, endedSteps, observeQuestion });
  const resume = createResumeQuestion({ clients, log }, async (text, target, resumed) => {
    const { step } = target;
    if (step === undefined || resumed === undefined) await answerQuestion(text, target, resumed);
    else await steps.run(text, { ...target, step }, resumed);
  });

  /** An outdated Home tab is no reason to fail. */
  async function publishHome(user: string): Promise<void> {
    try {
      for await (const content of options.loadHome(user))
        await clients.read.views.publish({ user_id: user, view: homeView(content, command) });
    } catch (error) {
      log.warn({ err: error }, 'could not publish the Home tab');
    }
  }

  const requests = createRequestTracker();
  app.use(requests.middleware);
  app.use(dropRepeated(isNew));
  app.use(createAudience({ alsoAnswer, isAnswered, deliverReply, command, log }));
  const agentView = createAgentView({ clients, isAgent: () => identity.isAgent, viewed: options.viewedChannels, log });
  registerListeners(app, { ...common, answerQuestion, respond, publishHome, clients, agentView });
  listenToSteps(app, steps);
  listenToAgentView(app, agentView);
  // Bolt wraps errors that have no code.
  app.error(async (error) => log.error({ err: error.original ?? error }, 'listener failed'));

  return {
    outbox: posting.outbox,
    ...createLifecycle({
      ...{ app, receiver, clients, identity, requests, posting, pending, stopMs: options.stopMs, clock, log },
      resume: (text, target, question) => requests.track(resume(text, target, question)),
    }),
    connected: receiver.connected,
    port: receiver.port,
    isBusy: requests.isBusy,
    assertPostable: (channel) => assertPostable(clients, clock, channel),
    joinChannel: (channel) => joinChannel(clients, identity.botName, channel),
    findMentioned: (name) => findMentioned(clients, name),
    async admit(person) {
      if (!(await isAnswered(person))) throw ONLY_COLLEAGUES;
      return profiles.zone(person.user);
    },
    probe: (channel) =>
      probeSlack({ clients, channel, connected: receiver.connected(), botName: identity.botName, now: clock.now() }),
  };
}

function createBoltApp({ botToken, apiUrl }: SlackOptions, receiver: Receiver, logger: SlackLogger): App {
  return new App({
    token: botToken,
    receiver,
    logger,
    deferInitialization: true,
    convoStore: false,
    clientOptions: singleCalls(apiUrl),
  });
}

/** How people address the bot and where it's installed: filled in once Slack has answered. */
interface BotIdentity {
  botName: string;
  url: string | null;
  teamId: string | null;
  enterpriseId: string | null;
  /** Whether it was installed with Slack's agent view. */
  isAgent: boolean;
}

interface LifecycleOptions {
  readonly app: App;
  readonly receiver: ReturnType<typeof createReceiver>;
  readonly clients: SlackClients;
  readonly identity: BotIdentity;
  readonly requests: { finished(): Promise<void> };
  readonly pending: PendingQuestions;
  readonly resume: ResumeQuestion;
  readonly posting: { finished(): Promise<void> };
  readonly stopMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

function createLifecycle(options: LifecycleOptions): Pick<SlackApp, 'start' | 'stop'> {
  const { app, receiver, clients, identity, requests, posting, pending, stopMs, clock, log } = options;
  let stopping = false;

  /** Retries while Slack is down; a refused token stays refused. */
  async function initialize(): Promise<void> {
    for (let attempt = 1; !stopping; attempt++) {
      try {
        await app.init();
        const {
          user,
          url = null,
          team_id: teamId = null,
          enterprise_id: enterpriseId = null,
          response_metadata: { scopes = [] } = {},
        } = await clients.read.auth.test();
        const isAgent = scopes.includes('assistant:write');
        Object.assign(identity, { botName: user ?? identity.botName, url, teamId, enterpriseId, isAgent });
        return;
      } catch (error) {
        if (slackFailure(error)?.kind === 'refused') throw refusedBotToken(error);
        log.warn({ attempt, err: error }, 'could not reach Slack, retrying');
        await sleep(clock, Math.min(15_000, 500 * 2 ** attempt));
      }
    }
    throw new Error('stopped before Slack answered');
  }

  return {
    async start() {
      await initialize();
      await pending.open();
      await receiver.start(app);
      pending.resumeWith(options.resume);
    },
    async stop(alsoUnderWay = Promise.resolve()) {
      stopping = true;
      const ended = Promise.all([app.stop(), requests.finished(), alsoUnderWay])
        .then(() => posting.finished())
        .then(() => true);
      const endsWithin = (limitMs: number) =>
        withTimeout(
          clock,
          limitMs,
          () => ended,
          () => false,
        );
      if (!(await endsWithin(stopMs))) {
        log.warn({}, 'aborting the remaining calls to Slack');
        clients.cutOff();
        // Calls that hang for another reason aren't waited for.
        await endsWithin(CUT_OFF_LIMIT_MS);
      }
      await pending.close().catch((err: unknown) => log.warn({ err }, 'could not release the questions under way'));
    },
  };
}

function refusedBotToken(error: unknown): BotError {
  const failure = slackFailure(error);
  const reason = failure?.kind === 'refused' ? ` (${failure.reason})` : '';
  return new BotError('config', `Slack rejected the bot token${reason}.`, {
    hint: 'Check SLACK_BOT_TOKEN: install the app to the workspace and copy the token that starts with xoxb-.',
    cause: error,
  });
}
