/** Tells open pages that something changed, many changes at a time. */
import type { ServerResponse } from 'node:http';

const GATHER_MS = 40;

export interface Live {
  join(response: ServerResponse): void;
  changed(): void;
  stop(): void;
}

export function createLive(): Live {
  const listeners = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;
  return {
    join(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
    },
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const listener of listeners) listener.write('event: change\ndata: 1\n\n');
      }, GATHER_MS).unref();
    },
    stop() {
      clearTimeout(timer);
      for (const listener of listeners) listener.end();
    },
  };
}
