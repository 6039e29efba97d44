/** The HTTP server: Web API, response_urls, uploads and downloads, with injected faults applied. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from './call-log.ts';
import type { Distance, Fault } from './faults.ts';
import { typeOfFile } from './file-types.ts';
import { type JsonObject, stringAt } from './json.ts';
import { isForeign, targetOf } from './loopback-only.ts';
import { callMethod } from './methods/registry.ts';
import { isRefused, type Reply, wireReply } from './methods/reply.ts';
import { readArgs, readUpload } from './request-body.ts';
import { respond } from './respond.ts';
import type { SlackState } from './state.ts';

interface Answer {
  readonly status: number;
  readonly body: JsonObject | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createHttpServer(state: SlackState, boundTo: string): Server {
  return createServer((request, response) => {
    if (isForeign(request, boundTo)) return send(response, { status: 403, body: 'forbidden' });
    handle(request, response, state).catch((error: unknown) => {
      // A bug in this server: report it as a change, and do not leave the caller hanging.
      state.callLog.notify('crash', error);
      if (!response.headersSent) send(response, { status: 500, body: String(error) });
    });
  });
}

async function handle(request: IncomingMessage, response: ServerResponse, state: SlackState): Promise<void> {
  const path = targetOf(request)?.pathname ?? '';
  const [, area = '', ...rest] = path.split('/');
  if (area === 'api') {
    const { token: inBody, ...args } = await readArgs(request);
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const token = bearer ?? (typeof inBody === 'string' ? inBody : undefined);
    const method = rest.join('/');
    await serve(request, response, state, method, args, () =>
      api(callMethod(method, args, token, state), method, args, state),
    );
  } else if (area === 'commands') {
    const args = await readArgs(request);
    await serve(request, response, state, 'response_url', args, () => answerResponseUrl(path, args, state));
  } else if (area === 'upload') {
    const bytes = await readUpload(request);
    const id = rest.at(-1) ?? '';
    await serve(request, response, state, 'upload', { file: id, length: bytes.length }, () => upload(id, bytes, state));
  } else if (area === 'files-pri') {
    send(response, download(request, rest[0] ?? '', state));
  } else {
    send(response, { status: 404, body: 'not found' });
  }
}

/** Records the call, applies the fault injected for it, and answers. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  state: SlackState,
  method: string,
  args: JsonObject,
  run: () => Answer,
): Promise<void> {
  const call: Call = { method, args, atMs: state.now() };
  const startedMs = performance.now();
  state.callLog.calls.push(call);
  state.callLog.notify('call', call);
  const awayMs = millisecondsAway(request, state.distance);
  if (awayMs > 0) await delay(awayMs);
  const fault = state.faults.take(method, args) ?? rateLimited(method, args, state);
  if (fault !== undefined) call.fault = fault.kind;
  const early = fault === undefined ? undefined : await applyFault(fault);
  if (early === 'cut') {
    request.socket.destroy();
  } else {
    if (fault?.kind === 'status' && fault.afterEffect === true) run();
    const answer = early ?? run();
    call.status = answer.status;
    if (typeof answer.body === 'object' && !Buffer.isBuffer(answer.body)) call.reply = answer.body;
    if (fault?.kind === 'response_lost') request.socket.destroy();
    else send(response, answer);
  }
  call.tookMs = performance.now() - startedMs;
  state.callLog.notify('answer', call);
}

/** The connections that have carried a call. */
const connected = new WeakSet<Socket>();

function millisecondsAway({ socket }: IncomingMessage, { callMs, connectionMs }: Distance): number {
  const isNew = !connected.has(socket);
  connected.add(socket);
  return callMs + (isNew ? connectionMs : 0);
}

function rateLimited(method: string, args: JsonObject, state: SlackState): Fault | undefined {
  if (method !== 'chat.postMessage') return undefined;
  const retryAfterSeconds = state.postLimiter(String(args.channel));
  return retryAfterSeconds === undefined ? undefined : { kind: 'rate_limited', retryAfterSeconds };
}

async function applyFault(fault: Fault): Promise<Answer | 'cut' | undefined> {
  switch (fault.kind) {
    case 'rate_limited': {
      const headers: Record<string, string> =
        fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
      return { status: 429, body: { ok: false, error: 'ratelimited' }, headers };
    }
    case 'status':
      return { status: fault.status, body: 'upstream trouble' };
    case 'error':
      return { status: 200, body: { ok: false, error: fault.error, ...fault.extra } };
    case 'redirect':
      return { status: 307, body: '', headers: { location: fault.to } };
    case 'body':
      return { status: 200, body: fault.body };
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
      return undefined;
    case 'held':
      fault.gate.arrive();
      await fault.gate.released;
      return undefined;
    case 'cut':
      return 'cut';
    case 'response_lost':
      return undefined;
  }
}

function recordRefusal(reply: Reply, method: string, args: JsonObject, state: SlackState): void {
  if (!isRefused(reply) || reply.blameless === true) return;
  const refusal = { method, error: reply.error, problems: reply.problems ?? [], args };
  state.callLog.refusals.push(refusal);
  state.callLog.notify('refusal', refusal);
}

function api(reply: Reply, method: string, args: JsonObject, state: SlackState): Answer {
  recordRefusal(reply, method, args, state);
  const headers = { 'x-oauth-scopes': state.directory.scopes().join(',') };
  return { status: 200, body: wireReply(reply), headers };
}

/** Slack answers 404 to a refused response_url, whatever the reason. */
function answerResponseUrl(path: string, args: JsonObject, state: SlackState): Answer {
  const target = state.responseUrls.use(path);
  const reply: Reply =
    typeof target === 'string' ? { ok: false, error: target } : respond(args, target, 'response_url', state);
  recordRefusal(reply, 'response_url', args, state);
  return isRefused(reply) ? { status: 404, body: wireReply(reply) } : { status: 200, body: 'ok' };
}

function upload(id: string, bytes: Buffer, state: SlackState): Answer {
  const file = state.files.get(id);
  if (file === undefined || file.length !== bytes.length) {
    recordRefusal({ ok: false, error: 'upload_length_mismatch' }, 'upload', { file: id, length: bytes.length }, state);
    return { status: 400, body: 'length mismatch' };
  }
  state.files.upload(id, bytes);
  return { status: 200, body: `OK - ${bytes.length}` };
}

function download(request: IncomingMessage, name: string, state: SlackState): Answer {
  const file = state.files.get(name.split('-').at(-1) ?? '');
  if (request.headers.authorization !== `Bearer ${state.tokens.bot}`) return { status: 403, body: 'forbidden' };
  if (file?.bytes === undefined) return { status: 404, body: 'not found' };
  return { status: 200, body: file.bytes, headers: { 'content-type': typeOfFile(file.name).mimetype } };
}

function send(response: ServerResponse, answer: Answer): void {
  const isJson = typeof answer.body === 'object' && !Buffer.isBuffer(answer.body);
  const type = isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  response.end(isJson ? JSON.stringify(answer.body) : answer.body);
}

/** One line about a call, for error messages. */
export function describeCall(call: Call): string {
  const error = call.reply === undefined ? undefined : stringAt(call.reply, 'error');
  return `${call.method} → ${call.fault ?? ''} ${call.status ?? 'no answer yet'} ${error ?? ''}`.trim();
}
