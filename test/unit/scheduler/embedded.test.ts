import { afterEach, describe, expect, it } from 'vitest';
import { createEmbeddedScheduler } from '../../../src/scheduler/embedded.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { schedulerContract } from '../../contract/scheduler.contract.ts';
import { createManualClock, eventually } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';
import { type Steps, stepTable } from '../../support/recurrences.ts';

const clock = createManualClock();
let store: Store | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

async function freshStore(): Promise<Store> {
  await store?.close();
  store = await openStore('memory:', { log: createRecordingLog(), now: clock.now });
  return store;
}

describe('the embedded scheduler', () => {
  const stepMs = 3_600_000;
  schedulerContract({
    stepMs,
    clock,
    async open({ fresh, concurrency = 50 }) {
      const on = fresh || !store ? await freshStore() : store;
      return createEmbeddedScheduler<Steps, string>({
        store: on,
        clock,
        repeatStrategy: stepTable,
        log: createRecordingLog(),
        concurrency,
      });
    },
    passUntil: (holds) => eventually(holds, 'a run', () => clock.advance(stepMs / 40)),
    pass: (ms) => clock.advance(ms),
  });

  it('notices that the machine slept over a due time', async () => {
    const scheduler = createEmbeddedScheduler<Steps, string>({
      store: await freshStore(),
      clock,
      repeatStrategy: stepTable,
      log: createRecordingLog(),
    });
    const late: boolean[] = [];
    await scheduler.start(async (_, context) => {
      late.push(context.late);
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: { startMs: clock.now().epochMilliseconds, everyMs: stepMs }, payload: '' });
    clock.leap(2.5 * stepMs);
    await clock.advance(60_000);
    expect(late).toEqual([true]);
    await scheduler.stop();
  });

  it('tries a run that broke again, and says so', async () => {
    const log = createRecordingLog();
    const scheduler = createEmbeddedScheduler<Steps, string>({
      store: await freshStore(),
      clock,
      repeatStrategy: stepTable,
      log,
    });
    let calls = 0;
    await scheduler.start(async () => {
      calls += 1;
      if (calls === 1) throw new Error('bug');
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: { startMs: clock.now().epochMilliseconds, everyMs: stepMs }, payload: '' });
    await clock.advance(stepMs + 60_000);
    expect(calls).toBe(2);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    await scheduler.stop();
  });
});
