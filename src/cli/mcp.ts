/**
 * `wafbot mcp`: the MCP server on standard input and output, for an agent on this machine. Needs the service's credentials
 * in the environment, and no Slack. Clients may start it twice, so it takes no port and no lock.
 */
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type ChartRenderer, createRenderer } from '../charts/index.ts';
import { systemClock } from '../clock.ts';
import { processEnvironment, readServiceConfig, secretsOf } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { createAgentCommands } from '../mcp/agent-commands.ts';
import { createAnswerTool } from '../mcp/answer-tool.ts';
import { createServerFactory } from '../mcp/server.ts';
import { createLogger } from '../observability/logger.ts';
import { openProjects } from '../projects/open-projects.ts';
import { isRedisUrl, openStore } from '../store/index.ts';

/** All who ask over standard input are one asker, as with one token. */
const CALLER = { user: 'agent', channel: '', zone: null };

export async function serveAgents(args: readonly string[]): Promise<void> {
  if (args.length > 0) throw new UsageError('mcp takes no arguments. Its settings come from the environment.');
  const settings = readServiceConfig(processEnvironment(), {
    also: ['WAFBOT_CHARTS', 'WAFBOT_ZONE', 'WAFBOT_SHOW_ADDRESSES', 'WAFBOT_COMMAND'],
  });
  const { charts, zone, showAddresses, command } = settings;
  // Standard output belongs to the protocol.
  const log = createLogger('warn', secretsOf({ ...settings, slack: null, mcp: null }), process.stderr);
  const { now } = systemClock;
  const url = settings.store.reveal();
  // A file can only be open in one process, which is the bot.
  const store = await openStore(isRedisUrl(url) ? url : 'memory:', { log, now });
  const opened = await openProjects(settings.projects, {
    ...{ store, clock: systemClock, showAddresses, zone, log },
  });
  let rendering: Promise<ChartRenderer> | undefined;
  const answerTool = createAnswerTool({
    commands: createAgentCommands({ projects: opened.projects, now, zone, command }),
    async draw(spec) {
      rendering ??= createRenderer(charts, { log });
      return (await (await rendering).draw(spec)).png;
    },
    clock: systemClock,
    log,
    observeQuestion: () => () => {},
  });
  const serving = serveStdio(
    createServerFactory({
      projects: opened.projects.flatMap(({ label }) => label ?? []),
      answerTool,
      callerOf: async () => CALLER,
    }),
    { onerror: (err) => log.warn({ err }, 'could not handle a message') },
  );
  await once(process.stdin, 'close');
  await serving.close();
  await (await rendering)?.close();
  await opened.close();
  await store.close();
}
