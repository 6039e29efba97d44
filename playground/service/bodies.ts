/** Bodies that no honest service sends: endless or enormous. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Sends spaces, which are always the start of valid JSON. */
export function drip(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
  const timer = setInterval(() => response.write(' '), everyMs);
  response.once('close', () => clearInterval(timer));
}

const CHUNK = Buffer.alloc(64 * 1024, ' ');

/** Generated while sending, so it takes no memory. Ends early if the caller disconnects. */
export async function flood(response: ServerResponse, bytes: number, gzip: boolean): Promise<void> {
  const chunks = function* () {
    for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
  };
  const packed = gzip ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...packed });
  const source = Readable.from(chunks());
  await (gzip ? pipeline(source, createGzip(), response) : pipeline(source, response)).catch(() => undefined);
}
