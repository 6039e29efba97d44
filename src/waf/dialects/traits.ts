/** What was found out about a service that speaks overviews, kept in the store so that it is found out once. */
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import type { PointHabits } from './overviews-points.ts';

export interface ServiceTraits extends PointHabits {
  /** Queries that this service does not have. */
  readonly missing: readonly string[];
  /** `fixed`: today, yesterday, and the last 3, 7 and 30 days only. */
  readonly windows: 'any' | 'fixed';
  /** `recent`: the query of the categories takes the name of a fixed window and nothing else. */
  readonly categories: 'any' | 'recent';
  /** Whether a question about several hosts is answered for all of them; `null`: not known yet. */
  readonly hosts: 'together' | 'apart' | null;
}

const UNKNOWN: ServiceTraits = {
  label: null,
  unit: null,
  missing: [],
  windows: 'any',
  categories: 'any',
  hosts: null,
};
/** Services change; after so long all is found out again. */
const KEPT_MS = 7 * 86_400_000;

function isTraits(value: unknown): value is ServiceTraits {
  return typeof value === 'object' && value !== null && 'label' in value && 'windows' in value && 'missing' in value;
}

export type Traits = ReturnType<typeof createTraits>;

export function createTraits(cache: BestEffortCache, scope: string, now: () => number) {
  const key = `traits:${scope}`;
  let current = UNKNOWN;
  let loading: Promise<void> | undefined;
  let loadedMs = 0;

  async function load(): Promise<void> {
    loadedMs = now();
    current = UNKNOWN;
    const kept = await cache.get(key);
    if (isTraits(kept)) current = { ...UNKNOWN, ...kept };
  }

  return {
    async load(): Promise<ServiceTraits> {
      if (loading === undefined || now() - loadedMs >= KEPT_MS) loading = load();
      await loading;
      return current;
    },
    get current(): ServiceTraits {
      return current;
    },
    learn(found: Partial<ServiceTraits>): void {
      const isNews = Object.entries(found).some(([name, value]) => current[name as keyof ServiceTraits] !== value);
      if (!isNews) return;
      current = { ...current, ...found };
      void cache.set(key, current, KEPT_MS);
    },
  };
}

/** What was found, and what could not be, for the doctor. */
export function traitSentences({ label, unit, missing, windows, categories, hosts }: ServiceTraits): readonly string[] {
  const isMissing = (name: string): boolean => missing.some((path) => path.endsWith(name));
  const isQps = isMissing('request/timeline');
  const labels =
    label === null
      ? 'Whether points are labelled with their start or their end could not be told yet'
      : `Points are labelled with their ${label}`;
  const units = {
    counts: 'and the timeline agrees with the totals',
    rates: 'and are rates per second, from which counts are estimated; few attacks look like none',
    neither: 'but the timeline does not add up to the totals',
    unknown: 'and no traffic has shown yet that the timeline agrees with the totals',
  };
  const named = isMissing('attack/type')
    ? isMissing('classification')
      ? 'Of the categories it gives four groups only.'
      : 'It gives the ten largest categories only.'
    : categories === 'recent'
      ? 'It names all categories of today, yesterday and the last 3, 7 and 30 days, the ten largest of other times.'
      : null;
  return [
    `The timeline is from the ${isQps ? 'qps' : 'request'} query. ${labels}, ${units[unit ?? 'unknown']}.`,
    ...(windows === 'fixed'
      ? [
          'It answers for today, yesterday and the last 3, 7 and 30 days only; other times are cut out of those, but not for categories: a watch for one category sees nothing.',
        ]
      : []),
    ...(named === null ? [] : [named]),
    ...(hosts === 'apart' ? ['It takes one host in a question, so several are asked for one by one.'] : []),
  ];
}
