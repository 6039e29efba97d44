/** How many times the usual an episode is: what was counted, divided by what was expected in the same time. */
import { describe, expect, it } from 'vitest';
import { timesUsual } from '../../../src/episodes/episode.ts';
import { measureEpisode } from '../../../src/episodes/measure-episode.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-02-02T00:00Z');
const DAYS = 36;
const ONSET = 33 * 1440 + 14 * 60;

/** About 20 attacks a minute, some quarters of an hour far more, and from the onset on 40 more. */
function flood(minutes: number) {
  const random = createSeededRandom(7);
  const attacks = Array.from({ length: DAYS * 1440 }, (_, at) => {
    const isFlood = at >= ONSET && at < ONSET + minutes;
    // Now and then at this time of the day, as chance has it: two weeks of the four before had it too.
    const day = Math.floor(at / 1440);
    const isBurst = (day === 33 - 7 || day === 33 - 14) && at % 1440 >= 14 * 60 && at % 1440 < 14 * 60 + 12;
    return 10 + random.below(21) + (isFlood ? 40 : 0) + (isBurst ? 12 : 0);
  });
  const requests = attacks.map((count) => count + 900 + random.below(200));
  const share = (of: number) => attacks.map((count) => Math.round(count * of));
  const categories = { sqli: share(0.75), xss: share(0.25) };
  return recordedStatistics({ startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories });
}

async function factorAfter(minutes: number, of = 12 * 60): Promise<number | null> {
  const nowMs = START_MS + (ONSET + minutes + 5) * MINUTE_MS;
  const span = { onsetMs: START_MS + ONSET * MINUTE_MS, endMs: null };
  const untilMs = START_MS + (ONSET + minutes) * MINUTE_MS;
  const measured = await measureEpisode(flood(of)(nowMs), { hosts: [], zone: 'UTC' }, span, untilMs);
  return timesUsual(measured?.figures ?? null);
}

describe('an episode of a steady rate', () => {
  it('is as many times the usual after twelve hours as after ten minutes: it does not make itself usual', async () => {
    for (const minutes of [10, 20, 60, 120, 240, 480, 720]) {
      const factor = (await factorAfter(minutes)) ?? 0;
      expect(Math.abs(factor - 3), `after ${minutes} minutes ${factor}`).toBeLessThan(0.25);
    }
  });

  it('has no multiple where nothing was expected', () => {
    expect(timesUsual({ total: 40, expected: 0.4 })).toBeNull();
    expect(timesUsual({ total: 40, expected: null })).toBeNull();
    expect(timesUsual(null)).toBeNull();
  });
});
