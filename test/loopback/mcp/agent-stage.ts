/** The server for agents over HTTP, on the local statistics service at a standing clock, and the official client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Wave } from '../../../playground/service/waves.ts';
import { SILENT } from '../../../src/cli/project-option.ts';
import { systemClock } from '../../../src/clock.ts';
import { createAnswerTool } from '../../../src/mcp/answer-tool.ts';
import { bearerCheck } from '../../../src/mcp/bearer.ts';
import { type AgentServer, startAgentServer } from '../../../src/mcp/http.ts';
import { openVerdictStage, type VerdictStage } from '../commands/verdict-stage.ts';

export const TOKEN = 'a-token-of-the-test-with-enough-characters';

/** The eras of the protocol that the official client speaks. */
export const ERAS = [
  ['of 2025, with a handshake', 'legacy'],
  ['of 2026, without sessions', { pin: '2026-07-28' }],
] as const;
type Era = (typeof ERAS)[number][1];

export interface AgentStage {
  readonly open: VerdictStage;
  readonly server: AgentServer;
  readonly url: string;
  connect(era: Era, token?: string): Promise<Client>;
  close(): Promise<void>;
}

export async function openAgentStage(seed: number, waves: readonly Wave[] = []): Promise<AgentStage> {
  const open = await openVerdictStage(seed, waves);
  let calls = 0;
  const server = await startAgentServer({
    host: '127.0.0.1',
    port: 0,
    hostNames: ['127.0.0.1'],
    routes: [
      {
        path: '/mcp',
        mayRead: bearerCheck(TOKEN),
        isAuthentic: () => true,
        server: {
          projects: [],
          answerTool: createAnswerTool({
            commands: open.commands,
            draw: async () => new Uint8Array([137, 80, 78, 71]),
            clock: systemClock,
            log: SILENT,
            observeQuestion: () => () => {},
          }),
          // Each call by another one, so that nobody asks too much.
          callerOf: async () => ({ user: `agent${calls++}`, channel: '', zone: null }),
        },
      },
    ],
    clock: systemClock,
    log: SILENT,
  });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  return {
    open,
    server,
    url,
    connect: (era, token = TOKEN) => connectClient(url, era, token),
    async close() {
      await server.stop();
      await open.stage.close();
    },
  };
}

export async function connectClient(url: string, era: Era, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

interface CalledTool {
  readonly text: string;
  readonly failed: boolean;
  readonly structured: unknown;
  readonly kinds: readonly string[];
}

export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<CalledTool> {
  const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return {
    text: first?.type === 'text' ? first.text : '',
    failed: isError,
    structured: structuredContent,
    kinds: content.map(({ type }) => type),
  };
}
