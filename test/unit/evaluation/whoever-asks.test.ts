/** On generated sites, who asks about an hour reads the same episodes as who asks about the day, from a store or not. */
import { expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../src/episodes/episode.ts';
import { createEpisodeLog, type StoredBlock } from '../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { weeksOf } from '../../evaluation/ablation.ts';
import type { LabelledStream } from '../../evaluation/streams.ts';
import { createRandom } from '../../evaluation/traffic/random.ts';
import { count } from '../../support/counts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Some time after unusual categories began, and at any time. */
function moments({ events, fromMs, toMs }: LabelledStream, index: number): number[] {
  const random = createRandom(index, 5);
  const minutes = (toMs - fromMs) / MINUTE_MS;
  return [
    ...events
      .filter(({ kind }) => kind === 'takeover' || kind === 'new category')
      .map((event) => event.fromMs + random.whole(10, 90) * MINUTE_MS),
    fromMs + random.whole(24 * 60, minutes - 60) * MINUTE_MS,
  ];
}

const inWords = ({ id, endMs, strength, figures }: EpisodeRecord): string =>
  `${id} until ${endMs}, ${figures.total} of ${figures.categories.length} with ${strength.toFixed(2)}`;

it('is one list, whatever part of it is asked for, then and the day after', async () => {
  let mixes = 0;
  for (const [index, stream] of [...weeksOf([9721], count(10, 1, 2))].entries()) {
    const { numbers, zone, toMs: lastMs } = stream;
    for (const toMs of moments(stream, index)) {
      for (const nowMs of [toMs, Math.min(toMs + 30 * HOUR_MS, lastMs)]) {
        const stored = new Map<string, StoredBlock>();
        const blocks = {
          get: async (key: string) => stored.get(key),
          set: async (key: string, block: StoredBlock) => stored.set(key, block),
        };
        const read = async (hours: number, kept: typeof blocks | null): Promise<readonly EpisodeRecord[]> => {
          const statistics = recordedStatistics(numbers)(nowMs);
          const log = createEpisodeLog({ statistics, blocks: kept, nowMs: () => nowMs, zone });
          const list = await log.within({ fromMs: toMs - hours * HOUR_MS, toMs, hosts: [] });
          return list?.episodes ?? [];
        };
        const day = await read(24, null);
        mixes += day.filter(({ mix }) => mix !== undefined).length;
        const inLastHour = day.filter(({ endMs }) => endMs === null || endMs > toMs - HOUR_MS).map(inWords);
        expect((await read(1, blocks)).map(inWords)).toEqual(inLastHour);
        // Asks for the other hours of what the first one stored.
        expect((await read(24, blocks)).map(inWords)).toEqual(day.map(inWords));
        expect((await read(1, blocks)).map(inWords)).toEqual(inLastHour);
      }
    }
  }
  expect(mixes).toBeGreaterThan(0);
}, 180_000);
