/** Starts a local Slack on loopback and joins its parts. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHttpTransport } from './delivery/http.ts';
import { createPostman } from './delivery/postman.ts';
import { createSockets } from './delivery/socket.ts';
import { createDirectory } from './directory.ts';
import { typeCommand } from './doors/command.ts';
import { actOnMessage, actOnView, useMessageShortcut } from './doors/interaction.ts';
import { closeView, submitView } from './doors/modal.ts';
import { notSent, type Outcome } from './doors/outcome.ts';
import { directMessage, echoInDirectMessage, mention, openHome, say } from './doors/speech.ts';
import { createFaults } from './faults.ts';
import { createFiles } from './files.ts';
import { createIds } from './ids.ts';
import { createJournal } from './journal.ts';
import type { LocalSlack, LocalSlackOptions } from './local-slack.ts';
import { createMessages, type Message } from './messages.ts';
import { createPace } from './pace.ts';
import { createReading, describeWorld } from './reading.ts';
import { createHttpServer } from './server.ts';
import { createTickets } from './tickets.ts';
import { createViews } from './views.ts';
import { resolveWorkspace } from './workspace.ts';
import type { World } from './world.ts';

const ACK_TIMEOUT_MS = 3_000;
/** Nearly at once, after a minute, after five. */
const RETRY_DELAYS_MS = [0, 60_000, 300_000];

export async function startLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const now = options.now ?? Date.now;
  const ackTimeoutMs = options.ackTimeoutMs ?? ACK_TIMEOUT_MS;
  const signingSecret = options.signingSecret ?? 'local-signing-secret';
  const workspace = resolveWorkspace(options.workspace);
  const ids = createIds(now);
  const faults = createFaults();
  const journal = createJournal(() => describeWorld(world));
  let url = '';

  const world: World = {
    now,
    ids,
    faults,
    journal,
    pace: createPace(options.pace, now),
    directory: createDirectory(workspace, ids, () => journal.changed('channel')),
    messages: createMessages({ ids, now, changed: (kind, message) => journal.changed(kind, message) }),
    files: createFiles({
      ids,
      readiness: options.fileReadyAfter ?? 1,
      changed: (file) => journal.changed('file', file),
    }),
    views: createViews({ ids, changed: (view) => journal.changed('view', view) }),
    tickets: createTickets({ now, baseUrl: () => url, teamId: workspace.team.id }),
    tokens: { bot: `xoxb-${workspace.team.id}-local`, app: `xapp-1-${workspace.app.id}-local`, revoked: false },
    baseUrl: () => url,
    openSocketUrl: () => sockets.openUrl(url),
    messageInDirectMessage: (message, change) => echoInDirectMessage(message, change, doors),
  };

  const server = createHttpServer(world);
  const sockets = createSockets({
    server,
    appId: workspace.app.id,
    ackTimeoutMs,
    changed: (kind) => journal.changed(kind),
  });
  const http = createHttpTransport({ signingSecret, ackTimeoutMs, requestUrl: options.requestUrl });
  const transport = options.mode === 'http' ? http : sockets;
  const retryDelaysMs = options.eventRetryDelaysMs ?? RETRY_DELAYS_MS;
  const postman = createPostman({ transport, journal, ackTimeoutMs, retryDelaysMs });
  const doors = { world, postman };

  const onMessage = (ref: Pick<Message, 'channel' | 'ts'>, act: (message: Message) => Promise<Outcome>) => {
    const found = world.messages.find(ref.channel, ref.ts);
    return found === undefined ? Promise.resolve(notSent('message_gone')) : act(found);
  };

  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;

  return {
    url,
    apiUrl: `${url}/api`,
    botToken: world.tokens.bot,
    appToken: world.tokens.app,
    signingSecret,
    workspace,
    now,

    command: (input = {}) => typeCommand(input, doors),
    say: (input) => say(input, world),
    mention: (input) => mention(input, doors),
    directMessage: (input) => directMessage(input, doors),
    messageShortcut: ({ message, ...input }) => onMessage(message, (found) => useMessageShortcut(found, input, doors)),
    clickButton: ({ message, ...input }) => onMessage(message, (found) => actOnMessage(found, input, doors)),
    clickInView: ({ view, ...input }) => {
      const found = world.views.byId(view.id);
      return found === undefined ? Promise.resolve(notSent('view_gone')) : actOnView(found, input, doors);
    },
    submitView: (input = {}) => submitView(input, doors),
    closeView: (input = {}) => closeView(input, doors),
    openHome: (user) => openHome(user, doors),

    ...createReading(world),
    refusals: journal.refusals,
    deliveries: postman.log,
    onChange: journal.onChange,
    waitFor: journal.waitFor,

    changeChannel: (channel, change) => world.directory.change(world.directory.channelNamed(channel).id, change),
    revokeToken: (revoked = true) => {
      world.tokens.revoked = revoked;
    },
    revokeScope: world.directory.revokeScope,
    setRequestUrl: http.setRequestUrl,
    setFileReadyAfter: world.files.setReadiness,
    releaseFiles: world.files.release,
    expireResponseUrls: world.tickets.expireResponseUrls,

    faults,
    sockets,
    deliveryFaults: { ...postman, missign: http.missign },

    async stop() {
      faults.clear();
      await postman.stop();
      await sockets.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}
