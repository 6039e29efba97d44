/** Server-sent events that tell open pages to reload: the first change at once, those that follow it together. */
import type { ServerResponse } from 'node:http';

const BATCH_MS = 150;

export interface EventStream {
  subscribe(response: ServerResponse): void;
  changed(): void;
  stop(): void;
}

export function createEventStream(): EventStream {
  const subscribers = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = () => {
    timer = undefined;
    toldMs = performance.now();
    for (const subscriber of subscribers) subscriber.write('event: change\ndata: 1\n\n');
  };
  return {
    subscribe(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      subscribers.add(response);
      response.on('close', () => subscribers.delete(response));
    },
    changed() {
      timer ??= setTimeout(tell, Math.max(5, toldMs + BATCH_MS - performance.now())).unref();
    },
    stop() {
      clearTimeout(timer);
      for (const subscriber of subscribers) subscriber.end();
    },
  };
}
