/** Nights on sites where something happened, asked about in every way there is. */
import type { StoredBlock } from '../../src/episodes/episode-log.ts';
import { UsageError } from '../../src/errors.ts';
import { allEpisodesOf } from '../../src/subscriptions/watch/watch-state.ts';
import { parseRange, type Range, wholeMinutes } from '../../src/time/index.ts';
import { openAskedSite } from './asked-site.ts';
import type { Comparisons } from './claims.ts';
import { count } from './counts.ts';
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
} from './eventful-site.ts';
import { createSeededRandom, SEED_OF_RUN, type SeededRandom } from './seeded-random.ts';
import { type AskedWindow, askAboutNow, askAboutWindow, comparePreviewedAlerts, type Night } from './twelve-ways.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC'];
const WINDOWS = Number(process.env.WINDOWS ?? count(2_000, 28, 56));
const WINDOWS_AT_ONCE = 7;
/** The first of the nights: another number tries others. */
const FIRST = Number(process.env.NIGHT ?? 0);
const BEGIN_MS = EVENTFUL_MS - HOUR_MS;
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
  const sorted = moments.map((ms) => Math.min(ms, lastMs)).toSorted((a, b) => a - b);
  // Home may be a minute old.
  return sorted.filter((ms, at) => at === 0 || ms - (sorted[at - 1] ?? 0) > 2 * MINUTE_MS);
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

const SITES = count(12, 2, 4);
const sites = new Map<number, { readonly usual: UsualTraffic; readonly blocks: Map<string, StoredBlock> }>();

/** A night on a site. The weeks before are the same on all nights of the site, and so are their stored blocks. */
async function openNight(at: number, into: Comparisons): Promise<Night & { readonly random: SeededRandom }> {
  const seed = at % SITES;
  const known = sites.get(seed) ?? { usual: usualTraffic(seed), blocks: new Map<string, StoredBlock>() };
  sites.set(seed, known);
  const own = new Map<string, StoredBlock>();
  const isBefore = (key: string): boolean => Number(key.split(':').at(-1)) < EVENTFUL_MS - DAY_MS;
  const of = (key: string): Map<string, StoredBlock> => (isBefore(key) ? known.blocks : own);
  const blocks = {
    get: async (key: string) => of(key).get(key),
    set: async (key: string, block: StoredBlock) => of(key).set(key, block),
  };
  const random = createSeededRandom(SEED_OF_RUN + at);
  const happened = happenings(random, known.usual.level);
  const numbers = numbersOf(known.usual, happened, random);
  const [zone, operatorZone] = [random.pick(ZONES), random.pick(ZONES)];
  const site = await openAskedSite({ numbers, zone: operatorZone, startMs: BEGIN_MS, blocks });
  return { site, read: new Map(), numbers, happened, zone, into, name: `night ${at}`, random };
}

/** Enough to see what is wrong. */
const MAX_WRONG = 40;

/** Which of the nights: every file takes its own sites, so that two workers share the long run. */
export interface Share {
  readonly number: number;
  readonly of: number;
}

/** Asks about windows around what happened on the nights of this share. */
export async function askAboutNights({ number, of }: Share): Promise<{ into: Comparisons; windows: number }> {
  const into: Comparisons = { compared: 0, wrong: [] };
  let windows = 0;
  for (let at = FIRST + number; windows < WINDOWS / of && into.wrong.length < MAX_WRONG; at += of) {
    windows += await askAllNight(at, into);
  }
  process.stdout.write(`${windows} windows, ${into.compared} claims compared, ${into.wrong.length} differ\n`);
  return { into, windows };
}

async function askAllNight(at: number, into: Comparisons): Promise<number> {
  const night = await openNight(at, into);
  const { site, random, happened, zone } = night;
  let windows = 0;
  await site.runWatch();
  let ranMs = site.clock.now().epochMilliseconds;
  for (const nowMs of momentsOf(random, happened)) {
    // A watch runs every five minutes; sooner, its message is that of the run before.
    if (nowMs - ranMs < 5 * MINUTE_MS) continue;
    ranMs = nowMs;
    site.clock.leap(nowMs - site.clock.now().epochMilliseconds);
    await site.runWatch();
    const chosen = windowsAt(random, happened, site.clock.now(), zone);
    await askAboutNow(night, BEGIN_MS);
    for (const window of chosen) await askAboutWindow(night, window);
    windows += chosen.length;
  }
  await site.close();
  return windows;
}

/** Previews what a watch would have reported, and compares it with a watch that ran through the nights of this share. */
export async function previewNights({ number, of }: Share): Promise<Comparisons> {
  const into: Comparisons = { compared: 0, wrong: [] };
  for (let at = FIRST + number; at < FIRST + count(12, of, 6); at += of) await previewNight(at, into);
  return into;
}

async function previewNight(at: number, into: Comparisons): Promise<void> {
  const night = await openNight(at, into);
  const { site, happened } = night;
  const stepMs = 5 * MINUTE_MS;
  await site.runWatch();
  // Nothing to be seen between two happenings is left out.
  for (const { fromMs, toMs } of happened) {
    for (let nowMs = fromMs - (fromMs % stepMs) - stepMs; nowMs < toMs + HOUR_MS; nowMs += stepMs) {
      site.clock.leap(Math.max(0, nowMs - site.clock.now().epochMilliseconds));
      await site.runWatch();
    }
  }
  const opened = allEpisodesOf(await site.watchRecord()).map(({ openedMs }) => openedMs);
  await comparePreviewedAlerts(night, opened, BEGIN_MS);
  await site.close();
}
