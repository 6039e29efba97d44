import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChartRenderer } from '../../../src/charts/index.ts';
import { createEmbedded, type EmbeddedOptions } from '../../../src/charts/render/embedded.ts';
import { breakdownChart } from '../../../src/charts/spec/index.ts';
import { categories } from '../../pictures/data.ts';
import { heardLog } from '../../support/chart-log.ts';

const FRAGILE = new URL('./workers/worker-crash-on-boom.ts', import.meta.url);
const titled = (title: string) =>
  breakdownChart({ zone: 'UTC', hosts: [], title, distribution: categories({ xss: 1 }) });

const open: ChartRenderer[] = [];
async function start(options: Partial<EmbeddedOptions> = {}) {
  const log = heardLog();
  const renderer = await createEmbedded({ log, workerUrl: FRAGILE, ...options });
  open.push(renderer);
  return { renderer, log };
}
afterEach(async () => {
  vi.useRealTimers();
  for (const renderer of open.splice(0)) await renderer.close();
});

const TIMEOUT_MS = 10_000;

/** Resolves once the thread is at work on a picture that it will never finish. */
function endlessDrawing(): Promise<void> {
  const channel = new BroadcastChannel('endless-drawing');
  return new Promise((resolve) => {
    channel.onmessage = () => {
      channel.close();
      resolve();
    };
  });
}

/** Time limits of the renderer pass only when told to: a thread that starts slowly is not given up by mistake. */
const holdTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

describe('the embedded renderer', () => {
  it.each(['boom', 'exit'])('loses one picture, not more, when its thread dies of "%s"', async (fate) => {
    const { renderer, log } = await start();
    const drawn = await Promise.allSettled(['one', fate, 'two', 'three'].map((title) => renderer.draw(titled(title))));
    expect(drawn.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(drawn[1]).toMatchObject({ reason: { name: 'BotError', code: 'internal' } });
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'a chart was not drawn' }]);
  });

  it.each(['hang', 'spin'])('ends a thread that does not answer (%s) and goes on with a new one', async (fate) => {
    holdTimers();
    const { renderer, log } = await start({ timeoutMs: TIMEOUT_MS });
    const begun = endlessDrawing();
    const stuck = renderer.draw(titled(fate));
    await begun;
    vi.advanceTimersByTime(TIMEOUT_MS);
    await expect(stuck).rejects.toMatchObject({ code: 'internal', detail: { timeoutMs: TIMEOUT_MS } });
    await expect(renderer.draw(titled('after'))).resolves.toMatchObject({ width: 1280 });
    expect(log.lines.map(({ message }) => message)).toContain('the drawing thread did not answer and was ended');
  });

  it('passes on that a picture could not be drawn, and keeps the thread', async () => {
    const { renderer } = await start();
    await expect(renderer.draw(titled('refuse'))).rejects.toMatchObject({ code: 'internal' });
    await expect(renderer.draw(titled('fine'))).resolves.toMatchObject({ width: 1280 });
  });

  it('refuses at once when too many wait', async () => {
    const { renderer } = await start({ maxWaiting: 2 });
    const drawn = await Promise.allSettled([1, 2, 3, 4].map(() => renderer.draw(titled('x'))));
    expect(drawn.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(drawn[3]).toMatchObject({ reason: { code: 'limit' } });
  });

  it('lets go of a picture nobody wants any more, waiting or being drawn', async () => {
    const { renderer, log } = await start();
    const [first, second] = [new AbortController(), new AbortController()];
    const drawn = [renderer.draw(titled('a'), first.signal), renderer.draw(titled('b'), second.signal)];
    first.abort(new Error('first'));
    second.abort(new Error('second'));
    const ends = await Promise.allSettled(drawn);
    expect(ends).toMatchObject([{ reason: { message: 'first' } }, { reason: { message: 'second' } }]);
    await expect(renderer.draw(titled('c'))).resolves.toMatchObject({ width: 1280 });
    expect(log.lines).toEqual([]);
  });

  it('ends a thread that hangs on a picture nobody wants any more', async () => {
    const ended = Promise.withResolvers<void>();
    const heard = heardLog();
    const log = { ...heard, warn: () => ended.resolve() };
    holdTimers();
    const { renderer } = await start({ log, timeoutMs: TIMEOUT_MS });
    const stop = new AbortController();
    const begun = endlessDrawing();
    const stuck = renderer.draw(titled('hang'), stop.signal);
    await begun;
    stop.abort(new Error('enough'));
    await expect(stuck).rejects.toThrow('enough');
    vi.advanceTimersByTime(TIMEOUT_MS);
    await ended.promise;
    await expect(renderer.draw(titled('after'))).resolves.toMatchObject({ width: 1280 });
  });

  it('ends what it is drawing when closed, and draws nothing after', async () => {
    const { renderer } = await start();
    const left = Promise.allSettled([renderer.draw(titled('hang')), renderer.draw(titled('waits'))]);
    await renderer.close();
    expect((await left).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(renderer.draw(titled('late'))).rejects.toMatchObject({ code: 'internal' });
  });

  it('does not start without its font', async () => {
    const workerUrl = new URL('./workers/worker-no-font.ts', import.meta.url);
    await expect(start({ workerUrl })).rejects.toMatchObject({
      code: 'config',
      message: 'The font for charts could not be loaded.',
    });
  });

  it('does not start without its worker', async () => {
    await expect(start({ workerUrl: new URL('./workers/nothing-here.ts', import.meta.url) })).rejects.toMatchObject({
      code: 'internal',
    });
  });
});
