/**
 * Draws on this machine, in a thread of its own. One picture at a time; a bounded number wait, each for a bounded time;
 * a thread that dies or hangs costs the picture it was drawing, and the next picture gets a new thread.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ChartRenderer, Picture } from './renderer.ts';
import { chartConfig } from './spec/index.ts';
import { type DrawThread, startThread } from './worker-thread.ts';

export interface EmbeddedOptions {
  readonly log: Logger;
  /** Pictures that may wait while one is drawn. */
  readonly maxWaiting?: number;
  /** From asking to having, waiting included. */
  readonly timeoutMs?: number;
  readonly workerUrl?: URL;
}

interface Job {
  readonly run: (thread: DrawThread) => Promise<void>;
  readonly fail: (error: BotError) => void;
  done: boolean;
}

const START_MS = 15_000;
const WORKER_URL = new URL('./draw-worker.ts', import.meta.url);

export async function createEmbedded(options: EmbeddedOptions): Promise<ChartRenderer> {
  const { log, maxWaiting = 32, timeoutMs = 10_000, workerUrl = WORKER_URL } = options;
  const waiting: Job[] = [];
  let thread: DrawThread | null = await startThread(workerUrl, START_MS);
  let drawing: Job | null = null;
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
  function giveUp(job: Job): void {
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
    const { config, ...order } = chartConfig(spec);
    const size = { width: order.width * order.pixelRatio, height: order.height * order.pixelRatio };
    const json = JSON.stringify(config);
    lastId += 1;
    const id = lastId;

    const job: Job = {
      done: false,
      async run(on) {
        const png = await on.draw({ ...order, config: json, id });
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
