/** Serves the page: a small chat client for a local workspace, rendered on the server and updated through events. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { typeOfFile } from '../slack/file-types.ts';
import { parseJson } from '../slack/json.ts';
import { targetOf } from '../slack/loopback-only.ts';
import { ACTIONS } from './actions.ts';
import type { Drawer } from './drawer-port.ts';
import { createEventStream } from './event-stream.ts';
import type { Nights } from './nights-port.ts';
import { createReadMarks } from './read-marks.ts';
import { buildScreen } from './screen.ts';
import { isAllowed, SECURITY_HEADERS } from './security.ts';
import { type Banner, renderCanvas, renderShell, type Suggestion } from './shell.ts';
import type { PageSlack } from './workspace-port.ts';

export interface PageOptions {
  readonly slack: PageSlack;
  /** None by default. */
  readonly drawer?: Drawer;
  /** Any free port by default. */
  readonly port?: number;
  /** Loopback by default. */
  readonly host?: string;
  /** The channel to open; the first one by default. */
  readonly start?: string;
  /** Messages that are sent with a click. */
  readonly examples?: readonly string[];
  /** Commands to suggest after `/`. */
  readonly suggestions?: readonly Suggestion[];
  readonly banner?: Banner;
  /** By default there is one night only. */
  readonly nights?: Nights;
}

export interface Page {
  readonly url: string;
  /** From now on the page shows this workspace. */
  show(shown: Shown): void;
  stop(): Promise<void>;
}

type Shown = Pick<PageOptions, 'slack'> & { readonly drawer: Drawer | undefined };

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** The same font package the charts use. */
const FONTS = new URL('./files/', import.meta.resolve('@fontsource/inter/package.json'));

/** Every file that may be requested, by name. */
async function staticFiles(): Promise<ReadonlyMap<string, URL>> {
  const folder = new URL('static/', import.meta.url);
  const own = (await readdir(folder)).map((name) => [name, new URL(name, folder)] as const);
  const fonts = [400, 600].map((weight) => `inter-latin-${weight}-normal.woff2`);
  return new Map([...own, ...fonts.map((name) => [name, new URL(name, FONTS)] as const)]);
}

function follow({ slack, drawer }: Shown, changed: () => void) {
  const unsubscribe = [slack.onChange(changed), drawer?.onChange(changed)];
  const unfollow = () => {
    for (const end of unsubscribe) end?.();
  };
  return { slack, drawer, marks: createReadMarks(), unfollow };
}

/** The browser may show images only; anything else is downloaded. */
const asDownload = (mimetype: string): Readonly<Record<string, string>> =>
  mimetype.startsWith('image/') ? {} : { 'content-disposition': 'attachment' };

export async function startPage(options: PageOptions): Promise<Page> {
  const { host = '127.0.0.1', start = '', examples = [], suggestions = [], banner, nights } = options;
  const events = createEventStream();
  let shown = follow({ slack: options.slack, drawer: options.drawer }, events.changed);
  const files = await staticFiles();
  const shell = renderShell({ teamName: options.slack.workspace.team.name, examples, suggestions, banner });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, type: string, body: string | Buffer, more: Readonly<Record<string, string>> = {}) =>
      void response.writeHead(status, { ...SECURITY_HEADERS, 'content-type': type, ...more }).end(body);
    const json = (status: number, body: unknown) => send(status, 'application/json', JSON.stringify(body));
    if (!isAllowed(request, host)) return send(403, 'text/plain', 'forbidden');
    const { slack, drawer, marks } = shown;
    const target = targetOf(request);
    if (target === null) return send(404, 'text/plain', 'not found');
    const { pathname, searchParams } = target;
    const [, area = '', name = ''] = pathname.split('/');
    if (request.method === 'POST') {
      const action = area === 'actions' && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (action === undefined) return json(404, {});
      return json(
        200,
        await action(parseJson(await text(request)), { slack, drawer, nights, marks, changed: events.changed }),
      );
    }
    if (pathname === '/') return send(200, 'text/html; charset=utf-8', shell);
    if (area === 'events') return events.subscribe(response);
    if (area === 'screen') {
      const param = (key: string) => searchParams.get(key) ?? '';
      const where = { user: param('user'), place: param('place'), thread: param('thread') };
      const how = { since: param('since'), client: param('client'), start };
      return json(200, buildScreen({ slack, drawer, nights, marks, ...where, ...how }) ?? {});
    }
    if (area === 'canvas') {
      const canvas = slack.canvas(name);
      if (canvas === undefined) return send(404, 'text/plain', 'not found');
      return send(200, 'text/html; charset=utf-8', renderCanvas(canvas, slack));
    }
    if (area === 'file') {
      const file = slack.file(name);
      if (file?.bytes === undefined) return send(404, 'text/plain', 'not found');
      const { mimetype } = typeOfFile(file.name);
      return send(200, mimetype, file.bytes, asDownload(mimetype));
    }
    const file = area === 'static' ? files.get(name) : undefined;
    if (file === undefined) return send(404, 'text/plain', 'not found');
    return send(200, TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream', await readFile(file));
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
    show(next) {
      shown.unfollow();
      shown = follow(next, events.changed);
      events.changed();
    },
    async stop() {
      shown.unfollow();
      events.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}
