/**
 * Random sites on which known things happen: weeks of uneven traffic, then two days with rises, a category that takes over,
 * visitors or attacks that stop. What happened is known to the minute, so that answers can be held against it.
 */
import type { RecordedNumbers } from '../../src/episodes/recorded-statistics.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const DAYS_BEFORE = 35;
const MINUTES = (DAYS_BEFORE + 2) * 1_440;
/** A Wednesday; everything happens on that day and the next. */
export const EVENTFUL_MS = Date.UTC(2026, 2, 4);
const START_MS = EVENTFUL_MS - DAYS_BEFORE * DAY_MS;

/** What is usual on a site. The same number is the same site. */
export interface UsualTraffic {
  /** Attacks a minute on average. */
  readonly level: number;
  readonly requests: readonly number[];
  readonly categories: Readonly<Record<string, readonly number[]>>;
}

const SHARES: Readonly<Record<string, number>> = { cc: 0.5, sqli: 0.25, xss: 0.15, robot: 0.1 };

const fraction = (random: SeededRandom): number => random.below(2 ** 30) / 2 ** 30;

/** Counts that are independent of each other; of large means nearly normal. */
function poisson(random: SeededRandom, mean: number): number {
  if (mean > 40) {
    const normal = Math.sqrt(-2 * Math.log(1 - fraction(random))) * Math.cos(2 * Math.PI * fraction(random));
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = fraction(random); product > limit; product *= fraction(random)) count += 1;
  return count;
}

export function usualTraffic(seed: number): UsualTraffic {
  const random = createSeededRandom(seed);
  const level = random.pick([4, 8, 15, 30]);
  const swing = random.pick([0, 0.3, 0.6]);
  const requests: number[] = [];
  const categories: Record<string, number[]> = { cc: [], sqli: [], xss: [], robot: [] };
  for (let minute = 0; minute < MINUTES; minute++) {
    const hours = 1 + swing * Math.sin((2 * Math.PI * minute) / 1_440);
    requests.push(poisson(random, 40 * level * hours));
    for (const [name, column] of Object.entries(categories))
      column.push(poisson(random, level * hours * (SHARES[name] ?? 0)));
  }
  return { level, requests, categories };
}

type HappeningKind = 'rise' | 'takeover' | 'new category' | 'visitors gone' | 'attacks gone';

export interface Happening {
  readonly kind: HappeningKind;
  readonly fromMs: number;
  readonly toMs: number;
  /** What rises or takes over. */
  readonly category: string;
  /** More attacks a minute. */
  readonly more: number;
  /** So far above the unevenness that nobody may miss it. */
  readonly isPlain: boolean;
}

const KINDS: readonly HappeningKind[] = [
  'rise',
  'rise',
  'rise',
  'takeover',
  'new category',
  'visitors gone',
  'attacks gone',
];
const CATEGORIES = ['sqli', 'xss', 'lfi', 'cmdi', 'cc'];

/** Up to four, an hour or more apart. */
export function happenings(random: SeededRandom, level: number): readonly Happening[] {
  const number = random.pick([0, 1, 2, 2, 3, 3, 4, 4]);
  const found: Happening[] = [];
  let freeMs = EVENTFUL_MS + random.below(4 * 60) * MINUTE_MS;
  for (let at = 0; at < number; at++) {
    const kind = random.pick(KINDS);
    const minutes = kind === 'attacks gone' ? 60 + random.below(90) : 12 + random.below(80);
    const times = random.pick([0.8, 1.5, 3, 6, 12]);
    const fromMs = freeMs + random.below(5 * 60) * MINUTE_MS;
    const toMs = fromMs + minutes * MINUTE_MS;
    const more = kind === 'rise' ? Math.ceil(times * level) : kind === 'new category' ? 1 + random.below(3) : 0;
    const category = kind === 'new category' ? 'webshell' : random.pick(CATEGORIES);
    found.push({ kind, fromMs, toMs, category, more, isPlain: kind === 'rise' && times >= 3 && minutes >= 15 });
    freeMs = toMs + HOUR_MS;
  }
  return found;
}

/** The numbers of a site with everything that happens on it. */
export function numbersOf(usual: UsualTraffic, happened: readonly Happening[], random: SeededRandom): RecordedNumbers {
  const requests = [...usual.requests];
  const categories = new Map(Object.entries(usual.categories).map(([name, column]) => [name, [...column]]));
  const columnOf = (name: string): number[] => {
    const column = categories.get(name) ?? new Array<number>(MINUTES).fill(0);
    categories.set(name, column);
    return column;
  };
  for (const { kind, fromMs, toMs, category, more } of happened) {
    const own = columnOf(category);
    for (let at = (fromMs - START_MS) / MINUTE_MS; at < (toMs - START_MS) / MINUTE_MS; at++) {
      const all = [...categories.values()].reduce((sum, column) => sum + (column[at] ?? 0), 0);
      if (kind === 'visitors gone') requests[at] = 0;
      if (kind === 'takeover' || kind === 'visitors gone' || kind === 'attacks gone')
        for (const column of categories.values()) column[at] = 0;
      if (kind === 'takeover') own[at] = all;
      if (kind === 'rise' || kind === 'new category') {
        const extra = poisson(random, more);
        own[at] = (own[at] ?? 0) + extra;
        requests[at] = (requests[at] ?? 0) + extra;
      }
    }
  }
  const columns = [...categories.values()];
  const attacks = Array.from({ length: MINUTES }, (_, at) =>
    columns.reduce((sum, column) => sum + (column[at] ?? 0), 0),
  );
  return { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: Object.fromEntries(categories) };
}
