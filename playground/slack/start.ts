/** Starts a local Slack on loopback: creates the parts and connects them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAgentView } from './agent-view.ts';
import { createCallLog } from './call-log.ts';
import { createCanvases } from './canvases.ts';
import { createDeliverer, type Deliverer } from './delivery/deliverer.ts';
import { createHttpTransport, type HttpTransport } from './delivery/http.ts';
import { createSockets, type Sockets } from './delivery/socket-mode.ts';
import { createDirectory } from './directory.ts';
import { dispatchEvent, dispatchMessageEcho } from './dispatch/events.ts';
import { askSlackbot } from './dispatch/slackbot.ts';
import { createExecutions } from './executions.ts';
import { createFaults, type Faults } from './faults.ts';
import { createFiles } from './files.ts';
import { createIds } from './ids.ts';
import type { Listening, LocalSlack, LocalSlackOptions } from './local-slack.ts';
import { readManifest } from './manifest.ts';
import { createMessages, type Message } from './messages.ts';
import { postScheduled } from './methods/scheduled.ts';
import { notificationsOf } from './notifications.ts';
import { createPersonActions } from './person-actions.ts';
import { createQueries, describeState } from './queries.ts';
import { createPostLimiter } from './rate-limit.ts';
import { createResponseUrls } from './response-urls.ts';
import { createHttpServer } from './server.ts';
import type { SlackState } from './state.ts';
import { createTriggerIds } from './trigger-ids.ts';
import { createTypedCommands } from './typed-commands.ts';
import { createViews } from './views.ts';
import { resolveWorkspace } from './workspace.ts';

const ACK_TIMEOUT_MS = 3_000;
/** As documented by Slack: almost immediately, after one minute, after five minutes. */
const RETRY_DELAYS_MS = [0, 60_000, 300_000];
/** Generous enough for a busy machine. */
const WAIT_TIMEOUT_MS = 30_000;

export async function startLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const { ackTimeoutMs = ACK_TIMEOUT_MS, host: boundTo = '127.0.0.1', signingSecret = randomSecret() } = options;
  const { state, connect } = createState(options);
  const { callLog, faults } = state;
  const server = createHttpServer(state, boundTo);
  // A distant Slack keeps connections open for as long as the app does.
  if (options.distance !== undefined) server.keepAliveTimeout = 0;
  const sockets = createSockets({
    server,
    boundTo,
    appId: state.directory.workspace.app.id,
    ackTimeoutMs,
    changed: (kind) => callLog.notify(kind),
  });
  const http = createHttpTransport({ signingSecret, ackTimeoutMs, requestUrl: options.requestUrl });
  const transport = options.mode === 'http' ? http : sockets;
  const retryDelaysMs = options.eventRetryDelaysMs ?? RETRY_DELAYS_MS;
  const deliverer = createDeliverer({ transport, callLog, ackTimeoutMs, retryDelaysMs });

  server.listen(options.port ?? 0, boundTo);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  connect({ url, sockets, deliverer });

  return {
    url,
    ...credentials(state, url, signingSecret, options.mode ?? 'socket'),
    workspace: state.directory.workspace,
    now: state.now,
    ...createPersonActions({ state, deliverer }),
    slackbot: (input) => askSlackbot(input, { state, signingSecret }),
    ...createQueries(state),
    refusals: callLog.refusals,
    deliveries: deliverer.log,
    onChange: callLog.onChange,
    waitFor: callLog.waitFor,
    ...stateControls(state),
    setRequestUrl: (to) => http.setRequestUrl(typeof to === 'string' ? to : requestUrlOf(to)),
    forget() {
      state.messages.clear();
      state.notifications.length = 0;
      state.files.clear();
      callLog.calls.length = 0;
      deliverer.clearLog();
    },
    ...faultControls(faults, sockets, deliverer, http),
    async stop() {
      faults.clear();
      await deliverer.stop();
      await sockets.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

function credentials(
  { tokens }: SlackState,
  url: string,
  signingSecret: string,
  mode: 'socket' | 'http',
): Pick<LocalSlack, 'apiUrl' | 'botToken' | 'appToken' | 'signingSecret' | 'appOptions' | 'env'> {
  const { bot, app } = tokens;
  const apiUrl = `${url}/api`;
  return {
    apiUrl,
    botToken: bot,
    appToken: app,
    signingSecret,
    appOptions: () => ({
      token: bot,
      appToken: app,
      signingSecret,
      socketMode: mode === 'socket',
      clientOptions: { slackApiUrl: apiUrl },
    }),
    env: {
      SLACK_BOT_TOKEN: bot,
      SLACK_APP_TOKEN: app,
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_API_URL: `${apiUrl}/`,
    },
  };
}

function requestUrlOf(server: Listening): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return `http://127.0.0.1:${address.port}/slack/events`;
}

/** New at every start, so that they can't be known from the source. */
const randomSecret = (): string => randomBytes(16).toString('hex');

/** What exists only once the server listens. */
interface Connected {
  readonly url: string;
  readonly sockets: Sockets;
  readonly deliverer: Deliverer;
}

function createState(options: LocalSlackOptions): { state: SlackState; connect(parts: Connected): void } {
  const { now = Date.now } = options;
  const workspace = resolveWorkspace(options.workspace, readManifest(options.manifest));
  const ids = createIds(now);
  const callLog = createCallLog({
    waitTimeoutMs: options.waitTimeoutMs ?? WAIT_TIMEOUT_MS,
    describe: () => describeState(state),
  });
  let connected: Connected | undefined;
  const baseUrl = () => connected?.url ?? '';
  const state: SlackState = {
    now,
    ids,
    faults: createFaults(),
    callLog,
    postLimiter: createPostLimiter(options.rateLimit, now),
    distance: options.distance ?? { callMs: 0, connectionMs: 0 },
    trusting: options.trusting ?? false,
    directory: createDirectory(workspace, ids, () => callLog.notify('channel')),
    messages: createMessages({
      ids,
      now,
      changed(kind, message) {
        if (kind === 'message') noteNotifications(message, state);
        if (kind === 'message' && message.botId !== undefined && message.threadTs !== undefined)
          state.agentView.setStatus(message.channel, message.threadTs, '');
        callLog.notify(kind, message);
      },
    }),
    notifications: [],
    streams: new Map(),
    scheduled: [],
    pins: new Set(),
    files: createFiles({
      ids,
      readiness: options.fileReadyAfter ?? 1,
      changed: (file) => callLog.notify('file', file),
    }),
    canvases: createCanvases({ ids, changed: (canvas) => callLog.notify('canvas', canvas) }),
    agentView: createAgentView({ changed: () => callLog.notify('agent') }),
    executions: createExecutions({ ids, changed: (execution) => callLog.notify('execution', execution) }),
    views: createViews({ ids, changed: (view) => callLog.notify('view', view) }),
    typedCommands: createTypedCommands({ ids, changed: () => callLog.notify('command') }),
    responseUrls: createResponseUrls({ now, baseUrl, teamId: workspace.team.id }),
    triggerIds: createTriggerIds({ now, teamId: workspace.team.id }),
    tokens: {
      bot: `xoxb-${workspace.team.id}-${randomSecret()}`,
      app: `xapp-1-${workspace.app.id}-${randomSecret()}`,
      revoked: false,
    },
    baseUrl,
    openSocketUrl: () => connected?.sockets.openUrl(connected.url),
    echoMessage(message, change) {
      if (connected !== undefined) dispatchMessageEcho(message, change, { state, deliverer: connected.deliverer });
    },
    emit(event) {
      if (connected !== undefined) void dispatchEvent(event, { state, deliverer: connected.deliverer });
    },
  };
  return {
    state,
    connect(parts) {
      connected = parts;
    },
  };
}

/** Who is notified depends on the members of channels and groups at that time. */
function noteNotifications(message: Message, { directory, messages, notifications }: SlackState): void {
  const { channel, ts, threadTs } = message;
  const inThread = (other: Message): boolean => other.ts === threadTs || other.threadTs === threadTs;
  const earlier =
    threadTs === undefined ? [] : messages.inChannel(channel).filter((other) => other.ts !== ts && inThread(other));
  notifications.push(...notificationsOf(message, directory, earlier));
}

/** What tests may use of the parts that can fail. */
function faultControls(
  { inject, hold, refuseBlockType, clear }: Faults,
  { connected, disconnect, drop, silence, setClosed, sendFrame }: Sockets,
  { loseNext, loseAckNext, duplicateNext, retryNow }: Deliverer,
  { forgeSignature, sendSigned, replayLast }: HttpTransport,
): Pick<LocalSlack, 'faults' | 'sockets' | 'deliveryFaults'> {
  return {
    faults: { inject, hold, refuseBlockType, clear },
    sockets: { connected, disconnect, drop, silence, setClosed, sendFrame },
    deliveryFaults: { loseNext, loseAckNext, duplicateNext, retryNow, forgeSignature, sendSigned, replayLast },
  };
}

const stateControls = (state: SlackState) => ({
  changeChannel: (channel: string, change: Parameters<LocalSlack['changeChannel']>[1]) =>
    state.directory.change(state.directory.channelNamed(channel).id, change),
  revokeToken: (revoked = true) => {
    state.tokens.revoked = revoked;
  },
  revokeScope: state.directory.revokeScope,
  setFileReadyAfter: state.files.setReadiness,
  releaseFiles: state.files.release,
  postScheduled: () => postScheduled(state),
  expireResponseUrls: state.responseUrls.expireAll,
});
