/** Removes secrets and addresses from texts of the services before anyone sees them. */
/** The lookbehind lets a run of letters be tried once, from its start: a dotted text of 80,000 took twelve seconds. */
const ADDRESS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]+/gi;
/** Tokens, signatures and keys that are not known here, recognised by their form. */
const LONG_OPAQUE = /[A-Za-z0-9+/_=-]{40,}/g;
const ACCESS_KEY = /\b(AK|Access(?:\s*Key)?)\s*[:=]\s*[^\s,;"']+/gi;
const MAX_LENGTH = 300;
/** Nobody reads more of a message than this, so nothing more is searched. */
const MAX_READ = 8_192;

export interface Scrubber {
  (text: string): string;
  /** Adds a secret that is known only later, such as a token. */
  readonly learn: (secret: string) => void;
}

/** The forms in which a secret may be echoed. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString('base64')];
}

/** Cut at a blank: half of a token would not be recognised. */
function beginningOf(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', MAX_READ)));
}

export function createScrubber(secrets: readonly string[]): Scrubber {
  const given = secrets.filter((secret) => secret !== '');
  // A very short secret cannot be told from ordinary letters; then no text is repeated at all.
  const tooShort = given.some((secret) => secret.length < 4);
  const known = new Set(given.flatMap(formsOf));
  let order: string[] = [];
  const sort = () => {
    order = [...known].sort((a, b) => b.length - a.length);
  };
  sort();

  const scrub = (text: string): string => {
    if (tooShort) return '[withheld]';
    let clean = text;
    for (const secret of order) clean = clean.replaceAll(secret, '[redacted]');
    return beginningOf(clean)
      .replace(ADDRESS, '[address]')
      .replace(ACCESS_KEY, '$1:[redacted]')
      .replace(LONG_OPAQUE, '[redacted]')
      .slice(0, MAX_LENGTH);
  };
  return Object.assign(scrub, {
    learn(secret: string) {
      if (secret.length < 4 || known.has(secret)) return;
      for (const form of formsOf(secret)) known.add(form);
      sort();
    },
  });
}
