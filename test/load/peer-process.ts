/** A peer of the bot as a process of its own, whose functions are called from here. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What a peer offers: functions of one plain value to another. */
export type PeerFunctions = Readonly<Record<string, (value: never) => unknown>>;

type Remote<F extends PeerFunctions> = {
  readonly [K in keyof F]: (...values: Parameters<F[K]>) => Promise<Awaited<ReturnType<F[K]>>>;
};

interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly value: unknown;
}

interface ReplyMessage {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** In the peer: answers the calls of the parent, and ends with it. */
export function servePeer(functions: PeerFunctions): void {
  process.on('message', async ({ id, name, value }: CallMessage) => {
    try {
      process.send?.({ id, result: await functions[name]?.(value as never) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

export interface PeerProcess<F extends PeerFunctions> {
  readonly call: Remote<F>;
  stop(): Promise<void>;
}

/** `file` calls `servePeer` with these functions. */
export async function startPeer<F extends PeerFunctions>(file: URL): Promise<PeerProcess<F>> {
  const child: ChildProcess = fork(file, { execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  await once(child, 'message');
  child.on('message', ({ id, result, error }: ReplyMessage) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error));
  });
  child.on('exit', () => {
    for (const waiter of waiting.values()) waiter.reject(new Error(`the process of ${file.pathname} has ended`));
  });
  const call = new Proxy({} as Remote<F>, {
    get: (_, name: string) => (value?: unknown) => {
      calls += 1;
      const waiter = Promise.withResolvers<unknown>();
      waiting.set(calls, waiter);
      child.send({ id: calls, name, value });
      return waiter.promise;
    },
  });
  return {
    call,
    async stop() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
