/**
 * Draws on a QuickChart server that the operator runs. The picture is fetched here and uploaded like one of our own, so
 * Slack never has to reach that server. The server runs what it gets as a script, so the configuration is sent as a JSON
 * string, which can hold nothing but data. quickchart-js builds the request and ky sends it: the library's own `toBinary`
 * has no timeout and can't be aborted.
 */
import ky, { HTTPError, NetworkError, TimeoutError } from 'ky';
import quickchart from 'quickchart-js';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { readBody } from '../../untrusted-input.ts';
import type { DrawRequest } from './canvas.ts';
import type { PictureSource } from './embedded.ts';
import { pngSize } from './png.ts';

interface QuickchartClient {
  draw(order: DrawRequest, giveUp?: AbortSignal): Promise<Uint8Array>;
}

/** The server rejects bodies over 100 KB. */
const MAX_BODY_BYTES = 100_000;
/** Ten times the largest picture. */
const MAX_PICTURE_BYTES = 8_000_000;

/** The package's types describe its CommonJS build, where the class is one level deeper. */
const QuickChart = quickchart as unknown as typeof quickchart.default;
type QuickChartBuilder = InstanceType<typeof QuickChart>;

export function createQuickchartClient(baseUrl: string, timeoutMs: number): QuickchartClient {
  const base = new URL(baseUrl);
  const host = `${base.host}${base.pathname.replace(/\/+$/, '')}`;
  const http = ky.create({
    prefix: `${base.protocol}//${host}`,
    headers: { accept: 'image/png' },
    timeout: timeoutMs,
    // The embedded renderer takes over instead.
    retry: 0,
    redirect: 'error',
  });

  async function post(chart: QuickChartBuilder, giveUp?: AbortSignal): Promise<Uint8Array> {
    const json = chart.getPostData();
    if (Buffer.byteLength(JSON.stringify(json)) > MAX_BODY_BYTES)
      throw new BotError('limit', 'The chart is too large for the chart server.');
    giveUp?.throwIfAborted();
    // ky's timeout ends when the headers arrive; a server that sends the picture byte by byte must not hold the answer.
    const timedOut = AbortSignal.timeout(timeoutMs);
    try {
      const signal = giveUp === undefined ? timedOut : AbortSignal.any([timedOut, giveUp]);
      const response = await http.post('chart', { json, signal });
      const { bytes, whole } = await readBody(response.body, MAX_PICTURE_BYTES);
      if (!whole) throw new BotError('upstream_bad_response', 'The chart server sent too much.');
      return bytes;
    } catch (error) {
      giveUp?.throwIfAborted();
      throw serverError(error, timedOut.aborted);
    }
  }

  return {
    async draw({ config, width, height, pixelRatio, background }, giveUp) {
      const chart = new QuickChart()
        .setScheme(base.protocol.replace(':', ''))
        .setHost(host)
        .setVersion('4')
        .setConfig(inert(config))
        .setWidth(width)
        .setHeight(height)
        .setDevicePixelRatio(pixelRatio)
        .setBackgroundColor(background)
        .setFormat('png');
      const png = await post(chart, giveUp);
      const size = pngSize(png);
      if (size === null || size.width !== width * pixelRatio || size.height !== height * pixelRatio) {
        throw new BotError('upstream_bad_response', 'The chart server sent something other than the chart.', {
          detail: { bytes: png.length, size },
        });
      }
      return png;
    },
  };
}

/**
 * The server rejects any text that contains `for (` or `while (`, which a title may. Parentheses only occur inside JSON
 * strings, where they can be escaped.
 */
function inert(json: string): string {
  return json.replaceAll('(', '\\u0028').replaceAll(')', '\\u0029');
}

/** Without the address, which may be inside the operator's network. */
function serverError(error: unknown, timedOut: boolean): BotError {
  if (error instanceof BotError) return error;
  if (timedOut || error instanceof TimeoutError)
    return new BotError('upstream_timeout', 'The chart server didn’t answer in time.');
  if (error instanceof HTTPError) {
    const { status } = error.response;
    return new BotError('upstream_unavailable', 'The chart server rejected the chart.', { detail: { status } });
  }
  // The cause of ky's error, because ky's own holds the request.
  const cause = error instanceof NetworkError ? error.cause : undefined;
  return new BotError('upstream_unavailable', 'Can’t reach the chart server.', { cause });
}

interface FallbackDeps {
  readonly server: QuickchartClient;
  readonly embedded: PictureSource;
  readonly log: Logger;
  readonly nowMs: () => number;
  /** Aborted once nothing may wait for the server any more. */
  readonly giveUp: AbortSignal;
}

/** After a failure, the server isn't tried again for this long, so that an outage doesn't slow down every answer. */
const REST_MS = 30_000;

/** If the server fails, the embedded renderer draws the picture. */
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
        log.warn({ err: error, code: error.code, ...error.detail }, 'chart server failed, drawing the chart here');
        return embedded.draw(order);
      }
    },
    close: () => embedded.close(),
  };
}
