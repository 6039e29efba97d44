/** All that the parts of the local Slack share: one workspace's state and the clock it lives by. */
import type { Directory } from './directory.ts';
import type { Faults } from './faults.ts';
import type { Files } from './files.ts';
import type { Ids } from './ids.ts';
import type { Journal } from './journal.ts';
import type { Message, Messages } from './messages.ts';
import type { Pace } from './pace.ts';
import type { Tickets } from './tickets.ts';
import type { Views } from './views.ts';

export interface World {
  readonly now: () => number;
  readonly ids: Ids;
  readonly directory: Directory;
  readonly messages: Messages;
  readonly files: Files;
  readonly views: Views;
  readonly tickets: Tickets;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly pace: Pace;
  readonly tokens: { readonly bot: string; readonly app: string; revoked: boolean };
  readonly baseUrl: () => string;
  /** Hands a Socket Mode address to the app. */
  readonly openSocketUrl: () => string | undefined;
  /** Tells the app of a message in a direct message, its own ones too. */
  readonly messageInDirectMessage: (message: Message, change: 'message' | 'edit' | 'delete') => void;
}
