/** Request bodies as Slack's clients send them: forms with JSON in some values, plain JSON, multipart uploads. */
import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { targetOf } from './loopback-only.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Arguments that travel as JSON text inside a form. */
const STRUCTURED = new Set([
  'blocks',
  'attachments',
  'metadata',
  'files',
  'view',
  'document_content',
  'channel_ids',
  'user_ids',
  'outputs',
  'prompts',
  'chunks',
]);

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readArgs(request: IncomingMessage): Promise<JsonObject> {
  const bytes = await readBytes(request);
  const query = targetOf(request)?.searchParams ?? new URLSearchParams();
  const text = bytes.toString('utf8');
  if ((request.headers['content-type'] ?? '').startsWith('application/json')) {
    const body = parseJson(text);
    return { ...fromForm(query), ...(isObject(body) ? body : {}) };
  }
  return { ...fromForm(query), ...fromForm(new URLSearchParams(text)) };
}

function fromForm(form: URLSearchParams): JsonObject {
  return Object.fromEntries(
    [...form].map(([key, value]) => [key, STRUCTURED.has(key) ? (parseJson(value) ?? value) : value]),
  );
}

/** The file of a multipart upload, or the whole body if it was sent without multipart encoding. */
export async function readUpload(request: IncomingMessage): Promise<Buffer> {
  const bytes = await readBytes(request);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return bytes;
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  for (const [, value] of form) {
    if (typeof value !== 'string') return Buffer.from(await value.arrayBuffer());
  }
  return Buffer.alloc(0);
}
