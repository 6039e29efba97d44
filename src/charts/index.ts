/** The public interface of the charts: one renderer, chosen by configuration. */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { type ChartRenderer, createEmbedded, keepPictures, type PictureSource } from './render/embedded.ts';

export type { ChartRenderer } from './render/embedded.ts';

export type RendererOptions =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'quickchart'; readonly baseUrl: string; readonly timeoutMs?: number }
  | { readonly kind: 'none' };

interface RendererDeps {
  readonly log: Logger;
  readonly nowMs?: () => number;
  /** Aborted when nobody may wait for a chart server any more: charts are then drawn here. */
  readonly giveUp?: AbortSignal;
}

const SERVER_TIMEOUT_MS = 5_000;
/** The public server of the project, where everybody's charts go. */
const PUBLIC_HOST = /(^|\.)quickchart\.io$/;

/** Fails with `config` when charts could not be drawn at all, so that it shows at the start. */
export async function createRenderer(options: RendererOptions, deps: RendererDeps): Promise<ChartRenderer> {
  const { log, nowMs = performance.now.bind(performance), giveUp = new AbortController().signal } = deps;
  if (options.kind === 'none') return createNone();
  const kept = (kind: ChartRenderer['kind'], source: PictureSource): ChartRenderer => ({
    kind,
    draw: keepPictures(source, nowMs),
    close: () => source.close(),
  });
  if (options.kind === 'embedded') return kept('embedded', await createEmbedded({ log }));
  const { hostname } = checked(options.baseUrl);
  if (PUBLIC_HOST.test(hostname)) {
    log.warn({ host: hostname }, 'charts are drawn by a public server: their numbers and titles go to a third party');
  }
  // Loaded only where a server is named.
  const { createQuickchartClient, withFallback } = await import('./render/quickchart.ts');
  const server = createQuickchartClient(options.baseUrl, options.timeoutMs ?? SERVER_TIMEOUT_MS);
  return kept('quickchart', withFallback({ server, embedded: await createEmbedded({ log }), log, nowMs, giveUp }));
}

function checked(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new BotError('config', 'The address of the chart server is not a plain http or https address.', {
      hint: 'Write it as quickchart:http://host:3400, without a user, query or fragment.',
    });
  }
  return url;
}

function createNone(): ChartRenderer {
  return {
    kind: 'none',
    draw: async () => {
      throw new BotError('config', 'Pictures are switched off.', { hint: 'Set WAFBOT_CHARTS to draw them.' });
    },
    close: async () => {},
  };
}
