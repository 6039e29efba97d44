/**
 * The far side of the fault tests: the two methods of Slack's Web API that digests use, over loopback HTTP, behaving
 * badly. A message that arrived whole is posted at that moment; whether its sender ever hears of it is another matter.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { between, type Random } from './random.ts';

export interface Post {
  readonly runId: string;
  readonly from: string;
  readonly to: string;
  /** The message says that it is late. */
  readonly late: boolean;
  readonly atMs: number;
}

export interface SlackMood {
  /** The share of posts whose answer is lost. */
  readonly lostAnswers: number;
  /** How many messages of other people follow each of ours. Slack shows a history by pages of 100. */
  readonly chatter: number;
}

export interface SlackPeer {
  readonly apiUrl: string;
  readonly posts: readonly Post[];
  /** Pages of history that were read. */
  readonly lookups: () => number;
  /** From now on every answer is prompt and true. */
  behave(): void;
  close(): Promise<void>;
}

interface Message {
  readonly ts: string;
  readonly metadata?: unknown;
}

/** Shares of the answers to posts; the rest are prompt. */
const SLOW = 0.25;
const BROKEN = 0.05;
/** Slack's shortest wait is a whole second, and nothing else goes out meanwhile. */
const LIMITED = 0.002;
const LOOKUP_FAILS = 0.1;
const PAGE = 100;

export async function startSlackPeer(random: Random, { lostAnswers, chatter }: SlackMood): Promise<SlackPeer> {
  const posts: Post[] = [];
  const channels = new Map<string, Message[]>();
  let lookups = 0;
  let behaves = false;
  let lastTs = 0;

  /** Microseconds, each once, as Slack has them. */
  function nextTs(): string {
    lastTs = Math.max(lastTs + 1, Date.now() * 1_000);
    return (lastTs / 1_000_000).toFixed(6);
  }

  function keep(form: URLSearchParams): string {
    const metadata = JSON.parse(form.get('metadata') ?? '{}');
    const [from = '', to = ''] = form.get('text')?.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    const late = /\blate\b/.test(form.get('text') ?? '');
    posts.push({ runId: metadata.event_payload.id, from, to, late, atMs: Date.now() });
    const channel = form.get('channel') ?? '';
    const messages = channels.get(channel) ?? [];
    channels.set(channel, messages);
    const ts = nextTs();
    messages.push({ ts, metadata });
    for (let n = 0; n < chatter; n += 1) messages.push({ ts: nextTs() });
    return ts;
  }

  function post(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const dice = behaves ? 1 : random();
    if (dice < LIMITED) {
      response.writeHead(429, { 'retry-after': '1' }).end();
    } else if (dice < LIMITED + BROKEN) {
      // Half of the server errors come after the message was posted: the sender cannot tell.
      if (random() < 0.5) keep(form);
      response.writeHead(503).end();
    } else {
      const ts = keep(form);
      if (dice < LIMITED + BROKEN + lostAnswers) request.socket.destroy();
      else {
        const slow = dice < LIMITED + BROKEN + lostAnswers + SLOW;
        setTimeout(() => answer(response, { ok: true, ts }), slow ? between(random, 20, 250) : 0);
      }
    }
  }

  /** Newest first, a page at a time. */
  function history(form: URLSearchParams, response: ServerResponse): void {
    lookups += 1;
    if (!behaves && random() < LOOKUP_FAILS) {
      response.writeHead(503).end();
      return;
    }
    const oldest = Number(form.get('oldest') ?? 0);
    // The cursor is the oldest message shown, so that what is posted meanwhile moves nothing.
    const before = Number(form.get('cursor') || Number.POSITIVE_INFINITY);
    const latest = Number(form.get('latest') ?? Number.POSITIVE_INFINITY);
    const isAsked = (at: number): boolean => at >= oldest && at <= latest && at < before;
    const rest = (channels.get(form.get('channel') ?? '') ?? []).filter(({ ts }) => isAsked(Number(ts))).reverse();
    const messages = rest.slice(0, Math.min(PAGE, Number(form.get('limit') ?? PAGE)));
    const hasMore = messages.length < rest.length;
    const next = hasMore ? (messages.at(-1)?.ts ?? '') : '';
    answer(response, { ok: true, messages, has_more: hasMore, response_metadata: { next_cursor: next } });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    if (request.url === '/api/chat.postMessage') post(form, request, response);
    else if (request.url === '/api/conversations.history') history(form, response);
    else answer(response, { ok: false, error: 'unknown_method' });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    apiUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api/`,
    posts,
    lookups: () => lookups,
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

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Fails when the sender dies half-way: then nothing was posted. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
