/**
 * The far side of the fault tests: takes posts over loopback HTTP and behaves badly. A message that arrived whole is
 * posted at that moment; whether its sender ever hears of it is another matter.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SEND_LIMIT_MS } from './assemble.ts';
import { between, type Random } from './random.ts';

export interface Post {
  readonly channel: string;
  readonly runId: string;
  readonly from: string;
  readonly to: string;
}

export interface SlackPeer {
  readonly port: number;
  readonly posts: readonly Post[];
  readonly finds: () => number;
  /** From now on every answer is prompt and true. */
  behave(): void;
  close(): Promise<void>;
}

/** Shares of the answers to posts; the rest are prompt. */
const LOST = 0.08;
const LATE = 0.06;
const SLOW = 0.25;
const BROKEN = 0.05;
const LIMITED = 0.04;

export async function startSlackPeer(random: Random): Promise<SlackPeer> {
  const posts: Post[] = [];
  const byRun = new Map<string, number>();
  let finds = 0;
  let behaves = false;

  function keep(post: Post): string {
    byRun.set(post.runId, posts.length);
    posts.push(post);
    return `${posts.length}.0`;
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message: Post = JSON.parse(await bodyOf(request));
    const dice = behaves ? 1 : random();
    const answer = (status: number, body: object, afterMs = 0) =>
      setTimeout(
        () => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        afterMs,
      );
    if (dice < LIMITED) {
      answer(429, { retryAfterMs: 100 });
    } else if (dice < LIMITED + BROKEN) {
      // Half of the server errors come after the message was posted: the sender cannot tell.
      if (random() < 0.5) keep(message);
      answer(503, {});
    } else {
      const ts = keep(message);
      if (dice < LIMITED + BROKEN + LOST) request.socket.destroy();
      else if (dice < LIMITED + BROKEN + LOST + LATE) answer(200, { ts }, 2 * SEND_LIMIT_MS);
      else answer(200, { ts }, dice < LIMITED + BROKEN + LOST + LATE + SLOW ? between(random, 20, 250) : 0);
    }
  }

  function find(url: URL, response: ServerResponse): void {
    finds += 1;
    if (!behaves && random() < 0.1) {
      response.writeHead(503).end();
      return;
    }
    const index = byRun.get(url.searchParams.get('runId') ?? '');
    response.end(JSON.stringify(index === undefined ? null : { ts: `${index + 1}.0` }));
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://peer');
    if (request.method === 'POST') post(request, response).catch(() => request.socket.destroy());
    else find(url, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    posts,
    finds: () => finds,
    behave: () => {
      behaves = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Fails when the sender dies half-way: then nothing was posted. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
