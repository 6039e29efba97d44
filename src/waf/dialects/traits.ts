/** What was learned about a service that speaks overviews, stored so that it is learned once. */
import { z } from 'zod';
import { DAY_MS } from '../../time-units.ts';
import type { BestEffortCache } from '../cache.ts';
import type { QueryNotes } from './dialect.ts';

/** Records of earlier versions may lack the traits that have a default here. */
const traitsSchema = z.object({
  /** Whether a point is labeled with its start or its end; `null`: not known yet. */
  label: z.enum(['start', 'end']).nullable(),
  /** What a point counts. `neither`: the points don't add up to the totals. `null`: not known yet. */
  unit: z.enum(['counts', 'rates', 'neither']).nullable().default(null),
  /** Queries that this service doesn't have. */
  missing: z.array(z.string()),
  /** `fixed`: today, yesterday, and the last 3, 7 and 30 days only. */
  windows: z.enum(['any', 'fixed']),
  /** `recent`: the query for categories takes only the name of a fixed window. */
  categories: z.enum(['any', 'recent']).default('any'),
  /** Whether a question about several hosts is answered for all of them; `null`: not known yet. */
  hosts: z.enum(['together', 'apart']).nullable().default(null),
});

export type ServiceTraits = Readonly<z.infer<typeof traitsSchema>>;

const UNKNOWN: ServiceTraits = {
  label: null,
  unit: null,
  missing: [],
  windows: 'any',
  categories: 'any',
  hosts: null,
};
/** Services change, so everything is learned again after this long. */
const TTL_MS = 7 * DAY_MS;

export type Traits = ReturnType<typeof createTraits>;

export function createTraits(cache: BestEffortCache, scope: string, now: () => number) {
  const key = `traits:${scope}`;
  let current = UNKNOWN;
  let loading: Promise<void> | undefined;
  let loadedMs = 0;

  async function load(): Promise<void> {
    loadedMs = now();
    current = (await cache.get(key, traitsSchema)) ?? UNKNOWN;
  }

  return {
    async load(): Promise<ServiceTraits> {
      if (loading === undefined || now() - loadedMs >= TTL_MS) loading = load();
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
      void cache.set(key, current, TTL_MS);
    },
  };
}

/** What was learned, and what is still open, for the doctor. */
export function traitNotes({ label, unit, missing, windows, categories, hosts }: ServiceTraits): QueryNotes {
  const isMissing = (name: string): boolean => missing.some((path) => path.endsWith(name));
  const isQps = isMissing('request/timeline');
  const labels =
    label === null
      ? "It isn't known yet whether points are labeled with their start or their end"
      : `Points are labeled with their ${label}`;
  const units = {
    counts: 'and the timeline agrees with the totals',
    rates: 'and are rates per second, from which counts are estimated, so a few attacks can look like none',
    neither: "but the timeline doesn't add up to the totals",
    unknown: 'and there was no traffic yet to compare the timeline with the totals',
  };
  const isFixed = windows === 'fixed';
  return {
    timeline: [
      `The timeline is from the ${isQps ? 'qps' : 'request'} query. ${labels}, ${units[unit ?? 'unknown']}.`,
      ...(isFixed
        ? ['It only answers for today, yesterday and the last 3, 7 and 30 days. Other times are cut out of those.']
        : []),
    ],
    categories: isFixed
      ? ['Only today, yesterday and the last 3, 7 and 30 days have categories: a watch for one category sees nothing.']
      : categories === 'recent'
        ? ['It gives all categories for today, yesterday and the last 3, 7 and 30 days only.']
        : [],
    hosts: hosts === 'apart' ? ['It takes one host per query, so several hosts are queried one by one.'] : [],
  };
}
