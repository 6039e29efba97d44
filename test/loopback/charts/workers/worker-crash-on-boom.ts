/** A drawing thread that dies, hangs or refuses when the title of a chart says so, and otherwise answers at once. */
import { parentPort } from 'node:worker_threads';

/** Tells that a picture is being drawn which will never be finished. */
const drawing = new BroadcastChannel('endless-drawing');

const TINY = Uint8Array.of(137, 80, 78, 71);

parentPort?.on('message', ({ config }: { config: string }) => {
  if (config.includes('boom')) throw new Error('boom');
  if (config.includes('exit')) process.exit(3);
  if (/hang|spin/.test(config)) drawing.postMessage('begun');
  if (config.includes('hang')) return;
  if (config.includes('spin')) for (;;);
  if (config.includes('refuse')) parentPort?.postMessage({ kind: 'failed', reason: 'no' });
  else parentPort?.postMessage({ kind: 'picture', png: TINY });
});
parentPort?.postMessage({ kind: 'ready' });
