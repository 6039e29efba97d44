/** On generated sites, who asks about an hour reads the same episodes as who asks about the day, from a store or not. */
import { expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../src/episodes/episode.ts';
import { createEpisodeLog, type StoredBlock } from '../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { weeksOf } from '../../evaluation/ablation.ts';
import type { LabelledStream } from '../../evaluation/streams.ts';
import { createRandom } from '../../evaluation/traffic/random.ts';
import { count } from '../../support/counts.ts';
import { at, type Happening, recordedSite } from '../episodes/recorded-site.ts';

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
}, 900_000);

const clock = (ms: number): string => new Date(ms).toISOString();

/** Takeovers, floods and new categories near the edges of hours, which run into each other; within half a day. */
function nastyDay(seed: number): { readonly happenings: readonly Happening[]; readonly level: number } {
  const random = createRandom(seed, 3);
  const happenings = Array.from({ length: 3 }, (): Happening[] => {
    const hour = random.whole(1, 10);
    const fromMs = at('00:00') + hour * HOUR_MS + random.whole(-12, 12) * 5 * MINUTE_MS;
    const toMs = fromMs + random.pick([10, 20, 30, 45, 60, 90, 150, 300]) * MINUTE_MS;
    const category = random.pick(['xss', 'sqli', 'webshell', 'cc', 'lfi']);
    const weaker = { fromMs: toMs, toMs: toMs + 3 * HOUR_MS, attacks: 0.6, more: { [category]: 4 } };
    return random.pick<Happening[]>([
      [{ fromMs, toMs, turnsInto: category }],
      [{ fromMs, toMs, more: { [category]: random.pick([1, 2, 3, 6, 30]) } }],
      [{ fromMs, toMs, attacks: 0.5, more: { [category]: 5 } }],
      [{ fromMs, toMs, turnsInto: category }, weaker],
    ]);
  });
  return { happenings: happenings.flat(), level: random.pick([4, 10, 30]) };
}

it('is one list for who asks about the last hour and about the day, while it goes on', async () => {
  let found = 0;
  for (let seed = 0; seed < count(200, 4, 12); seed++) {
    const { happenings, level } = nastyDay(seed);
    const site = recordedSite(happenings, { level });
    for (let nowMs = at('01:07'); nowMs < at('12:00'); nowMs += 71 * MINUTE_MS) {
      const hour = await site.within(nowMs - HOUR_MS, nowMs, nowMs);
      const day = await site.within(nowMs - 20 * HOUR_MS, nowMs, nowMs);
      const inHour = day.episodes.filter(({ endMs }) => endMs === null || endMs > nowMs - HOUR_MS);
      found += inHour.length;
      expect([seed, clock(nowMs), ...hour.episodes.map(inWords)]).toEqual([seed, clock(nowMs), ...inHour.map(inWords)]);
    }
  }
  expect(found).toBeGreaterThan(0);
}, 900_000);
