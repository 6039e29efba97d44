/** The face of the drawing half. */
import { BotError } from '../errors.ts';
import { drawPng } from './canvas.ts';
import { registerFonts } from './fonts.ts';
import type { ChartLog, ChartRenderer } from './renderer.ts';
import { chartConfig } from './spec/index.ts';

export type { ChartLog, ChartRenderer, Picture } from './renderer.ts';

export type RendererOptions =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'quickchart'; readonly baseUrl: string }
  | { readonly kind: 'none' };

export async function createRenderer(options: RendererOptions, _deps: { log: ChartLog }): Promise<ChartRenderer> {
  if (options.kind === 'none') return createNone();
  registerFonts();
  return {
    kind: 'embedded',
    async draw(spec) {
      const { config, ...order } = chartConfig(spec);
      const png = drawPng({ ...order, config: JSON.stringify(config) });
      return { png, width: order.width * order.pixelRatio, height: order.height * order.pixelRatio };
    },
    async close() {},
  };
}

function createNone(): ChartRenderer {
  return {
    kind: 'none',
    draw: async () => {
      throw new BotError('config', 'Pictures are switched off.');
    },
    close: async () => {},
  };
}
