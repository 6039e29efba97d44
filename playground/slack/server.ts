/** The HTTP side of the local Slack: Web API, response_urls, uploads and files, with ordered misbehaviour applied. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { typeOfFile } from '../file-types.ts';
import { type JsonObject, stringAt } from '../json.ts';
import type { Fault } from './faults.ts';
import type { Call } from './journal.ts';
import { isRefused, type Reply, wireReply } from './methods/reply.ts';
import { callMethod } from './methods/table.ts';
import { readArgs, readUpload } from './request-body.ts';
import { respond } from './response-url.ts';
import type { World } from './world.ts';

interface Answer {
  readonly status: number;
  readonly body: JsonObject | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createHttpServer(world: World): Server {
  return createServer((request, response) => {
    handle(request, response, world).catch((error: unknown) => {
      // A fault of the stand-in itself: loud in the journal, and no hanging caller.
      world.journal.changed('crash', error);
      if (!response.headersSent) send(response, { status: 500, body: String(error) });
    });
  });
}

async function handle(request: IncomingMessage, response: ServerResponse, world: World): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const [, area = '', ...rest] = path.split('/');
  if (area === 'api') {
    const { token: inBody, ...args } = await readArgs(request);
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const token = bearer ?? (typeof inBody === 'string' ? inBody : undefined);
    const method = rest.join('/');
    await serve(request, response, world, method, args, () =>
      api(callMethod(method, args, token, world), method, args, world),
    );
  } else if (area === 'commands') {
    const args = await readArgs(request);
    await serve(request, response, world, 'response_url', args, () => viaResponseUrl(path, args, world));
  } else if (area === 'upload') {
    const bytes = await readUpload(request);
    const id = rest.at(-1) ?? '';
    await serve(request, response, world, 'upload', { file: id, length: bytes.length }, () => upload(id, bytes, world));
  } else if (area === 'files-pri') {
    send(response, download(request, rest[0] ?? '', world));
  } else {
    send(response, { status: 404, body: 'not found' });
  }
}

/** Records the call, plays the misbehaviour that was ordered for it, and answers. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  world: World,
  method: string,
  args: JsonObject,
  run: () => Answer,
): Promise<void> {
  const call: Call = { method, args, atMs: world.now() };
  world.journal.calls.push(call);
  world.journal.changed('call', call);
  const fault = world.faults.take(method, args) ?? tooFast(method, args, world);
  if (fault !== undefined) call.fault = fault.kind;
  const early = fault === undefined ? undefined : await misbehave(fault);
  if (early === 'cut') {
    request.socket.destroy();
  } else {
    if (fault?.kind === 'status' && fault.afterEffect === true) run();
    const answer = early ?? run();
    call.status = answer.status;
    if (typeof answer.body === 'object' && !Buffer.isBuffer(answer.body)) call.reply = answer.body;
    if (fault?.kind === 'answer_lost') request.socket.destroy();
    else send(response, answer);
  }
  world.journal.changed('answer', call);
}

function tooFast(method: string, args: JsonObject, world: World): Fault | undefined {
  if (method !== 'chat.postMessage') return undefined;
  const retryAfterSeconds = world.pace(String(args.channel));
  return retryAfterSeconds === undefined ? undefined : { kind: 'rate_limited', retryAfterSeconds };
}

async function misbehave(fault: Fault): Promise<Answer | 'cut' | undefined> {
  switch (fault.kind) {
    case 'rate_limited': {
      const headers = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
      return { status: 429, body: { ok: false, error: 'ratelimited' }, headers };
    }
    case 'status':
      return { status: fault.status, body: 'upstream trouble' };
    case 'error':
      return { status: 200, body: { ok: false, error: fault.error, ...fault.extra } };
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
      return undefined;
    case 'held':
      fault.gate.arrive();
      await fault.gate.released;
      return undefined;
    case 'cut':
      return 'cut';
    case 'answer_lost':
      return undefined;
  }
}

function noteRefusal(reply: Reply, method: string, args: JsonObject, world: World): void {
  if (!isRefused(reply) || reply.blameless === true) return;
  const refusal = { method, error: reply.error, problems: reply.problems ?? [], args };
  world.journal.refusals.push(refusal);
  world.journal.changed('refusal', refusal);
}

function api(reply: Reply, method: string, args: JsonObject, world: World): Answer {
  noteRefusal(reply, method, args, world);
  const headers = { 'x-oauth-scopes': world.directory.scopes().join(',') };
  return { status: 200, body: wireReply(reply), headers };
}

/** A refused response_url answers 404, whatever the reason. */
function viaResponseUrl(path: string, args: JsonObject, world: World): Answer {
  const ticket = world.tickets.useResponseUrl(path);
  const reply: Reply =
    typeof ticket === 'string' ? { ok: false, error: ticket } : respond(args, ticket, 'response_url', world);
  noteRefusal(reply, 'response_url', args, world);
  return isRefused(reply) ? { status: 404, body: wireReply(reply) } : { status: 200, body: 'ok' };
}

function upload(id: string, bytes: Buffer, world: World): Answer {
  const file = world.files.get(id);
  if (file === undefined || file.length !== bytes.length) {
    noteRefusal({ ok: false, error: 'upload_length_mismatch' }, 'upload', { file: id, length: bytes.length }, world);
    return { status: 400, body: 'length mismatch' };
  }
  world.files.upload(id, bytes);
  return { status: 200, body: `OK - ${bytes.length}` };
}

function download(request: IncomingMessage, name: string, world: World): Answer {
  const file = world.files.get(name.split('-').at(-1) ?? '');
  if (request.headers.authorization !== `Bearer ${world.tokens.bot}`) return { status: 403, body: 'forbidden' };
  if (file?.bytes === undefined) return { status: 404, body: 'not found' };
  return { status: 200, body: file.bytes, headers: { 'content-type': typeOfFile(file.name).mimetype } };
}

function send(response: ServerResponse, answer: Answer): void {
  const isJson = typeof answer.body === 'object' && !Buffer.isBuffer(answer.body);
  const type = isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  response.end(isJson ? JSON.stringify(answer.body) : answer.body);
}

/** The name a call's channel argument has, for one-line descriptions. */
export function describeCall(call: Call): string {
  const error = call.reply === undefined ? undefined : stringAt(call.reply, 'error');
  return `${call.method} → ${call.fault ?? ''} ${call.status ?? 'no answer yet'} ${error ?? ''}`.trim();
}
