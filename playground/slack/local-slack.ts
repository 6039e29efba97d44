/** The interface of a local Slack: acting as a person, reading its state, changing it, and injecting faults. */

import type { AgentView } from './agent-view.ts';
import type { Call, Change, Refusal, WaitOptions } from './call-log.ts';
import type { Canvas } from './canvases.ts';
import type { Deliverer, LoggedDelivery } from './delivery/deliverer.ts';
import type { HttpTransport } from './delivery/http.ts';
import type { Sockets } from './delivery/socket-mode.ts';
import type { EventResult, SayInput, ViewingInput } from './dispatch/events.ts';
import type { ActionInput, OptionsInput, OptionsResult, ShortcutInput } from './dispatch/interaction.ts';
import type { DispatchResult } from './dispatch/result.ts';
import type { SlackbotInput, SlackbotResult } from './dispatch/slackbot.ts';
import type { CommandInput } from './dispatch/slash-command.ts';
import type { SubmitInput, SubmitResult } from './dispatch/view-submission.ts';
import type { StepInput, StepResult } from './dispatch/workflow-step.ts';
import type { Execution } from './executions.ts';
import type { Distance, Faults } from './faults.ts';
import type { Readiness, StoredFile } from './files.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './messages.ts';
import type { Notification } from './notifications.ts';
import type { RateLimitOptions } from './rate-limit.ts';
import type { ScheduledMessage } from './scheduled.ts';
import type { TypedCommand } from './typed-commands.ts';
import type { View } from './views.ts';
import type { Channel, Person, UserGroup, Workspace, WorkspaceSpec } from './workspace.ts';

export interface LocalSlackOptions {
  /** Any free one by default. */
  readonly port?: number;
  readonly host?: string;
  readonly workspace?: WorkspaceSpec;
  /** The app's manifest as an object: names, commands, shortcuts, scopes, events, steps. `workspace.app` overrides it. */
  readonly manifest?: unknown;
  readonly mode?: 'socket' | 'http';
  readonly signingSecret?: string;
  /** The app's request URL in HTTP mode; can be set later with `setRequestUrl`. */
  readonly requestUrl?: string;
  /** Milliseconds since the epoch; used for message timestamps, trigger ids and response_urls. */
  readonly now?: () => number;
  /** How many times files.info or a post finds a completed upload not ready yet; `held`: until `releaseFiles`. */
  readonly fileReadyAfter?: Readiness;
  /** Answers 429 to posts that are too frequent for one channel. Unlimited by default. */
  readonly rateLimit?: RateLimitOptions;
  /** None by default. */
  readonly distance?: Distance;
  /** Skips validation, which would distort measurements. */
  readonly trusting?: boolean;
  readonly ackTimeoutMs?: number;
  readonly eventRetryDelaysMs?: readonly number[];
  /** How long `waitFor` and `nextMessage` wait by default; 30 s unless set. */
  readonly waitTimeoutMs?: number;
}

export interface MessageFilter {
  readonly channel?: string;
  readonly threadTs?: string;
  /** Only ephemeral messages to this person. */
  readonly visibleTo?: string;
  readonly match?: (message: Message) => boolean;
}

/** What Bolt's `App` needs to connect; the same as `LocalSlack.env` for an app in this process. */
export interface AppOptions {
  readonly token: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly socketMode: boolean;
  readonly clientOptions: { slackApiUrl: string };
}

/** A server that listens, such as `app.start()` of Bolt resolves with. */
export interface Listening {
  address(): string | { readonly port: number } | null;
}

/** Each resolves when the app has acknowledged, or with the error that Slack's client would show. */
export interface PersonActions {
  /** A slash command. */
  command(input?: CommandInput): Promise<DispatchResult>;
  /** Posts a message, and dispatches the events for it that the app has subscribed to. */
  sendMessage(input: SayInput): Promise<EventResult>;
  /** Posts a message without dispatching an event. */
  say(input: SayInput): Message;
  /** Posts a message that mentions the app, and dispatches only `app_mention`. */
  mention(input: SayInput): Promise<EventResult>;
  directMessage(input: Omit<SayInput, 'channel'>): Promise<EventResult>;
  editMessage(input: {
    readonly message: Pick<Message, 'channel' | 'ts'>;
    readonly text: string;
  }): Promise<EventResult>;
  deleteMessage(input: { readonly message: Pick<Message, 'channel' | 'ts'> }): Promise<EventResult>;
  /** A file for `sendMessage`, or to choose in a `file_input`. */
  uploadFile(input: { readonly name: string; readonly bytes: Uint8Array; readonly user?: string }): StoredFile;
  /** Adds or removes a reaction. Returns Slack's error, undefined if there was none. */
  react(input: ReactInput): string | undefined;
  /** A shortcut on a message. */
  messageShortcut(
    input: ShortcutInput & { readonly message: Pick<Message, 'channel' | 'ts'> },
  ): Promise<DispatchResult>;
  /** A shortcut from the search or the plus menu. */
  shortcut(input?: ShortcutInput): Promise<DispatchResult>;
  /** A button or menu in a message. */
  clickButton(input: ActionInput & { readonly message: Pick<Message, 'channel' | 'ts'> }): Promise<DispatchResult>;
  /** A button or menu in a modal or Home tab. */
  clickInView(input: ActionInput & { readonly view: Pick<View, 'id'> }): Promise<DispatchResult>;
  /** Types into a menu with an external source, in a message or in a modal. */
  loadOptions(
    input: OptionsInput & ({ readonly message: Pick<Message, 'channel' | 'ts'> } | { readonly view: Pick<View, 'id'> }),
  ): Promise<OptionsResult>;
  submitView(input?: SubmitInput): Promise<SubmitResult>;
  closeView(input?: { readonly user?: string; readonly viewId?: string }): Promise<DispatchResult>;
  openHome(user?: string): Promise<EventResult>;
  joinChannel(input: { readonly channel?: string; readonly user?: string }): Promise<EventResult>;
  /** Adds the app to a channel. */
  inviteApp(input: { readonly channel?: string; readonly user?: string }): Promise<EventResult>;
  /** Opens the direct message with the app, beside a channel or by itself. */
  openDirectMessage(input?: ViewingInput): Promise<EventResult>;
  /** Opens an assistant, which starts a thread: the result's `message` is its root. */
  openAssistant(input?: ViewingInput): Promise<EventResult>;
  /** Goes to another channel, or to none, with the direct message open beside it. */
  viewChannel(input: ViewingInput): Promise<EventResult>;
  /** Runs a workflow that has a step of the app. */
  runStep(input: StepInput): Promise<StepResult>;
  /** Dispatches any other event that the app has subscribed to, such as `team_join`. */
  sendEvent(event: JsonObject & { readonly type: string }): Promise<EventResult>;
}

export interface ReactInput {
  readonly message: Pick<Message, 'channel' | 'ts'>;
  /** The emoji's name, without colons. */
  readonly name: string;
  readonly user?: string;
  readonly remove?: boolean;
}

export interface LocalSlack extends PersonActions {
  readonly url: string;
  /** For `SLACK_API_URL`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** New at every call, because Bolt changes what it gets. */
  appOptions(): AppOptions;
  /** For an app in a process of its own: `SLACK_BOT_TOKEN`, `SLACK_APP_TOKEN`, `SLACK_SIGNING_SECRET`, `SLACK_API_URL`. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly now: () => number;

  /** Has Slackbot call a tool of the app's MCP server, and show the answer. */
  slackbot(input: SlackbotInput): Promise<SlackbotResult>;

  // Reading.
  /** Messages visible to everyone in the channel, including replies, in order. */
  messages(channel?: string): readonly Message[];
  thread(channel: string, ts: string): readonly Message[];
  ephemerals(user?: string, channel?: string): readonly Message[];
  /** The current version; undefined if deleted. */
  message(ref: Pick<Message, 'channel' | 'ts'>): Message | undefined;
  /** With whom each is shared, too. */
  canvases(): readonly Canvas[];
  canvas(id: string): Canvas | undefined;
  /** The prompts that the app suggests to a person in Slack's agent view. */
  suggestedPrompts(user?: string): ReturnType<AgentView['suggested']>;
  /** What the app says it's doing about a message in Slack's agent view; empty if nothing. */
  status(message: Pick<Message, 'channel' | 'ts'>): string;
  /** The title that the app gave to an assistant's thread; empty if none. */
  threadTitle(message: Pick<Message, 'channel' | 'ts'>): string;
  /** Messages that the app has scheduled and that aren't posted yet. */
  scheduled(): readonly ScheduledMessage[];
  /** A workflow step that was run, and how it ended. */
  execution(id: string): Execution | undefined;
  files(): readonly StoredFile[];
  file(id: string): StoredFile | undefined;
  /** Open modals, the topmost last; of all of a person's clients unless one is named. */
  modals(user?: string, client?: string): readonly View[];
  home(user?: string): View | undefined;
  viewHistory(): readonly View[];
  /** Slash commands that people typed in the channel, in order. */
  typedCommands(channel?: string): readonly TypedCommand[];
  channels(): readonly Channel[];
  people(): readonly Person[];
  userGroups(): readonly UserGroup[];
  /** Who was notified by which message, in order. */
  notifications(channel?: string): readonly Notification[];
  calls(method?: string): readonly Call[];
  /** Calls without a response yet. */
  callsUnderWay(): number;
  readonly refusals: readonly Refusal[];
  readonly deliveries: readonly LoggedDelivery[];
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first result that is not undefined, null or false; checked again on every change. */
  waitFor<T>(condition: () => T | undefined | null | false, options?: WaitOptions): Promise<T>;
  /** The bot's next matching message. Each message is returned once. */
  nextMessage(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;

  // Changing the state.
  changeChannel(channel: string, change: Partial<Pick<Channel, 'name' | 'botIsMember' | 'archived' | 'members'>>): void;
  revokeToken(revoked?: boolean): void;
  revokeScope(scope: string): void;
  /** Where the app takes requests in HTTP mode: a URL, or its server, at `/slack/events`. */
  setRequestUrl(to: string | Listening): void;
  setFileReadyAfter(readiness: Readiness): void;
  releaseFiles(): void;
  expireResponseUrls(): void;
  /** Posts the scheduled messages that are due by `now`, and returns them. */
  postScheduled(): readonly Message[];
  /** Forgets messages, files, calls and deliveries so far, so that long runs don't fill the memory. */
  forget(): void;

  // Injecting faults.
  readonly faults: Omit<Faults, 'take' | 'refusedBlockTypes'>;
  readonly sockets: Pick<Sockets, 'connected' | 'disconnect' | 'drop' | 'silence' | 'setClosed' | 'sendFrame'>;
  readonly deliveryFaults: Pick<Deliverer, 'loseNext' | 'loseAckNext' | 'duplicateNext' | 'retryNow'> &
    Pick<HttpTransport, 'forgeSignature' | 'sendSigned' | 'replayLast'>;

  stop(): Promise<void>;
}
