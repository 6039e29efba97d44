/** What a supervisor asks: alive, ready, and how much. Served on `PORT`; in HTTP mode beside Slack's own path. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { listenFailure } from './listening.ts';
import type { Metrics } from './metrics.ts';

export interface Check {
  readonly name: string;
  /** Resolves when well; rejects when not. */
  readonly check: () => Promise<void>;
}

export interface HealthRoute {
  readonly path: string;
  readonly handler: (request: unknown, response: ServerResponse) => void;
}

export function healthRoutes(checks: readonly Check[], metrics: Metrics): HealthRoute[] {
  const send = (response: ServerResponse, status: number, type: string, body: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  const json = (response: ServerResponse, status: number, body: object): void =>
    send(response, status, 'application/json', `${JSON.stringify(body)}\n`);

  async function readiness(response: ServerResponse): Promise<void> {
    const results = await Promise.all(
      checks.map(
        async ({ name, check }) =>
          [
            name,
            await check().then(
              () => 'ok',
              () => 'failed',
            ),
          ] as const,
      ),
    );
    const ready = results.every(([, result]) => result === 'ok');
    json(response, ready ? 200 : 503, { ready, ...Object.fromEntries(results) });
  }

  return [
    { path: '/healthz', handler: (_request, response) => json(response, 200, { alive: true }) },
    { path: '/readyz', handler: (_request, response) => void readiness(response) },
    {
      path: '/metrics',
      handler: (_request, response) =>
        void metrics.text().then((text) => send(response, 200, metrics.contentType, text)),
    },
  ];
}

/** For Socket Mode, where nothing else listens. */
export async function startHealthServer(routes: readonly HealthRoute[], port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const route = request.method === 'GET' ? routes.find((known) => known.path === path) : undefined;
    if (route === undefined) response.writeHead(404).end();
    else route.handler(request, response);
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', (error) => listening.reject(listenFailure(error, port)));
  server.listen(port, () => listening.resolve());
  await listening.promise;
  return server;
}
