/**
 * Draws on this machine, in threads of its own. Pictures are drawn in the order in which they were asked for, and nobody
 * is turned away: one thread draws them, and a second helps while many wait, where there is a core for it. A thread that
 * dies or hangs costs the picture it was drawing, and the next picture gets a new thread.
 */
import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { type ChartSpec, chartConfig } from '../spec/index.ts';
import type { DrawRequest } from './canvas.ts';
import type { WorkerReply } from './draw-worker.ts';

export interface Picture {
  readonly png: Uint8Array;
  /** In pixels of the picture. */
  readonly width: number;
  readonly height: number;
}

export interface ChartRenderer {
  /** `none` draws nothing: `draw` always fails, and callers need not call it. */
  readonly kind: 'embedded' | 'quickchart' | 'none';
  /** Fails with a `BotError`; a picture that fails never costs more than the picture. */
  draw(spec: ChartSpec): Promise<Picture>;
  close(): Promise<void>;
}

/** Whatever makes a PNG of a description. */
export interface PictureSource {
  draw(order: DrawRequest): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** As many as a busy morning has, and as long as people still look at the same window. */
const KEPT_BYTES = 8_000_000;
const KEPT_MS = 10 * 60_000;

interface KeptPicture {
  readonly picture: Picture;
  readonly usedMs: number;
}

/** Each picture is drawn once for all who ask for it, at the same time or soon after: they get the same bytes. */
export function keepPictures(source: PictureSource, nowMs: () => number): ChartRenderer['draw'] {
  const underWay = new Map<string, Promise<Picture>>();
  /** The one that was asked for longest ago comes first. */
  const kept = new Map<string, KeptPicture>();
  let keptBytes = 0;

  function drop(key: string, { picture }: KeptPicture): void {
    kept.delete(key);
    keptBytes -= picture.png.byteLength;
  }

  function keep(key: string, picture: Picture): void {
    kept.set(key, { picture, usedMs: nowMs() });
    keptBytes += picture.png.byteLength;
    dropOld();
  }

  function dropOld(): void {
    const sinceMs = nowMs() - KEPT_MS;
    for (const [key, entry] of kept) {
      if (keptBytes <= KEPT_BYTES && entry.usedMs > sinceMs) return;
      drop(key, entry);
    }
  }

  return async (spec) => {
    const { config, ...card } = chartConfig(spec);
    const order = { ...card, config: JSON.stringify(config) };
    // The size follows from the rest.
    const key = hash('sha256', `${card.background} ${order.config}`, 'base64');
    dropOld();
    const found = kept.get(key);
    if (found !== undefined) {
      drop(key, found);
      keep(key, found.picture);
      return found.picture;
    }
    const shared = underWay.get(key);
    if (shared !== undefined) return shared;
    const drawn = source.draw(order).then((png) => {
      const picture = { png, width: card.width * card.pixelRatio, height: card.height * card.pixelRatio };
      keep(key, picture);
      return picture;
    });
    underWay.set(key, drawn);
    return drawn.finally(() => underWay.delete(key));
  };
}

export interface EmbeddedOptions {
  readonly log: Logger;
  /** For drawing alone: a picture may wait as long as it takes. */
  readonly timeoutMs?: number;
  readonly workerUrl?: URL;
  readonly mostThreads?: number;
}

interface DrawJob {
  readonly order: DrawRequest;
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

const START_MS = 15_000;
/** Beside this file, and beside the bundle that this file becomes part of: `.ts` here, `.js` there. */
const WORKER_URL = new URL(`./draw-worker${extname(import.meta.url)}`, import.meta.url);
/** So many are drawn in about the time that a thread takes to start. */
const MANY_WAITING = 6;
/** How long a second thread is kept for the next rush: it costs memory. */
const SPARE_MS = 30_000;

/** Fails when not even one thread can be started. */
export async function createEmbedded(options: EmbeddedOptions): Promise<PictureSource> {
  const { log, timeoutMs = 10_000, workerUrl = WORKER_URL } = options;
  const { mostThreads = Math.min(2, availableParallelism()) } = options;
  const start = () => startThread(workerUrl, timeoutMs, log);
  const waiting: DrawJob[] = [];
  const threads = new Set([await start()]);
  const idle = [...threads];
  const working = new Set<Promise<void>>();
  let atWork = 0;
  let closed = false;

  /** One thread draws what waits until nothing does. */
  async function work(): Promise<void> {
    atWork += 1;
    let thread = idle.shift();
    while (waiting.length > 0) {
      if (thread === undefined) {
        thread = await start().catch((error: unknown) => fail(waiting.shift(), error));
        if (thread !== undefined) threads.add(thread);
        // Others may have drawn everything meanwhile.
        continue;
      }
      const job = waiting.shift();
      if (job !== undefined) await thread.draw(job.order).then(job.resolve, (error: unknown) => fail(job, error));
      if (thread.alive) continue;
      threads.delete(thread);
      thread = undefined;
    }
    // In the same step as the last look at what waits: whoever comes after it must find nobody at work.
    atWork -= 1;
    if (thread !== undefined) idle.push(thread);
  }

  function fail(job: DrawJob | undefined, error: unknown): undefined {
    if (!closed) log.warn({ err: error }, 'a chart was not drawn');
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
      const helps = atWork < mostThreads && waiting.length >= MANY_WAITING;
      if (atWork === 0 || helps) putToWork();
      return promise;
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(stopping());
      const stopAll = () => Promise.all([...threads].map((thread) => thread.stop()));
      await stopAll();
      // A thread that was just being started is there now.
      await Promise.all(working);
      await stopAll();
    },
  };
}

const stopping = () => new BotError('internal', 'Charts are no longer drawn: the bot is stopping.');

interface DrawThread {
  /** One picture at a time. Fails when it could not be drawn, took too long, or when the thread ended meanwhile. */
  draw(order: DrawRequest): Promise<Uint8Array>;
  /** False once the thread has ended, for whatever reason. */
  readonly alive: boolean;
  stop(): Promise<void>;
}

/**
 * Far above what a chart needs; a chart that eats more ends the thread, not the bot. A chart leaves a few megabytes of
 * short-lived objects behind: with room for many charts' worth they are cleared away more rarely.
 */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Fails when the thread ends or does not say for long that it is ready. */
async function startThread(url: URL, timeoutMs: number, log: Logger): Promise<DrawThread> {
  const worker = new Worker(url, { name: 'charts', resourceLimits: LIMITS });
  const ended = Promise.withResolvers<never>();
  // Whoever waits for a picture sees the failure; without anybody waiting it must not count as unhandled.
  ended.promise.catch(() => {});
  let alive = true;
  const end = (cause: unknown) => {
    alive = false;
    ended.reject(threadFailure(cause));
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`the drawing thread ended with code ${code}`)));

  const answer = () => Promise.race([new Promise<WorkerReply>((said) => worker.once('message', said)), ended.promise]);
  const first = await withTimeout(systemClock, START_MS, answer, () => {
    throw threadFailure(new Error('the drawing thread did not start in time'));
  }).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  // Idle, it must not keep the process from ending.
  worker.unref();
  if (first.kind !== 'ready') {
    await worker.terminate();
    throw new BotError('config', 'The font for charts could not be loaded.', {
      hint: 'Install the dependencies again: @fontsource/inter is one of them.',
      detail: { first },
    });
  }

  /** A thread that does not answer cannot be asked to stop drawing: it is ended. */
  function giveUp(): never {
    alive = false;
    log.warn({ timeoutMs }, 'the drawing thread did not answer and was ended');
    worker.terminate().catch((error: unknown) => log.error({ err: error }, 'the drawing thread could not be ended'));
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
