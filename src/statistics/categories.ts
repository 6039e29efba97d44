/**
 * Attack categories: the service's field, the display name, and what people type for it; the events of each in a window, and
 * which of them changed.
 */
import { plainName } from '../untrusted-input.ts';
import type { Distribution } from './timeline.ts';

export interface Category {
  readonly field: string;
  readonly name: string;
  /** Lower-case synonyms, for sentences such as `watch sqli over 50`. */
  readonly words: readonly string[];
}

/** The thirteen categories of the documented interface. */
export const CATEGORIES: readonly Category[] = [
  { field: 'xss', name: 'XSS', words: ['cross-site scripting'] },
  { field: 'sqli', name: 'SQL injection', words: ['sql', 'sql injection'] },
  { field: 'cmdi', name: 'Command injection', words: ['command injection', 'commands'] },
  { field: 'cc', name: 'CC attacks', words: ['cc attacks', 'flood', 'http flood'] },
  { field: 'custom', name: 'Precise Protection', words: ['precise protection', 'custom rules'] },
  { field: 'illegal', name: 'Invalid requests', words: ['invalid', 'invalid requests'] },
  { field: 'lfi', name: 'Local file inclusion', words: ['local file inclusion'] },
  { field: 'robot', name: 'Malicious crawlers', words: ['robots', 'crawlers', 'bots', 'malicious crawlers'] },
  { field: 'antitamper', name: 'Webpage tampering', words: ['tampering', 'webpage tampering'] },
  { field: 'rfi', name: 'Remote file inclusion', words: ['remote file inclusion'] },
  { field: 'vuln', name: 'Other attacks', words: ['other', 'other attacks'] },
  { field: 'whiteblackip', name: 'Blacklist and Whitelist', words: ['blacklist', 'whitelist'] },
  { field: 'webshell', name: 'Webshell', words: ['webshells', 'web shell'] },
];

/** Further categories of newer and older editions, from the vendor's documentation. */
const FURTHER: readonly Category[] = [
  { field: 'rce', name: 'Code execution', words: ['remote code execution'] },
  { field: 'ptr', name: 'Path traversal', words: ['traversal'] },
  { field: 'custom_robot', name: 'Scanners', words: ['scanner'] },
  { field: 'anticrawler', name: 'Anti-crawler', words: ['anti-crawler rules'] },
  { field: 'botm', name: 'Bot attacks', words: [] },
  { field: 'advanced_bot', name: 'Bot management', words: [] },
  { field: 'third_bot_river', name: 'Third-party bots', words: [] },
  { field: 'antiscan_high_freq_scan', name: 'High-frequency scans', words: ['frequent scans'] },
  { field: 'antiscan_dir_traversal', name: 'Directory scans', words: [] },
  { field: 'custom_geoip', name: 'Geolocation', words: ['geoip', 'geo-blocking'] },
  { field: 'custom_idc_ip', name: 'Data centre IPs', words: ['data center ips'] },
  { field: 'iprank', name: 'IP reputation', words: [] },
  { field: 'leakage', name: 'Data leaks', words: ['leaks', 'data leakage'] },
  { field: 'followed_action', name: 'Known attackers', words: [] },
  { field: 'llm_prompt_injection', name: 'LLM prompt injection', words: ['prompt injection'] },
  { field: 'llm_prompt_sensitive', name: 'LLM sensitive prompts', words: ['sensitive prompts'] },
  { field: 'llm_response_sensitive', name: 'LLM sensitive answers', words: ['sensitive answers'] },
];

/** Alternative fields for the same category; their counts are added up. */
const ALIASES: Readonly<Record<string, string>> = {
  custom_custom: 'custom',
  custom_whiteblackip: 'whiteblackip',
  custom_whiteip: 'whiteblackip',
  custom_blackip: 'whiteblackip',
  antileakage: 'leakage',
  geoip: 'custom_geoip',
};

/** Fields for what a service doesn't break down by category. */
export const REST = 'rest';
export const WEB_ATTACKS = 'web_attack';
const COARSE: Readonly<Record<string, string>> = {
  [REST]: 'Smaller categories',
  [WEB_ATTACKS]: 'Basic web protection',
};

const MAX_NAME_LENGTH = 100;

/** The field a category is counted under, whatever the service calls it. */
export function canonicalCategory(field: string): string {
  return Object.hasOwn(ALIASES, field) ? (ALIASES[field] ?? field) : plainName(field, MAX_NAME_LENGTH);
}

const NAMES = new Map([
  ...Object.entries(COARSE),
  ...[...CATEGORIES, ...FURTHER].map((category) => [category.field, category.name] as const),
]);

/** The display name; an unknown category keeps its own name. */
export function categoryName(field: string): string {
  const canonical = canonicalCategory(field);
  return NAMES.get(canonical) ?? (canonical || 'unnamed');
}

// The thirteen come last: they win if two categories share a word.
const FIELDS = new Map([
  ...Object.entries(ALIASES),
  ...[...FURTHER, ...CATEGORIES].flatMap(({ field, name, words }) =>
    [field, name.toLowerCase(), ...words].map((word) => [word, field] as const),
  ),
]);

/** Everything that people may type for a category. */
export const CATEGORY_WORDS: readonly string[] = [...FIELDS.keys()];

/** The category for a lower-case word or phrase, singular or plural. */
export function categoryFor(phrase: string): string | undefined {
  return FIELDS.get(phrase) ?? FIELDS.get(phrase.replace(/s$/, '')) ?? FIELDS.get(`${phrase}s`);
}

export function totalOf(distribution: Distribution): number {
  return distribution.counts.reduce((sum, { count }) => sum + count, 0);
}

export interface CategoryRow {
  readonly category: string;
  readonly count: number;
  readonly share: number;
  /** `null` if there is nothing to compare with, or the service doesn't list the category there. */
  readonly before: number | null;
}

/** Categories with events now or before, largest first; ties in the order of the specification. */
export function rankCategories(distribution: Distribution, previous: Distribution | null): CategoryRow[] {
  const total = totalOf(distribution);
  const named = [distribution, ...(previous === null ? [] : [previous])];
  const listsRest = distribution.counts.some(({ category }) => category === REST);
  const names = [...new Set(named.flatMap(({ counts }) => counts.map(({ category }) => category)))];
  return names
    .filter((category) => category !== REST || listsRest)
    .flatMap((category) => {
      const count = countOf(distribution, category);
      // A category the service doesn't list is part of the rest.
      if (count === null) return [];
      const share = total > 0 ? count / total : 0;
      return [
        { category, count, share, before: previous === null ? null : countAlike(previous, category, distribution) },
      ];
    })
    .filter((row) => row.count > 0 || (row.before ?? 0) > 0)
    .sort((a, b) => b.count - a.count || (b.before ?? 0) - (a.before ?? 0));
}

/** The events of a category as another distribution names them: the rest is what that one doesn't name. */
function countAlike(distribution: Distribution, category: string, other: Distribution): number | null {
  if (category !== REST) return countOf(distribution, category);
  const named = other.counts
    .filter((each) => each.category !== REST)
    .map((each) => countOf(distribution, each.category));
  const isKnown = !named.includes(null) && distribution.unknownCategories === undefined;
  return isKnown ? totalOf(distribution) - named.reduce<number>((sum, count) => sum + (count ?? 0), 0) : null;
}

/** The events of a category; `null` if the service doesn't know it or lists only some, and not this one. */
export function countOf(distribution: Distribution, category: string): number | null {
  const { counts, limits = [], unknownCategories = [] } = distribution;
  const found = counts.find((one) => one.category === category);
  return found?.count ?? (limits.length === 0 && !unknownCategories.includes(category) ? 0 : null);
}

/** Upper bound for a category: one that isn't among the largest has at most as many as the smallest of those. */
export function maxCountOf(distribution: Distribution, category: string): number | null {
  const { counts, limits = [] } = distribution;
  const count = countOf(distribution, category);
  if (count !== null || limits.some((limit) => limit !== 'largest')) return count;
  return Math.min(...counts.map((named) => named.count));
}

const listsAllCategories = ({ limits = [], unknownCategories = [] }: Distribution): boolean =>
  limits.length + unknownCategories.length === 0;

/** Windows in a row as one. A category that isn't listed in all of them counts among the rest, unless all categories are listed. */
export function joinDistributions(windows: readonly Distribution[]): Distribution | null {
  const [first] = windows;
  const last = windows.at(-1);
  if (first === undefined || last === undefined) return null;
  const isKnown = (category: string): boolean =>
    windows.every((window) => listsAllCategories(window) || window.counts.some((each) => each.category === category));
  const counts = new Map<string, number>();
  for (const { category, count } of windows.flatMap((window) => window.counts)) {
    const name = isKnown(category) ? category : REST;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return {
    ...last,
    fromMs: first.fromMs,
    counts: [...counts].map(([category, count]) => ({ category, count })),
    limits: [...new Set(windows.flatMap(({ limits = [] }) => limits))],
    unknownCategories: [...new Set(windows.flatMap(({ unknownCategories = [] }) => unknownCategories))],
  };
}

/** Relative variation of a category between two similar quiet windows. */
const USUAL_VARIATION = 0.1;

/**
 * Roughly in standard deviations; negative for a fall. `lengthRatio` is the length of the window relative to the one before.
 */
export function surprise(now: number, before: number, lengthRatio = 1): number {
  const both = now + before;
  if (both === 0) return 0;
  const expected = (both * lengthRatio) / (1 + lengthRatio);
  const ratio = 2 * (term(now, expected) + term(before, both - expected));
  const extra = 1 + (2 * USUAL_VARIATION ** 2 * now * before) / both;
  return Math.sign(now - expected) * Math.sqrt(Math.max(0, ratio) / extra);
}

const term = (count: number, expected: number): number => (count === 0 ? 0 : count * Math.log(count / expected));

/** From here on, a change leads the answer. On 19 of 20 quiet days, none of 13 categories reaches it. */
export const STANDS_OUT = 3;
/** From here on, a change is mentioned if changes were requested. */
export const NOTICEABLE = 2;

/** Observed and expected events of a category. */
interface Excess {
  readonly observed: number;
  readonly expected: number;
}

const above = ({ observed, expected }: Excess): number => observed - expected;

/**
 * Categories that lead a rise: the one furthest above the expected count first, then the others that stand out. A few events
 * never lead.
 */
export function leadingFirst<C extends Excess>(categories: readonly C[]): C[] {
  return categories
    .filter(({ observed, expected }) => surprise(observed, expected) >= STANDS_OUT)
    .toSorted((a, b) => above(b) - above(a));
}

export interface Movers {
  /** The most surprising first. */
  readonly moved: readonly CategoryRow[];
  /** In the original order. */
  readonly rest: readonly CategoryRow[];
}

export function findMovers(rows: readonly CategoryRow[], least: number, lengthRatio = 1): Movers {
  const size = ({ count, before }: CategoryRow): number =>
    before === null ? 0 : Math.abs(surprise(count, before, lengthRatio));
  const moved = rows.filter((row) => size(row) >= least).toSorted((a, b) => size(b) - size(a));
  return { moved, rest: rows.filter((row) => !moved.includes(row)) };
}

/** Puts the category that leads a rise first, even if others changed more over the whole window. */
export function leadFirst({ moved, rest }: Movers, leading: string | null): Movers {
  const isLeading = ({ category, before }: CategoryRow): boolean => category === leading && before !== null;
  const above = ({ count, before }: CategoryRow): number => count - (before ?? count);
  if (leading === null || ![...moved, ...rest].some(isLeading)) return { moved, rest };
  const first = [...moved, ...rest].filter(isLeading);
  const others = moved.filter((row) => !isLeading(row)).toSorted((a, b) => above(b) - above(a));
  return { moved: [...first, ...others], rest: rest.filter((row) => !isLeading(row)) };
}
