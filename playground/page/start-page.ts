/** Serves the page: a small chat client for a local workspace, rendered on the server and updated by events. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { typeOfFile } from '../slack/file-types.ts';
import { parseJson } from '../slack/json.ts';
import { targetOf } from '../slack/loopback-only.ts';
import { ACTIONS } from './actions.ts';
import { createEventStream } from './event-stream.ts';
import { buildScreen } from './screen.ts';
import { isAllowed, SECURITY_HEADERS } from './security.ts';
import { renderShell } from './shell.ts';
import { createTypedCommands } from './typed-commands.ts';
import type { PageSlack } from './workspace-port.ts';

export interface PageOptions {
  readonly slack: PageSlack;
  /** Any free one by default. */
  readonly port?: number;
  /** This machine alone by default. */
  readonly host?: string;
  /** Shown while a channel is empty; a click puts them into the message box. */
  readonly examples?: readonly string[];
  /** A line under the workspace's name. */
  readonly notice?: string;
}

export interface Page {
  readonly url: string;
  stop(): Promise<void>;
}

const NOTICE = 'A playground on your machine. Nothing leaves it.';

const STATIC: Readonly<Record<string, string>> = {
  'app.js': 'text/javascript; charset=utf-8',
  'controls.js': 'text/javascript; charset=utf-8',
  'data-table.js': 'text/javascript; charset=utf-8',
  'layout.css': 'text/css; charset=utf-8',
  'dialog.css': 'text/css; charset=utf-8',
  'messages.css': 'text/css; charset=utf-8',
  'blocks.css': 'text/css; charset=utf-8',
  'charts.css': 'text/css; charset=utf-8',
  'controls.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

export async function startPage(options: PageOptions): Promise<Page> {
  const { slack, host = '127.0.0.1', examples = [], notice = NOTICE } = options;
  const events = createEventStream();
  const typed = createTypedCommands(events.changed);
  const unsubscribe = slack.onChange(events.changed);
  const shell = renderShell(slack.workspace.team.name, notice);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, type: string, body: string | Buffer, more: Readonly<Record<string, string>> = {}) =>
      void response.writeHead(status, { ...SECURITY_HEADERS, 'content-type': type, ...more }).end(body);
    const json = (status: number, body: unknown) => send(status, 'application/json', JSON.stringify(body));
    if (!isAllowed(request, host)) return send(403, 'text/plain', 'forbidden');
    const target = targetOf(request);
    if (target === null) return send(404, 'text/plain', 'not found');
    const { pathname, searchParams } = target;
    const [, area = '', name = ''] = pathname.split('/');
    if (request.method === 'POST') {
      const action = area === 'actions' && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (action === undefined) return json(404, {});
      return json(200, await action(parseJson(await text(request)), { slack, typed }));
    }
    if (pathname === '/') return send(200, 'text/html; charset=utf-8', shell);
    if (area === 'events') return events.subscribe(response);
    if (area === 'screen') {
      const asked = (key: string) => searchParams.get(key) ?? '';
      const input = { user: asked('user'), place: asked('place'), thread: asked('thread') };
      return json(200, buildScreen({ slack, typed, examples, ...input }) ?? {});
    }
    if (area === 'file') {
      const file = slack.file(name);
      if (file?.bytes === undefined) return send(404, 'text/plain', 'not found');
      const { mimetype } = typeOfFile(file.name);
      // Only pictures may be shown by the browser; anything else is downloaded.
      const shown = mimetype.startsWith('image/') ? {} : { 'content-disposition': 'attachment' };
      return send(200, mimetype, file.bytes, shown);
    }
    const type = area === 'static' && Object.hasOwn(STATIC, name) ? STATIC[name] : undefined;
    if (type === undefined) return send(404, 'text/plain', 'not found');
    return send(200, type, await readFile(new URL(`static/${name}`, import.meta.url)));
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500, SECURITY_HEADERS);
      response.end('{"error":"Something went wrong in the playground."}');
    });
  });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async stop() {
      unsubscribe();
      events.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}
