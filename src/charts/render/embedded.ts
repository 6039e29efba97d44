/**
 * Draws in worker threads. Pictures are drawn in the order of the requests, and none is turned away: one thread draws, and
 * a second helps while many wait, if there is a core for it. A thread that dies or hangs costs the picture it was drawing,
 * and the next picture gets a new thread.
 */
import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { type ChartSpec, chartConfig } from '../spec/index.ts';
import type { DrawRequest } from './canvas.ts';
import type { WorkerReply } from './draw-worker.ts';

interface Picture {
  readonly png: Uint8Array;
  /** In physical pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ChartRenderer {
  /** With `none`, `draw` always fails; callers don't need to call it. */
  readonly kind: 'embedded' | 'quickchart' | 'none';
  /** Fails with a `BotError`. */
  draw(spec: ChartSpec): Promise<Picture>;
  close(): Promise<void>;
}

/** Turns a configuration into a PNG. */
export interface PictureSource {
  draw(order: DrawRequest): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Enough for a busy morning, and for as long as people look at the same window. */
const MAX_CACHED_BYTES = 8_000_000;
const CACHE_MS = 10 * MINUTE_MS;

/** Draws each picture once for everyone who wants it, at the same time or soon after: they get the same bytes. */
export function cachePictures(source: PictureSource, nowMs: () => number): ChartRenderer['draw'] {
  const underWay = new Map<string, Promise<Picture>>();
  const cached = new LRUCache<string, Picture>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ png }) => png.byteLength,
    ttl: CACHE_MS,
    updateAgeOnGet: true,
    ttlResolution: 0,
    perf: { now: nowMs },
  });

  return async (spec) => {
    const { config, ...card } = chartConfig(spec);
    const order = { ...card, config: JSON.stringify(config) };
    // The size follows from the rest.
    const key = hash('sha256', `${card.background} ${order.config}`, 'base64');
    const known = cached.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    const drawn = source.draw(order).then((png) => {
      const picture = { png, width: card.width * card.pixelRatio, height: card.height * card.pixelRatio };
      cached.set(key, picture);
      return picture;
    });
    underWay.set(key, drawn);
    return drawn.finally(() => underWay.delete(key));
  };
}

export interface EmbeddedOptions {
  readonly log: Logger;
  /** For drawing only: a picture may wait in the queue as long as it takes. */
  readonly timeoutMs?: number;
  readonly workerUrl?: URL;
  readonly maxThreads?: number;
}

interface DrawJob {
  readonly order: DrawRequest;
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

const START_LIMIT_MS = 15_000;
/** Beside this file, and beside the bundle that this file becomes part of: `.ts` here, `.js` there. */
const WORKER_URL = new URL(`./draw-worker${extname(import.meta.url)}`, import.meta.url);
/** About as many as can be drawn while a thread starts. */
const MANY_WAITING = 6;
/** How long a second thread stays for the next rush: it costs memory. */
const SPARE_MS = 30_000;

/** Fails if no thread can be started. */
export async function createEmbedded(options: EmbeddedOptions): Promise<PictureSource> {
  const { log, timeoutMs = 10_000, workerUrl = WORKER_URL } = options;
  const { maxThreads = Math.min(2, availableParallelism()) } = options;
  const start = () => startThread(workerUrl, timeoutMs, log);
  const waiting: DrawJob[] = [];
  const threads = new Set([await start()]);
  const idle = [...threads];
  const working = new Set<Promise<void>>();
  let atWork = 0;
  let closed = false;

  /** Draws on one thread until nothing waits. */
  async function work(): Promise<void> {
    atWork += 1;
    let thread = idle.shift();
    while (waiting.length > 0) {
      if (thread === undefined) {
        thread = await start().catch((error: unknown) => fail(waiting.shift(), error));
        if (thread !== undefined) threads.add(thread);
        // By now others may have drawn everything.
        continue;
      }
      const job = waiting.shift();
      if (job !== undefined) await thread.draw(job.order).then(job.resolve, (error: unknown) => fail(job, error));
      if (thread.alive) continue;
      threads.delete(thread);
      thread = undefined;
    }
    // In the same tick as the last check of the queue, so that a later request sees that no thread is working.
    atWork -= 1;
    if (thread !== undefined) idle.push(thread);
  }

  function fail(job: DrawJob | undefined, error: unknown): undefined {
    if (!closed) log.warn({ err: error }, 'could not draw a chart');
    job?.reject(error);
  }

  function endSpareThreads(): void {
    for (const spare of idle.splice(1)) {
      threads.delete(spare);
      void spare.stop();
    }
  }

  function putToWork(): void {
    const worked = work();
    working.add(worked);
    void worked.finally(() => {
      working.delete(worked);
      if (idle.length > 1) setTimeout(endSpareThreads, SPARE_MS).unref();
    });
  }

  return {
    async draw(order) {
      if (closed) throw stopping();
      const { promise, ...job } = Promise.withResolvers<Uint8Array>();
      waiting.push({ order, ...job });
      const helps = atWork < maxThreads && waiting.length >= MANY_WAITING;
      if (atWork === 0 || helps) putToWork();
      return promise;
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(stopping());
      const stopAll = () => Promise.all([...threads].map((thread) => thread.stop()));
      await stopAll();
      // A thread that was still starting is ready now.
      await Promise.all(working);
      await stopAll();
    },
  };
}

const stopping = () => new BotError('internal', 'The bot is stopping and no longer draws charts.');

interface DrawThread {
  /** One picture at a time. Fails if drawing fails, takes too long or the thread ends. */
  draw(order: DrawRequest): Promise<Uint8Array>;
  /** False once the thread has ended, for whatever reason. */
  readonly alive: boolean;
  stop(): Promise<void>;
}

/**
 * Far above what a chart needs; one that needs more ends the thread, not the bot. A chart leaves a few megabytes of
 * short-lived objects behind, so the young generation has room for many charts.
 */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Fails if the thread ends or isn't ready in time. */
async function startThread(url: URL, timeoutMs: number, log: Logger): Promise<DrawThread> {
  const worker = new Worker(url, { name: 'charts', resourceLimits: LIMITS });
  const ended = Promise.withResolvers<never>();
  // Callers that wait for a picture see the failure; if there is none, it must not count as unhandled.
  ended.promise.catch(() => {});
  let alive = true;
  const end = (cause: unknown) => {
    alive = false;
    ended.reject(threadFailure(cause));
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`the drawing thread ended with code ${code}`)));

  const answer = () => Promise.race([new Promise<WorkerReply>((said) => worker.once('message', said)), ended.promise]);
  const first = await withTimeout(systemClock, START_LIMIT_MS, answer, () => {
    throw threadFailure(new Error('the drawing thread did not start in time'));
  }).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  // An idle thread must not keep the process alive.
  worker.unref();
  if (first.kind !== 'ready') {
    await worker.terminate();
    throw new BotError('config', 'Can’t load the chart font.', {
      hint: 'Install the dependencies again: @fontsource/inter is one of them.',
      detail: { first },
    });
  }

  /** A thread that hangs can't be asked to stop drawing, so it's terminated. */
  function giveUp(): never {
    alive = false;
    log.warn({ timeoutMs }, 'drawing thread timed out, terminating it');
    worker.terminate().catch((error: unknown) => log.error({ err: error }, 'could not terminate the drawing thread'));
    throw new BotError('internal', 'Drawing the chart took too long.', { detail: { timeoutMs } });
  }

  return {
    get alive() {
      return alive;
    },
    async draw(order) {
      worker.ref();
      try {
        const answered = answer();
        worker.postMessage(order);
        const drawn = await withTimeout(systemClock, timeoutMs, () => answered, giveUp);
        if (drawn.kind === 'picture') return drawn.png;
        throw new BotError('internal', 'The chart could not be drawn.', { detail: { answer: drawn } });
      } finally {
        worker.unref();
      }
    },
    async stop() {
      await worker.terminate();
    },
  };
}

function threadFailure(cause: unknown): BotError {
  return new BotError('internal', 'The chart could not be drawn.', { cause, detail: { part: 'thread' } });
}

/** Draws with a renderer that may still be starting. */
export const drawWith =
  (rendering: Promise<ChartRenderer>) =>
  async (spec: ChartSpec): Promise<Uint8Array> =>
    (await (await rendering).draw(spec)).png;
