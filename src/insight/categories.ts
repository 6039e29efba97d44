/** The thirteen attack categories: the field of the service, the name people read, and words they type for it. */
export interface Category {
  readonly field: string;
  readonly name: string;
  /** Other words for it, lower case, in a sentence such as `watch sqli over 50`. */
  readonly words: readonly string[];
}

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

/** What newer and older editions of the service call further categories, as its vendor documents them. */
const FURTHER_NAMES: Readonly<Record<string, string>> = {
  rce: 'Code execution',
  ptr: 'Path traversal',
  custom_robot: 'Scanners',
  anticrawler: 'Anti-crawler',
  botm: 'Bot attacks',
  advanced_bot: 'Bot management',
  third_bot_river: 'Third-party bots',
  antiscan_high_freq_scan: 'High-frequency scans',
  antiscan_dir_traversal: 'Directory scans',
  custom_custom: 'Precise Protection',
  custom_whiteblackip: 'Blacklist and Whitelist',
  custom_whiteip: 'Whitelist',
  custom_blackip: 'Blacklist',
  custom_geoip: 'Geolocation',
  custom_idc_ip: 'Data centre IPs',
  iprank: 'IP reputation',
  leakage: 'Data leaks',
  antileakage: 'Data leaks',
  followed_action: 'Known attackers',
  llm_prompt_injection: 'LLM prompt injection',
  llm_prompt_sensitive: 'LLM sensitive prompts',
  llm_response_sensitive: 'LLM sensitive answers',
};

const NAMES = new Map([
  ...Object.entries(FURTHER_NAMES),
  ...CATEGORIES.map((category) => [category.field, category.name] as const),
]);

/** The name people read; an unknown category goes under its own name. */
export function categoryName(field: string): string {
  return NAMES.get(field) ?? (field.trim() === '' ? 'unnamed' : field);
}

const FIELDS = new Map(
  CATEGORIES.flatMap(({ field, name, words }) => [field, name.toLowerCase(), ...words].map((word) => [word, field])),
);

/** The category that a word or phrase in lower case means, in the singular or the plural. */
export function categoryFor(phrase: string): string | undefined {
  return FIELDS.get(phrase) ?? FIELDS.get(phrase.replace(/s$/, '')) ?? FIELDS.get(`${phrase}s`);
}
