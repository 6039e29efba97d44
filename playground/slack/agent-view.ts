/** What Slack's agent view shows in a direct message besides messages: suggested prompts, and what the app is doing. */
interface Prompt {
  /** On the button. */
  readonly title: string;
  /** What the person sends by pressing it. */
  readonly message: string;
}

export interface AgentView {
  suggest(channel: string, title: string, prompts: readonly Prompt[]): void;
  suggested(channel: string): { readonly title: string; readonly prompts: readonly Prompt[] } | undefined;
  /** An empty status ends it, and so does a message of the app in the thread. */
  setStatus(channel: string, threadTs: string, status: string): void;
  status(channel: string, threadTs: string): string;
  setTitle(channel: string, threadTs: string, title: string): void;
  title(channel: string, threadTs: string): string;
  /** The thread that a person has open in their direct message with an assistant. */
  openThread(channel: string, threadTs: string): void;
  thread(channel: string): string | undefined;
}

export function createAgentView(deps: { readonly changed: () => void }): AgentView {
  const suggestions = new Map<string, { readonly title: string; readonly prompts: readonly Prompt[] }>();
  const statuses = new Map<string, string>();
  const titles = new Map<string, string>();
  const threads = new Map<string, string>();
  return {
    suggest(channel, title, prompts) {
      suggestions.set(channel, { title, prompts });
      deps.changed();
    },
    suggested: (channel) => suggestions.get(channel),
    setStatus(channel, threadTs, status) {
      statuses.set(`${channel}/${threadTs}`, status);
      deps.changed();
    },
    setTitle(channel, threadTs, title) {
      titles.set(`${channel}/${threadTs}`, title);
      deps.changed();
    },
    title: (channel, threadTs) => titles.get(`${channel}/${threadTs}`) ?? '',
    openThread: (channel, threadTs) => void threads.set(channel, threadTs),
    thread: (channel) => threads.get(channel),
    status: (channel, threadTs) => statuses.get(`${channel}/${threadTs}`) ?? '',
  };
}
