/** What the local Slack offers: being a person in it, reading what is there, and making it misbehave. */
import type { HttpTransport } from './delivery/http.ts';
import type { LoggedDelivery, Postman } from './delivery/postman.ts';
import type { Sockets } from './delivery/socket.ts';
import type { CommandInput } from './doors/command.ts';
import type { ActInput, ShortcutInput } from './doors/interaction.ts';
import type { SubmitInput, SubmitOutcome } from './doors/modal.ts';
import type { Outcome } from './doors/outcome.ts';
import type { EventOutcome, SayInput } from './doors/speech.ts';
import type { Faults } from './faults.ts';
import type { Readiness, StoredFile } from './files.ts';
import type { Call, Change, Refusal, WaitOptions } from './journal.ts';
import type { Message } from './messages.ts';
import type { PaceOptions } from './pace.ts';
import type { View } from './views.ts';
import type { Channel, Person, Workspace, WorkspaceSpec } from './workspace.ts';

export interface LocalSlackOptions {
  /** Any free one where left out. */
  readonly port?: number;
  readonly host?: string;
  readonly workspace?: WorkspaceSpec;
  readonly mode?: 'socket' | 'http';
  readonly signingSecret?: string;
  /** Where to bring things in HTTP mode; may be set later with `setRequestUrl`. */
  readonly requestUrl?: string;
  /** Milliseconds of the epoch. Message times, triggers and response_urls live by it. */
  readonly now?: () => number;
  /** How many looks (files.info or a post) find a completed upload not ready yet; `held` until `releaseFiles`. */
  readonly fileReadyAfter?: Readiness;
  /** Answers 429 to posts that come too fast for one channel. Unlimited where left out. */
  readonly pace?: PaceOptions;
  readonly ackTimeoutMs?: number;
  readonly eventRetryDelaysMs?: readonly number[];
}

export interface MessageFilter {
  readonly channel?: string;
  readonly threadTs?: string;
  /** Only ephemeral ones to this person. */
  readonly visibleTo?: string;
  readonly match?: (message: Message) => boolean;
}

export interface LocalSlack {
  readonly url: string;
  /** For `SLACK_API_URL`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly workspace: Workspace;
  readonly now: () => number;

  // Being a person.
  command(input?: CommandInput): Promise<Outcome>;
  /** Plain talk; nothing goes to the app. */
  say(input: SayInput): Message;
  mention(input: SayInput): Promise<EventOutcome>;
  directMessage(input: Omit<SayInput, 'channel'>): Promise<EventOutcome>;
  messageShortcut(input: ShortcutInput & { readonly message: Pick<Message, 'channel' | 'ts'> }): Promise<Outcome>;
  /** A button or menu in a message, named by its message or by channel and ts. */
  clickButton(input: ActInput & { readonly message: Pick<Message, 'channel' | 'ts'> }): Promise<Outcome>;
  /** A button or menu in a modal or Home tab. */
  clickInView(input: ActInput & { readonly view: Pick<View, 'id'> }): Promise<Outcome>;
  submitView(input?: SubmitInput): Promise<SubmitOutcome>;
  closeView(input?: { readonly user?: string; readonly viewId?: string }): Promise<Outcome>;
  openHome(user?: string): Promise<EventOutcome>;

  // Reading.
  /** What everyone in the channel sees, replies included, in order. */
  messages(channel?: string): readonly Message[];
  thread(channel: string, ts: string): readonly Message[];
  ephemerals(user?: string, channel?: string): readonly Message[];
  /** As it is now; undefined when deleted. */
  message(ref: Pick<Message, 'channel' | 'ts'>): Message | undefined;
  files(): readonly StoredFile[];
  file(id: string): StoredFile | undefined;
  /** Open modals, the top one last. */
  modals(user?: string): readonly View[];
  home(user?: string): View | undefined;
  viewHistory(): readonly View[];
  channels(): readonly Channel[];
  people(): readonly Person[];
  calls(method?: string): readonly Call[];
  readonly refusals: readonly Refusal[];
  readonly deliveries: readonly LoggedDelivery[];
  onChange(listener: (change: Change) => void): () => void;
  waitFor<T>(look: () => T | undefined | null | false, options?: WaitOptions): Promise<T>;
  /** The bot's next message that fits and was not handed out before: each one comes once. */
  nextMessage(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;

  // Changing the world.
  changeChannel(channel: string, change: Partial<Pick<Channel, 'name' | 'botIsMember' | 'archived' | 'members'>>): void;
  revokeToken(revoked?: boolean): void;
  revokeScope(scope: string): void;
  setRequestUrl(url: string): void;
  setFileReadyAfter(readiness: Readiness): void;
  releaseFiles(): void;
  expireResponseUrls(): void;

  // Misbehaving.
  readonly faults: Omit<Faults, 'take' | 'refusedBlockTypes'>;
  readonly sockets: Pick<Sockets, 'connected' | 'disconnect' | 'drop' | 'silence' | 'setClosed'>;
  readonly deliveryFaults: Pick<Postman, 'loseNext' | 'loseAckNext' | 'doubleNext' | 'retryNow'> &
    Pick<HttpTransport, 'missign'>;

  stop(): Promise<void>;
}
