import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEmbedded, type EmbeddedOptions, type PictureSource } from '../../../src/charts/render/embedded.ts';
import { breakdownChart, chartConfig } from '../../../src/charts/spec/index.ts';
import { categories } from '../../pictures/data.ts';
import { heardLog } from '../../support/chart-log.ts';

const FRAGILE = new URL('./workers/worker-crash-on-boom.ts', import.meta.url);

function titled(title: string) {
  const spec = breakdownChart({ zone: 'UTC', hosts: [], title, distribution: categories({ xss: 1 }) });
  const { config, ...card } = chartConfig(spec);
  return { ...card, config: JSON.stringify(config) };
}

const open: PictureSource[] = [];
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

/** Resolves once so many threads are at work on pictures that they will never finish. */
function endlessDrawing(threads = 1): Promise<void> {
  const channel = new BroadcastChannel('endless-drawing');
  let left = threads;
  return new Promise((resolve) => {
    channel.onmessage = () => {
      left -= 1;
      if (left > 0) return;
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
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'could not draw a chart' }]);
  });

  it.each(['hang', 'spin'])('ends a thread that does not answer (%s) and goes on with a new one', async (fate) => {
    holdTimers();
    const { renderer, log } = await start({ timeoutMs: TIMEOUT_MS });
    const begun = endlessDrawing();
    const stuck = renderer.draw(titled(fate));
    await begun;
    vi.advanceTimersByTime(TIMEOUT_MS);
    await expect(stuck).rejects.toMatchObject({ code: 'internal', detail: { timeoutMs: TIMEOUT_MS } });
    await expect(renderer.draw(titled('after'))).resolves.toHaveLength(4);
    expect(log.lines.map(({ message }) => message)).toContain('drawing thread timed out, terminating it');
  });

  it('passes on that a picture could not be drawn, and keeps the thread', async () => {
    const { renderer } = await start();
    await expect(renderer.draw(titled('refuse'))).rejects.toMatchObject({ code: 'internal' });
    await expect(renderer.draw(titled('fine'))).resolves.toHaveLength(4);
  });

  it('turns nobody away, however many wait', async () => {
    const { renderer, log } = await start();
    const drawn = await Promise.all(Array.from({ length: 500 }, (_, n) => renderer.draw(titled(`${n}`))));
    expect(drawn).toHaveLength(500);
    expect(log.lines).toEqual([]);
  });

  it('draws for one who asks again as soon as a picture is there', async () => {
    const { renderer } = await start();
    for (let n = 0; n < 50; n += 1) await renderer.draw(titled(`${n}`));
  });

  it('draws with a second thread while many wait, and forgets neither when both hang', async () => {
    holdTimers();
    const { renderer, log } = await start({ maxThreads: 2, timeoutMs: TIMEOUT_MS });
    const begun = endlessDrawing(2);
    const stuck = Promise.allSettled([renderer.draw(titled('hang')), renderer.draw(titled('hang too'))]);
    const others = Array.from({ length: 8 }, (_, n) => renderer.draw(titled(`${n}`)));
    await begun;
    // Both are given up; whoever waits behind them is drawn by new threads.
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect((await stuck).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all(others)).toHaveLength(8);
    expect(log.lines.filter(({ message }) => message.includes('timed out'))).toHaveLength(2);
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
      message: 'Can’t load the chart font.',
    });
  });

  it('does not start without its worker', async () => {
    await expect(start({ workerUrl: new URL('./workers/nothing-here.ts', import.meta.url) })).rejects.toMatchObject({
      code: 'internal',
    });
  });
});
