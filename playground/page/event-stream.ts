/** Server-sent events that tell open pages to reload, with changes batched. */
import type { ServerResponse } from 'node:http';

const BATCH_MS = 40;

export interface EventStream {
  subscribe(response: ServerResponse): void;
  changed(): void;
  stop(): void;
}

export function createEventStream(): EventStream {
  const subscribers = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;
  return {
    subscribe(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      subscribers.add(response);
      response.on('close', () => subscribers.delete(response));
    },
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const subscriber of subscribers) subscriber.write('event: change\ndata: 1\n\n');
      }, BATCH_MS).unref();
    },
    stop() {
      clearTimeout(timer);
      for (const subscriber of subscribers) subscriber.end();
    },
  };
}
