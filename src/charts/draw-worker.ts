/**
 * The thread that draws. It says `ready` once the fonts are there, then answers each order with a picture or with the
 * reason why not. Drawing here holds the main thread for a fraction of a millisecond instead of the whole chart.
 */
import { parentPort } from 'node:worker_threads';
import { createPainter, type DrawOrder } from './canvas.ts';
import { registerFonts } from './fonts.ts';

export interface WorkerOrder extends DrawOrder {
  readonly id: number;
}

export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'no-font'; readonly family: string }
  | { readonly kind: 'picture'; readonly id: number; readonly png: Uint8Array }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };

const paint = createPainter();

function answer(message: WorkerAnswer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function draw(order: WorkerOrder): void {
  try {
    const png = paint(order);
    answer({ kind: 'picture', id: order.id, png }, [png.buffer]);
  } catch (error) {
    answer({ kind: 'failed', id: order.id, reason: error instanceof Error ? error.message : String(error) });
  }
}

const missing = registerFonts();
if (missing === null) {
  parentPort?.on('message', draw);
  answer({ kind: 'ready' });
} else {
  answer({ kind: 'no-font', family: missing });
}
