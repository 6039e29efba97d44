/** Answers agents over HTTP, for whoever has the token. */
import type { ChartSpec } from '../charts/spec/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObserveQuestion } from '../observability/observers.ts';
import type { Projects } from '../projects/project.ts';
import { createAgentCommands } from './agent-commands.ts';
import { createAnswerTool } from './answer-tool.ts';
import { bearerCheck } from './bearer.ts';
import { type AgentServer, startAgentServer } from './http.ts';

interface AgentsOptions {
  readonly host: string;
  readonly port: number;
  readonly hostNames: readonly string[];
  readonly token: string;
  readonly projects: Projects;
  readonly zone: string;
  readonly command: string;
  /** `null`: charts are turned off. */
  readonly draw: ((spec: ChartSpec) => Promise<Uint8Array>) | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observeQuestion: ObserveQuestion;
}

/** Whoever has the token is one asker, with the limits of one person. */
const CALLER = { user: 'agent', channel: '', zone: null };

export function startAgents(options: AgentsOptions): Promise<AgentServer> {
  const { token, projects, clock } = options;
  const commands = createAgentCommands({ ...options, now: clock.now });
  const server = {
    projects: projects.flatMap(({ label }) => label ?? []),
    answerTool: createAnswerTool({ ...options, commands }),
    callerOf: async () => CALLER,
  };
  const byToken = { path: '/mcp', server, mayRead: bearerCheck(token), isAuthentic: () => true };
  return startAgentServer({ ...options, routes: [byToken] });
}
