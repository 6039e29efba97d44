/**
 * Draws on a QuickChart server that the operator runs. The picture is fetched here and travels on like one of our own:
 * Slack's servers never need to reach that server. The server runs what it is sent as a script, so the
 * configuration goes as a JSON string, in which nothing but data can be said.
 */
import ky, { HTTPError } from 'ky';
import quickchart from 'quickchart-js';
import { systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { readBody } from '../../untrusted-input.ts';
import type { DrawRequest } from './canvas.ts';
import type { PictureSource } from './embedded.ts';
import { pngSize } from './png.ts';

interface QuickchartClient {
  draw(order: DrawRequest, signal?: AbortSignal): Promise<Uint8Array>;
}

/** The server refuses bodies over 100 KB. */
const MOST_BODY_BYTES = 100_000;
/** The largest picture that is asked for has a tenth of it. */
const MOST_PICTURE_BYTES = 8_000_000;

/** The package's types describe its CommonJS build, where the class is one level deeper. */
const QuickChart = quickchart as unknown as typeof quickchart.default;

export function createQuickchartClient(baseUrl: string, timeoutMs: number): QuickchartClient {
  const base = new URL(baseUrl);
  const address = `${base.host}${base.pathname.replace(/\/+$/, '')}`;
  return {
    async draw({ config, width, height, pixelRatio, background }, signal) {
      const chart = new QuickChart()
        .setScheme(base.protocol.replace(':', ''))
        .setHost(address)
        .setVersion('4')
        .setConfig(inert(config))
        .setWidth(width)
        .setHeight(height)
        .setDevicePixelRatio(pixelRatio)
        .setBackgroundColor(background)
        .setFormat('png');
      const body = JSON.stringify(chart.getPostData());
      if (Buffer.byteLength(body) > MOST_BODY_BYTES) {
        throw new BotError('limit', 'The chart is too large for the chart server.');
      }
      const png = await post(`${base.protocol}//${address}/chart`, body, timeoutMs, signal);
      const size = pngSize(png);
      if (size === null || size.width !== width * pixelRatio || size.height !== height * pixelRatio) {
        throw new BotError('upstream_bad_response', 'The chart server sent something else than the chart.', {
          detail: { bytes: png.length, size },
        });
      }
      return png;
    },
  };
}

/**
 * The server also refuses any text with `for (` or `while (` in it, as a loop: a title may well have that. Brackets
 * only occur inside the strings of a JSON text, where they can be written as an escape.
 */
function inert(json: string): string {
  return json.replaceAll('(', '\\u0028').replaceAll(')', '\\u0029');
}

async function post(url: string, body: string, timeoutMs: number, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const fetchPicture = async (abort: AbortSignal): Promise<Uint8Array> => {
    // The library's own way to fetch has no timeout and cannot be given up.
    const answer = await ky.post(url, {
      body,
      headers: { 'content-type': 'application/json', accept: 'image/png' },
      timeout: false,
      retry: 0,
      redirect: 'error',
      signal: abort,
    });
    const { bytes, whole } = await readBody(answer.body, MOST_PICTURE_BYTES);
    if (!whole) throw new BotError('upstream_bad_response', 'The chart server sent too much.');
    return bytes;
  };
  try {
    // Over the whole answer: a server that drips would else hold the question for as long as it likes.
    return await withTimeout(systemClock, timeoutMs, fetchPicture, tooLate, signal);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw translated(error);
  }
}

function tooLate(): never {
  throw new BotError('upstream_timeout', 'The chart server did not answer in time.');
}

/** No address in the message: it may be a place inside the operator's network. */
function translated(error: unknown): BotError {
  if (error instanceof BotError) return error;
  if (error instanceof HTTPError) {
    const { status } = error.response;
    return new BotError('upstream_unavailable', 'The chart server refused the chart.', { detail: { status } });
  }
  return new BotError('upstream_unavailable', 'The chart server could not be reached.', { cause: error });
}

interface FallbackDeps {
  readonly server: QuickchartClient;
  readonly embedded: PictureSource;
  readonly log: Logger;
  readonly nowMs: () => number;
  /** Aborted when nobody may wait for the server any more. */
  readonly giveUp: AbortSignal;
}

/** After a failure the server is left alone for this long, so that an outage does not slow every answer down. */
const REST_MS = 30_000;

/** A failing server costs the picture its own looks, not the picture: the embedded renderer draws it instead. */
export function withFallback({ server, embedded, log, nowMs, giveUp }: FallbackDeps): PictureSource {
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return {
    async draw(order) {
      if (giveUp.aborted || nowMs() < restUntilMs) return embedded.draw(order);
      try {
        return await server.draw(order, giveUp);
      } catch (error) {
        if (giveUp.aborted) return embedded.draw(order);
        if (!(error instanceof BotError)) throw error;
        // A chart that is too large says nothing about the server.
        if (error.code !== 'limit') restUntilMs = nowMs() + REST_MS;
        log.warn({ err: error, code: error.code, ...error.detail }, 'the chart server failed, the chart is drawn here');
        return embedded.draw(order);
      }
    },
    close: () => embedded.close(),
  };
}
