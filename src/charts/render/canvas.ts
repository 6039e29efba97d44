/** Turns a configuration into a PNG, without a browser. Runs in the drawing thread. */
import { createCanvas } from '@napi-rs/canvas';
import type { ChartConfig } from '../spec/layout.ts';
import type { CardConfig } from './card-config.ts';
import { paintCard } from './paint-card.ts';
import { createPngEncoder } from './png.ts';

export interface DrawRequest extends Omit<ChartConfig, 'config'> {
  /** JSON, as a QuickChart server would get it. */
  readonly config: string;
}

/**
 * All charts share one canvas and one encoder, because allocating them again takes as long as drawing. The canvas grows
 * to the largest picture; a smaller one uses its upper rows.
 */
export function createPainter(): (request: DrawRequest) => Uint8Array<ArrayBuffer> {
  const encode = createPngEncoder();
  let canvas = createCanvas(1, 1);
  return ({ pixelRatio, background, config, ...size }) => {
    const width = size.width * pixelRatio;
    const height = size.height * pixelRatio;
    if (canvas.width !== width || canvas.height < height) canvas = createCanvas(width, height);
    const context = canvas.getContext('2d');
    // Nothing of the previous chart may remain: the same request always gives the same bytes.
    context.reset();
    context.scale(pixelRatio, pixelRatio);
    context.fillStyle = background;
    context.fillRect(0, 0, size.width, size.height);
    const card: CardConfig = JSON.parse(config);
    paintCard(context, card, size);
    return encode(context.getImageData(0, 0, width, height).data, width, height);
  };
}
