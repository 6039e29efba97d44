/**
 * What people chose to ignore: a category, on all hosts or some, until a date. An episode that consists of it is still found,
 * named and counted, but nothing alerts about it and no answer leads with it.
 */
import { z } from 'zod';
import { nullIfUnavailable } from '../errors.ts';
import { countOf } from '../statistics/categories.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { lastSettledMinute } from '../statistics/timeline.ts';
import type { Range } from '../time/index.ts';
import { between } from './block.ts';
import type { EpisodeRecord } from './episode.ts';
import type { EpisodeLog, EpisodeQuery } from './episode-log.ts';

export interface IgnoredCategory {
  readonly category: string;
  /** None: all hosts of the project. */
  readonly hosts: readonly { readonly name: string; readonly id: string }[];
  /** Only what begins in this time is ignored, so that what was reported before stays as it was. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Who asked for it. */
  readonly by: string;
}

export const ignoredCategoriesSchema = z.array(
  z.object({
    category: z.string(),
    hosts: z.array(z.object({ name: z.string(), id: z.string() })),
    fromMs: z.number(),
    untilMs: z.number(),
    by: z.string(),
  }),
);

export const isInForce = ({ fromMs, untilMs }: IgnoredCategory, atMs: number): boolean =>
  atMs >= fromMs && atMs < untilMs;

/** The hosts of a question that a rule is about: `all` if it's about each of them, none if about none. */
function coveredHosts({ hosts }: IgnoredCategory, asked: readonly string[]): 'all' | readonly string[] {
  const ids = hosts.map(({ id }) => id);
  if (ids.length === 0 || (asked.length > 0 && asked.every((id) => ids.includes(id)))) return 'all';
  return asked.length === 0 ? ids : ids.filter((id) => asked.includes(id));
}

/** Those of a project, oldest first, also some that have ended: they say how an earlier time was reported. */
export interface IgnoredCategories {
  list(): Promise<readonly IgnoredCategory[]>;
  /** Resolves to what was stored. */
  change(
    next: (current: readonly IgnoredCategory[]) => readonly IgnoredCategory[],
  ): Promise<readonly IgnoredCategory[]>;
}

/** Until the process ends. */
export function rememberIgnored(): IgnoredCategories {
  let rules: readonly IgnoredCategory[] = [];
  return {
    list: async () => rules,
    async change(next) {
      rules = next(rules);
      return rules;
    },
  };
}

const KEY = 'all';

/** In one record, so that a change of one rule can't lose another. */
export function storedIgnored(records: {
  get(key: string): Promise<readonly IgnoredCategory[] | undefined>;
  update(
    key: string,
    change: (current: readonly IgnoredCategory[] | undefined) => readonly IgnoredCategory[] | undefined,
  ): Promise<readonly IgnoredCategory[] | undefined>;
}): IgnoredCategories {
  return {
    list: async () => (await records.get(KEY)) ?? [],
    change: async (next) => (await records.update(KEY, (current) => next(current ?? []))) ?? [],
  };
}

interface IgnoringLogDeps {
  readonly statistics: Pick<Statistics, 'distribution'>;
  readonly ignored: Pick<IgnoredCategories, 'list'>;
}

/** The same log, with the episodes marked that consist of what is ignored. If the rules can't be read, nothing is. */
export function withIgnored(log: EpisodeLog, { statistics, ignored }: IgnoringLogDeps): EpisodeLog {
  return {
    ...log,
    async within(query) {
      const [list, known] = await Promise.all([log.within(query), nullIfUnavailable(ignored.list())]);
      if (list === null || known === null || known.length === 0) return list;
      const marked = list.episodes.map(async (episode): Promise<EpisodeRecord> => {
        const applying = known.filter((rule) => isInForce(rule, episode.onsetMs));
        return (await isExplained(episode, applying, query, statistics)) ? { ...episode, ignored: true } : episode;
      });
      return { ...list, episodes: await Promise.all(marked) };
    },
  };
}

/** So much of what came on top of the usual must be ignored: with less, something else is going on, too. */
const EXPLAINED_SHARE = 0.8;

async function isExplained(
  { drop, mix, onsetMs, endMs, figures }: EpisodeRecord,
  rules: readonly IgnoredCategory[],
  query: EpisodeQuery,
  statistics: IgnoringLogDeps['statistics'],
): Promise<boolean> {
  const own = figures.categories.filter(({ category }) => mix === undefined || category === mix);
  if (drop !== undefined || !rules.some((rule) => own.some(({ category }) => category === rule.category))) return false;
  const range = between(onsetMs, endMs ?? figures.untilMs);
  const parts = own.map(async ({ category, count, expected }) => {
    const covered = rules.filter((rule) => rule.category === category).map((rule) => coveredHosts(rule, query.hosts));
    const excess = Math.max(0, count - (expected ?? 0));
    if (covered.includes('all')) return excess;
    const hosts = [...new Set(covered.flat())];
    if (hosts.length === 0) return 0;
    const { freshOnly, asker } = query;
    const counts = await nullIfUnavailable(statistics.distribution({ hosts, range, zone: 'UTC', freshOnly, asker }));
    return Math.min(excess, counts === null ? 0 : (countOf(counts, category) ?? 0));
  });
  const ignored = (await Promise.all(parts)).reduce((sum, part) => sum + part, 0);
  return ignored > 0 && ignored >= EXPLAINED_SHARE * (figures.total - (figures.expected ?? 0));
}

/** What a rule left out of an answer's findings, though not of its numbers. */
export interface IgnoredCount {
  readonly rule: IgnoredCategory;
  readonly count: number;
}

/** How many attacks of a window are ignored, by rule; without those that have none, or whose number is unknown. */
export async function countIgnored(
  { statistics, ignored }: IgnoringLogDeps,
  { range, hosts: asked, zone }: { readonly range: Range; readonly hosts: readonly string[]; readonly zone: string },
  now: Temporal.Instant,
): Promise<IgnoredCount[]> {
  const rules = (await nullIfUnavailable(ignored.list())) ?? [];
  const counts = await Promise.all(
    rules.map(async (rule): Promise<IgnoredCount[]> => {
      const covered = coveredHosts(rule, asked);
      const [fromMs, toMs] = [
        Math.max(rule.fromMs, range.from.epochMilliseconds),
        // As far as answers count.
        Math.min(rule.untilMs, range.to.epochMilliseconds, lastSettledMinute(now).epochMilliseconds),
      ];
      if (fromMs >= toMs || covered.length === 0) return [];
      const hosts = covered === 'all' ? asked : covered;
      const counted = await nullIfUnavailable(statistics.distribution({ hosts, zone, range: between(fromMs, toMs) }));
      const count = counted === null ? null : countOf(counted, rule.category);
      return count === null || count === 0 ? [] : [{ rule, count }];
    }),
  );
  return counts.flat();
}
