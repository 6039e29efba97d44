/** Chart.js on a canvas without a browser: configuration in, PNG out. Runs in the worker thread. */
import { createCanvas } from '@napi-rs/canvas';
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
import { encodePng } from './png.ts';

Chart.register(BarController, BarElement, CategoryScale, Filler, Legend, LinearScale);
Chart.register(LineController, LineElement, PointElement, SubTitle, Title);

export interface DrawOrder {
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  /** JSON, as a QuickChart server would get it. */
  readonly config: string;
}

export function drawPng(order: DrawOrder): Uint8Array<ArrayBuffer> {
  // Made at the logical size: Chart.js enlarges it by the pixel ratio itself.
  const canvas = createCanvas(order.width, order.height);
  const config: ChartConfiguration = JSON.parse(order.config);
  config.options = { ...config.options, devicePixelRatio: order.pixelRatio };
  config.plugins = [ground(order.background)];
  const chart = new Chart(canvas, config);
  try {
    return encodePng(canvas.data(), canvas.width, canvas.height);
  } finally {
    // Chart.js keeps every chart it made until told otherwise.
    chart.destroy();
  }
}

function ground(colour: string): Plugin {
  return {
    id: 'ground',
    beforeDraw: ({ ctx, width, height }) => {
      ctx.fillStyle = colour;
      ctx.fillRect(0, 0, width, height);
    },
  };
}
