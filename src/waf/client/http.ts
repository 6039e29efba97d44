/**
 * HTTP to both services: one ky instance per peer, with its address, credentials, size limit and time limit. Failures
 * leave here as a `ServiceFailure`.
 */
import ky, { type AfterResponseHook, type Hooks } from 'ky';
import { Agent, EnvHttpProxyAgent, Pool } from 'undici';
import { type FailureContext, failureFrom, type HttpReply, tooLarge } from './failure.ts';

/** A token alone can be longer than the 16 KiB that Node allows for all headers by default. */
const MAX_HEADER_BYTES = 64 * 1024;
/** More than a month of single minutes, requests and attacks. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Node closes a connection after four seconds without a call, and people pause for longer than that. */
const KEEP_ALIVE_MS = 55_000;

export interface HttpOptions {
  /** Respect `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly proxyFromEnvironment?: boolean;
  /** Maximum length of a body after decompression, in bytes. */
  readonly maxBodyBytes?: number;
}

interface PeerOptions extends FailureContext {
  readonly prefix: string;
  /** Adds the credentials and handles their refusal. */
  readonly hooks?: Hooks;
}

interface CallOptions {
  /** For the whole call, including the body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with `POST`. */
  readonly json?: unknown;
}

export interface Peer {
  /** Throws a `ServiceFailure`, what a hook throws, or the signal's reason. */
  send(path: string, options: CallOptions): Promise<HttpReply>;
  /** Requests the root without credentials; any status counts as a reply. */
  reach(options: CallOptions): Promise<HttpReply>;
}

export function createHttp({ proxyFromEnvironment = false, maxBodyBytes = MAX_BODY_BYTES }: HttpOptions = {}) {
  const connection = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  // A proxy for plain HTTP gets no connection options by itself.
  const factory = (origin: string | URL, options: object) => new Pool(origin, { ...options, ...connection });
  const dispatcher = proxyFromEnvironment ? new EnvHttpProxyAgent({ ...connection, factory }) : new Agent(connection);

  function createPeer({ prefix, hooks = {}, ...context }: PeerOptions): Peer {
    const bare = ky.create({
      prefix,
      dispatcher,
      headers: { accept: '*/*', 'user-agent': 'wafbot' },
      // A redirect would carry the token to another host.
      redirect: 'manual',
      // Retries are left to `retry-policy.ts`, because calls share its pauses and its circuit breaker and it follows our
      // clock. The one retry allowed here is what a hook forces after it has renewed the token.
      retry: { limit: 1, methods: [] },
      timeout: false,
      hooks: { afterResponse: [limitBody(() => tooLarge(context.service, maxBodyBytes), maxBodyBytes)] },
    });
    const authorized = bare.extend({ hooks });

    async function call(
      http: typeof ky,
      path: string,
      { timeoutMs, signal, ...options }: CallOptions & { throwHttpErrors?: boolean },
    ) {
      signal.throwIfAborted();
      try {
        const method = options.json === undefined ? 'get' : 'post';
        const pending = http(path, { ...options, method, signal, totalTimeout: timeoutMs });
        const { status, headers } = await pending;
        return { status, headers, body: await pending.text() };
      } catch (error) {
        signal.throwIfAborted();
        throw failureFrom(error, timeoutMs, context);
      }
    }

    return {
      send: (path, options) => call(authorized, path, options),
      reach: (options) => call(bare, '', { ...options, throwHttpErrors: false }),
    };
  }

  return { createPeer, close: () => dispatcher.destroy() };
}

/** Ends a body that is too long with an error, so that it can't fill the memory of the process. */
function limitBody(createError: () => Error, maxBytes: number): AfterResponseHook {
  return ({ response }) => {
    if (response.body === null) return;
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > maxBytes) controller.error(createError());
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(limit), response);
  };
}
