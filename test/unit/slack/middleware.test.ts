import { describe, expect, it } from 'vitest';
import { createDeduplicate, REMEMBER_MS, STORE_LIMIT_MS } from '../../../src/slack/middleware.ts';
import { createManualClock } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';

describe('a delivery', () => {
  it('is new once in eleven minutes', async () => {
    const clock = createManualClock();
    const deduplicate = createDeduplicate(clock, createRecordingLog());
    expect([await deduplicate('a'), await deduplicate('b'), await deduplicate('a')]).toEqual([true, true, false]);
    await clock.advance(REMEMBER_MS);
    expect(await deduplicate('a')).toBe(false);
    await clock.advance(1);
    expect(await deduplicate('a')).toBe(true);
  });

  it('that another process has had is not new', async () => {
    const deduplicate = createDeduplicate(createManualClock(), createRecordingLog(), async (key) => key !== 'theirs');
    expect([await deduplicate('ours'), await deduplicate('theirs')]).toEqual([true, false]);
  });

  it('is told apart by the process alone while the store fails', async () => {
    const log = createRecordingLog();
    const deduplicate = createDeduplicate(createManualClock(), log, () => Promise.reject(new Error('away')));
    expect([await deduplicate('a'), await deduplicate('a')]).toEqual([true, false]);
    expect(log.lines).toHaveLength(1);
  });

  it('waits for a store that hangs half a second at most', async () => {
    const clock = createManualClock();
    const deduplicate = createDeduplicate(clock, createRecordingLog(), () => new Promise(() => undefined));
    const first = deduplicate('a');
    await clock.advance(STORE_LIMIT_MS);
    expect(await first).toBe(true);
    expect(await deduplicate('a')).toBe(false);
  });
});
