/** The shell commands: their names, what `--help` says about them, and how their failures are reported. */
import pkg from '../package.json' with { type: 'json' };
import { ConfigError } from './config/values.ts';
import { BotError, UsageError } from './errors.ts';

interface ShellCommand {
  readonly summary: string;
  /** What follows the name. */
  readonly usage?: string;
  /** Loaded on demand: the Redis client takes much of the startup time. */
  load(): Promise<(args: readonly string[]) => Promise<void>>;
}

const COPY_STORE: ShellCommand = {
  summary: 'copies one store into another',
  usage: '<from> <to>',
  load: async () => (await import('./cli/copy-store.ts')).copyStores,
};

export const SHELL_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  start: {
    summary: 'starts the bot',
    usage: '[--check-config]',
    load: async () => (await import('./main.ts')).start,
  },
  playground: {
    summary: 'starts the whole bot with a local Slack and a local firewall, no account needed',
    usage: '[--seed <number>] [--at <time>]',
    load: async () => (await import('./main.ts')).play,
  },
  'check-config': {
    summary: 'checks the settings and lists every fault',
    load: async () => (await import('./cli/check-config.ts')).checkConfig,
  },
  doctor: {
    summary: 'checks the service, the storage and the chart server, without Slack',
    usage: '[--project <name>]',
    load: async () => {
      const { printStatistics } = await import('./cli/statistics.ts');
      return (args) => printStatistics(['doctor', ...args]);
    },
  },
  waf: {
    summary: 'asks the statistics service and prints its answer as JSON, without Slack',
    usage: 'timeline|attacks --from <instant> --to <instant> [--hosts <id,…>] [--zone <zone>] [--project <name>]',
    load: async () => (await import('./cli/statistics.ts')).printStatistics,
  },
  health: {
    summary: 'asks a running bot with the same settings whether it is ready',
    load: async () => (await import('./cli/health.ts')).checkHealth,
  },
  backup: {
    summary: 'writes everything that people set up to a file, also while the bot runs',
    usage: '<file> (- for standard output)',
    load: async () => (await import('./cli/backup.ts')).writeBackup,
  },
  restore: {
    summary: 'restores a store from a backup; without a name, lists the backups that the bot has kept',
    usage: '[<file or name> [--replace]]',
    load: async () => (await import('./cli/backup.ts')).restore,
  },
  'copy-store': COPY_STORE,
  judge: {
    summary: 'judges your own numbers: JSON lines in, JSON lines out',
    usage: '[--watch [--sensitivity quiet|normal|sensitive]]',
    load: async () => (await import('./cli/judge.ts')).judgeLines,
  },
  understand: {
    summary: 'shows how sentences are read: JSON lines in, JSON lines out',
    load: async () => (await import('./cli/understand.ts')).understandLines,
  },
  mcp: {
    summary: 'answers an agent on this machine: an MCP server on standard input and output',
    load: async () => (await import('./cli/mcp.ts')).serveAgents,
  },
};

/** Names that a command had before. They work, but aren't listed. */
const FORMER: Readonly<Record<string, ShellCommand>> = { migrate: COPY_STORE };

/** Commands that describe their input themselves. */
const HAVE_HELP: ReadonlySet<string> = new Set(['judge', 'understand']);

export async function runCommand([name = '', ...args]: readonly string[]): Promise<void> {
  try {
    if (name === '--version' || name === '-v') console.log(pkg.version);
    else if (name === '--help' || name === '-h' || name === 'help') console.log(helpText());
    else await run(name, args);
  } catch (error) {
    console.error(sentence(error));
    process.exitCode = 1;
  }
}

async function run(name: string, args: readonly string[]): Promise<void> {
  const known = { ...SHELL_COMMANDS, ...FORMER };
  const command = Object.hasOwn(known, name) ? known[name] : undefined;
  if (command === undefined) {
    throw new UsageError(`Name a command: ${Object.keys(SHELL_COMMANDS).join(', ')}. --help describes them.`);
  }
  if (args.length === 1 && args[0] === '--help' && !HAVE_HELP.has(name)) {
    console.log(`Usage: ${['wafbot', name, command.usage ?? ''].join(' ').trim()}\n\n${sentenceOf(command.summary)}`);
  } else await (await command.load())(args);
}

function helpText(): string {
  const width = Math.max(...Object.keys(SHELL_COMMANDS).map((name) => name.length));
  return [
    `wafbot ${pkg.version}. ${sentenceOf(pkg.description)}`,
    '',
    'Usage: wafbot <command> [options]',
    '',
    ...Object.entries(SHELL_COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'wafbot <command> --help shows its options, wafbot --version the version.',
    'Settings come from the environment, and from a file .env in the working directory.',
  ].join('\n');
}

const sentenceOf = (words: string): string => `${words[0]?.toUpperCase()}${words.slice(1)}.`;

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
