/** Server-sent events that make open pages reload: immediately after the first change, batched after more. */
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
  let sentMs = Number.NEGATIVE_INFINITY;
  const send = () => {
    timer = undefined;
    sentMs = performance.now();
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
      timer ??= setTimeout(send, Math.max(5, sentMs + BATCH_MS - performance.now())).unref();
    },
    stop() {
      clearTimeout(timer);
      for (const subscriber of subscribers) subscriber.end();
    },
  };
}
