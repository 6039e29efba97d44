/** Starts a real `redis-server` on a free loopback port, in a folder of its own, for the suites that need one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const dir = mkdtempSync(join(tmpdir(), 'wafbot-redis-'));
  const port = await freePort();
  let child = await launch(port, dir, args);
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
    ...args,
  ]);
  const ready = Promise.withResolvers<void>();
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('Ready to accept connections')) ready.resolve();
  });
  child.once('exit', () => ready.reject(new Error(`redis-server ended at the start: ${said}`)));
  await ready.promise;
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  server.close();
  await once(server, 'close');
  return port;
}
