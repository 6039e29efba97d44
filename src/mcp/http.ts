/**
 * The MCP server over HTTP, without sessions. A request is refused before its body is parsed, unless it names a host that clients
 * may use, doesn't come from a foreign website, and is authorized by the rule of its path.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Clock, withTimeout } from '../clock.ts';
import { listen } from '../listen.ts';
import type { Logger } from '../observability/logger.ts';
import { createServerFactory, type McpServerOptions } from './server.ts';

/** What a path needs to answer. */
export interface AgentRoute {
  readonly path: string;
  readonly server: McpServerOptions;
  /** Whether the request may be answered, by its headers alone. */
  readonly mayRead: (headers: Headers) => boolean;
  /** Whether it may be answered, by its headers and its body. */
  readonly isAuthentic: (headers: Headers, body: string) => boolean;
}

interface AgentServerOptions {
  readonly host: string;
  readonly port: number;
  /** The names that clients reach the server by, without ports. */
  readonly hostNames: readonly string[];
  readonly routes: readonly AgentRoute[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Far more than any question. */
const MAX_BODY_BYTES = 256 * 1_024;
const REQUEST_LIMIT_MS = 10_000;
/** Somebody without a token can only hold this many connections, each for as long as a request may take. */
const MAX_CONNECTIONS = 200;
/** Nothing ever changes, so a subscription is only an open connection. */
const MAX_SUBSCRIPTIONS = 16;
const CLOSE_GRACE_MS = 3_000;

export interface AgentServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { host, port, routes, clock, log } = options;
  const handlers = new Map(routes.map((route) => [route.path, { route, handler: handlerOf(route, log) }]));
  const names = [...options.hostNames];

  async function respond(request: IncomingMessage, signal: AbortSignal): Promise<Response> {
    const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname ?? '';
    const headers = headersOf(request);
    const bare = new Request(`http://localhost${path}`, { headers });
    const foreign = hostHeaderValidationResponse(bare, names) ?? originValidationResponse(bare, names);
    if (foreign !== undefined) return foreign;
    const found = handlers.get(path);
    if (found === undefined) return refusal(404, 'There is nothing at this path.');
    const { route, handler } = found;
    if (!route.mayRead(headers)) return UNAUTHORIZED();
    const body = await bodyOf(request);
    if (body === null) return refusal(413, 'The request is too large.');
    if (!route.isAuthentic(headers, body)) return UNAUTHORIZED();
    const { method = 'GET' } = request;
    const init = method === 'GET' || method === 'HEAD' ? {} : { body };
    return handler.fetch(new Request(bare.url, { method, headers, signal, ...init }));
  }

  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    respond(request, gone.signal)
      .catch((err: unknown) => {
        if (!gone.signal.aborted) log.warn({ err }, 'could not answer an agent');
        return refusal(500, 'Something broke.');
      })
      .then((answer) => send(answer, request, response))
      .catch((err: unknown) => log.debug({ err }, 'an agent disconnected'));
  });
  server.maxConnections = MAX_CONNECTIONS;
  return {
    port: await listen(server, { host, port }),
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      await withTimeout(
        clock,
        CLOSE_GRACE_MS,
        () => closed,
        () => {},
      );
      for (const { handler } of handlers.values()) await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function handlerOf({ server }: AgentRoute, log: Logger): McpHttpHandler {
  return createMcpHandler(createServerFactory(server), {
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: (err) => log.debug({ err }, 'refused a request from an agent'),
  });
}

const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status, headers });

const UNAUTHORIZED = (): Response =>
  refusal(401, 'The request is not authorized.', { 'www-authenticate': 'Bearer realm="wafbot"' });

/** Node has checked names and values; those of HTTP/2 can't occur. */
function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

/** `null` if it's too large. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function send(answer: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Without this, the sender may see a broken connection instead of a refusal.
  request.resume();
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  await pipeline(Readable.fromWeb(answer.body), response);
}
