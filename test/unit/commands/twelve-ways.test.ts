/**
 * One account of what happened: all ways of asking about the same time name the same episodes, with the same times and
 * numbers, in the same order.
 */
import { expect, it } from 'vitest';
import type { StoredBlock } from '../../../src/episodes/episode-log.ts';
import { UsageError } from '../../../src/errors.ts';
import { parseRange, type Range, wholeMinutes } from '../../../src/time/index.ts';
import { openAskedSite } from '../../support/asked-site.ts';
import { count } from '../../support/counts.ts';
import {
  DAY_MS,
  EVENTFUL_MS,
  type Happening,
  HOUR_MS,
  happenings,
  MINUTE_MS,
  numbersOf,
  type UsualTraffic,
  usualTraffic,
} from '../../support/eventful-site.ts';
import { createSeededRandom, SEED_OF_RUN, type SeededRandom } from '../../support/seeded-random.ts';
import { type AskedWindow, askAboutNow, askAboutWindow } from '../../support/twelve-ways.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC'];
const WINDOWS = Number(process.env.WINDOWS ?? count(2_000, 70));
const WINDOWS_AT_ONCE = 7;
const MOMENTS = 3;

/** During something, just after it, hours later and the next day. */
function momentsOf(random: SeededRandom, happened: readonly Happening[]): number[] {
  const moments = Array.from({ length: MOMENTS }, () => {
    const some = happened.length === 0 ? null : random.pick(happened);
    if (some === null) return EVENTFUL_MS + random.below(40 * 60) * MINUTE_MS;
    const during = random.below((some.toMs - some.fromMs) / MINUTE_MS) * MINUTE_MS;
    return random.pick([
      some.fromMs + during,
      some.fromMs + during,
      some.toMs + random.below(30) * MINUTE_MS,
      some.toMs + (2 + random.below(5)) * HOUR_MS,
      EVENTFUL_MS + DAY_MS + random.below(20 * 60) * MINUTE_MS,
    ]);
  });
  const lastMs = EVENTFUL_MS + 46 * HOUR_MS;
  return [...new Set(moments.map((ms) => Math.min(ms, lastMs)))].toSorted((a, b) => a - b);
}

/** Windows inside of what happened, across its edges and around it, and those that people type. */
function windowsAt(
  random: SeededRandom,
  happened: readonly Happening[],
  now: Temporal.Instant,
  zone: string,
): AskedWindow[] {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const nowMs = now.epochMilliseconds;
  const typed = ['today', 'last 24h', 'last 3h', 'last 1h', 'yesterday', 'last 6h'].flatMap((words): AskedWindow[] => {
    try {
      return [{ words, range: wholeMinutes(parseRange(words, { now, zone })) }];
    } catch (error) {
      // At midnight there is no today yet.
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  const around = happened.flatMap(({ fromMs, toMs }): AskedWindow[] => {
    const middleMs = fromMs + Math.round((toMs - fromMs) / 2 / MINUTE_MS) * MINUTE_MS;
    const spans: readonly (readonly [number, number])[] = [
      [fromMs, middleMs],
      [middleMs, toMs],
      [fromMs - 40 * MINUTE_MS, middleMs],
      [middleMs, toMs + 90 * MINUTE_MS],
      [fromMs - 30 * MINUTE_MS, toMs + 45 * MINUTE_MS],
      [fromMs - 3 * HOUR_MS, toMs + 5 * HOUR_MS],
    ];
    return spans.map(([from, to]) => ({ words: null, range: { from: at(from), to: at(Math.min(to, nowMs)) } }));
  });
  const isOver = ({ from, to }: Range): boolean => to.epochMilliseconds - from.epochMilliseconds >= 10 * MINUTE_MS;
  const all = [...typed, ...around].filter(({ range }) => isOver(range));
  return Array.from({ length: WINDOWS_AT_ONCE }, () => random.pick(all));
}

/** What happened before is the same on all nights of a site, and so are its stored blocks. */
function createNights(random: SeededRandom) {
  const sites = new Map<number, { readonly usual: UsualTraffic; readonly blocks: Map<string, StoredBlock> }>();
  const isBefore = (key: string): boolean => Number(key.split(':').at(-1)) < EVENTFUL_MS - DAY_MS;
  return () => {
    const seed = random.below(count(12, 2));
    const known = sites.get(seed) ?? { usual: usualTraffic(seed), blocks: new Map<string, StoredBlock>() };
    sites.set(seed, known);
    const own = new Map<string, StoredBlock>();
    const of = (key: string): Map<string, StoredBlock> => (isBefore(key) ? known.blocks : own);
    const blocks = {
      get: async (key: string) => of(key).get(key),
      set: async (key: string, block: StoredBlock) => of(key).set(key, block),
    };
    return { usual: known.usual, blocks };
  };
}

it(`twelve ways of asking about ${WINDOWS} windows tell one story`, async () => {
  const into = { compared: 0, wrong: [] as string[] };
  const first = Number(process.env.NIGHT ?? 0);
  let windows = 0;
  for (let at = first; windows < WINDOWS && into.wrong.length < 40; at++) {
    const random = createSeededRandom(SEED_OF_RUN + at);
    windows += await oneNight(random, at, into);
  }
  process.stdout.write(`${windows} windows, ${into.compared} claims compared, ${into.wrong.length} differ\n`);
  expect(into.wrong).toEqual([]);
}, 3_600_000);

const nextSite = createNights(createSeededRandom(SEED_OF_RUN));

async function oneNight(
  random: SeededRandom,
  at: number,
  into: { compared: number; wrong: string[] },
): Promise<number> {
  const { usual, blocks } = nextSite();
  const happened = happenings(random, usual.level);
  const numbers = numbersOf(usual, happened, random);
  const [zone, operatorZone] = [random.pick(ZONES), random.pick(ZONES)];
  const startMs = EVENTFUL_MS - HOUR_MS;
  const site = await openAskedSite({ numbers, zone: operatorZone, startMs, blocks });
  const night = { site, numbers, happened, zone, into, name: `night ${at}` };
  let windows = 0;
  await site.runWatch();
  for (const nowMs of momentsOf(random, happened)) {
    site.clock.leap(nowMs - site.clock.now().epochMilliseconds);
    await site.runWatch();
    const chosen = windowsAt(random, happened, site.clock.now(), zone);
    await askAboutNow(night, startMs);
    for (const window of chosen) await askAboutWindow(night, window);
    windows += chosen.length;
  }
  await site.close();
  return windows;
}
