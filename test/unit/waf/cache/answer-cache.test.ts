/** Whether an answer is final depends on when it was given, by a clock that may be set in the meantime. */
import { Keyv } from 'keyv';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAnswerCache, createBestEffortCache, createReplicaSharing } from '../../../../src/waf/cache.ts';
import { createRecordingLog } from '../../../support/log.ts';

const MINUTE_MS = 60_000;
const TO_MS = Date.parse('2026-03-10T08:37:00Z');
const WINDOW = { fromMs: TO_MS - 20 * MINUTE_MS, toMs: TO_MS, offset: '+00:00', hosts: [] };

/** A service that has logged more each time it's asked. */
function open(startMs: number) {
  const clock = { nowMs: startMs, setDuringCallMs: 0 };
  const log = createRecordingLog();
  const cache = createBestEffortCache(new Keyv(), log);
  let calls = 0;
  const answers = createAnswerCache<number>({
    ...{ cache, log },
    now: () => clock.nowMs,
    replicas: createReplicaSharing({ cache, log, locks: null, owner: 'one', sleep: async () => {} }),
    scope: 'test',
    schema: z.number(),
    async fetch() {
      clock.nowMs += clock.setDuringCallMs;
      calls += 1;
      return calls;
    },
  });
  return { clock, ask: async () => (await answers.get(WINDOW)).value };
}

describe('an answer about a window that is settled', () => {
  it('is asked for once', async () => {
    const { clock, ask } = open(TO_MS + 4 * MINUTE_MS);
    expect(await ask()).toBe(1);
    clock.nowMs += 20 * MINUTE_MS;
    expect(await ask()).toBe(1);
  });

  it('is asked for again if the last one is from just before that', async () => {
    const { clock, ask } = open(TO_MS + 3 * MINUTE_MS - 10_000);
    expect(await ask()).toBe(1);
    clock.nowMs += 9_999;
    expect(await ask()).toBe(1);
    clock.nowMs += 1;
    expect(await ask()).toBe(2);
    clock.nowMs += 20 * MINUTE_MS;
    expect(await ask()).toBe(2);
  });

  it('is asked for again if the clock was set back while the service answered', async () => {
    const { clock, ask } = open(TO_MS + 4 * MINUTE_MS);
    clock.setDuringCallMs = -5 * MINUTE_MS;
    expect(await ask()).toBe(1);
    clock.nowMs += 20 * MINUTE_MS;
    expect(await ask()).toBe(2);
  });

  it('is asked for again if it comes from a time that is still to come', async () => {
    const { clock, ask } = open(TO_MS + 4 * MINUTE_MS);
    expect(await ask()).toBe(1);
    clock.nowMs -= 6 * MINUTE_MS;
    expect(await ask()).toBe(2);
  });
});
