/**
 * The thread that draws. It says `ready` once the fonts are there, then answers each request with a picture or with the
 * reason why not. Drawing here holds the main thread for a fraction of a millisecond instead of the whole chart.
 */
import { parentPort } from 'node:worker_threads';
import { createPainter, type DrawRequest } from './canvas.ts';
import { registerFonts } from './fonts.ts';

export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'no-font'; readonly family: string }
  | { readonly kind: 'picture'; readonly png: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: string };

const paint = createPainter();

function answer(message: WorkerReply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function draw(request: DrawRequest): void {
  try {
    const png = paint(request);
    answer({ kind: 'picture', png }, [png.buffer]);
  } catch (error) {
    answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

const missing = registerFonts();
if (missing === null) {
  parentPort?.on('message', draw);
  answer({ kind: 'ready' });
} else {
  answer({ kind: 'no-font', family: missing });
}
