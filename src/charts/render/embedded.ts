/**
 * Draws on this machine, in a thread of its own. One picture at a time; a bounded number wait, each for a bounded time.
 * A thread that dies or hangs costs the picture it was drawing, and the next picture gets a new thread.
 */
import { Worker } from 'node:worker_threads';
import { systemClock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { type ChartSpec, chartConfig } from '../spec/index.ts';
import type { WorkerReply, WorkerRequest } from './draw-worker.ts';

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
  draw(spec: ChartSpec, signal?: AbortSignal): Promise<Picture>;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly log: Logger;
  /** Pictures that may wait while one is drawn. */
  readonly maxWaiting?: number;
  /** From asking to having, waiting included. */
  readonly timeoutMs?: number;
  readonly workerUrl?: URL;
}

interface DrawJob {
  readonly run: (thread: DrawThread) => Promise<void>;
  readonly fail: (error: BotError) => void;
  done: boolean;
}

const START_MS = 15_000;
const WORKER_URL = new URL('./draw-worker.ts', import.meta.url);

export async function createEmbedded(options: EmbeddedOptions): Promise<ChartRenderer> {
  const { log, maxWaiting = 32, timeoutMs = 10_000, workerUrl = WORKER_URL } = options;
  const waiting: DrawJob[] = [];
  let thread: DrawThread | null = await startThread(workerUrl, START_MS);
  let drawing: DrawJob | null = null;
  let working: Promise<void> = Promise.resolve();
  let closed = false;
  let lastId = 0;

  async function work(): Promise<void> {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      if (job.done) continue;
      drawing = job;
      try {
        thread ??= await startThread(workerUrl, START_MS);
        // It may have been given up while the thread was starting.
        if (!job.done) await job.run(thread);
      } catch (error) {
        job.fail(asBotError(error));
      }
      drawing = null;
      if (thread !== null && !thread.alive) thread = null;
    }
  }

  /** A thread that does not answer cannot be asked to stop drawing: it is ended. */
  function giveUp(job: DrawJob): void {
    if (drawing !== job || thread === null) return;
    const hung = thread;
    thread = null;
    log.warn({ timeoutMs }, 'the drawing thread did not answer and was ended');
    hung.stop().catch((error: unknown) => log.error({ err: error }, 'the drawing thread could not be ended'));
  }

  function draw(spec: Parameters<ChartRenderer['draw']>[0], signal?: AbortSignal): Promise<Picture> {
    const { promise, resolve, reject } = Promise.withResolvers<Picture>();
    if (closed) throw new BotError('internal', 'Charts are no longer drawn: the bot is stopping.');
    if (waiting.length >= maxWaiting) throw new BotError('limit', 'Too many charts are being drawn right now.');
    const { config, ...card } = chartConfig(spec);
    const size = { width: card.width * card.pixelRatio, height: card.height * card.pixelRatio };
    const json = JSON.stringify(config);
    lastId += 1;
    const id = lastId;

    const job: DrawJob = {
      done: false,
      async run(on) {
        const png = await on.draw({ ...card, config: json, id });
        finish();
        resolve({ png, ...size });
      },
      fail(error) {
        const unwanted = job.done;
        finish();
        if (unwanted) return;
        log.warn({ err: error, kind: spec.kind }, 'a chart was not drawn');
        reject(error);
      },
    };
    const timer = setTimeout(() => {
      job.fail(new BotError('internal', 'Drawing the chart took too long.', { detail: { timeoutMs } }));
      giveUp(job);
    }, timeoutMs);
    const abort = () => {
      // A picture that is being drawn keeps its timer: the thread must come back from it, wanted or not.
      if (drawing === job) job.done = true;
      else finish();
      reject(signal?.reason);
    };
    function finish(): void {
      job.done = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    if (signal?.aborted === true) abort();
    else {
      signal?.addEventListener('abort', abort, { once: true });
      waiting.push(job);
      if (drawing === null) working = work();
    }
    return promise;
  }

  return {
    kind: 'embedded',
    draw: async (spec, signal) => draw(spec, signal),
    async close() {
      closed = true;
      const left = drawing === null ? waiting.splice(0) : [drawing, ...waiting.splice(0)];
      for (const job of left) job.fail(new BotError('internal', 'Charts are no longer drawn: the bot is stopping.'));
      await thread?.stop();
      // A thread that was just being started is there now.
      await working;
      await thread?.stop();
      thread = null;
    },
  };
}

function asBotError(error: unknown): BotError {
  if (error instanceof BotError) return error;
  return new BotError('internal', 'The chart could not be drawn.', { cause: error });
}

interface DrawThread {
  /** Resolves with the picture; fails when it could not be drawn or when the thread ended meanwhile. */
  draw(request: WorkerRequest): Promise<Uint8Array>;
  /** False once the thread has ended, for whatever reason. */
  readonly alive: boolean;
  stop(): Promise<void>;
}

/**
 * Far above what a chart needs; a chart that eats more ends the thread, not the bot. A chart leaves a few megabytes of
 * short-lived objects behind: with room for many charts' worth they are cleared away more rarely.
 */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Fails when the thread ends or says nothing for `timeoutMs`. */
async function startThread(url: URL, timeoutMs: number): Promise<DrawThread> {
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

  const next = () =>
    new Promise<WorkerReply>((resolve) => {
      worker.once('message', resolve);
    });

  const started = () => Promise.race([next(), ended.promise]);
  const first = await withTimeout(systemClock, timeoutMs, started, () => {
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

  return {
    get alive() {
      return alive;
    },
    async draw(request) {
      worker.ref();
      try {
        const answered = next();
        worker.postMessage(request);
        const answer = await Promise.race([answered, ended.promise]);
        if (answer.kind === 'picture' && answer.id === request.id) return answer.png;
        throw new BotError('internal', 'The chart could not be drawn.', { detail: { answer } });
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
