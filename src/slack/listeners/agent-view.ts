/**
 * The direct message as Slack's agent view, if the app was installed with it: prompts to begin with, what the bot is
 * doing, and the channel that the person is viewing next to it. Not Bolt's `Assistant`, which would keep every threaded
 * direct message to itself.
 */
import type { App, types } from '@slack/bolt';
import type { Logger } from '../../observability/logger.ts';
import { HOUR_MS } from '../../time-units.ts';
import type { ReplyTarget } from '../posting/reply-target.ts';
import type { SlackClients } from '../transport/web-api.ts';

/** Which channel each person is viewing, shared by all replicas. */
export interface ViewedChannels {
  get(user: string): Promise<string | undefined>;
  set(user: string, channel: string, ttlMs: number): Promise<unknown>;
  delete(user: string): Promise<unknown>;
}

interface AgentViewDependencies {
  readonly clients: SlackClients;
  /** Whether the app was installed with the agent view. */
  readonly isAgent: () => boolean;
  readonly viewed: ViewedChannels;
  readonly log: Logger;
}

export interface AgentView {
  /** Somebody has opened their direct message. Never rejects. */
  open(channel: string): Promise<void>;
  /** The person is viewing something else now. Never rejects. */
  look(user: string, context: ViewContext | undefined): Promise<void>;
  /** Shows that the bot is at work, and says where the answer goes. Never rejects. */
  begin(message: DirectMessage): Promise<Partial<ReplyTarget>>;
}

type ViewContext = types.AppContextChangedEvent['context'];

interface DirectMessage {
  readonly channel: string;
  readonly user: string;
  readonly ts: string;
  readonly thread_ts?: string | undefined;
}

/** Each is a sentence that can be asked; the manifest has them too. At most four. */
export const PROMPTS = [
  { title: 'Are we under attack?', message: 'check' },
  { title: 'The last 24 hours', message: 'timeline last 24h' },
  { title: 'What happened last night?', message: 'incident last night' },
  { title: 'What can I ask?', message: 'help' },
] as const;

const STATUS = 'is looking at the numbers…';
/** Slack reports when a person views something else, but not when they leave. */
const VIEWED_MS = HOUR_MS;

export function createAgentView({ clients, isAgent, viewed, log }: AgentViewDependencies): AgentView {
  const ignore =
    (what: string) =>
    (err: unknown): undefined =>
      void log.warn({ err }, `could not ${what}`);
  return {
    async open(channel) {
      if (!isAgent()) return;
      // No thread is given: with one, Slack silently ignores the prompts.
      const prompts = { channel_id: channel, title: 'Try asking', prompts: [...PROMPTS] };
      await clients.read.assistant.threads.setSuggestedPrompts(prompts).catch(ignore('suggest prompts'));
    },
    async look(user, context) {
      if (!isAgent()) return;
      const channel = channelIn(context);
      const noted = channel === undefined ? viewed.delete(user) : viewed.set(user, channel, VIEWED_MS);
      await noted.catch(ignore('note which channel is viewed'));
    },
    async begin({ channel, user, ts, thread_ts: threadTs }) {
      if (!isAgent()) return {};
      // Each message begins a conversation of its own, which goes on in its thread.
      const thread = { threadTs: threadTs ?? ts, threadIsNew: threadTs === undefined };
      void clients.read.assistant.threads
        .setStatus({ channel_id: channel, thread_ts: thread.threadTs, status: STATUS })
        .catch(ignore('show a status'));
      const beside = await viewed.get(user).catch(ignore('read which channel is viewed'));
      return { ...thread, ...(beside !== undefined && { viewed: beside }) };
    },
  };
}

/** The first is the most relevant. */
function channelIn({ entities = [] }: ViewContext = {}): string | undefined {
  for (const entity of entities) {
    if (entity.type === 'slack#/types/channel_id') return entity.value;
    if (entity.type === 'slack#/types/message_context') return entity.value.channel_id;
  }
  return undefined;
}

export function listenToAgentView(app: App, view: AgentView): void {
  app.event('app_home_opened', async ({ event: { tab, user, channel, context } }) => {
    if (tab !== 'messages') return;
    await view.look(user, context);
    await view.open(channel);
  });
  app.event('app_context_changed', async ({ event: { user, context } }) => view.look(user, context));
}
