/** Attack categories: the service's field, the display name, and what people type for it. */
import { plainName } from '../untrusted-input.ts';

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
