/**
 * A chart server on loopback that speaks `POST /chart` the way the real one does: the configuration is a script and is
 * run as one, bodies over 100 KB are 413, loops are refused, another Chart.js than 4 is not there, and errors are
 * pictures with status 500. It draws with the whole of the Chart.js that the real one has, which is an old 4.0, and with the
 * canvas's own encoder.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createContext, runInContext } from 'node:vm';
import { createCanvas } from '@napi-rs/canvas';
import { Chart, type ChartConfiguration, registerables } from 'chart.js-4.0.1';

const LOOPS = /(for|while)\s*\(/i;
const MOST_BODY_BYTES = 100 * 1024;

interface ChartOrder {
  readonly chart: string;
  readonly width: number;
  readonly height: number;
  readonly version: string;
  readonly devicePixelRatio: number;
  readonly backgroundColor: string;
}

export interface QuickchartServer {
  readonly url: string;
  /** Orders as they came. */
  readonly orders: ChartOrder[];
  /** How often a configuration called the function `canary`. */
  readonly canary: { calls: number };
  /** Takes over the next answers when set. */
  behave: ((response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

export async function startQuickchart(): Promise<QuickchartServer> {
  Chart.register(...registerables);
  const orders: ChartOrder[] = [];
  const canary = { calls: 0 };
  const state: { behave: QuickchartServer['behave'] } = { behave: null };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, String(error)));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (state.behave !== null) return state.behave(response);
    if (request.method !== 'POST' || request.url !== '/chart') {
      response.writeHead(404).end();
      return;
    }
    if (body.length > MOST_BODY_BYTES) {
      response.writeHead(413).end();
      return;
    }
    const order: ChartOrder = JSON.parse(body.toString());
    orders.push(order);
    if (LOOPS.test(order.chart)) return fail(response, 'Input is not allowed');
    if (order.version !== '4') return fail(response, `no Chart.js ${order.version} here`);
    const png = draw(order, run(order.chart));
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length }).end(png);
  }

  /** As a script, in a world of its own: only what it returns comes out, as JSON. */
  function run(script: string): ChartConfiguration {
    const world = createContext({
      canary: () => {
        canary.calls += 1;
        return 'sung';
      },
    });
    return JSON.parse(runInContext(`JSON.stringify(${script})`, world));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    orders,
    canary,
    get behave() {
      return state.behave;
    },
    set behave(next) {
      state.behave = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function draw(order: ChartOrder, config: ChartConfiguration): Buffer {
  const canvas = createCanvas(order.width, order.height);
  config.options = { ...config.options, animation: false, responsive: false, devicePixelRatio: order.devicePixelRatio };
  config.plugins = [
    {
      id: 'background',
      beforeDraw: ({ ctx, width, height }) => {
        ctx.fillStyle = order.backgroundColor;
        ctx.fillRect(0, 0, width, height);
      },
    },
  ];
  const chart = new Chart(canvas, config);
  const png = canvas.toBuffer('image/png');
  chart.destroy();
  return png;
}

function fail(response: ServerResponse, reason: string): void {
  const png = createCanvas(300, 40).toBuffer('image/png');
  response
    .writeHead(500, { 'content-type': 'image/png', 'x-quickchart-error': reason.replace(/[^ -~]/g, ' ') })
    .end(png);
}
