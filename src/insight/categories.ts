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

const NAMES = new Map(CATEGORIES.map((category) => [category.field, category.name]));

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
