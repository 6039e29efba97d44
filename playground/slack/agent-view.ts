/** What Slack's agent view shows in a direct message besides messages: suggested prompts, and what the app is doing. */
interface Prompt {
  /** On the button. */
  readonly title: string;
  /** What the person says by pressing it. */
  readonly message: string;
}

export interface AgentView {
  suggest(channel: string, title: string, prompts: readonly Prompt[]): void;
  suggested(channel: string): { readonly title: string; readonly prompts: readonly Prompt[] } | undefined;
  /** An empty status ends it, and so does a message of the app in the thread. */
  setStatus(channel: string, threadTs: string, status: string): void;
  status(channel: string, threadTs: string): string;
}

export function createAgentView(deps: { readonly changed: () => void }): AgentView {
  const suggestions = new Map<string, { readonly title: string; readonly prompts: readonly Prompt[] }>();
  const statuses = new Map<string, string>();
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
    status: (channel, threadTs) => statuses.get(`${channel}/${threadTs}`) ?? '',
  };
}
