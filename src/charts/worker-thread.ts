/** One drawing thread from its start to its end: started, given one order at a time, stopped. */
import { Worker } from 'node:worker_threads';
import { BotError } from '../errors.ts';
import type { WorkerAnswer, WorkerOrder } from './draw-worker.ts';

export interface DrawThread {
  /** Resolves with the picture; fails when it could not be drawn or when the thread ended meanwhile. */
  draw(order: WorkerOrder): Promise<Uint8Array>;
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
export async function startThread(url: URL, timeoutMs: number): Promise<DrawThread> {
  const worker = new Worker(url, { name: 'charts', resourceLimits: LIMITS });
  const ended = Promise.withResolvers<never>();
  // Whoever waits for a picture sees it; nobody else has to.
  ended.promise.catch(() => {});
  let alive = true;
  const end = (cause: unknown) => {
    alive = false;
    ended.reject(new BotError('internal', 'The chart could not be drawn.', { cause, detail: { part: 'thread' } }));
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`the drawing thread ended with code ${code}`)));

  const next = () =>
    new Promise<WorkerAnswer>((resolve) => {
      worker.once('message', resolve);
    });

  const timer = setTimeout(() => end(new Error('the drawing thread did not start in time')), timeoutMs);
  const first = await Promise.race([next(), ended.promise]).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  clearTimeout(timer);
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
    async draw(order) {
      worker.ref();
      try {
        const answered = next();
        worker.postMessage(order);
        const answer = await Promise.race([answered, ended.promise]);
        if (answer.kind === 'picture' && answer.id === order.id) return answer.png;
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
