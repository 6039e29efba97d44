/** A QuickChart server with the embedded renderer behind it: a failing server costs its picture's looks, not the picture. */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { QuickchartClient } from './quickchart.ts';
import type { ChartRenderer } from './renderer.ts';

export interface FallbackDeps {
  readonly server: QuickchartClient;
  readonly embedded: ChartRenderer;
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** After a failure the server is left alone for this long, so that an outage does not slow every answer down. */
const REST_MS = 30_000;

export function withFallback({ server, embedded, log, nowMs }: FallbackDeps): ChartRenderer {
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return {
    kind: 'quickchart',
    async draw(spec, signal) {
      if (nowMs() < restUntilMs) return embedded.draw(spec, signal);
      try {
        return await server.draw(spec, signal);
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        // A chart that is too large says nothing about the server.
        if (error.code !== 'limit') restUntilMs = nowMs() + REST_MS;
        log.warn({ err: error, code: error.code, ...error.detail }, 'the chart server failed, the chart is drawn here');
        return embedded.draw(spec, signal);
      }
    },
    close: () => embedded.close(),
  };
}
