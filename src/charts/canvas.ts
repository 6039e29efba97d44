/** Chart.js on a canvas without a browser: configuration in, PNG out. */
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
  PointElement,
  SubTitle,
  Title,
} from 'chart.js';
import { encodePng } from './png.ts';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  SubTitle,
  Title,
);

export interface DrawOrder {
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  /** JSON, as a QuickChart server would get it. */
  readonly config: string;
}

export function drawPng(order: DrawOrder): Uint8Array {
  // Made at the logical size: Chart.js enlarges it by the pixel ratio itself.
  const canvas = createCanvas(order.width, order.height);
  const config: ChartConfiguration = JSON.parse(order.config);
  config.options = { ...config.options, devicePixelRatio: order.pixelRatio };
  config.plugins = [card(order.background)];
  const chart = new Chart(canvas, config);
  try {
    return encodePng(canvas.data(), canvas.width, canvas.height);
  } finally {
    chart.destroy();
  }
}

function card(colour: string): NonNullable<ChartConfiguration['plugins']>[number] {
  return {
    id: 'card',
    beforeDraw: ({ ctx, width, height }) => {
      ctx.fillStyle = colour;
      ctx.fillRect(0, 0, width, height);
    },
  };
}
