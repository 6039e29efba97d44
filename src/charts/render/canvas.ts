/** Chart.js on a canvas without a browser: configuration in, PNG out. Runs in the drawing thread. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  type Plugin,
  PointElement,
  SubTitle,
  Title,
} from 'chart.js';
import { createPngEncoder } from './png.ts';

Chart.register(BarController, BarElement, CategoryScale, Filler, Legend, LinearScale);
Chart.register(LineController, LineElement, PointElement, SubTitle, Title);

export interface DrawRequest {
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  /** JSON, as a QuickChart server would get it. */
  readonly config: string;
}

const MOST_WIDTHS = 2_000;

interface Surface {
  readonly canvas: Canvas;
  readonly context: SKRSContext2D;
  /** What Chart.js takes for the canvas: it may set the size of this without the pixels being thrown away. */
  readonly target: { width: number; height: number; getContext: () => SKRSContext2D };
}

/**
 * All charts are drawn on one canvas and through one encoder: fresh megabytes for each picture cost as much as drawing
 * it. The canvas grows to the largest picture; a smaller one uses its upper rows.
 */
export function createPainter(): (request: DrawRequest) => Uint8Array<ArrayBuffer> {
  const encode = createPngEncoder();
  let surface = newSurface(0, 0);
  return (request) => {
    const width = request.width * request.pixelRatio;
    const height = request.height * request.pixelRatio;
    if (surface.canvas.width !== width || surface.canvas.height < height) surface = newSurface(width, height);
    const { context, target } = surface;
    // Nothing of the chart before may be left: the same request always gives the same bytes.
    context.reset();
    target.width = request.width;
    target.height = request.height;
    const config: ChartConfiguration = JSON.parse(request.config);
    config.options = { ...config.options, devicePixelRatio: request.pixelRatio };
    config.plugins = [fillBackground(request.background)];
    const chart = new Chart(target, config);
    try {
      return encode(context.getImageData(0, 0, width, height).data, width, height);
    } finally {
      // Chart.js keeps every chart it made until told otherwise.
      chart.destroy();
    }
  };
}

function newSurface(width: number, height: number): Surface {
  const canvas = createCanvas(Math.max(1, width), Math.max(1, height));
  const context = canvas.getContext('2d');
  const target = { width, height, getContext: () => context };
  Object.assign(context, { canvas: target, measureText: rememberWidths(context) });
  return { canvas, context, target };
}

/** Most labels (`00:00`, `25 k`) are those of the chart before, and Chart.js measures each of them several times. */
function rememberWidths(context: SKRSContext2D): SKRSContext2D['measureText'] {
  const measure = context.measureText.bind(context);
  const known = new Map<string, ReturnType<typeof measure>>();
  return (text) => {
    const key = `${context.font}\n${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MOST_WIDTHS) known.clear();
    const measured = measure(text);
    known.set(key, measured);
    return measured;
  };
}

function fillBackground(colour: string): Plugin {
  return {
    id: 'background',
    beforeDraw: ({ ctx, width, height }) => {
      ctx.fillStyle = colour;
      ctx.fillRect(0, 0, width, height);
    },
  };
}
