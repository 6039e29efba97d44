/** What the page needs from a workspace. The local Slack implements it. */
import type { JsonObject } from '../slack/json.ts';

export interface PagePerson {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly tz?: string | undefined;
}

export interface PageChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  readonly members: readonly string[];
  readonly botIsMember: boolean;
  readonly archived: boolean;
  readonly topic?: string;
}

interface PageUserGroup {
  readonly id: string;
  readonly handle: string;
}

export interface PageMessage {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly botId?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly fileIds: readonly string[];
  readonly visibleTo?: string | undefined;
  readonly edited: boolean;
  readonly versions: readonly { readonly atMs: number }[];
}

export interface PageView {
  readonly id: string;
  readonly hash: string;
  readonly blocks: readonly JsonObject[];
  readonly source: JsonObject;
}

export interface PageCommand {
  readonly user: string;
  readonly text: string;
  readonly ts: string;
  readonly error?: string;
}

interface PageFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly bytes: Buffer | undefined;
}

interface Result {
  readonly acked: boolean;
  readonly error?: string;
}

interface Element {
  readonly actionId: string;
  readonly blockId?: string;
  readonly choice?: string | number | readonly string[];
  readonly state?: Choices;
  readonly client?: string;
}

type Choices = Readonly<Record<string, string | number | readonly string[] | null>>;

export interface PageSlack {
  readonly workspace: {
    readonly team: { readonly name: string };
    readonly app: {
      readonly name: string;
      readonly botUserId: string;
      readonly commands: readonly string[];
      readonly shortcuts: readonly { readonly callbackId: string; readonly name: string }[];
    };
  };
  readonly now: () => number;
  people(): readonly PagePerson[];
  userGroups(): readonly PageUserGroup[];
  channels(): readonly PageChannel[];
  messages(channel?: string): readonly PageMessage[];
  ephemerals(user?: string, channel?: string): readonly PageMessage[];
  typedCommands(channel?: string): readonly PageCommand[];
  modals(user: string, client: string): readonly PageView[];
  home(user?: string): PageView | undefined;
  file(id: string): PageFile | undefined;
  canvas(id: string): { readonly title: string; readonly markdown: string } | undefined;
  onChange(listener: () => void): () => void;

  command(input: { text: string; channel: string; user: string; command: string; client: string }): Promise<Result>;
  say(input: Said): { readonly ts: string };
  mention(input: Said): Promise<Result & { readonly message?: { readonly ts: string } }>;
  directMessage(input: Omit<Said, 'channel'>): Promise<Result>;
  changeChannel(channel: string, change: { botIsMember: boolean }): void;
  messageShortcut(input: MessageRef & { user: string; callbackId: string; client: string }): Promise<Result>;
  clickButton(input: Element & { user: string; message: { channel: string; ts: string } }): Promise<Result>;
  clickInView(input: Element & { view: { id: string } }): Promise<Result>;
  submitView(input: {
    user: string;
    viewId: string;
    values: Choices;
  }): Promise<Result & { readonly errors: Readonly<Record<string, string>>; readonly unfilled: readonly string[] }>;
  closeView(input: { user: string; viewId: string }): Promise<Result>;
  openHome(user?: string): Promise<Result>;
}

interface Said {
  readonly text: string;
  readonly channel: string;
  readonly user: string;
  readonly threadTs?: string | undefined;
}

interface MessageRef {
  readonly message: { readonly channel: string; readonly ts: string };
}
