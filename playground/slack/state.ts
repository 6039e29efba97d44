/** The state of one workspace, shared by all parts of the local Slack. */
import type { AgentView } from './agent-view.ts';
import type { CallLog } from './call-log.ts';
import type { Canvases } from './canvases.ts';
import type { Directory } from './directory.ts';
import type { Executions } from './executions.ts';
import type { Distance, Faults } from './faults.ts';
import type { Files } from './files.ts';
import type { Ids } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { Message, Messages } from './messages.ts';
import type { Notification } from './notifications.ts';
import type { PostLimiter } from './rate-limit.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { ScheduledMessage } from './scheduled.ts';
import type { Stream } from './streams.ts';
import type { TriggerIds } from './trigger-ids.ts';
import type { TypedCommands } from './typed-commands.ts';
import type { Views } from './views.ts';

export interface SlackState {
  readonly now: () => number;
  readonly ids: Ids;
  readonly directory: Directory;
  readonly messages: Messages;
  /** In the order of their messages. */
  readonly notifications: Notification[];
  /** What the app streams, by channel and timestamp. */
  readonly streams: Map<string, Stream>;
  /** What the app has scheduled, in that order. */
  readonly scheduled: ScheduledMessage[];
  /** The channel and timestamp of pinned messages. */
  readonly pins: Set<string>;
  readonly files: Files;
  readonly canvases: Canvases;
  readonly executions: Executions;
  readonly agentView: AgentView;
  readonly views: Views;
  readonly typedCommands: TypedCommands;
  readonly responseUrls: ResponseUrls;
  readonly triggerIds: TriggerIds;
  readonly faults: Faults;
  readonly callLog: CallLog;
  readonly postLimiter: PostLimiter;
  readonly distance: Distance;
  readonly trusting: boolean;
  readonly tokens: { readonly bot: string; readonly app: string; revoked: boolean };
  readonly baseUrl: () => string;
  /** A Socket Mode URL for the app, or undefined if it has too many connections. */
  readonly openSocketUrl: () => string | undefined;
  /** Dispatches the event for a change of a message, also when the app itself made the change. */
  readonly echoMessage: (message: Message, change: 'message' | 'edit' | 'delete') => void;
  /** Dispatches an event if the app has subscribed to it. */
  readonly emit: (event: JsonObject) => void;
}
