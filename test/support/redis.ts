/** Starts a real `redis-server` on a loopback port and in a folder of its own, for the suites that need one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keyv/redis';

export const redisAvailable = spawnSync('redis-server', ['--version']).status === 0;

/** Put into the title of a skipped suite, so that its absence is visible in the report. */
export const redisNote = redisAvailable ? '' : ' (SKIPPED: no redis-server on this machine)';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  revive(): Promise<void>;
  /** Freezes and thaws it: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRedis(args: readonly string[] = ['--appendonly', 'no']): Promise<RedisServer> {
  const { port, dir, child: first } = await launchSomewhere(args);
  let child = first;
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill: end,
    async revive() {
      child = await launch(port, dir, args);
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async stop() {
      await end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Below the ports that the system hands out by itself, so that nobody gets one of these by chance. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/**
 * A port belongs to whoever could make the folder that is named after it, until that folder is gone. So it is still
 * there for a server that was killed and is started again.
 */
async function launchSomewhere(
  args: readonly string[],
): Promise<{ readonly port: number; readonly dir: string; readonly child: ChildProcess }> {
  for (let tries = 0; tries < 50; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const dir = join(tmpdir(), `wafbot-redis-${port}`);
    if (!isOurs(dir)) continue;
    try {
      return { port, dir, child: await launch(port, dir, args) };
    } catch (error) {
      rmSync(dir, { recursive: true, force: true });
      // Somebody who is not one of us has it.
      if (!String(error).includes('Address already in use')) throw error;
    }
  }
  throw new Error('no port for redis-server');
}

function isOurs(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function launch(port: number, dir: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    // Suites with a database for each test have more than the usual 16.
    '--databases',
    '64',
    ...args,
  ]);
  const ready = Promise.withResolvers<void>();
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('Ready to accept connections')) ready.resolve();
  });
  child.once('close', () => ready.reject(new Error(`redis-server ended at the start: ${said}`)));
  await ready.promise;
  return child;
}

/** The keys in a database that match a pattern. */
export async function keysOf(url: string, pattern: string): Promise<readonly string[]> {
  const client = createClient({ url });
  await client.connect();
  const keys = await client.keys(pattern);
  await client.close();
  return keys;
}
