/**
 * The drawing thread. It reports `ready` once the fonts are loaded, then answers each request with a picture or an error.
 * It exists so that drawing doesn't block the event loop.
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
