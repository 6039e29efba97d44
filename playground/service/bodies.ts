/** Bodies that no honest service sends: without end, or longer than anybody can want. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** One blank after another: what is sent so far is always the beginning of some JSON. */
export function drip(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
  const timer = setInterval(() => response.write(' '), everyMs);
  response.once('close', () => clearInterval(timer));
}

const CHUNK = Buffer.alloc(64 * 1024, ' ');

/** Made up while it is sent, so that it costs the sender no memory. Ends early when the caller leaves. */
export async function flood(response: ServerResponse, bytes: number, gzip: boolean): Promise<void> {
  const chunks = function* () {
    for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
  };
  const packed = gzip ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...packed });
  const source = Readable.from(chunks());
  await (gzip ? pipeline(source, createGzip(), response) : pipeline(source, response)).catch(() => undefined);
}
