/**
 * Entry point of the shell commands: `npm run -s waf -- …`, `npm run -s judge`, `npm run -s understand`,
 * `npm run -s mcp`, `npm run -s migrate -- …`, `node src/cli.ts health`.
 */
import { ConfigError } from './config/config.ts';
import { BotError } from './errors.ts';

type ShellCommand = (args: readonly string[]) => Promise<void>;

/** Loaded on demand: the Redis client takes much of the startup time. */
const COMMANDS: Readonly<Record<string, () => Promise<ShellCommand>>> = {
  waf: async () => (await import('./cli/statistics.ts')).printStatistics,
  judge: async () => (await import('./cli/judge.ts')).judgeLines,
  understand: async () => (await import('./cli/understand.ts')).understandLines,
  mcp: async () => (await import('./cli/mcp.ts')).serveAgents,
  health: async () => (await import('./cli/health.ts')).checkHealth,
  migrate: async () => (await import('./cli/migrate.ts')).migrate,
};

const clause = (text: string): string => {
  const plain = text.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(plain) ? `${plain[0]?.toLowerCase()}${plain.slice(1)}` : plain;
};

/** What happened and what to do about it, as one sentence on one line. */
function sentence(error: unknown): string {
  if (error instanceof ConfigError) return `${clauses(error.message, error.faults)}.`;
  if (error instanceof BotError) {
    return `${clauses(error.message, error.hint === undefined ? [] : error.hint.split(/(?<=\.) (?=[A-Z])/))}.`;
  }
  return 'Internal error. This is a bug in wafbot.';
}

function clauses(message: string, more: readonly string[]): string {
  return [message.replace(/\.$/, ''), more.map(clause).join('; ')].filter((part) => part !== '').join(': ');
}

const [name = '', ...args] = process.argv.slice(2);
try {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) throw new BotError('usage', `Name a command: ${Object.keys(COMMANDS).join(', ')}.`);
  await (await load())(args);
} catch (error) {
  console.error(sentence(error));
  process.exitCode = 1;
}
