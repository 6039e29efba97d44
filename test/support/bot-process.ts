/** The bot as a process of its own, in a folder of its own, as a person at a shell has it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from './program.ts';

export interface BotProcess {
  readonly pid: number;
  /** All it has printed so far. */
  readonly output: { out: string; err: string };
  /** Resolves once it has printed this to standard output; rejects if it ends before. */
  printed(pattern: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code; `null` if it was killed. */
  readonly ended: Promise<number | null>;
  /** Leaves nothing behind, whatever happened. */
  clear(): Promise<void>;
}

/**
 * `program` is the tests' build unless another is named. `within` is a command that is given the whole
 * command line and becomes it, such as `sh -c '… exec "$@"' sh`.
 */
export function startBotProcess(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ['start'],
  program = PROGRAM,
  within: readonly string[] = [],
): BotProcess {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-process-'));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder, ...environment };
  const [command = '', ...rest] = [...within, process.execPath, program, ...args];
  const child: ChildProcess = spawn(command, rest, { cwd: folder, env });
  const output = { out: '', err: '' };
  const news = new Set<() => void>();
  const listen = (stream: 'out' | 'err') => (chunk: Buffer) => {
    output[stream] += String(chunk);
    for (const look of news) look();
  };
  child.stdout?.on('data', listen('out'));
  child.stderr?.on('data', listen('err'));
  // `close`, not `exit`: by then everything it printed has arrived.
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    async printed(pattern) {
      const found = Promise.withResolvers<void>();
      const look = (): void => {
        if (pattern.test(output.out)) found.resolve();
      };
      news.add(look);
      look();
      await Promise.race([
        found.promise,
        ended.then((code) => {
          if (!pattern.test(output.out)) throw new Error(`ended with ${code}: ${output.out}${output.err}`);
        }),
      ]).finally(() => news.delete(look));
    },
    signal: (name) => void child.kill(name),
    async clear() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
