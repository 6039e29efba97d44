/**
 * Liveness, readiness and metrics over HTTP. They have their own server, because in HTTP mode Slack's port is open to the
 * internet.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BotError } from '../errors.ts';
import { listen, listenFailure } from '../listen.ts';
import type { Metrics } from './metrics.ts';

interface ReadinessCheck {
  readonly name: string;
  /** Rejects while the part is not ready. */
  readonly check: () => Promise<void>;
}

interface HealthRoute {
  readonly path: string;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
}

export function healthRoutes(checks: readonly ReadinessCheck[], metrics: Metrics): HealthRoute[] {
  const send = (response: ServerResponse, status: number, type: string, body: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  const json = (response: ServerResponse, status: number, body: object): void =>
    send(response, status, 'application/json', `${JSON.stringify(body)}\n`);

  async function readiness(response: ServerResponse): Promise<void> {
    const results = await Promise.all(
      checks.map(async ({ name, check }): Promise<[string, string]> => [name, await stateOf(check)]),
    );
    const ready = results.every(([, result]) => result === 'ok');
    json(response, ready ? 200 : 503, { ready, ...Object.fromEntries(results) });
  }

  async function metricsPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { contentType, text } = await metrics.page(request.headers.accept);
      send(response, 200, contentType, text);
    } catch {
      send(response, 500, 'text/plain', 'Could not collect the metrics.\n');
    }
  }

  return [
    { path: '/healthz', handler: (_request, response) => json(response, 200, { alive: true }) },
    { path: '/readyz', handler: (_request, response) => void readiness(response) },
    { path: '/metrics', handler: (request, response) => void metricsPage(request, response) },
  ];
}

/** `lost` and `full` are for the operator: waiting won't help. */
const STATES: Readonly<Record<string, string>> = {
  storage_lost: 'lost',
  storage_full: 'full',
  storage_migrating: 'migrating',
};

async function stateOf(check: ReadinessCheck['check']): Promise<string> {
  try {
    await check();
    return 'ok';
  } catch (error) {
    const reason = error instanceof BotError ? error.reason?.is : undefined;
    return STATES[reason ?? ''] ?? 'failed';
  }
}

const LOOPBACK = /^(localhost|127(?:\.\d+){3}|\[?::1\]?)$/;
const isLoopback = (host: string | undefined): boolean => host !== undefined && LOOPBACK.test(host);
const nameIn = (host: string | undefined): string | undefined => URL.parse(`http://${host}`)?.hostname;

const REQUEST_LIMIT_MS = 10_000;

export async function startHealthServer(
  routes: readonly HealthRoute[],
  { host, port }: { readonly host: string | undefined; readonly port: number },
  setting: string,
) {
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    // A website in a browser on this machine could otherwise reach it under its own name (DNS rebinding).
    if (isLoopback(host) && !isLoopback(nameIn(request.headers.host))) return void response.writeHead(403).end();
    // Not `new URL`: anyone may send a target such as `//`, and an exception here would end the process.
    const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname;
    const route = request.method === 'GET' ? routes.find((known) => known.path === path) : undefined;
    if (route === undefined) response.writeHead(404).end();
    else route.handler(request, response);
  });
  const opened = await listen(server, { host, port }).catch((error: unknown) => {
    throw listenFailure(error, port, setting);
  });
  return {
    port: opened,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        // A client that sends half a request would keep the server open.
        server.closeAllConnections();
      }),
  };
}
