/** Answers agents over HTTP: whoever has the token, and Slackbot on behalf of a person. */
import type { ChartSpec } from '../charts/spec/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObserveQuestion } from '../observability/observers.ts';
import type { Projects } from '../projects/project.ts';
import { createAgentCommands } from './agent-commands.ts';
import { createAnswerTool } from './answer-tool.ts';
import { bearerCheck } from './bearer.ts';
import { type AgentRoute, type AgentServer, startAgentServer } from './http.ts';
import { type SlackbotOptions, slackbotRoute } from './slackbot.ts';

interface AgentsOptions {
  readonly host: string;
  readonly port: number;
  readonly hostNames: readonly string[];
  /** `null`: only Slackbot may ask. */
  readonly token: string | null;
  /** `null`: a token is needed to ask. */
  readonly slackbot: SlackbotOptions | null;
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
  const { token, slackbot } = options;
  return startAgentServer({
    ...options,
    routes: [
      ...(token === null ? [] : [routeByToken(options, token)]),
      ...(slackbot === null ? [] : [slackbotRoute(slackbot, options)]),
    ],
  });
}

function routeByToken(options: AgentsOptions, token: string): AgentRoute {
  const commands = createAgentCommands({ ...options, now: options.clock.now });
  const server = {
    projects: options.projects.flatMap(({ label }) => label ?? []),
    answerTool: createAnswerTool({ ...options, commands }),
    callerOf: async () => CALLER,
  };
  return { path: '/mcp', server, mayRead: bearerCheck(token), isAuthentic: () => true };
}
