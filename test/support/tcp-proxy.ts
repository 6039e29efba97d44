/** A TCP connection that a test can break at a chosen moment: what a client sends is passed on, or the line goes dead. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** The connection breaks when a client sends something that contains this; it is not passed on. Once. */
  breakAt(text: string): void;
  /** Calls `strike` when clients have sent something this many times in all, just before it is passed on. */
  strikeAt(count: number, strike: () => unknown): void;
  /** New connections go to another server from now on, as when an address is given to a replica; all old ones break. */
  moveTo(port: number): void;
  /** What the server sends arrives that much later from now on, in its order. */
  slowDown(delayMs: number): void;
  /** How many connections were broken. */
  readonly broken: () => number;
  close(): Promise<void>;
}

export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  const open = new Set<Socket>();
  let fatal: string | undefined;
  let sent = 0;
  let striking: { readonly at: number; readonly strike: () => unknown } | undefined;
  let broken = 0;
  let lateMs = 0;
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', (chunk) => {
      sent += 1;
      if (sent === striking?.at) striking.strike();
      if (fatal === undefined || !chunk.includes(fatal)) return void target.write(chunk);
      fatal = undefined;
      broken += 1;
      client.destroy();
    });
    target.on('data', (chunk) => {
      if (lateMs === 0) client.write(chunk);
      else setTimeout(() => client.write(chunk), lateMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    breakAt(text) {
      fatal = text;
    },
    strikeAt(at, strike) {
      striking = { at, strike };
    },
    moveTo(port) {
      targetPort = port;
      for (const socket of open) socket.destroy();
    },
    slowDown(delayMs) {
      lateMs = delayMs;
    },
    broken: () => broken,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
