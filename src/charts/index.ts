/** The public interface of the charts: one renderer, chosen by configuration. */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { type ChartRenderer, cachePictures, createEmbedded, type PictureSource } from './render/embedded.ts';

export { type ChartRenderer, drawWith } from './render/embedded.ts';

export type RendererOptions =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'quickchart'; readonly baseUrl: string; readonly timeoutMs?: number }
  | { readonly kind: 'none' };

interface RendererDeps {
  readonly log: Logger;
  readonly nowMs?: () => number;
  /** Aborted once nothing may wait for a chart server any more; charts are then drawn in the bot. */
  readonly giveUp?: AbortSignal;
}

const SERVER_TIMEOUT_MS = 5_000;
/** QuickChart's public server, shared by everyone. */
const PUBLIC_HOST = /(^|\.)quickchart\.io$/;

/** Fails with `config` if charts can't be drawn at all, so that startup reports it. */
export async function createRenderer(options: RendererOptions, deps: RendererDeps): Promise<ChartRenderer> {
  const { log, nowMs = performance.now.bind(performance), giveUp = new AbortController().signal } = deps;
  if (options.kind === 'none') return createNone();
  const cached = (kind: ChartRenderer['kind'], source: PictureSource): ChartRenderer => ({
    kind,
    draw: cachePictures(source, nowMs),
    close: () => source.close(),
  });
  if (options.kind === 'embedded') return cached('embedded', await createEmbedded({ log }));
  const { hostname } = checked(options.baseUrl);
  if (PUBLIC_HOST.test(hostname)) {
    log.warn({ host: hostname }, 'charts are drawn by a public server: a third party sees their numbers and titles');
  }
  // Loaded only if a server is configured.
  const { createQuickchartClient, withFallback } = await import('./render/quickchart.ts');
  const server = createQuickchartClient(options.baseUrl, options.timeoutMs ?? SERVER_TIMEOUT_MS);
  return cached('quickchart', withFallback({ server, embedded: await createEmbedded({ log }), log, nowMs, giveUp }));
}

function checked(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new BotError('config', 'The chart server’s address isn’t a plain http or https URL.', {
      hint: 'Write it as quickchart:http://host:3400, without a user, query or fragment.',
    });
  }
  return url;
}

function createNone(): ChartRenderer {
  return {
    kind: 'none',
    draw: async () => {
      throw new BotError('config', 'Charts are turned off.', { hint: 'Set WAFBOT_CHARTS to turn them on.' });
    },
    close: async () => {},
  };
}

interface ChartFinding {
  readonly what: 'Chart server';
  readonly ok: boolean;
  readonly says: string;
  readonly fix?: string;
}

const SMALL_CHART = {
  width: 60,
  height: 40,
  pixelRatio: 1,
  background: '#ffffff',
  config: JSON.stringify({ type: 'bar', data: { labels: [''], datasets: [{ data: [1] }] } }),
};

/** For the doctor: has the server draw a small chart, without the fallback that answers have. */
export async function probeChartServer(options: RendererOptions): Promise<readonly ChartFinding[]> {
  if (options.kind !== 'quickchart') return [];
  const what = 'Chart server';
  try {
    const { createQuickchartClient } = await import('./render/quickchart.ts');
    await createQuickchartClient(options.baseUrl, options.timeoutMs ?? SERVER_TIMEOUT_MS).draw(SMALL_CHART);
    return [{ what, ok: true, says: 'It draws charts.' }];
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    const says = `${error.message} Charts are drawn by the bot itself.`;
    return [{ what, ok: false, says, fix: 'check WAFBOT_CHARTS and that the server is up.' }];
  }
}
