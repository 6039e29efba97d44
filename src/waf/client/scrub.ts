/** Removes secrets and addresses from the services' texts before anyone sees them. */

/** The lookbehind makes each run of letters match from its start only; without it, long dotted texts take seconds. */
const ADDRESS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]+/gi;
/** Unknown tokens, signatures and keys, recognized by their form. */
const LONG_OPAQUE = /[A-Za-z0-9+/_=-]{40,}/g;
const ACCESS_KEY = /\b(AK|Access(?:\s*Key)?)\s*[:=]\s*[^\s,;"']+/gi;
const MAX_LENGTH = 300;
/** The rest of a longer message is dropped before it is searched. */
const MAX_READ = 8_192;

export interface Scrubber {
  (text: string): string;
  /** Adds a secret that is known only later, such as a token. */
  readonly learn: (secret: string) => void;
}

/** The encodings in which a service may echo a secret. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString('base64')];
}

/** Cut at a space, because half a token would not be recognized. */
function beginningOf(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', MAX_READ)));
}

export function createScrubber(secrets: readonly string[]): Scrubber {
  const given = secrets.filter((secret) => secret !== '');
  // A very short secret looks like ordinary letters, so no text is repeated at all.
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
